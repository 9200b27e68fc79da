"""Markdown -> chunks that are small enough to be chosen one by one, each with the section it stands
in and, for rows of a table and lines of long code, with the frame that they are shown in.

Paragraphs are chunks, long ones cut between sentences; items of a list and rows of a table are put
together up to some hundred bytes, lines of long code up to some more. Headings and the heads of
tables are no chunks: they are shown with what stands under them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webquarry._read.slices.outline import read_title
from webquarry._read.slices.pieces import block_starts

_HEADING = re.compile(rb"(#{1,6})[ \t]++(?=\S)")
_DELIMITER_ROW = re.compile(rb"\|(?:[ \t]*:?-+:?[ \t]*\|)+\s*$")
_ITEM = re.compile(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_FENCE = re.compile(rb"(`{3,}|~{3,})[^\n]*\n")
_SENTENCE_END = re.compile("[.!?][\"')\\]]*\\s|(?:…|؟|۔|।|։|。|！|？)\\s?|\n".encode())
_LINE_END = re.compile(b"\n")


@dataclass(eq=False, slots=True)
class Section:
    """A heading, with the one that it stands under; the beginning of a text has none."""

    start: int  # bytes from the beginning of the text
    stop: int
    level: int
    heading: bytes
    above: Section | None = None

    @property
    def path(self) -> list[str]:
        """The titles from the highest heading down to this one."""
        above = self.above.path if self.above else []
        if self.heading:
            return [*above, read_title(self.heading)]
        return above


@dataclass(eq=False, slots=True)
class Frame:
    """What rows or lines are shown in: the head of a table, or the fences of code."""

    start: int
    stop: int  # of the head
    is_table: bool
    tail: bytes = b""  # what closes it


@dataclass(eq=False, slots=True)
class Chunk:
    """A piece of a text, from `start` to `stop` in bytes."""

    start: int
    stop: int
    section: Section
    frame: Frame | None = None

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.stop - self.start

    @property
    def is_row(self) -> bool:
        """Whether it is rows of a table."""
        return self.frame is not None and self.frame.is_table


@dataclass(frozen=True)
class Grain:
    """How large chunks are."""

    grouped: int = 400  # bytes of rows or items that go together
    longest: int = 1_200  # bytes of a paragraph or of code that is not cut

    @classmethod
    def for_budget(cls, budget: int) -> Grain:
        """So that several chunks fit into so many bytes."""
        return cls(min(cls.grouped, budget // 4), min(cls.longest, budget // 3))


COARSE = Grain()


def split_chunks(data: bytes, grain: Grain = COARSE) -> list[Chunk]:
    """The chunks of a text in UTF-8, in order."""
    chunks: list[Chunk] = []
    no_section = Section(0, 0, 0, b"")
    section = no_section
    bare: int | None = None  # where the headings begin that nothing has come behind yet
    starts = block_starts(data)
    stops = [*starts[1:], len(data)]
    for start, stop in zip(starts, stops, strict=True):
        block = data[start:stop]
        line = block.strip()
        if not line:
            continue
        heading = None
        if line.startswith(b"#"):
            heading = _parse_heading(line)
        if heading:
            section = _open_section(section, start, stop, heading)
            if bare is None:
                bare = start
            continue
        if bare is not None and start - bare > grain.longest:  # an outline, as it were
            chunks.append(Chunk(bare, start, no_section))
        bare = None
        if chunks and _goes_with(data, chunks[-1], start, stop, section, grain):
            chunks[-1].stop = stop
        else:
            chunks += _split_block(block, start, section, grain)
    if bare is not None:
        chunks.append(Chunk(bare, len(data), no_section))
    return chunks


def _parse_heading(line: bytes) -> tuple[int, bytes] | None:
    """The level and the title of the heading that a block is, if it is one; without what is blank
    around it.
    """
    if b"\n" in line:
        return None
    signs = _HEADING.match(line)
    if signs is None:
        return None
    start = signs.end()
    title = line[start : start + 1] + line[start + 1 :].rstrip(b" \t#")
    return len(signs[1]), title


def _open_section(section: Section, start: int, stop: int, heading: tuple[int, bytes]) -> Section:
    """The section that a heading opens behind another one."""
    level, title = heading
    above: Section | None = section
    while above is not None and above.level >= level:
        above = above.above
    return Section(start, stop, level, title, above)


def _goes_with(
    data: bytes, last: Chunk, start: int, stop: int, section: Section, grain: Grain
) -> bool:
    """Whether a block is an item of a list that is short enough to go with those before it."""
    if last.section is not section or last.stop != start or stop - last.start > grain.grouped:
        return False
    return _ITEM.match(data, last.start) is not None and _ITEM.match(data, start) is not None


def _split_block(block: bytes, start: int, section: Section, grain: Grain) -> Iterator[Chunk]:
    """The chunks of one block that is no heading, and starts there."""
    if block.startswith(b"|"):
        yield from _split_table(block, start, section, grain)
        return
    if len(block) <= grain.longest:
        yield Chunk(start, start + len(block), section)
        return
    frame = None
    first, last = 0, len(block)
    mark = _SENTENCE_END
    fence = _FENCE.match(block)
    if fence:
        mark = _LINE_END
        closing = block.rfind(fence[1])
        is_closed_at_end = closing > fence.end() and not block[closing:].strip(fence[1] + b" \n")
        if is_closed_at_end:
            first, last = fence.end(), closing
            frame = Frame(start, start + first, is_table=False, tail=block[closing:])
    for begin, end in _cut_long(block, first, last, mark, grain.longest // 2):
        yield Chunk(start + begin, start + end, section, frame)


def _split_table(block: bytes, start: int, section: Section, grain: Grain) -> Iterator[Chunk]:
    """Rows of a table, put together, without its head."""
    lines = block.splitlines(keepends=True)
    at = start
    frame = None
    has_head = len(lines) > 2 and _DELIMITER_ROW.match(lines[1]) is not None
    if has_head:
        at += len(lines[0]) + len(lines[1])
        frame = Frame(start, at, is_table=True)
        lines = lines[2:]
    first = at
    for line in lines:
        is_full = at > first and at + len(line) - first > grain.grouped
        if is_full and line.strip():  # blank lines behind a table belong to its last row
            yield Chunk(first, at, section, frame)
            first = at
        at += len(line)
    yield Chunk(first, at, section, frame)


def _cut_long(
    block: bytes, first: int, last: int, mark: re.Pattern[bytes], most: int
) -> Iterator[tuple[int, int]]:
    """The part of a block between two places, in parts of about so many bytes that end at marks."""
    cut = first
    text_end = first + len(block[first:last].rstrip())  # blank lines belong to the part before them
    for found in mark.finditer(block, first, text_end):
        end = found.end()
        if end - first > most and cut > first:
            yield first, cut
            first = cut
        cut = end
    if first < cut < text_end and last - first > most:
        yield first, cut
        first = cut
    if last > first:
        yield first, last
