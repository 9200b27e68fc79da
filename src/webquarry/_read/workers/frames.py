"""A head and a body in pieces, with their lengths in front, over a pipe: how a job goes to a worker
process and how its answer comes back.

The worker's side is here, on raw streams: nothing may wait in a buffer. The other side is asyncio
(`worker.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Protocol

START = struct.Struct(">QI")  # the length of the head, and how many pieces the body has
SINGLE = struct.Struct(">QIQ")  # the same with the length of a body of one piece
MOST_PIECES = 1000
LARGEST_HEAD = 50_000_000  # bytes
LARGEST_BODY = 400_000_000
_LENGTH = struct.Struct(">Q")
_CHUNK = 1 << 20


class RawStream(Protocol):
    """An unbuffered stream of bytes."""

    def read(self, size: int, /) -> bytes | None: ...

    def write(self, data: memoryview, /) -> int | None: ...


class BrokenFrame(Exception):
    """The other side ended in the middle, or sent more than was agreed."""


def pack_start(head: bytes, pieces: Sequence[bytes]) -> bytes:
    """What stands before a head and the pieces of a body: their lengths."""
    return struct.pack(f">QI{len(pieces)}Q", len(head), len(pieces), *map(len, pieces))


def unpack_start(packed: bytes) -> tuple[int, int]:
    """The length of a head, and the bytes in which the lengths of the pieces stand."""
    head, count = START.unpack(packed)
    if head > LARGEST_HEAD or count > MOST_PIECES:
        raise BrokenFrame(f"a head of {head} bytes and {count} pieces is more than was agreed")
    return head, count * _LENGTH.size


def unpack_single(packed: bytes) -> tuple[int, int]:
    """The lengths of a head and of a body of one piece."""
    head, count, body = SINGLE.unpack(packed)
    if head > LARGEST_HEAD or body > LARGEST_BODY or count != 1:
        raise BrokenFrame(f"a head of {head} bytes, {count} pieces and {body} bytes was not agreed")
    return head, body


def unpack_lengths(packed: bytes) -> list[int]:
    """The lengths of the pieces of a body."""
    lengths = [length for (length,) in _LENGTH.iter_unpack(packed)]
    if sum(lengths) > LARGEST_BODY:
        raise BrokenFrame(f"a body of {sum(lengths)} bytes is larger than was agreed")
    return lengths


def write_frame(stream: RawStream, head: bytes, pieces: Sequence[bytes]) -> None:
    """Send one frame, whole; a small one at once."""
    parts = [pack_start(head, pieces) + head, *pieces]
    if sum(map(len, parts)) <= _CHUNK:
        parts = [b"".join(parts)]
    for part in parts:
        left = memoryview(part)
        while left:
            written = stream.write(left) or 0
            left = left[written:]


def read_frame(stream: RawStream) -> tuple[bytes, tuple[bytes, ...]] | None:
    """The next head and the pieces of its body; None when the other side has closed the stream
    instead.
    """
    packed = _read_up_to(stream, START.size)
    if not packed:
        return None
    if len(packed) < START.size:
        raise BrokenFrame("the stream ended inside a length")
    head_size, lengths_size = unpack_start(packed)
    lengths_and_head = _read_whole(stream, lengths_size + head_size)
    lengths = unpack_lengths(lengths_and_head[:lengths_size])
    head = lengths_and_head[lengths_size:]
    return head, tuple(_read_whole(stream, length) for length in lengths)


def _read_whole(stream: RawStream, size: int) -> bytes:
    """So many bytes."""
    data = _read_up_to(stream, size)
    if len(data) < size:
        raise BrokenFrame("the stream ended inside a frame")
    return data


def _read_up_to(stream: RawStream, size: int) -> bytes:
    """So many bytes, or fewer where the stream ends."""
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(min(size, _CHUNK))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
