"""Pieces of a text within a limit, and the units in which something is found.

Every length counts UTF-8 bytes. Pieces in order are the text, byte for byte: blank lines belong to
the unit before them. A unit larger than the limit is cut after a line, a line after a space, and a
word between characters. A heading stays with what follows it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from webquarry._read.slices.text import Unit, WrittenText
from webquarry.errors import BadInput

GAP = b"[...]\n\n"
_CONTINUATION = range(0x80, 0xC0)
_MAX_HEADINGS = 3  # in a row that stay with what follows them
_MAX_MATCHES = 1_000


@dataclass(frozen=True)
class FoundBlocks:
    """The units that contain a text, with their neighbours, as a text of its own."""

    text: WrittenText
    matches: int  # units that contain it


def cut(text: WrittenText, start: int, limit: int) -> int:
    """Return where the piece from `start` ends: at most `limit` bytes on, and at least one
    character.
    """
    data, starts = text.data, text.starts
    end = start + limit
    if end >= len(data):
        return len(data)
    last = bisect_right(starts, end) - 1
    last_unit = starts[last] if last >= 0 else 0
    next_unit = starts[last + 1] if last + 1 < len(starts) else len(data)
    fits = next_unit - last_unit <= limit  # a larger one has to be cut anyway
    if last_unit > start and (fits or data.find(b"\n", last_unit, end) < 0):
        place = _find_end_before(text, start, last)
        if place > start:
            return place
        if fits:
            return last_unit
    for mark in (b"\n", b" "):
        place = data.rfind(mark, max(start, last_unit), end)
        if place >= start:
            return place + 1
    return cut_between_characters(data, start, limit)


def _find_end_before(text: WrittenText, start: int, unit: int) -> int:
    """Return the end of a piece before a unit and the headings right above it; `start` if only
    headings would be in it.
    """
    units = text.units
    for last in range(unit - 1, max(-1, unit - 1 - _MAX_HEADINGS), -1):
        if units[last].start < start or not units[last].level:
            return units[last + 1].start
        if units[last].start == start:
            return start
    return units[unit].start


def cut_between_characters(data: bytes, start: int, limit: int) -> int:
    """Return the end of a piece of a text without units: as far as the limit."""
    end = start + limit
    if end >= len(data):
        return len(data)
    while end > start and data[end] in _CONTINUATION:
        end -= 1
    if end > start:
        return end
    end = start + 1  # one character is longer than the limit
    while end < len(data) and data[end] in _CONTINUATION:
        end += 1
    return end


def find_blocks(text: WrittenText, wanted: str) -> FoundBlocks:
    """Return every unit that contains the text, regardless of case and whitespace, with the unit
    before and the one after. Raises `BadInput` for a blank text.
    """
    words = wanted.split()
    if not words:
        raise BadInput("There is nothing to find: the text is blank.")
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    blocks = [text.data[start:stop] for start, stop, _ in text.spans()]
    matches = [index for index, block in enumerate(blocks) if pattern.search(block.decode())]

    shown: set[int] = set()
    for index in matches[:_MAX_MATCHES]:
        first = max(0, index - 1)
        shown.update(range(first, min(index + 2, len(blocks))))

    parts: list[bytes] = []
    units: list[Unit] = []
    size = 0
    previous = None
    for index in sorted(shown):
        if previous is not None and previous != index - 1:
            gap = GAP if parts[-1].endswith(b"\n") else b"\n\n" + GAP
            parts.append(gap)
            size += len(gap)
        units.append(Unit(size, text.units[index].kind))
        parts.append(blocks[index])
        size += len(blocks[index])
        previous = index
    return FoundBlocks(WrittenText(b"".join(parts), units), len(matches))
