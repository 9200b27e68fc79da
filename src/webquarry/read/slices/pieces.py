"""A text and a limit -> the piece that fits, ending where a block ends; and the blocks in which
something stands.

Everything counts UTF-8 bytes. Pieces joined in order are the text, byte for byte: blank lines
belong to the block before them. A block larger than the limit is cut after a line, a line after a
blank, and a word between characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from webquarry.errors import BadInput
from webquarry.read.slices.outline import lines_of

GAP = b"[...]\n\n"
_CONTINUATION = range(0x80, 0xC0)
_ITEM = re.compile(rb"(?:[-*+]|\d{1,9}[.)])[ \t]")
_BREAK = re.compile(
    rb"\n((?:[ \t\r\f\v]*+\n)++)?+"
)  # the end of a line, and the blank lines behind it
_OPENS_AFTER_BLANK = re.compile(rb"[ \t\r\f\v]*+(?:[-*+]|\d{1,9}[.)])[ \t]|(?![ \t])\s*+\S")
_OPENS_AFTER_TEXT = re.compile(rb"(?:[-*+]|\d{1,9}[.)])[ \t]|#")
_MOST_MATCHES = 1_000


@dataclass(frozen=True)
class FoundBlocks:
    """The blocks that hold a text, with their neighbours, as a text of its own."""

    data: bytes
    matches: int  # blocks that hold it


def block_starts(data: bytes) -> list[int]:
    """Where blocks start: paragraphs, headings, list items, and code as a whole."""
    if b"```" in data or b"~~~" in data:
        return _starts_beside_code(data)
    starts = [0]
    for end in _BREAK.finditer(b"\n" + data):  # as if a line stood before the first
        if end[1] is None:
            opens = _OPENS_AFTER_TEXT
        else:
            opens = _OPENS_AFTER_BLANK
        start = end.end() - 1
        if start and opens.match(data, start):
            starts.append(start)
    return starts


def _starts_beside_code(data: bytes) -> list[int]:
    """The same, line by line, for a text that may have fenced code."""
    starts = [0]
    after_blank = False
    for line in lines_of(data):
        text = line.text.lstrip()
        blank = not text and not line.fenced
        if line.start and not blank and _opens(line.text, text, after_blank, line.fenced):
            starts.append(line.start)
        after_blank = blank
    return starts


def _opens(line: bytes, text: bytes, after_blank: bool, fenced: bool) -> bool:
    """Whether a line starts a block; one that is indented goes on with an item, unless it is
    another.
    """
    is_item = not fenced and _ITEM.match(text) is not None
    if after_blank:
        return is_item or line[:1] not in (b" ", b"\t")
    return not fenced and line == text and (is_item or line.startswith(b"#"))


def cut(data: bytes, start: int, limit: int, starts: list[int]) -> int:
    """Where the piece from `start` ends: at most `limit` bytes on, and at least one character."""
    end = start + limit
    if end >= len(data):
        return len(data)
    at = bisect_right(starts, end) - 1
    if at + 1 < len(starts):
        next_block = starts[at + 1]
    else:
        next_block = len(data)
    if starts[at] > start and next_block - starts[at] <= limit:  # a larger one has to be cut anyway
        return starts[at]
    for mark in (b"\n", b" "):
        place = data.rfind(mark, start, end)
        if place >= start:
            return place + 1
    return cut_between_characters(data, start, limit)


def cut_between_characters(data: bytes, start: int, limit: int) -> int:
    """The same for a text whose lines mean nothing: as far as the limit goes."""
    end = start + limit
    if end >= len(data):
        return len(data)
    while end > start and data[end] in _CONTINUATION:
        end -= 1
    if end > start:
        return end
    return _next_character(data, start)


def find_blocks(data: bytes, wanted: str, starts: list[int]) -> FoundBlocks:
    """Every block that holds the text, whatever its case and white space, with the block before and
    the one after.
    """
    words = wanted.split()
    if not words:
        raise BadInput("There is nothing to find: the text is blank.")
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    blocks = list(zip(starts, [*starts[1:], len(data)], strict=True))
    hits = [
        at for at, (start, stop) in enumerate(blocks) if pattern.search(data[start:stop].decode())
    ]
    shown = sorted(
        {
            near
            for at in hits[:_MOST_MATCHES]
            for near in (at - 1, at, at + 1)
            if 0 <= near < len(blocks)
        }
    )
    parts: list[bytes] = []
    for number, at in enumerate(shown):
        if number and shown[number - 1] != at - 1:
            parts.append((b"" if parts[-1].endswith(b"\n") else b"\n\n") + GAP)
        parts.append(data[slice(*blocks[at])])
    return FoundBlocks(b"".join(parts), len(hits))


def _next_character(data: bytes, start: int) -> int:
    end = start + 1
    while end < len(data) and data[end] in _CONTINUATION:
        end += 1
    return end
