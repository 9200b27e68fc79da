"""Lines come in, lines go out: by the loop itself, or in threads of their own where it cannot
watch a descriptor (a file, or Windows), or where the client is slow to read.

A thread that waits for a client cannot be woken. So nobody waits for these threads: they hold no
lock that the end of the process would need. Nothing heavy is imported here but asyncio.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from webquarry.surfaces.mcp.wire.descriptors import LineReader, write_all, write_at_once

_MOST_WAITING = 64  # lines that were read and not yet taken

Written = asyncio.Future[None]
TakeAtOnce = Callable[[bytes], bool]


async def take_lines(
    incoming: LineReader, take_at_once: TakeAtOnce | None = None
) -> AsyncIterator[bytes]:
    """The lines that come, until their end. Those that were read before come first: no descriptor
    tells of them. A line that finds nobody at work on another is shown to `take_at_once` before it
    comes, and does not come if that takes it.
    """
    watch = _LineWatch(incoming, take_at_once)
    try:
        watch.begin()
    except (NotImplementedError, OSError):  # the loop cannot watch files, nor anything on Windows
        async for line in _take_from_thread(incoming):
            yield line
        return
    try:
        while True:
            for line in incoming.take_whole():
                yield line
            if incoming.is_ended:
                return
            await watch.wait()
    finally:
        watch.end()


class _LineWatch:
    """Has the loop read what comes, as long as not too much waits to be taken."""

    def __init__(self, incoming: LineReader, take_at_once: TakeAtOnce | None) -> None:
        self._incoming = incoming
        self._take_at_once = take_at_once
        self._loop = asyncio.get_running_loop()
        self._reading: asyncio.Future[None] | None = None  # of whoever waits for a line
        self._is_on = False

    def begin(self) -> None:
        self._loop.add_reader(self._incoming.descriptor, self._read)
        self._is_on = True

    def end(self) -> None:
        if self._is_on:
            self._loop.remove_reader(self._incoming.descriptor)
            self._is_on = False

    async def wait(self) -> None:
        """Wait until something was read."""
        if not self._is_on:
            self.begin()
        self._reading = self._loop.create_future()
        try:
            await self._reading
        finally:
            self._reading = None

    def _read(self) -> None:
        try:
            self._incoming.read()
        except BlockingIOError:  # another process was faster
            return
        except OSError:  # a terminal that is gone
            self._incoming.is_ended = True
        if self._reading is not None and not self._reading.done():
            self._pass_on(self._reading)
        if self._incoming.is_ended or self._incoming.count > _MOST_WAITING:
            self.end()

    def _pass_on(self, reading: asyncio.Future[None]) -> None:
        """Have lines taken at once as far as that goes, and wake whoever waits for the others."""
        incoming = self._incoming
        try:
            while self._take_at_once and incoming.count and self._take_at_once(incoming.first):
                incoming.drop_first()
        except BaseException as failure:
            reading.set_exception(failure)  # as it would be raised to whoever takes the line
            return
        if incoming.count or incoming.is_ended:
            reading.set_result(None)


async def _take_from_thread(incoming: LineReader) -> AsyncIterator[bytes]:
    """The same, read by a thread that waits for them."""
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
        self._lines: queue.SimpleQueue[tuple[bytes | memoryview, Written]] = queue.SimpleQueue()
        self._waiting = 0  # lines that the thread has, so that none overtakes another
        self._loop = asyncio.get_running_loop()
        self._has_thread = False

    async def write(self, line: str) -> None:
        """Write a line; `BrokenPipeError` where nobody reads any more."""
        await self.write_bytes(line.encode())

    async def write_bytes(self, line: bytes) -> None:
        """The same of a line that is encoded already."""
        written = self.begin_writing(line)
        if written is not None:
            await written

    def begin_writing(self, line: bytes) -> Written | None:
        """The same without waiting: None where all is written, otherwise what is to be awaited."""
        rest: bytes | memoryview = line + b"\n"
        if self._waiting == 0:
            try:
                rest = write_at_once(self._descriptor, rest)
            except OSError as error:
                raise BrokenPipeError(*error.args) from error
            if not rest:
                return None
        written = self._loop.create_future()
        self._waiting += 1
        self._lines.put((rest, written))
        if not self._has_thread:
            threading.Thread(target=self._work, name="webquarry-stdout", daemon=True).start()
            self._has_thread = True
        return written

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

    def _settle(self, written: Written, failure: OSError | None) -> None:
        self._waiting -= 1
        if written.done():  # nobody waits for it any more
            return
        if failure is None:
            written.set_result(None)
        else:
            written.set_exception(failure)
