"""The network as the event loop has it: a TCP connection as a stream of bytes.

For connections without TLS. A read that finds bytes at hand waits for nothing, and a time limit
costs a timer only where there is something to wait for.
"""

from __future__ import annotations

import asyncio
import select
from typing import Any

import httpx2

_MOST_UNREAD = 256 * 1024  # bytes; the peer waits while there are more


async def dial(address: str, port: int) -> SocketStream:
    """A connection to an address."""
    loop = asyncio.get_running_loop()
    try:
        _, stream = await loop.create_connection(SocketStream, address, port)
    except OSError as error:
        raise httpx2.ConnectError(str(error)) from error
    return stream


class SocketStream(asyncio.Protocol):
    """One connection. One reads and one writes at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._unread: list[bytes] = []  # in the pieces in which it came
        self._unread_bytes = 0
        self._is_reading_paused = False
        self._is_writing_paused = False
        self._is_at_end = False
        self._fault: Exception | None = None
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self.socket: Any = None
        self._poll: select.poll | None = None

    # What the loop tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.socket = transport.get_extra_info("socket")

    def data_received(self, data: bytes) -> None:
        self._unread.append(data)
        self._unread_bytes += len(data)
        if self._unread_bytes > _MOST_UNREAD and self._transport is not None:
            self._transport.pause_reading()
            self._is_reading_paused = True
        _wake(self._reader)

    def eof_received(self) -> bool:
        self._is_at_end = True
        _wake(self._reader)
        return True  # a server that has said all may still listen

    def connection_lost(self, error: Exception | None) -> None:
        self._is_at_end = True
        self._fault = error
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        self._is_writing_paused = True

    def resume_writing(self) -> None:
        self._is_writing_paused = False
        _wake(self._writer)

    # What a connection of HTTP does with it

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - as httpcore2's streams have it
    ) -> bytes:
        """The bytes that have come, at least one; none at all at the end."""
        if not self._unread and not self._is_at_end:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                if timeout is None:
                    await self._reader
                else:
                    await _wait(self._reader, timeout)
            except TimeoutError as error:
                raise httpx2.ReadTimeout("nothing came in time") from error
            finally:
                self._reader = None
        if not self._unread and self._fault is not None:
            raise httpx2.ReadError(str(self._fault)) from self._fault
        data = b"".join(self._unread)  # one piece is not copied
        self._unread.clear()
        if len(data) > max_bytes:
            self._unread.append(data[max_bytes:])
            data = data[:max_bytes]
        self._unread_bytes -= len(data)
        if self._is_reading_paused and self._transport is not None:
            self._transport.resume_reading()
            self._is_reading_paused = False
        return data

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - as httpcore2's streams have it
    ) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            raise httpx2.WriteError("the connection is closed")
        transport.write(buffer)
        while self._is_writing_paused and not self._is_lost():
            self._writer = asyncio.get_running_loop().create_future()
            try:
                await _wait(self._writer, timeout)
            except TimeoutError as error:
                raise httpx2.WriteTimeout("nothing was taken in time") from error
            finally:
                self._writer = None
        if self._is_lost():
            raise httpx2.WriteError(str(self._fault)) from self._fault

    def _is_lost(self) -> bool:
        return self._fault is not None

    async def aclose(self) -> None:
        self.close()

    def close(self) -> None:
        """Leave at once; nothing is waiting to be sent any more."""
        if self._transport is not None:
            self._transport.abort()

    def is_readable(self) -> bool:
        """Whether something has come, if only the end: of a connection that is not in use it is the
        end.
        """
        if self._unread or self._is_at_end:
            return True
        number = self.socket.fileno()
        if number < 0:
            return True
        if not hasattr(select, "poll"):
            return bool(select.select([number], [], [], 0)[0])
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(number, select.POLLIN)
        return bool(self._poll.poll(0))

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return self.is_readable()
        if info == "socket":
            return self.socket
        # Known since the connection was made: a recording asks when it is closed already.
        names = {"client_addr": "sockname", "server_addr": "peername"}
        if info in names and self._transport is not None:
            return self._transport.get_extra_info(names[info])
        return None


async def _wait(waiter: asyncio.Future[None], seconds: float | None) -> None:
    """Wait until somebody wakes us, for so long at most."""
    if seconds is None:
        await waiter
        return
    timer = asyncio.get_running_loop().call_later(seconds, _give_up, waiter)
    try:
        await waiter
    finally:
        timer.cancel()


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


def _give_up(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())
