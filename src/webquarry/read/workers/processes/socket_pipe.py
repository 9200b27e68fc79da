"""One socket to a process of ours, for both ways: what a StreamReader and a StreamWriter of asyncio
do together, in a third of the steps. One reads and one writes at a time.
"""

from __future__ import annotations

import asyncio

_MOST_UNREAD = 1 << 19  # bytes beyond those that are waited for; then the other side waits


class SocketPipe(asyncio.Protocol):
    """The loop puts in what arrives; whoever waits for so many bytes takes them out."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._unread = bytearray()
        self._wanted = 0  # bytes that somebody waits for
        self._arrived: asyncio.Future[None] | None = None
        self._taken: asyncio.Future[None] | None = None
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._is_reading_paused = False
        self._is_writing_paused = False
        self._is_at_end = False
        self._fault: Exception | None = None

    # What the loop tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._unread += data
        unread = len(self._unread)
        if unread >= self._wanted:
            _wake(self._arrived)
        if unread > self._wanted + _MOST_UNREAD and self._transport is not None:
            self._transport.pause_reading()
            self._is_reading_paused = True

    def eof_received(self) -> bool:
        self._is_at_end = True
        _wake(self._arrived)
        return True  # it is closed by its owner

    def connection_lost(self, error: Exception | None) -> None:
        self._is_at_end = True
        self._fault = error
        _wake(self._arrived)
        _wake(self._taken)
        _wake(self._closed)

    def pause_writing(self) -> None:
        self._is_writing_paused = True

    def resume_writing(self) -> None:
        self._is_writing_paused = False
        _wake(self._taken)

    # What the owner does

    def at_eof(self) -> bool:
        """Whether everything was read, and nothing more comes."""
        return self._is_at_end and not self._unread

    async def readexactly(self, size: int) -> bytes:
        """So many bytes. Raises IncompleteReadError where fewer come, and OSError."""
        while len(self._unread) < size:
            if self._fault is not None:
                raise self._fault
            if self._is_at_end:
                rest = bytes(self._unread)
                self._unread.clear()
                raise asyncio.IncompleteReadError(rest, size)
            await self._wait_for(size)
        data = bytes(memoryview(self._unread)[:size])
        del self._unread[:size]
        return data

    async def _wait_for(self, size: int) -> None:
        """Wait until so many bytes are there, or no more come."""
        if self._is_reading_paused and self._transport is not None:
            self._transport.resume_reading()
            self._is_reading_paused = False
        self._wanted = size
        self._arrived = self._loop.create_future()
        try:
            await self._arrived
        finally:
            self._arrived = None
            self._wanted = 0

    def write(self, data: bytes | memoryview) -> None:
        """Send what can be sent now, and the rest when it can be."""
        assert self._transport is not None
        self._transport.write(data)

    async def drain(self) -> None:
        """Wait until more may be written. Raises OSError where nobody takes it any more."""
        while self._is_writing_paused and not self._closed.done():
            self._taken = self._loop.create_future()
            try:
                await self._taken
            finally:
                self._taken = None
        if self._closed.done():
            raise self._fault or ConnectionResetError("the connection is closed")

    def close(self) -> None:
        """Send what is still to be sent, and close."""
        if self._transport is not None:
            self._transport.close()

    async def wait_closed(self) -> None:
        """Wait until it is closed."""
        await asyncio.shield(self._closed)


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)
