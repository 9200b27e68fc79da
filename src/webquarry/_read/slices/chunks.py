"""Chunks of a text that can be selected one by one, each with its section and, for rows of a table
and lines of long code, the frame in which they are shown.

Paragraphs are chunks, long ones cut between sentences. Items of a list and rows of a table are
grouped, lines of long code as well. Headings and table heads are not chunks: they are shown with
what is below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webquarry._read.slices.text import CODE, HEADINGS, ITEM, TABLE, WrittenText

_SENTENCE_END = re.compile("[.!?][\"')\\]]*\\s|(?:…|؟|۔|।|։|。|！|？)\\s?|\n".encode())
_LINE_END = re.compile(b"\n")


@dataclass(eq=False, slots=True)
class Section:
    """A heading and the heading above it; the beginning of a text has none."""

    start: int  # bytes from the beginning of the text
    stop: int
    level: int
    title: str
    above: Section | None = None

    @property
    def path(self) -> list[str]:
        """The titles from the highest heading down to this one."""
        above = self.above.path if self.above else []
        return [*above, self.title] if self.title else above


@dataclass(eq=False, slots=True)
class Frame:
    """The head of a table, or the fences of code, in which rows or lines are shown."""

    start: int
    stop: int  # of the head
    is_table: bool
    tail: bytes = b""  # the closing fence


@dataclass(eq=False, slots=True)
class Chunk:
    """A piece of a text, from `start` to `stop` in bytes."""

    start: int
    stop: int
    section: Section
    frame: Frame | None = None

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return self.stop - self.start

    @property
    def is_row(self) -> bool:
        """Whether it consists of rows of a table."""
        return self.frame is not None and self.frame.is_table


@dataclass(frozen=True)
class Grain:
    """Size limits of chunks."""

    grouped: int = 400  # bytes of rows or items in one chunk
    longest: int = 1_200  # bytes of a paragraph or of code that is not cut

    @classmethod
    def for_budget(cls, budget: int) -> Grain:
        """Return limits with which several chunks fit into a number of bytes."""
        return cls(min(cls.grouped, budget // 4), min(cls.longest, budget // 3))


COARSE = Grain()


def split_chunks(text: WrittenText, grain: Grain = COARSE) -> list[Chunk]:
    """Return the chunks of a text in order."""
    chunks: list[Chunk] = []
    no_section = Section(0, 0, 0, "")
    section = no_section
    bare: int | None = None  # start of headings without text below them so far
    last_kind = 0
    for start, stop, kind in text.outer_spans():
        if kind in HEADINGS:
            above: Section | None = section
            while above is not None and above.level >= kind:
                above = above.above
            section = Section(start, stop, kind, text.read_title(start), above)
            bare = start if bare is None else bare
            continue
        if bare is not None and start - bare > grain.longest:  # headings only, as in an outline
            chunks.append(Chunk(bare, start, no_section))
        bare = None
        last = chunks[-1] if chunks else None
        continues = last is not None and kind == last_kind == ITEM and last.section is section
        if last is not None and continues and stop - last.start <= grain.grouped:
            last.stop = stop
        else:
            chunks += _split_unit(text.data, start, stop, kind, section, grain)
        last_kind = kind
    if bare is not None:
        chunks.append(Chunk(bare, len(text.data), no_section))
    return chunks


def _split_unit(
    data: bytes, start: int, stop: int, kind: int, section: Section, grain: Grain
) -> Iterator[Chunk]:
    """Yield the chunks of a unit other than a heading."""
    block = data[start:stop]
    if kind == TABLE:
        yield from _split_table(block, start, section, grain)
        return
    if len(block) <= grain.longest:
        yield Chunk(start, stop, section)
        return
    frame = None
    first, last = 0, len(block)
    mark = _SENTENCE_END
    if kind == CODE:
        mark = _LINE_END
        first = block.index(b"\n") + 1
        last = block.rindex(b"\n", 0, len(block.rstrip())) + 1
        frame = Frame(start, start + first, is_table=False, tail=block[last:])
    for begin, end in _cut_long(block, first, last, mark, grain.longest // 2):
        yield Chunk(start + begin, start + end, section, frame)


def _split_table(block: bytes, start: int, section: Section, grain: Grain) -> Iterator[Chunk]:
    """Yield rows of a table in groups, without its head."""
    head, rule, *lines = block.splitlines(keepends=True)
    if not lines:
        yield Chunk(start, start + len(block), section)
        return
    at = start + len(head) + len(rule)
    frame = Frame(start, at, is_table=True)
    first = at
    for line in lines:
        is_full = at > first and at + len(line) - first > grain.grouped
        if is_full and line.strip():  # blank lines after a table belong to its last row
            yield Chunk(first, at, section, frame)
            first = at
        at += len(line)
    yield Chunk(first, at, section, frame)


def _cut_long(
    block: bytes, first: int, last: int, mark: re.Pattern[bytes], most: int
) -> Iterator[tuple[int, int]]:
    """Yield the part of a block between two positions in parts of at most about `most` bytes that
    end at marks.
    """
    cut = first
    text_end = first + len(block[first:last].rstrip())  # the last part ends with the blank lines
    ends = [found.end() for found in mark.finditer(block, first, text_end)]
    for end in [*ends, text_end]:
        if end - first > most and first < cut < end:
            yield first, cut
            first = cut
        cut = end
    if last > first:
        yield first, last
