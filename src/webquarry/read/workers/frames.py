"""A head and a body with their lengths in front, over a pipe: how a job goes to a worker process
and how its answer comes back.

The worker's side is here, on raw streams: nothing may wait in a buffer. The other side is asyncio
(`worker.py`).
"""

from __future__ import annotations

import struct
from typing import Protocol

LENGTHS = struct.Struct(">QQ")  # of the head and of the body
LARGEST_HEAD = 50_000_000  # bytes
LARGEST_BODY = 200_000_000
_CHUNK = 1 << 20


class RawStream(Protocol):
    """An unbuffered stream of bytes."""

    def read(self, size: int, /) -> bytes | None: ...

    def write(self, data: memoryview, /) -> int | None: ...


class BrokenFrame(Exception):
    """The other side ended in the middle, or sent more than was agreed."""


def unpack_lengths(packed: bytes) -> tuple[int, int]:
    """The lengths of a head and a body, if they are such that were agreed."""
    head, body = LENGTHS.unpack(packed)
    if head > LARGEST_HEAD or body > LARGEST_BODY:
        raise BrokenFrame(f"a frame of {head} and {body} bytes is larger than was agreed")
    return head, body


def write_frame(stream: RawStream, head: bytes, body: bytes) -> None:
    """Send one frame, whole."""
    for part in (LENGTHS.pack(len(head), len(body)) + head, body):
        left = memoryview(part)
        while left:
            written = stream.write(left) or 0
            left = left[written:]


def read_frame(stream: RawStream) -> tuple[bytes, bytes] | None:
    """The next head and body; None when the other side has closed the stream instead."""
    packed = _read_up_to(stream, LENGTHS.size)
    if not packed:
        return None
    if len(packed) < LENGTHS.size:
        raise BrokenFrame("the stream ended inside a length")
    head_size, body_size = unpack_lengths(packed)
    head = _read_up_to(stream, head_size)
    body = _read_up_to(stream, body_size)
    if len(head) < head_size or len(body) < body_size:
        raise BrokenFrame("the stream ended inside a frame")
    return head, body


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
