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

REQUEST_ID = b"x-request-id"
HUNG_UP = 499  # nobody was there any more to be answered
_ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_WATCHING_PATHS = ("/health/live", "/health/ready", "/metrics")  # asked too often to be logged
_KNOWN_PATHS = ("/mcp", *_WATCHING_PATHS)


class RequestTracking:
    """An ASGI application before all others: gives each request its id, measures and logs it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent_ids = [value for name, value in scope["headers"] if name == REQUEST_ID]
        request_id = choose_id(sent_ids[0] if sent_ids else None)
        path = scope["path"].rstrip("/")
        if path not in _KNOWN_PATHS:  # labels must be few
            path = "other"
        status = HUNG_UP
        started = time.monotonic()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message.get("headers", [])
                message["headers"] = [*headers, (REQUEST_ID, request_id.encode())]
            await send(message)

        with add_labels(request=request_id), span("request", path=path) as end:
            try:
                await self._app(scope, receive, send_with_id)
            except BaseException:
                if status == HUNG_UP:
                    status = 500
                raise
            finally:
                end(str(status))
                if scope["path"] not in _WATCHING_PATHS:
                    log_request(scope["method"], path, status, started)


def choose_id(sent: bytes | None) -> str:
    """The id that whoever forwards a request has given it, or a new one."""
    if sent is not None:
        request_id = sent.decode("latin-1")
        if _ACCEPTABLE_ID.fullmatch(request_id):
            return request_id
    return secrets.token_hex(8)


def log_request(method: str, path: str, status: int, started: float) -> None:
    """Write the line about a request that has ended."""
    log.info("%s %s %s in %.0f ms", method, path, status, (time.monotonic() - started) * 1000)
