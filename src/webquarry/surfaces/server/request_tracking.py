"""Every request has an id: taken from whoever forwards it, or new; on the answer, in every line of
the log, in the trace.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from typing import TYPE_CHECKING

from webquarry.logs import add_labels
from webquarry.meter import span

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

_HEADER = b"x-request-id"
_HUNG_UP = 499  # nobody was there any more to be answered
_FIT = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestTracking:
    """An ASGI application before all others."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _id_of(scope)
        status = _HUNG_UP
        started = time.monotonic()

        async def marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), (_HEADER, request.encode())]
            await send(message)

        with add_labels(request=request), span("request", path=_place(scope["path"])) as end:
            try:
                await self._app(scope, receive, marked)
            except BaseException:
                status = 500 if status == _HUNG_UP else status
                raise
            finally:
                end(str(status))
                if scope["path"] not in ("/health/live", "/health/ready", "/metrics"):
                    took = (time.monotonic() - started) * 1000
                    log.info(
                        "%s %s %s in %.0f ms", scope["method"], _place(scope["path"]), status, took
                    )


def _id_of(scope: Scope) -> str:
    """The id that came with the request, if it can be one."""
    given = next(
        (value.decode("latin-1") for name, value in scope["headers"] if name == _HEADER), ""
    )
    if _FIT.fullmatch(given):
        return given
    return secrets.token_hex(8)


def _place(path: str) -> str:
    """The path, if it is one of ours: labels must be few."""
    known = ("/mcp", "/health/live", "/health/ready", "/metrics")
    if path.rstrip("/") in known:
        return path.rstrip("/")
    return "other"
