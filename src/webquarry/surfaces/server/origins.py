"""Web pages that may ask: a request that a browser sends for a page names the page's origin, and
only known ones pass.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webquarry.surfaces.server.authentication import answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class OriginCheck:
    """An ASGI application before another one: pages of other sites are turned away."""

    def __init__(self, app: ASGIApp, allowed: Collection[str]) -> None:
        self._app = app
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = next(
                (value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"),
                None,
            )
            if given is not None and not self._is_allowed(given):
                await answer(
                    send, 403, "forbidden_origin", "Pages of this origin may not ask this server."
                )
                return
        await self._app(scope, receive, send)

    def _is_allowed(self, origin: str) -> bool:
        """As it is named, or with any port where the list says so."""
        if origin in self._allowed:
            return True
        try:
            parts = urlsplit(origin)
            host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        except ValueError:
            return False
        return f"{parts.scheme}://{host}:*" in self._allowed
