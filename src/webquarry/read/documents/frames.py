"""Bytes with their length in front, over a pipe: how a document goes to the child process and its
text comes back.

Streams are raw: nothing may wait in a buffer, where a fork would copy it and send it twice.
"""

from __future__ import annotations

import struct
from typing import Protocol

_LENGTH = struct.Struct(">Q")
_CHUNK = 1 << 20


class RawStream(Protocol):
    """An unbuffered stream of bytes."""

    def read(self, size: int, /) -> bytes | None: ...

    def write(self, data: memoryview, /) -> int | None: ...


class BrokenFrame(Exception):
    """The other side ended in the middle, or sent more than was agreed."""


def write_frame(stream: RawStream, data: bytes) -> None:
    """Send one frame, whole."""
    length = _LENGTH.pack(len(data))
    for part in (length, data):
        left = memoryview(part)
        while left:
            written = stream.write(left) or 0
            left = left[written:]


def read_frame(stream: RawStream, largest: int) -> bytes | None:
    """The next frame; None when the other side has closed the stream instead."""
    head = _read_up_to(stream, _LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise BrokenFrame("the stream ended inside a length")
    (size,) = _LENGTH.unpack(head)
    if size > largest:
        raise BrokenFrame(f"a frame of {size} bytes is larger than the {largest} agreed")
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
