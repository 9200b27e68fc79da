"""Requests without TLS and without a proxy: HTTP/1.1 over connections that are kept for the next
request to the same host.

A service that runs on this machine is asked so, and there the client was most of the time that a
search took. h11 says what is HTTP and what is not, as it does in httpcore2's own pool, and errors
are the pool's.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import h11
import httpx2

from webquarry.net.connecting import Connect, Stream
from webquarry.net.guard.strict_url import port_of
from webquarry.net.http.translation import translate_errors

MAX_CONNECTIONS = 100  # in use
MAX_IDLE_CONNECTIONS = 20
IDLE_SECONDS = 15
_READ_BYTES = 64 * 1024
_LONGEST_HEAD = 100 * 1024  # bytes

Address = tuple[str, int]  # host and port


class PlainConnections:
    """The connections of one transport: so many in use, and so many idle for so long."""

    def __init__(self, connect: Connect) -> None:
        self._connect_to = connect
        self._places = asyncio.Semaphore(MAX_CONNECTIONS)
        self._idle: list[_Connection] = []  # the one used last is the last
        self._in_use: set[_Connection] = set()

    async def send(
        self, request: httpx2.Request, url: httpx2.URL, timeouts: dict[str, float | None]
    ) -> httpx2.Response:
        """The response to a request, whose body is still to be read; `url` is what was judged."""
        await self._wait_for_place(timeouts.get("pool"))
        connection = None
        try:
            connection = await self._connect(url, timeouts.get("connect"))
            response = await connection.ask(request, url, timeouts)
        except BaseException:
            await self.give_back(connection)
            raise
        body = ResponseBytes(self, connection, request, timeouts.get("read"))
        return httpx2.Response(
            response.status_code,
            headers=response.headers.raw_items(),
            stream=body,
            extensions={
                "http_version": b"HTTP/" + response.http_version,
                "reason_phrase": response.reason,
                "network_stream": connection.stream,
            },
        )

    async def aclose(self) -> None:
        for connection in (*self._idle, *self._in_use):
            await connection.stream.aclose()
        self._idle.clear()

    async def _wait_for_place(self, seconds: float | None) -> None:
        try:
            if self._places.locked():
                async with asyncio.timeout(seconds):
                    await self._places.acquire()
            else:
                await self._places.acquire()
        except TimeoutError as error:
            raise httpx2.PoolTimeout("all connections were in use") from error

    async def _connect(self, url: httpx2.URL, seconds: float | None) -> _Connection:
        """A connection to the host, kept or new."""
        address = (url.raw_host.decode("ascii"), port_of(url))
        connection = await self._take_idle(address)
        if connection is None:
            stream = await self._connect_to(*address, seconds)
            connection = _Connection(stream, address)
        self._in_use.add(connection)
        return connection

    async def _take_idle(self, address: Address) -> _Connection | None:
        """The connection to this address that was used last; those that have ended are closed."""
        now = time.monotonic()
        kept: list[_Connection] = []
        ended: list[_Connection] = []
        found = None
        while self._idle:
            connection = self._idle.pop()
            if now > connection.idle_until or connection.stream.get_extra_info("is_readable"):
                ended.append(connection)
            elif found is None and connection.address == address:
                found = connection
            else:
                kept.append(connection)
        kept.reverse()
        self._idle = kept
        for connection in ended:
            await connection.stream.aclose()
        return found

    async def give_back(self, connection: _Connection | None) -> None:
        """Give back a place. A connection whose response was read is kept for the next request, any
        other one closed.
        """
        self._places.release()
        if connection is None:
            return
        self._in_use.discard(connection)
        if not connection.make_reusable() or len(self._idle) >= MAX_IDLE_CONNECTIONS:
            await connection.stream.aclose()
            return
        connection.idle_until = time.monotonic() + IDLE_SECONDS
        self._idle.append(connection)


class _Connection:
    """One connection and what HTTP has come to on it."""

    def __init__(self, stream: Stream, address: Address) -> None:
        self.stream = stream
        self.address = address
        self.idle_until = 0.0
        self._state = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LONGEST_HEAD)

    async def ask(
        self, request: httpx2.Request, url: httpx2.URL, timeouts: dict[str, float | None]
    ) -> h11.Response:
        """Send a request; the head of what is answered."""
        with suppress(httpx2.WriteError):  # a server may answer before it has heard all
            await self._send(request, url, timeouts.get("write"))
        while True:
            event = await self.next_event(timeouts.get("read"))
            if type(event) is h11.Response:
                return event

    async def _send(self, request: httpx2.Request, url: httpx2.URL, seconds: float | None) -> None:
        state = self._state
        with _translate_misuse():
            head = h11.Request(
                method=request.method.encode("ascii"),
                target=url.raw_path,
                headers=request.headers.raw,
            )
            unsent = state.send(head) or b""
            if isinstance(request.stream, httpx2.ByteStream):  # what is known as a whole
                body = b"".join(request.stream)
                if body:
                    unsent += state.send(h11.Data(data=body)) or b""
            else:
                assert isinstance(request.stream, httpx2.AsyncByteStream)
                async for chunk in request.stream:
                    unsent += state.send(h11.Data(data=chunk)) or b""
                    if len(unsent) >= _READ_BYTES:
                        await self.stream.write(unsent, seconds)
                        unsent = b""
            unsent += state.send(h11.EndOfMessage()) or b""
        if unsent:
            await self.stream.write(unsent, seconds)

    async def next_event(self, seconds: float | None) -> Any:
        """What comes next of the response."""
        state = self._state
        while True:
            try:
                event = state.next_event()
            except h11.RemoteProtocolError as error:
                raise httpx2.RemoteProtocolError(str(error)) from error
            if event is not h11.NEED_DATA:
                return event
            data = await self.stream.read(_READ_BYTES, seconds)
            if not data and state.their_state is h11.SEND_RESPONSE:
                message = "Server disconnected without sending a response."
                raise httpx2.RemoteProtocolError(message)
            state.receive_data(data)

    def make_reusable(self) -> bool:
        """Begin anew after a response that was read whole: whether that can be."""
        state = self._state
        if state.our_state is not h11.DONE or state.their_state is not h11.DONE:
            return False
        state.start_next_cycle()
        return True


class ResponseBytes(httpx2.AsyncByteStream):
    """The body of a response, as it arrives."""

    def __init__(
        self,
        connections: PlainConnections,
        connection: _Connection,
        request: httpx2.Request,
        seconds: float | None,
    ) -> None:
        self._connections = connections
        self._connection: _Connection | None = connection
        self._request = request
        self._seconds = seconds
        self._is_over = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._connection is None or self._is_over:
            raise StopAsyncIteration
        with translate_errors(self._request):
            event = await self._connection.next_event(self._seconds)
        if type(event) is not h11.Data:
            self._is_over = True
            raise StopAsyncIteration
        return bytes(event.data)

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await self._connections.give_back(connection)


@contextmanager
def _translate_misuse() -> Iterator[None]:
    """What h11 refuses to send."""
    try:
        yield
    except h11.LocalProtocolError as error:
        raise httpx2.LocalProtocolError(str(error)) from error
