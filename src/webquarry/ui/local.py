"""`webquarry ui`: the web UI for the user of this machine, on a loopback address.

The token of this run is in the fragment of the printed address, which browsers do not send.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import uvicorn
from starlette.responses import RedirectResponse
from starlette.routing import Route, Router

from webquarry.caller import LOCAL
from webquarry.mcp.auth import Access, AccessDenied, Principal
from webquarry.mcp.health import Health
from webquarry.mcp.http import LOCAL_HOSTS
from webquarry.mcp.serving import configure, handle_signals, listen
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.ui.guard import build_page
from webquarry.ui.routes import PAGE

if TYPE_CHECKING:
    from starlette.requests import Request

_HOST = "127.0.0.1"


def build_local_app(kit: Toolkit, token: str, is_ending: Callable[[], bool]) -> Router:
    """Return the web UI behind one token; `/` redirects to it."""

    async def verify(sent: str) -> Principal:
        if not hmac.compare_digest(sent.encode("utf-8", "replace"), token.encode()):
            raise AccessDenied("Open the address that `webquarry ui` printed.")
        return Principal(LOCAL, "local user")

    async def redirect(request: Request) -> RedirectResponse:
        return RedirectResponse(PAGE)  # browsers keep the fragment

    page = build_page(kit, is_ending, LOCAL_HOSTS, Access(verify, {}))
    return Router([Route("/", redirect)], default=page)


def serve_page(port: int, open_browser: Callable[[str], object] | None) -> None:
    """Serve the web UI until a signal; print its address and open it in a browser."""
    settings = Settings.from_environment()
    token = secrets.token_urlsafe(24)
    with listen(_HOST, port) as listening:
        address = f"http://{_HOST}:{listening.getsockname()[1]}{PAGE}#t={token}"

        kit, health = Toolkit(settings, os.environ), Health()

        @asynccontextmanager
        async def lifespan(router: Router) -> AsyncIterator[None]:
            handle_signals(health)
            sys.stdout.write(f"{address}\n")
            sys.stdout.flush()
            if open_browser is not None:
                with suppress(Exception):  # a browser that cannot be opened is not an error
                    await asyncio.to_thread(open_browser, address)
            yield
            await kit.aclose()

        page = build_local_app(kit, token, lambda: health.closing)
        app = Router(default=page, lifespan=lifespan)
        uvicorn.Server(configure(app, settings)).run([listening])
