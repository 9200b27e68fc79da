"""Access checks in front of the web UI.

Outermost first: the Host header is known, the request comes from our own page or from no page,
requests for data have a token, and on a shared server stay within the caller's limits. There are no
cookies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.routing import Router

from webquarry.mcp.asgi import HostCheck, RequestReader, error_response
from webquarry.mcp.auth import Access, Authentication
from webquarry.ui.routes import EVENTS, GUARDED, PAGE, PageRoutes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from webquarry.toolkit import Toolkit

_OWN_SITES = (b"same-origin", b"none")  # of Sec-Fetch-Site; none: the address bar


def build_page(
    kit: Toolkit,
    is_ending: Callable[[], bool],
    hosts: Collection[str] | None,
    access: Access | None = None,
) -> ASGIApp:
    """Return the web UI for callers of `access`, or for every user of this machine."""
    page = PageRoutes(kit, is_ending)
    app: ASGIApp = RequestReader(Router(page.routes()), kit.settings.http_max_request_bytes)
    if access is not None:
        required = access.protected.get("/mcp", ())
        protected = dict.fromkeys(GUARDED, required)
        # An event stream lasts as long as its page is open and must not use up the call limit.
        app = Authentication(app, replace(access, protected=protected, unlimited=(EVENTS,)))
    return HostCheck(SameOrigin(app), hosts)


class SameOrigin:
    """ASGI middleware: refuses requests that a browser sends for a page of another site.

    The page itself may be opened from anywhere: it holds no data.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if not _is_same_origin(scope):
            problem = "Only the web UI of this server may send this request."
            app = error_response(403, "forbidden_origin", problem)
        await app(scope, receive, send)


def _is_same_origin(scope: Scope) -> bool:
    headers = dict(scope["headers"])
    is_page = scope["path"].rstrip("/") in (PAGE, "") and scope["method"] in ("GET", "HEAD")
    is_navigation = headers.get(b"sec-fetch-mode", b"navigate") == b"navigate"
    if headers.get(b"sec-fetch-site", b"none") not in _OWN_SITES and not (
        is_page and is_navigation
    ):
        return False
    return b"origin" not in headers or _names_host(headers)


def _names_host(headers: Mapping[bytes, bytes]) -> bool:
    """Return whether the origin is the requested host."""
    try:
        origin = urlsplit(headers[b"origin"].decode("latin-1")).netloc
    except ValueError:
        return False
    return bool(origin) and origin == headers.get(b"host", b"").decode("latin-1")
