"""Clients that are too slow, too many or too wordy: they get so long for the head of a request, for
its body, and to take what is sent to them; there are so many connections, and a head has so many
bytes.

Whoever opens connections and says nothing, or reads nothing, must not keep others out, nor fill our
memory with answers that nobody takes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from webquarry.meter import count
from webquarry.surfaces.server.authentication import send_error

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

BODY_SECONDS = 30.0
SEND_SECONDS = 60.0
LAST_SEND_SECONDS = 3.0  # the same, when the server is about to end
HEAD_SECONDS = 15.0
MAX_UNSENT_BYTES = 256 * 1024 * 1024  # over all connections of a process
CONNECTION = "webquarry.connection"  # where the scope of a request has the connection
_COME_AGAIN_SECONDS = 5
PIECE_BYTES = 65_536  # of an answer that are handed to the transport at once
_LINE_OVERHEAD = len(b": \r\n")  # what a header has on the wire besides its name and value
_CLOSE = (b"connection", b"close")
if TYPE_CHECKING:  # the limits are the same for each of the library's protocols
    _Connection = H11Protocol
else:
    _Connection = object


class ServerConnections:
    """What all connections of a process have in common: how many bytes may wait for clients to take
    them, and whether the server is about to end.
    """

    def __init__(self, max_unsent_bytes: int = MAX_UNSENT_BYTES) -> None:
        self.max_unsent_bytes = max_unsent_bytes
        self.is_closing = False


class LimitedConnection(_Connection):
    """The server's side of a connection, which ends when the head of a request does not arrive in
    time, or when not one byte of what is sent has been taken for some time.

    Where there are too many of them a request is refused with the time to come again: the library
    only says no. Where too many bytes wait over all connections, those end whose clients have read
    nothing for longest.
    """

    head_seconds = HEAD_SECONDS
    send_seconds = SEND_SECONDS
    last_send_seconds = LAST_SEND_SECONDS
    body_scope: asyncio.Timeout | None = None  # the time for a body that has not come yet
    held_bytes = 0  # of an answer, which the transport does not have yet
    taken_at = 0.0  # when the client last took something, or there was nothing to take
    work: asyncio.Task[Any] | None = None  # what is done for the client, and for nobody else
    is_lost = False
    _head_timer: asyncio.TimerHandle | None = None
    _send_timer: asyncio.TimerHandle | None = None
    _unsent_before = 0

    def __init__(
        self, *arguments: Any, shared: ServerConnections | None = None, **named: Any
    ) -> None:
        super().__init__(*arguments, **named)
        self._shared = shared or ServerConnections()
        self._max_connections = self.limit_concurrency
        self.limit_concurrency = None
        self._inner_app = self.app
        self.app = self._serve_unless_refused

    @property
    def unsent_bytes(self) -> int:
        """How much of what is for this client is still with us."""
        return self.held_bytes + self.transport.get_write_buffer_size()

    @property
    def has_whole_body(self) -> bool:
        """Whether all of the request is here: nobody has to wait for it."""
        return self.cycle is not None and not self.cycle.more_body

    async def _serve_unless_refused(self, scope: Any, receive: Any, send: Any) -> None:
        if self._shared.is_closing:
            await refuse_at_end(send)
            return
        busy = max(len(self.connections), len(self.tasks))
        if self._max_connections is not None and busy > self._max_connections:
            await _refuse(send, "crowded", "There are too many connections.")
            return
        scope[CONNECTION] = self
        await self._inner_app(scope, receive, send)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Every byte that is not taken at once is noticed, however few they are.
        transport.set_write_buffer_limits(high=0)
        self.taken_at = self.loop.time()
        self._start_head_timer()
        if self._shared.is_closing:  # accepted before the end, and made known after it
            transport.close()

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

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unsent_before = self.transport.get_write_buffer_size()
        if self._send_timer is None:
            self._start_send_timer()

    def resume_writing(self) -> None:
        self._stop_send_timer()
        self.taken_at = self.loop.time()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if self.work is not None:
            self.work.cancel()
        self._stop_head_timer()
        self._stop_send_timer()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server is about to end: a call that runs goes on; a request that is not all here is
        given up now, and an answer that waits to be taken before long.
        """
        if self.body_scope is not None and not self.body_scope.expired():
            self.body_scope.reschedule(self.loop.time())
        if self._send_timer is not None:
            self._stop_send_timer()
            self._unsent_before = self.transport.get_write_buffer_size()
            self._start_send_timer()
        super().shutdown()

    @property
    def is_ending(self) -> bool:
        """Whether the server is about to end."""
        return self._shared.is_closing

    def make_room(self, size: int) -> None:
        """Before so many bytes more wait for this client: end the connections of those who have
        read nothing for longest, until all together is within the limit.
        """
        connections = cast("set[LimitedConnection]", self.connections)
        unsent = {each: each.unsent_bytes for each in connections if each.unsent_bytes}
        total = sum(unsent.values()) + size
        slowest_first = sorted(unsent, key=lambda connection: connection.taken_at)
        for connection in slowest_first:
            if total <= self._shared.max_unsent_bytes:
                return
            total -= unsent[connection]
            count("refused", reason="unread")
            log.info("a client that does not read was cut off: too much waits for such clients")
            connection.transport.abort()

    def end_sending(self, size: int) -> None:
        """All of an answer of so many bytes is with the transport, or will never be."""
        self.held_bytes = 0

    def _check_progress(self) -> None:
        """The client has had its time: it goes on if it has taken anything, and else it ends."""
        self._send_timer = None
        unsent = self.transport.get_write_buffer_size()
        if unsent and unsent >= self._unsent_before:
            log.info("a client took too long to take its answer")
            self.transport.abort()
            return
        self.taken_at = self.loop.time()
        self._unsent_before = unsent
        self._start_send_timer()

    def _start_send_timer(self) -> None:
        seconds = self.send_seconds
        if self._shared.is_closing:
            seconds = min(seconds, self.last_send_seconds)
        self._send_timer = self.loop.call_later(seconds, self._check_progress)

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self._abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_send_timer(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    def _abort(self) -> None:
        """The head of the request did not arrive in time."""
        self._head_timer = None
        log.info("a client took too long to say what it wants")
        self.transport.abort()


class LimitedH11Protocol(LimitedConnection, H11Protocol):
    """A connection whose requests are parsed in Python."""

    def shutdown(self) -> None:
        try:
            super().shutdown()
        except h11.LocalProtocolError:  # it has failed already
            self.transport.close()


async def refuse_at_end(send: Send) -> None:
    """Say that the server is about to end, to somebody who asks it now or has not asked yet."""
    await _refuse(send, "ending", "The server is about to end.")


async def _refuse(send: Send, reason: str, description: str) -> None:
    """Send 503 and when to come again, and let the connection end."""
    count("refused", reason=reason)
    headers = [(b"retry-after", str(_COME_AGAIN_SECONDS).encode()), _CLOSE]
    await send_error(send, 503, reason, description, headers)


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
        if measure_head(scope) > self._max_head_bytes:
            description = "The head of the request is too large."
            await send_error(send, 431, "head_too_large", description, [_CLOSE])
            return
        connection: LimitedConnection | None = scope.get(CONNECTION)
        body = await self.receive_body(receive, connection)
        if body is None:
            await refuse_late_body(send, connection)
            return
        outbox = Outbox(send, connection, self._send_seconds)
        try:
            await self._app(scope, replay(body, receive), outbox.put)
            await outbox.finish()
        finally:
            outbox.close()

    async def receive_body(
        self, receive: Receive, connection: LimitedConnection | None
    ) -> list[Message] | None:
        """The messages that make up the request; None where they did not come in time, or not
        before the server is to end.

        Of a body that is too large only so much is taken that whoever limits it, behind us, can see
        that it is.
        """
        messages: list[Message] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_seconds) as scope:
                if connection is not None:
                    connection.body_scope = scope
                while size <= self._max_body_bytes:
                    message = await receive()
                    messages.append(message)
                    size += len(message.get("body", b""))
                    if message["type"] != "http.request" or not message.get("more_body"):
                        break
        except TimeoutError:
            return None
        finally:
            if connection is not None:
                connection.body_scope = None
        return messages


def measure_head(scope: Scope) -> int:
    """How many bytes the head of a request has."""
    size = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
    for name, value in scope["headers"]:
        size += len(name) + len(value) + _LINE_OVERHEAD
    return size


async def refuse_late_body(send: Send, connection: LimitedConnection | None) -> None:
    """Say to a client whose request is not all here that it comes too late."""
    if connection is not None and connection.is_ending:
        await refuse_at_end(send)
        return
    log.info("a client took too long to send its request")
    description = "The request did not arrive in time."
    await send_error(send, 408, "request_timeout", description, [_CLOSE])


def replay(messages: list[Message], receive: Receive) -> Receive:
    """Gives first what has come, then whatever comes."""
    pending = iter(messages)

    async def receive_again() -> Message:
        return next(pending, None) or await receive()

    return receive_again


class Outbox:
    """What an application sends to one client. A large answer is cut into pieces and goes out
    beside the application, which need not wait with all that the answer was made from: the text,
    its parts and the event around it are several times as large as what is sent.
    """

    def __init__(
        self,
        send: Send,
        connection: LimitedConnection | None,
        send_seconds: float = SEND_SECONDS,
    ) -> None:
        self._send = send
        self._connection = connection
        self._send_seconds = send_seconds
        self._waiting: deque[Message] = deque()
        self._sending: asyncio.Task[None] | None = None
        self._largest = 0

    async def put(self, message: Message) -> None:
        """Send a message, or let it wait behind those that do."""
        size = len(message.get("body", b""))
        if self._sending is None and size <= PIECE_BYTES:
            await self._send_in_time(message)
            return
        if self._sending is not None and self._sending.done():
            self._sending.result()  # raises why nothing more can be sent
        self._largest = max(self._largest, size)
        if self._connection is not None:
            self._connection.make_room(size)
            self._connection.held_bytes += size
        self._waiting.extend(_cut(message))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_waiting())

    async def finish(self) -> None:
        """Wait until everything is with the transport."""
        if self._sending is not None:
            await self._sending

    def close(self) -> None:
        """Nothing more is sent."""
        if self._sending is None:
            return
        self._sending.cancel()
        self._waiting.clear()
        if self._connection is not None:
            self._connection.end_sending(self._largest)

    async def _send_waiting(self) -> None:
        while self._waiting:
            message = self._waiting.popleft()
            if self._connection is not None:
                self._connection.held_bytes -= len(message["body"])
            await self._send_in_time(message)

    async def _send_in_time(self, message: Message) -> None:
        """Hand a piece of an answer to the client, who takes the one before it in time."""
        try:
            async with asyncio.timeout(self._send_seconds):
                await self._send(message)
        except TimeoutError:
            log.info("a client took too long to take its answer")
            raise ConnectionResetError("the client does not read") from None


def _cut(message: Message) -> Iterator[Message]:
    """A message in pieces of the size that the transport is given at once."""
    body = message.get("body", b"")
    for start in range(0, max(len(body), 1), PIECE_BYTES):
        end = start + PIECE_BYTES
        has_more = end < len(body) or bool(message.get("more_body"))
        yield {**message, "body": body[start:end], "more_body": has_more}
