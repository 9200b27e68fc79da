"""The page with its guards, as an ASGI application: hosts and tokens in, the page or a refusal out.

From the outside in: the host is ours, where names could be made to lead here; the request comes
from our own page and from no other site; whoever asks for data shows a token, where tokens are on;
and on a team's server stays within their limits. There is no cookie, so that nothing rides on one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.applications import Starlette

from webquarry.surfaces.server.authentication import AuthChallenge, Authentication, send_error
from webquarry.surfaces.server.limits import RequestLimits
from webquarry.surfaces.server.origins import HostCheck
from webquarry.surfaces.ui.routes import EVENTS, GUARDED, PAGE, PageRoutes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from webquarry.surfaces.server.principal import Verifier

_OWN_SITES = (b"same-origin", b"none")  # of `Sec-Fetch-Site`; a person's own address bar is none
Limit = Callable[["ASGIApp"], RequestLimits]


def build_guarded_page(
    page: PageRoutes,
    hosts: Collection[str] | None,
    verifier: Verifier | None = None,
    challenge: AuthChallenge | None = None,
    limit: Limit | None = None,
) -> ASGIApp:
    """The page for callers whose token the verifier knows, or for everybody on this machine."""
    app: ASGIApp = Starlette(routes=page.routes())
    if limit is not None:
        # A stream lasts as long as its page is open, and would hold a place for calls.
        app = ByPath({EVENTS: app}, limit(app))
    if verifier is not None:
        guarded = dict.fromkeys(GUARDED, challenge or AuthChallenge())
        app = Authentication(app, verifier, guarded)
    app = SameOrigin(app)
    if hosts is not None:
        app = HostCheck(app, hosts, exempt=())
    return app


class ByPath:
    """An ASGI application before others: each path has its own, all others share one."""

    def __init__(self, apps: Mapping[str, ASGIApp], otherwise: ASGIApp) -> None:
        self._apps = apps
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._apps.get(scope.get("path", ""), self._otherwise)
        await app(scope, receive, send)


class WithPage:
    """A server with the page beside it: what is below `/ui` goes to the page."""

    def __init__(self, app: ASGIApp, page: ASGIApp) -> None:
        self._app = app
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and (path == PAGE or path.startswith(PAGE + "/")):
            await self._page(scope, receive, send)
            return
        await self._app(scope, receive, send)


class SameOrigin:
    """An ASGI application before another one: what a browser sends for a page of another site is
    turned away, whatever it asks for. The page itself may be opened from anywhere: it holds no
    data.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_own(scope):
            description = "Only the page of this server may ask this."
            await send_error(send, 403, "forbidden_origin", description)
            return
        await self._app(scope, receive, send)


def _is_own(scope: Scope) -> bool:
    """Whether a request comes from our page, from no page at all, or opens the page by a link."""
    headers = dict(scope["headers"])
    is_page = scope["path"].rstrip("/") in (PAGE, "") and scope["method"] in ("GET", "HEAD")
    if is_page and headers.get(b"sec-fetch-mode", b"navigate") == b"navigate":
        return b"origin" not in headers or _names_host(headers)
    if headers.get(b"sec-fetch-site", b"none") not in _OWN_SITES:
        return False
    return b"origin" not in headers or _names_host(headers)


def _names_host(headers: Mapping[bytes, bytes]) -> bool:
    """Whether the origin is the host that is asked."""
    try:
        origin = urlsplit(headers[b"origin"].decode("latin-1")).netloc
    except ValueError:
        return False
    return bool(origin) and origin == headers.get(b"host", b"").decode("latin-1")
