"""`webquarry ui`: the page for the user of this machine, on a loopback address, behind a token that
is made for this run and handed over in the fragment of the address, which no request carries.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import RedirectResponse
from starlette.routing import Mount, Route

from webquarry.caller import LOCAL
from webquarry.settings import Settings
from webquarry.surfaces.server.app import LOCAL_HOSTS, listen, serve
from webquarry.surfaces.server.health import Health
from webquarry.surfaces.server.principal import AccessDenied, Principal, Verifier
from webquarry.surfaces.server.slow_clients import SlowClientLimits
from webquarry.surfaces.server.ui.guarded_page import build_guarded_page
from webquarry.surfaces.ui.routes import PAGE, PageRoutes
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

_HOST = "127.0.0.1"


class RunToken(Verifier):
    """The one token of this run."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify(self, token: str) -> Principal:
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            raise AccessDenied("Open the address that `webquarry ui` printed.")
        return Principal(LOCAL, "the user of this machine")


def build_local_app(kit: Toolkit, token: str, is_ending: Callable[[], bool]) -> ASGIApp:
    """The page behind a token; the root leads to it."""
    page = build_guarded_page(PageRoutes(kit, is_ending), LOCAL_HOSTS, RunToken(token))

    async def redirect(request: Request) -> RedirectResponse:
        return RedirectResponse(PAGE)  # a browser keeps the fragment

    app = Starlette(routes=[Route("/", endpoint=redirect), Mount("/", app=page)])
    settings = kit.settings
    return SlowClientLimits(app, settings.http_max_request_bytes, settings.http_max_header_bytes)


def serve_page(port: int, open_browser: Callable[[str], object] | None) -> None:
    """Serve the page until a signal ends it; its address goes to stdout, and to a browser."""
    settings = Settings.from_environment()
    token = secrets.token_urlsafe(24)
    with listen(_HOST, port) as listening:
        address = f"http://{_HOST}:{listening.getsockname()[1]}/ui#t={token}"

        async def run() -> None:
            health = Health()
            async with Toolkit.open(settings, os.environ) as kit:
                app = build_local_app(kit, token, lambda: health.draining)
                sys.stdout.write(f"{address}\n")
                sys.stdout.flush()
                if open_browser is not None:
                    # A browser that does not come back holds nobody up.
                    with suppress(Exception):
                        await asyncio.to_thread(open_browser, address)
                await serve(app, listening, settings, health)

        asyncio.run(run())
