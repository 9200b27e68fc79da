"""Clients that are too slow, too many or too wordy: they get so long for the head of a request, for
its body, and to take what is sent to them; there are so many connections, and a head has so many
bytes.

Whoever opens connections and says nothing, or reads one byte a minute, must not keep others out.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from webquarry.meter import count
from webquarry.surfaces.server.authentication import send_error

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

BODY_SECONDS = 30.0
SEND_SECONDS = 60.0
HEAD_SECONDS = 15.0
_CROWDED_SECONDS = 5  # when to come again where there were too many
_LINE_OVERHEAD = len(b": \r\n")  # what a header has on the wire besides its name and value
_CLOSE = (b"connection", b"close")


class LimitedH11Protocol(H11Protocol):
    """The server's side of a connection, which ends when the head of a request does not arrive in
    time.

    Where there are too many of them a request is refused with the time to come again: the library
    only says no.
    """

    head_seconds = HEAD_SECONDS
    _head_timer: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._max_connections = self.limit_concurrency
        self.limit_concurrency = None
        self._inner_app = self.app
        self.app = self._serve_unless_crowded

    async def _serve_unless_crowded(self, scope: Any, receive: Any, send: Any) -> None:
        busy = max(len(self.connections), len(self.tasks))
        if self._max_connections is None or busy <= self._max_connections:
            await self._inner_app(scope, receive, send)
            return
        count("refused", reason="crowded")
        headers = [(b"retry-after", str(_CROWDED_SECONDS).encode()), _CLOSE]
        await send_error(send, 503, "crowded", "There are too many connections.", headers)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_head_timer()

    def data_received(self, data: bytes) -> None:
        """A new cycle begins when the head is complete; the next head is awaited after the
        answer.
        """
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_head_timer()
        elif self.cycle is None or self.cycle.response_complete:
            self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        super().connection_lost(exc)

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _abort(self) -> None:
        """The head of the request did not arrive in time."""
        self._head_timer = None
        log.info("a client took too long to say what it wants")
        self.transport.abort()


class SlowClientLimits:
    """An ASGI application before another one: bodies arrive in time and answers are taken in
    time.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_body_bytes: int,
        max_head_bytes: int = 65_536,
        body_seconds: float = BODY_SECONDS,
        send_seconds: float = SEND_SECONDS,
    ) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._max_head_bytes = max_head_bytes
        self._body_seconds = body_seconds
        self._send_seconds = send_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # The library only notices a large head where it does not come at once.
        head_size = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
        for name, value in scope["headers"]:
            head_size += len(name) + len(value) + _LINE_OVERHEAD
        if head_size > self._max_head_bytes:
            description = "The head of the request is too large."
            await send_error(send, 431, "head_too_large", description, [_CLOSE])
            return
        body = await self._receive_body(receive)
        if body is None:
            log.info("a client took too long to send its request")
            description = "The request did not arrive in time."
            await send_error(send, 408, "request_timeout", description, [_CLOSE])
            return
        pending = iter(body)

        async def receive_again() -> Message:
            """First what has come, then whatever comes."""
            return next(pending, None) or await receive()

        async def send_in_time(message: Message) -> None:
            try:
                async with asyncio.timeout(self._send_seconds):
                    await send(message)
            except TimeoutError:
                log.info("a client took too long to take its answer")
                raise ConnectionResetError("the client does not read") from None

        await self._app(scope, receive_again, send_in_time)

    async def _receive_body(self, receive: Receive) -> list[Message] | None:
        """The messages that make up the request; None where they did not come in time.

        Of a body that is too large only so much is taken that whoever limits it, behind us, can see
        that it is.
        """
        messages: list[Message] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_seconds):
                while size <= self._max_body_bytes:
                    message = await receive()
                    messages.append(message)
                    size += len(message.get("body", b""))
                    if message["type"] != "http.request" or not message.get("more_body"):
                        break
        except TimeoutError:
            return None
        return messages
