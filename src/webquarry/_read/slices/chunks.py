"""Chunks of a text that can be selected one by one, each with its section and, for rows of a table
and lines of long code, the frame in which they are shown.

Paragraphs are chunks, long ones cut between sentences. Items of a list, rows of a table and lines
of long code are grouped. Headings and table heads are shown with the text below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webquarry._read.slices.text import CODE, HEADINGS, ITEM, TABLE, WrittenText

_MAX_GROUP = 400  # bytes of rows or items in one chunk
_MAX_PARAGRAPH = 1_200  # bytes of a paragraph or of code that is not cut
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


def split_chunks(text: WrittenText, budget: int = 4 * _MAX_PARAGRAPH) -> list[Chunk]:
    """Return the chunks of a text in order, of which several fit into a budget in bytes."""
    most_grouped = min(_MAX_GROUP, budget // 4)
    longest = min(_MAX_PARAGRAPH, budget // 3)
    chunks: list[Chunk] = []
    no_section = section = Section(0, 0, 0, "")
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
        if bare is not None and start - bare > longest:  # headings only, as in an outline
            chunks.append(Chunk(bare, start, no_section))
        bare = None
        last = chunks[-1] if chunks else None
        continues = last is not None and kind == last_kind == ITEM and last.section is section
        if last is not None and continues and stop - last.start <= most_grouped:
            last.stop = stop
        elif kind == TABLE:
            chunks += _split_table(text.data[start:stop], start, section, most_grouped)
        elif stop - start <= longest:
            chunks.append(Chunk(start, stop, section))
        else:
            chunks += _split_block(text.data[start:stop], start, kind, section, longest // 2)
        last_kind = kind
    if bare is not None:
        chunks.append(Chunk(bare, len(text.data), no_section))
    return chunks


def _split_block(
    block: bytes, start: int, kind: int, section: Section, most: int
) -> Iterator[Chunk]:
    """Yield chunks of about `most` bytes of a long unit, cut after sentences or lines of code."""
    frame = None
    first, last = 0, len(block)
    mark = _SENTENCE_END
    if kind == CODE:
        mark = _LINE_END
        first = block.index(b"\n") + 1
        last = block.rindex(b"\n", 0, len(block.rstrip())) + 1
        frame = Frame(start, start + first, is_table=False, tail=block[last:])
    text_end = first + len(block[first:last].rstrip())  # the last chunk ends with the blank lines
    cut = first
    for end in [*(found.end() for found in mark.finditer(block, first, text_end)), text_end]:
        if end - first > most and first < cut < end:
            yield Chunk(start + first, start + cut, section, frame)
            first = cut
        cut = end
    if last > first:
        yield Chunk(start + first, start + last, section, frame)


def _split_table(block: bytes, start: int, section: Section, most: int) -> Iterator[Chunk]:
    """Yield rows of a table in groups, without its head."""
    head, rule, *lines = block.splitlines(keepends=True)
    if not lines:
        yield Chunk(start, start + len(block), section)
        return
    first = end = start + len(head) + len(rule)
    frame = Frame(start, end, is_table=True)
    for line in lines:
        is_full = end > first and end + len(line) - first > most
        if is_full and line.strip():  # blank lines after a table belong to its last row
            yield Chunk(first, end, section, frame)
            first = end
        end += len(line)
    yield Chunk(first, end, section, frame)
