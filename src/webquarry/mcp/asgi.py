"""ASGI middleware: request ids and access log, limits of the request, Host and Origin checks."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, PlainTextResponse

from webquarry.logs import add_labels
from webquarry.meter import span

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

BODY_SECONDS = 30.0
_CLIENT_CLOSED = 499  # the client disconnected before the response
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_PROBES = ("/health/live", "/health/ready", "/metrics")  # requested too often to be logged


def error_response(
    status: int, error: str, description: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return a refusal in the form that OAuth uses."""
    return JSONResponse({"error": error, "error_description": description}, status, headers)


def read_header(scope: Scope, name: bytes) -> bytes:
    """Return the first value of a header, or b""; `name` is in lower case."""
    value: bytes = next((value for key, value in scope["headers"] if key == name), b"")
    return value.strip(b" \t")  # httptools keeps trailing whitespace


class RequestTracking:
    """Gives each request an id (`X-Request-Id`, log label), measures it and logs it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request_id = read_header(scope, b"x-request-id")
        if not _REQUEST_ID.fullmatch(request_id):
            request_id = secrets.token_hex(8).encode()
        path = scope["path"].rstrip("/")
        label = path if path in ("/mcp", *_PROBES) else "other"  # few metric labels
        status = _CLIENT_CLOSED
        started = time.monotonic()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id)]
            await send(message)

        with add_labels(request=request_id.decode()), span("request", path=label) as end:
            try:
                await self._app(scope, receive, send_with_id)
            except BaseException:
                status = 500 if status == _CLIENT_CLOSED else status
                raise
            finally:
                end(str(status))
                if path not in _PROBES:
                    milliseconds = (time.monotonic() - started) * 1000
                    log.info("%s %s %s in %.0f ms", scope["method"], label, status, milliseconds)


class RequestReader:
    """Limits the size of the body and the time until it has arrived.

    The application receives the whole body in one message.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, seconds: float = BODY_SECONDS) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        app: ASGIApp = self._app
        message: Message = {"more_body": True}
        try:
            async with asyncio.timeout(self._seconds):
                while message.get("more_body") and len(body) <= self._max_bytes:
                    message = await receive()
                    body += message.get("body", b"")
        except TimeoutError:
            log.info("timed out reading the request body")
            problem = "Timed out reading the request body."
            app = error_response(408, "request_timeout", problem, {"Connection": "close"})
        if message.get("type") == "http.disconnect":
            return
        if len(body) > self._max_bytes:
            app = PlainTextResponse("Request body too large", 413)
        messages = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def receive_body() -> Message:
            return messages.pop() if messages else await receive()

        await app(scope, receive_body, send)


class HostCheck:
    """Refuses unknown `Host` headers (DNS rebinding) and unknown `Origin` headers.

    An entry such as `localhost:*` allows any port; None allows every host or origin.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None = None,
        origins: Collection[str] | None = None,
    ) -> None:
        self._app = app
        self._allowed = {b"host": hosts, b"origin": origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        sent = [header for header in scope["headers"] if header[0] in self._allowed]
        if b"host" not in dict(sent):
            sent.append((b"host", b""))
        # httptools accepts several Host headers.
        refused = {name for name, value in sent if not self._is_allowed(name, value.strip(b" \t"))}
        if b"host" in refused:
            app = PlainTextResponse("Invalid Host header", 421)
        elif refused:
            app = PlainTextResponse("Invalid Origin header", 403)
        await app(scope, receive, send)

    def _is_allowed(self, header: bytes, value: bytes) -> bool:
        name, allowed = value.decode("latin-1"), self._allowed[header]
        host, _, port = name.rpartition(":")
        return allowed is None or name in allowed or (port.isdecimal() and f"{host}:*" in allowed)
