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
from webquarry.surfaces.server.authentication import answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

BODY_SECONDS = 30.0
SEND_SECONDS = 60.0
HEAD_SECONDS = 15.0
_CROWDED_SECONDS = 5


class LimitedH11Protocol(H11Protocol):
    """The server's side of a connection, which ends when the head of a request does not arrive in
    time.

    Where there are too many of them a request is told to come later, and when: the library only
    says no.
    """

    head_seconds = HEAD_SECONDS
    _head: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._most, self.limit_concurrency = self.limit_concurrency, None
        self._served, self.app = self.app, self._unless_crowded

    async def _unless_crowded(self, scope: Any, receive: Any, send: Any) -> None:
        if self._most is None or max(len(self.connections), len(self.tasks)) <= self._most:
            await self._served(scope, receive, send)
            return
        count("refused", reason="crowded")
        headers = [(b"retry-after", str(_CROWDED_SECONDS).encode()), (b"connection", b"close")]
        await answer(send, 503, "crowded", "There are too many connections.", headers)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._forget_head()
        elif self.cycle is None or self.cycle.response_complete:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(self.head_seconds, self._too_slow)

    def _forget_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _too_slow(self) -> None:
        self._head = None
        log.info("a client took too long to say what it wants")
        self.transport.abort()


class SlowClientLimits:
    """An ASGI application before another one: bodies arrive in time and answers are taken in time."""

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
        if (
            _head_size(scope) > self._max_head_bytes
        ):  # the library only notices where it does not come at once
            await answer(
                send,
                431,
                "head_too_large",
                "The head of the request is too large.",
                [(b"connection", b"close")],
            )
            return
        body = await self._body(receive)
        if body is None:
            log.info("a client took too long to send its request")
            await answer(
                send,
                408,
                "request_timeout",
                "The request did not arrive in time.",
                [(b"connection", b"close")],
            )
            return
        await self._app(scope, _then(body, receive), self._timed(send))

    async def _body(self, receive: Receive) -> list[Message] | None:
        """The messages that make up the request; None where they did not come in time.

        Of a body that is too large only so much is taken that whoever limits it, behind us, can see
        that it is.
        """
        messages: list[Message] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_seconds):
                while size <= self._max_body_bytes:
                    messages.append(await receive())
                    size += len(messages[-1].get("body", b""))
                    if messages[-1]["type"] != "http.request" or not messages[-1].get("more_body"):
                        break
        except TimeoutError:
            return None
        return messages

    def _timed(self, send: Send) -> Send:
        async def timed(message: Message) -> None:
            try:
                async with asyncio.timeout(self._send_seconds):
                    await send(message)
            except TimeoutError:
                log.info("a client took too long to take its answer")
                raise ConnectionResetError("the client does not read") from None

        return timed


def _head_size(scope: Scope) -> int:
    lines = [len(name) + len(value) + 4 for name, value in scope["headers"]]
    return sum(lines) + len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")


def _then(messages: list[Message], receive: Receive) -> Receive:
    """First what has come, then whatever comes."""
    waiting = iter(messages)

    async def next_message() -> Any:
        return next(waiting, None) or await receive()

    return next_message
