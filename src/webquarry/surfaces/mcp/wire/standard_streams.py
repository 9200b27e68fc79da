"""stdin and stdout for a protocol alone: lines come in, lines go out, in threads of their own.

A thread that waits for a client cannot be woken. So nobody waits for these threads: they hold no
lock that the end of the process would need. Nothing heavy is imported here.
"""

from __future__ import annotations

import asyncio
import os
import queue
import select
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

_PIECE = 65_536  # bytes that are read at once
_MOST_WAITING = 64  # lines that were read and not yet taken

_Written = asyncio.Future[None]


@contextmanager
def claim_streams() -> Iterator[tuple[int, int]]:
    """Descriptors of our own for stdin and stdout. Meanwhile others read nothing from stdin, and
    what they print goes to stderr.
    """
    reading, writing = _duplicate(0, os.O_RDONLY), _duplicate(1, os.O_WRONLY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.dup2(_duplicate(-1, os.O_WRONLY), 1)
    try:
        yield reading, writing
    finally:
        # Ours stay open: a thread may still wait for one of them.
        os.dup2(writing, 1)
        os.dup2(reading, 0)


def _duplicate(descriptor: int, flags: int) -> int:
    """The same under a number above those of the standard streams; one that leads nowhere for one
    that is not open.
    """
    try:
        copy = os.dup(descriptor)
    except OSError:
        copy = os.open(os.devnull, flags)
    while copy <= 2:
        copy = os.dup(copy)
    return copy


async def read_lines(descriptor: int) -> AsyncIterator[bytes]:
    """The lines that come from a descriptor, until it is closed."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(_MOST_WAITING)

    def hand_over(line: bytes | None) -> None:
        room.acquire()
        loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            with suppress(OSError):  # a terminal that is gone
                for line in split_lines(descriptor):
                    hand_over(line)
            hand_over(None)

    threading.Thread(target=read, name="webquarry-stdin", daemon=True).start()
    while (line := await lines.get()) is not None:
        room.release()
        yield line


def split_lines(descriptor: int) -> Iterator[bytes]:
    """The lines of what is read from a descriptor, each as soon as it is whole; at the end also one
    that has no end.
    """
    begun: list[bytes] = []  # pieces of a line
    while piece := _read_piece(descriptor):
        *ends, rest = piece.split(b"\n")
        for end in ends:
            yield b"".join([*begun, end])
            begun.clear()
        begun.append(rest)
    yield b"".join(begun)


def _read_piece(descriptor: int) -> bytes:
    while True:
        try:
            return os.read(descriptor, _PIECE)
        except BlockingIOError:  # whoever opened it does not want to wait; we do
            select.select([descriptor], [], [])


class LineWriter:
    """Writes lines to a descriptor, one after the other; others go on while the client is slow."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[tuple[bytes, _Written]] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._work, name="webquarry-stdout", daemon=True).start()

    async def write(self, line: str) -> None:
        """Write a line; `BrokenPipeError` where nobody reads any more."""
        written = self._loop.create_future()
        self._lines.put((f"{line}\n".encode(), written))
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
                self._loop.call_soon_threadsafe(_settle, written, failure)
            except RuntimeError:  # the loop is closed: nobody writes any more
                return


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however much is taken at once."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


def _settle(written: _Written, failure: OSError | None) -> None:
    if written.done():  # nobody waits for it any more
        return
    if failure is None:
        written.set_result(None)
    else:
        written.set_exception(failure)
