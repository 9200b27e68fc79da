"""A text and a limit -> the piece that fits, ending where a block ends; and the blocks in which
something stands.

Everything counts UTF-8 bytes. Pieces joined in order are the text, byte for byte: blank lines
belong to the block before them. A block larger than the limit is cut after a line, a line after a
blank, and a word between characters. A heading goes with what it stands over, not with what is
before it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from webquarry._read.slices.outline import lines_of
from webquarry.errors import BadInput

GAP = b"[...]\n\n"
_CONTINUATION = range(0x80, 0xC0)
_ITEM = re.compile(rb"(?:[-*+]|\d{1,9}[.)])[ \t]")
_BLANK_LINE = rb"[ \t\r\f\v]*+\n"
_OPENS_AFTER_BLANK = rb"[ \t\r\f\v]*+(?:[-*+]|\d{1,9}[.)])[ \t]|(?![ \t])\s*+\S"
_OPENS_AFTER_TEXT = rb"(?:[-*+]|\d{1,9}[.)])[ \t]|#"
# The end of a line with the blank lines behind it, which are passed over at once, or without any;
# a group is there where a block begins behind it.
_BREAK = re.compile(
    rb"\n(?:(?:%b)++(?:(?=%b)())?+|(?=%b)())" % (_BLANK_LINE, _OPENS_AFTER_BLANK, _OPENS_AFTER_TEXT)
)
_HEADING = re.compile(rb"#{1,6} [^\n]*+\n\s*+")
_MOST_HEADINGS = 3  # in a row that are kept with what follows them
_MOST_MATCHES = 1_000


@dataclass(frozen=True)
class FoundBlocks:
    """The blocks that hold a text, with their neighbours, as a text of its own."""

    data: bytes
    matches: int  # blocks that hold it


def block_starts(data: bytes) -> list[int]:
    """Where blocks start: paragraphs, headings, list items, and code as a whole."""
    if b"```" in data or b"~~~" in data:
        return _block_starts_beside_code(data)
    starts = [0]
    for line_end in _BREAK.finditer(b"\n" + data):  # as if a line stood before the first
        start = line_end.end() - 1
        if start and line_end.lastindex:
            starts.append(start)
    return starts


def _block_starts_beside_code(data: bytes) -> list[int]:
    """The same, line by line, for a text that may have fenced code."""
    starts = [0]
    is_after_blank = False
    for line in lines_of(data):
        text = line.text.lstrip()
        if not text and not line.fenced:
            is_after_blank = True
            continue
        is_item = not line.fenced and _ITEM.match(text) is not None
        if is_after_blank:
            # One that is indented goes on with an item, unless it is another.
            is_indented = line.text[:1] in (b" ", b"\t")
            opens_block = is_item or not is_indented
        elif line.fenced or line.text != text:
            opens_block = False
        else:
            opens_block = is_item or text.startswith(b"#")
        if opens_block and line.start:
            starts.append(line.start)
        is_after_blank = False
    return starts


def cut(data: bytes, start: int, limit: int, starts: list[int]) -> int:
    """Where the piece from `start` ends: at most `limit` bytes on, and at least one character."""
    end = start + limit
    if end >= len(data):
        return len(data)
    last = bisect_right(starts, end) - 1
    last_block = starts[last]
    next_block = len(data)
    if last + 1 < len(starts):
        next_block = starts[last + 1]
    block_fits = next_block - last_block <= limit  # a larger one has to be cut anyway
    if last_block > start and (block_fits or data.find(b"\n", last_block, end) < 0):
        place = _find_end_before(data, start, starts, last)
        if place > start:
            return place
        if block_fits:
            return last_block
    for mark in (b"\n", b" "):
        place = data.rfind(mark, max(start, last_block), end)
        if place >= start:
            return place + 1
    return cut_between_characters(data, start, limit)


def _find_end_before(data: bytes, start: int, starts: list[int], block: int) -> int:
    """Where a piece ends that is to end before a block and the headings right above it; `start`,
    where nothing but headings would be in it.
    """
    for last in range(block - 1, max(-1, block - 1 - _MOST_HEADINGS), -1):
        if starts[last] < start:
            return starts[last + 1]
        if _HEADING.fullmatch(data, starts[last], starts[last + 1]) is None:
            return starts[last + 1]
        if starts[last] == start:
            return start
    return starts[block]


def cut_between_characters(data: bytes, start: int, limit: int) -> int:
    """The same for a text whose lines mean nothing: as far as the limit goes."""
    end = start + limit
    if end >= len(data):
        return len(data)
    # Back to the first byte of a character.
    while end > start and data[end] in _CONTINUATION:
        end -= 1
    if end > start:
        return end
    # Not even one character fits, and less than one is never given.
    end = start + 1
    while end < len(data) and data[end] in _CONTINUATION:
        end += 1
    return end


def find_blocks(data: bytes, wanted: str, starts: list[int]) -> FoundBlocks:
    """Every block that holds the text, whatever its case and white space, with the block before and
    the one after.
    """
    words = wanted.split()
    if not words:
        raise BadInput("There is nothing to find: the text is blank.")
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    stops = [*starts[1:], len(data)]
    blocks = [data[start:stop] for start, stop in zip(starts, stops, strict=True)]
    matches = [index for index, block in enumerate(blocks) if pattern.search(block.decode())]

    shown: set[int] = set()
    for index in matches[:_MOST_MATCHES]:
        first = max(0, index - 1)
        shown.update(range(first, min(index + 2, len(blocks))))

    parts: list[bytes] = []
    previous = None
    for index in sorted(shown):
        if previous is not None and previous != index - 1:
            if not parts[-1].endswith(b"\n"):
                parts.append(b"\n\n")
            parts.append(GAP)
        parts.append(blocks[index])
        previous = index
    return FoundBlocks(b"".join(parts), len(matches))
