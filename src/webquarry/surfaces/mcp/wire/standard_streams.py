"""Lines come in, lines go out, in threads of their own.

A thread that waits for a client cannot be woken. So nobody waits for these threads: they hold no
lock that the end of the process would need. Nothing heavy is imported here but asyncio.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

from webquarry.surfaces.mcp.wire.descriptors import split_lines, write_all, write_at_once

_MOST_WAITING = 64  # lines that were read and not yet taken

_Written = asyncio.Future[None]


def read_lines(descriptor: int) -> AsyncIterator[bytes]:
    """The lines that come from a descriptor, until it is closed."""
    return take_lines(split_lines(descriptor))


async def take_lines(incoming: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The lines of an iterator that waits for each of them, until its end."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(_MOST_WAITING)

    def hand_over(line: bytes | None) -> None:
        room.acquire()
        loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            with suppress(OSError):  # a terminal that is gone
                for line in incoming:
                    hand_over(line)
            hand_over(None)

    threading.Thread(target=read, name="webquarry-stdin", daemon=True).start()
    while (line := await lines.get()) is not None:
        room.release()
        yield line


class LineWriter:
    """Writes lines to a descriptor, one after the other; others go on while the client is slow."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[tuple[bytes | memoryview, _Written]] = queue.SimpleQueue()
        self._waiting = 0  # lines that the thread has, so that none overtakes another
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._work, name="webquarry-stdout", daemon=True).start()

    async def write(self, line: str) -> None:
        """Write a line; `BrokenPipeError` where nobody reads any more."""
        await self.write_bytes(line.encode())

    async def write_bytes(self, line: bytes) -> None:
        """The same of a line that is encoded already."""
        rest: bytes | memoryview = line + b"\n"
        if self._waiting == 0:
            try:
                rest = write_at_once(self._descriptor, rest)
            except OSError as error:
                raise BrokenPipeError(*error.args) from error
            if not rest:
                return
        written = self._loop.create_future()
        self._waiting += 1
        self._lines.put((rest, written))
        await written

    def _work(self) -> None:
        while True:
            line, written = self._lines.get()
            failure = None
            try:
                write_all(self._descriptor, line)
            except OSError as error:
                failure = BrokenPipeError(*error.args)
            try:
                self._loop.call_soon_threadsafe(self._settle, written, failure)
            except RuntimeError:  # the loop is closed: nobody writes any more
                return

    def _settle(self, written: _Written, failure: OSError | None) -> None:
        self._waiting -= 1
        if written.done():  # nobody waits for it any more
            return
        if failure is None:
            written.set_result(None)
        else:
            written.set_exception(failure)
