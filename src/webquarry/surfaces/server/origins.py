"""Web pages that may ask: a request that a browser sends for a page names the page's origin, and
only known ones pass. Where everybody on this machine may ask, a request names this machine as its
host: a page whose name was made to lead here names itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webquarry.surfaces.server.authentication import send_error

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class OriginCheck:
    """An ASGI application before another one: pages of other sites are turned away."""

    def __init__(self, app: ASGIApp, allowed: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_allowed(scope):
            description = "Pages of this origin may not ask this server."
            await send_error(send, 403, "forbidden_origin", description)
            return
        await self._app(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        """Without an origin; with one that is allowed as it is named; or with any port where the
        list says so.
        """
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if not origins:
            return True
        origin = origins[0].decode("latin-1")
        if origin in self._allowed:
            return True
        try:
            parts = urlsplit(origin)
            host = parts.hostname
        except ValueError:
            return False
        if ":" in (host or ""):
            host = f"[{host}]"
        return f"{parts.scheme}://{host}:*" in self._allowed


class HostCheck:
    """An ASGI application before another one: what is asked under another name than ours is turned
    away. The protocol's own path is left to the protocol, which has its own check.
    """

    def __init__(self, app: ASGIApp, allowed: Collection[str], exempt: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(allowed)
        self._exempt = frozenset(exempt)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in self._exempt:
            hosts = [value for name, value in scope["headers"] if name == b"host"]
            if not any(is_listed(host.decode("latin-1"), self._allowed) for host in hosts):
                description = "Ask this server by the name of this machine."
                await send_error(send, 421, "forbidden_host", description)
                return
        await self._app(scope, receive, send)


def is_listed(name: str, allowed: Collection[str]) -> bool:
    """Whether a host or an origin is allowed as it is named, or with any port where the list says
    so.
    """
    if name in allowed:
        return True
    host, _, port = name.rpartition(":")
    return port.isdecimal() and f"{host}:*" in allowed
