"""ASGI middleware of every HTTP server of ours: request ids, access log, body limits, Host and
Origin checks.
"""

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
CLIENT_CLOSED = 499  # the client disconnected before the response
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_PROBES = ("/health/live", "/health/ready", "/metrics")  # requested too often to be logged
_CLOSE = {"Connection": "close"}


def error_response(
    status: int, error: str, description: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return a refusal in the form that OAuth uses."""
    return JSONResponse({"error": error, "error_description": description}, status, headers)


def read_header(scope: Scope, name: bytes) -> bytes | None:
    """Return the first value of a header; `name` is in lower case."""
    return next((value for key, value in scope["headers"] if key == name), None)


class RequestTracking:
    """Gives each request an id (`X-Request-Id`, log label), measures it and logs it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = read_header(scope, b"x-request-id") or b""
        if not _REQUEST_ID.fullmatch(request_id):
            request_id = secrets.token_hex(8).encode()
        path = scope["path"].rstrip("/")
        label = path if path in ("/mcp", *_PROBES) else "other"  # few metric labels
        status = CLIENT_CLOSED
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
                if status == CLIENT_CLOSED:
                    status = 500
                raise
            finally:
                end(str(status))
                if path not in _PROBES:
                    milliseconds = (time.monotonic() - started) * 1000
                    log.info("%s %s %s in %.0f ms", scope["method"], label, status, milliseconds)


class RequestReader:
    """Limits the size of a request and the time until its body has arrived.

    The application receives the whole body in one message.
    """

    def __init__(self, app: ASGIApp, max_body_bytes: int, seconds: float = BODY_SECONDS) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await self._read_body(receive)
        except TimeoutError:
            log.info("timed out reading the request body")
            problem = "Timed out reading the request body."
            refusal = error_response(408, "request_timeout", problem, _CLOSE)
            await refusal(scope, receive, send)
            return
        except ConnectionError:
            return  # the client disconnected
        if body is None:
            await PlainTextResponse("Request body too large", 413)(scope, receive, send)
            return
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_body() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, receive_body, send)

    async def _read_body(self, receive: Receive) -> bytes | None:
        """Return the body, or None if it is too large."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise ConnectionError
            body += message.get("body", b"")
            if len(body) > self._max_body_bytes:
                return None
            if not message.get("more_body"):
                return bytes(body)


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
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] == "http":
            host = read_header(scope, b"host") or b""
            origins = [value for key, value in scope["headers"] if key == b"origin"]
            if self._hosts is not None and not _is_listed(host, self._hosts):
                app = PlainTextResponse("Invalid Host header", 421)
            elif self._origins is not None and not all(
                _is_listed(origin, self._origins) for origin in origins
            ):
                app = PlainTextResponse("Invalid Origin header", 403)
        await app(scope, receive, send)


def _is_listed(value: bytes, allowed: Collection[str]) -> bool:
    name = value.decode("latin-1")
    host, _, port = name.rpartition(":")
    return name in allowed or (port.isdecimal() and f"{host}:*" in allowed)
