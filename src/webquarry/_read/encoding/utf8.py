"""Bytes -> whether they are UTF-8, and how many of them no text holds. `_utf8.pyx` is the same,
compiled.
"""

from __future__ import annotations

import codecs

_PIECE = 16_384  # bytes
_CONTROLS = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])


def is_utf8(body: bytes) -> bool:
    """Whether bytes are UTF-8 to the last; looked at in pieces, which takes no memory."""
    view = memoryview(body)
    place = 0
    try:
        while place < len(body):
            piece = view[place : place + _PIECE]
            is_last = place + _PIECE >= len(body)
            _, consumed = codecs.utf_8_decode(piece, "strict", is_last)
            place += consumed
    except UnicodeDecodeError:
        return False
    return True


def count_controls(data: bytes) -> int:
    """How many bytes are control characters that no text holds: neither blanks nor the escapes of
    Japanese encodings.
    """
    return len(data) - len(data.translate(None, _CONTROLS))
