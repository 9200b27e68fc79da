"""Requests without TLS and without a proxy: HTTP/1.1 over connections that are kept for the next
request to the same host.

A service that runs on this machine is asked so, and there the client was most of the time that a
search took. What is simple is read here (`simple_heads`); of all else h11 says what is HTTP and
what is not, as it does in httpcore2's own pool, and errors are the pool's.
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
from webquarry.net.http.page_request import NO_BODY
from webquarry.net.http.plain_headers import NO_HEADERS
from webquarry.net.http.simple_heads import SimpleHead, read_head, write_get
from webquarry.net.http.translation import translate
from webquarry.net.pacing import Places

MAX_CONNECTIONS = 100  # in use
MAX_IDLE_CONNECTIONS = 20
IDLE_SECONDS = 15
_READ_BYTES = 256 * 1024  # as many as the loop reads at once
_WRITTEN_BYTES = 64 * 1024
_LONGEST_HEAD = 100 * 1024  # bytes

Address = tuple[str, int]  # host and port


class PlainConnections:
    """The connections of one transport: so many in use, and so many idle for so long."""

    def __init__(self, connect: Connect) -> None:
        self._connect_to = connect
        self._places = Places(MAX_CONNECTIONS)
        self._idle: list[_Connection] = []  # the one used last is the last
        self._in_use: set[_Connection] = set()

    async def send(
        self, request: httpx2.Request, url: httpx2.URL, timeouts: dict[str, float | None]
    ) -> httpx2.Response:
        """The response to a request, whose body is still to be read; `url` is what was judged."""
        if not self._places.take():
            await self._wait_for_place(timeouts.get("pool"))
        connection = None
        try:
            connection = await self._connect(url, timeouts.get("connect"))
            head = await connection.ask(request, url, timeouts)
        except BaseException:
            await self.give_back(connection)
            raise
        body = ResponseBytes(self, connection, request, timeouts.get("read"))
        response = httpx2.Response(
            head.status,
            headers=NO_HEADERS,
            stream=body,
            extensions={
                "http_version": b"HTTP/" + head.version,
                "reason_phrase": head.reason,
                "network_stream": connection.stream,
            },
        )
        response.headers = head.headers
        return response

    async def aclose(self) -> None:
        for connection in (*self._idle, *self._in_use):
            await connection.stream.aclose()
        self._idle.clear()

    async def _wait_for_place(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._places.wait()
        except TimeoutError as error:
            raise httpx2.PoolTimeout("all connections were in use") from error

    async def _connect(self, url: httpx2.URL, seconds: float | None) -> _Connection:
        """A connection to the host, kept or new."""
        address = (url.raw_host.decode("ascii"), port_of(url))
        connection, ended = self._take_idle(address)
        for one in ended:
            await one.stream.aclose()
        if connection is None:
            stream = await self._connect_to(*address, seconds)
            connection = _Connection(stream, address)
        self._in_use.add(connection)
        return connection

    def _take_idle(self, address: Address) -> tuple[_Connection | None, list[_Connection]]:
        """The connection to this address that was used last, and those that have ended and are to
        be closed.
        """
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
        return found, ended

    async def give_back(self, connection: _Connection | None) -> None:
        """Give back a place. A connection whose response was read is kept for the next request, any
        other one closed.
        """
        self._places.give_back()
        if connection is None:
            return
        self._in_use.discard(connection)
        if not connection.make_reusable() or len(self._idle) >= MAX_IDLE_CONNECTIONS:
            await connection.stream.aclose()
            return
        connection.idle_until = time.monotonic() + IDLE_SECONDS
        self._idle.append(connection)


class _Connection:
    """One connection and what HTTP has come to on it. A response that is simple is read here; h11
    sees what is not, from its request on.
    """

    def __init__(self, stream: Stream, address: Address) -> None:
        self.stream = stream
        self.address = address
        self.idle_until = 0.0
        self._state: h11.Connection | None = None  # of an exchange that is not simple
        self._unread = b""
        self._left = 0  # bytes of the body that are still to come
        self._is_asked = False  # and not answered yet
        self._length = 0

    async def ask(
        self, request: httpx2.Request, url: httpx2.URL, timeouts: dict[str, float | None]
    ) -> SimpleHead:
        """Send a request; the head of what is answered."""
        self._is_asked = True
        self._state = None
        head = None
        if request.method == "GET" and _has_no_body(request):
            head = write_get(url.raw_path, request.headers)
        if head is None:
            return await self._ask_by_h11(request, url, timeouts)
        try:  # noqa: SIM105 - `suppress` takes as long as all the rest
            await self.stream.write(head, timeouts.get("write"))
        except httpx2.WriteError:
            pass  # a server may answer before it has heard all
        data = await self.stream.read(_READ_BYTES, timeouts.get("read"))
        answer, end, body = data.partition(b"\r\n\r\n")
        found = read_head(answer) if end else None
        if found is None:
            with _translate_misuse():
                self._begin_h11(request, url)
            self._receive(data)
            return await self._wait_for_head(timeouts.get("read"))
        self._unread = body
        self._left = self._length = found.length
        self._is_asked = False
        return found

    async def read_body(self, seconds: float | None) -> bytes:
        """The bytes of the response that have come, at least one; none at all at its end."""
        if self._state is not None:
            event = await self._next_event(self._state, seconds)
            return bytes(event.data) if type(event) is h11.Data else b""
        if not self._left:
            return b""
        data, self._unread = self._unread, b""
        if not data:
            data = await self.stream.read(_READ_BYTES, seconds)
        if not data:
            came = self._length - self._left
            raise httpx2.RemoteProtocolError(
                "peer closed connection without sending complete message body "
                f"(received {came} bytes, expected {self._length})"
            )
        data, self._unread = data[: self._left], data[self._left :]
        self._left -= len(data)
        return data

    @property
    def is_read(self) -> bool:
        """Whether it is known that nothing of a response is still to come."""
        return self._state is None and not self._left

    def make_reusable(self) -> bool:
        """Begin anew after a response that was read whole: whether that can be."""
        state = self._state
        if state is None:
            return not (self._is_asked or self._left or self._unread)
        is_over = state.our_state is h11.DONE and state.their_state is h11.DONE
        return is_over and not state.trailing_data[0]

    async def _ask_by_h11(
        self, request: httpx2.Request, url: httpx2.URL, timeouts: dict[str, float | None]
    ) -> SimpleHead:
        with suppress(httpx2.WriteError), _translate_misuse():
            unsent = self._begin_h11(request, url, is_whole=False)
            await self._send_body(request, unsent, timeouts.get("write"))
        return await self._wait_for_head(timeouts.get("read"))

    def _begin_h11(self, request: httpx2.Request, url: httpx2.URL, is_whole: bool = True) -> bytes:
        """Let h11 know what is asked; what it would send of a request that is whole, or begun."""
        self._state = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LONGEST_HEAD)
        head = h11.Request(
            method=request.method.encode("ascii"),
            target=url.raw_path,
            headers=request.headers.raw,
        )
        unsent = self._state.send(head) or b""
        if is_whole:
            unsent += self._state.send(h11.EndOfMessage()) or b""
        return unsent

    async def _send_body(
        self, request: httpx2.Request, unsent: bytes, seconds: float | None
    ) -> None:
        state = self._state
        assert state is not None
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        async for chunk in request.stream:
            unsent += state.send(h11.Data(data=chunk)) or b""
            if len(unsent) >= _WRITTEN_BYTES:
                await self.stream.write(unsent, seconds)
                unsent = b""
        unsent += state.send(h11.EndOfMessage()) or b""
        if unsent:
            await self.stream.write(unsent, seconds)

    async def _wait_for_head(self, seconds: float | None) -> SimpleHead:
        assert self._state is not None
        while True:
            event = await self._next_event(self._state, seconds)
            if type(event) is h11.Response:
                headers = httpx2.Headers(event.headers.raw_items())
                return SimpleHead(event.status_code, event.reason, headers, 0, event.http_version)

    async def _next_event(self, state: h11.Connection, seconds: float | None) -> Any:
        """What comes next of the response."""
        while True:
            try:
                event = state.next_event()
            except h11.RemoteProtocolError as error:
                raise httpx2.RemoteProtocolError(str(error)) from error
            if event is not h11.NEED_DATA:
                return event
            self._receive(await self.stream.read(_READ_BYTES, seconds))

    def _receive(self, data: bytes) -> None:
        """Give h11 what has come."""
        state = self._state
        assert state is not None
        if not data and state.their_state is h11.SEND_RESPONSE:
            message = "Server disconnected without sending a response."
            raise httpx2.RemoteProtocolError(message)
        state.receive_data(data)


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
        connection = self._connection
        if connection is None or self._is_over:
            raise StopAsyncIteration
        try:
            data = await connection.read_body(self._seconds)
        except Exception as error:
            translate(error, self._request)
            raise
        self._is_over = not data or connection.is_read
        if not data:
            raise StopAsyncIteration
        return data

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await self._connections.give_back(connection)


def _has_no_body(request: httpx2.Request) -> bool:
    stream = request.stream
    return stream is NO_BODY or (isinstance(stream, httpx2.ByteStream) and not any(stream))


@contextmanager
def _translate_misuse() -> Iterator[None]:
    """What h11 refuses to send."""
    try:
        yield
    except h11.LocalProtocolError as error:
        raise httpx2.LocalProtocolError(str(error)) from error
