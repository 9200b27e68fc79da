"""stdin and stdout for a protocol alone, as descriptors: lines that are waited for, bytes that are
written to the last. Nothing heavy is imported here.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager

_PIECE = 65_536  # bytes that are read at once


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
    while rest and select.select([], [descriptor], [], 0)[1]:
        try:
            # A pipe that can be written to has room for so much at least.
            rest = rest[os.write(descriptor, rest[: select.PIPE_BUF]) :]
        except BlockingIOError:
            break
    return rest
