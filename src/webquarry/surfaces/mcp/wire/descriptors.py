"""stdin and stdout for a protocol alone, as descriptors: lines that are waited for, bytes that are
written to the last. Nothing heavy is imported here.
"""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_PIECE = 65_536  # bytes that are read at once
_LARGEST_PIPE = 1 << 20  # bytes; Linux lets users have no more
_FIONREAD = 0x541B  # of Linux: how many bytes wait in a pipe


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


class LineReader:
    """The lines of what is read from a descriptor, each as soon as it is whole; at the end also one
    that has no end. Iterating over it waits for them.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.is_ended = False
        self._lines: deque[bytes] = deque()  # that are whole
        self._begun: list[bytes] = []  # pieces of a line

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield from self.take_whole()
            if self.is_ended:
                return
            try:
                self.read()
            except BlockingIOError:  # whoever opened it does not want to wait; we do
                select.select([self.descriptor], [], [])

    @property
    def count(self) -> int:
        """How many lines are here already."""
        return len(self._lines)

    @property
    def first(self) -> bytes:
        """The first of them."""
        return self._lines[0]

    def drop_first(self) -> None:
        """Somebody has taken the first of them."""
        self._lines.popleft()

    def take_whole(self) -> Iterator[bytes]:
        """The lines that are here already, each once."""
        while self._lines:
            yield self._lines.popleft()

    def read(self) -> None:
        """Read what has come, or wait for it."""
        piece = os.read(self.descriptor, _PIECE)
        *ends, rest = piece.split(b"\n")
        for end in ends:
            self._lines.append(b"".join([*self._begun, end]))
            self._begun.clear()
        self._begun.append(rest)
        if not piece:
            self.is_ended = True
            self._lines.append(b"".join(self._begun))


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write all of it, however much is taken at once."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


def write_at_once(descriptor: int, data: bytes | memoryview) -> memoryview:
    """Write as much as is taken without waiting; what is left comes back."""
    rest = memoryview(data)
    if len(rest) > select.PIPE_BUF:
        room = _find_room(descriptor, len(rest))
        if room:
            rest = rest[os.write(descriptor, rest[:room]) :]
    if len(rest) > _PIECE:
        return rest  # whoever waits writes it with fewer calls
    while rest and select.select([], [descriptor], [], 0)[1]:
        try:
            # A pipe that can be written to has room for so much at least.
            rest = rest[os.write(descriptor, rest[: select.PIPE_BUF]) :]
        except BlockingIOError:
            break
    return rest


def _find_room(descriptor: int, size: int) -> int:
    """How many bytes certainly go into a pipe at once: as many as it holds, if it is empty. One
    that holds less than is to be written is made larger, as far as the system allows.
    """
    try:
        import fcntl

        most = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
        waiting = fcntl.ioctl(descriptor, _FIONREAD, bytes(4))
        if size > most and most < _LARGEST_PIPE:
            with suppress(OSError):
                most = fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _LARGEST_PIPE)
    except (ImportError, AttributeError, OSError):  # another system, or no pipe
        return 0
    return 0 if any(waiting) else most
