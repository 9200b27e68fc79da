"""Paragraphs, list items, code, contents entries, tables and headings from lines in reading order.

A paragraph ends at a wider gap, an indent, a change of size or weight, the marker of a list, or a
last line that leaves room for the next word. An unfinished sentence continues in the next column or
on the next page; notes at the foot of the page in between stay behind it.

A heading is larger than the body, or bold, in a short block of its own. Levels follow size, then
weight, then the depth of numbers such as 2.1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Literal, NamedTuple

from webquarry._read.documents.pdf_lines import HYPHEN, INDENT, PdfLine
from webquarry._read.documents.pdf_tables import PageItem, PdfTable

Kind = Literal["text", "item", "code", "contents", "table"]

_BULLET = re.compile(r"[•‣◦▪▫■□●○◆◇►▶➢➤✓✔∙·∗\uf0b7\uf0a7\uf0d8\uf076]\s*(?=\S)")
# Numbers, dashes and the letter for a circle start an item only where the layout agrees.
_MAYBE = re.compile(
    r"(?:\d{1,3}[.)]|\(\d{1,3}\)|\(?[a-zA-Z]\)|\(?[ivx]{1,5}\)|\[\d{1,3}\]|[–*-])\s+(?=\S)"
    r"|o\s+(?=[A-Z])"
)
_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){5,}\s*([\divxlc]{1,5})?$")
_SENTENCE_END = re.compile(r"[.!?…:;。！？][\"'”’)\]»*†‡]*(?:\d{1,3}|\[\d{1,3}\])?$")
_WIDE_GAP = 1.3  # times the usual distance of lines
_USUAL_PITCH = 1.2  # times the size, if a page does not tell
_LARGEST_PITCH = 3.0
_USUAL_SIZE = 10.0  # points, if there is no text
_LIKE_BODY = 0.15
_FAR_IN = 4.0  # sizes of a line
_MUCH_ROOM = 0.25  # of the width of the column
_SMALL_PRINT = 0.93  # of the body's size
_USUAL_DEVIATION = 0.15  # of the usual distance of lines
_LOOK_BACK = 6  # blocks of small print between the halves of a paragraph


@dataclass
class Column:
    """A run of lines down the page."""

    left: float  # of most lines
    right: float  # the furthest
    pitch: float  # distance of lines, in sizes of the line
    spaced: bool = False  # paragraphs of the document are separated by space
    indented: bool = False  # paragraphs of the document start with an indent


@dataclass
class PdfBlock:
    """Lines that belong together."""

    kind: Kind
    lines: list[PdfLine] = field(default_factory=list)
    marker: str = ""  # of a list item
    table: PdfTable | None = None
    hanging: bool = False  # all lines but the first are indented
    column: int = 0  # counted from the start of the document
    end: Column | None = None  # the column in which it ends

    @property
    def page(self) -> int:
        """Return the page on which it starts."""
        return self.table.page if self.table else self.lines[0].page

    @property
    def size(self) -> float:
        """Return the size of the largest line."""
        return max((line.size for line in self.lines), default=0.0)

    @property
    def bold(self) -> bool:
        return bool(self.lines) and all(line.bold for line in self.lines)

    def is_finished(self, column: Column) -> bool:
        """Return whether a paragraph ends where its column does."""
        last = self.lines[-1]
        if not _ends_sentence(last):
            return False
        if not column.indented or self.end is None:
            return True
        return self.end.right - last.right > 3 * last.size


def body_size(lines: Iterable[PdfLine]) -> float:
    """Return the size of most of the text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 4) / 4] += len(line.text)
    return _most_common(sizes) if sizes else _USUAL_SIZE


def build_blocks(pages: list[list[PageItem]], body: float) -> list[PdfBlock]:
    """Return the blocks of a document."""
    lines = [[item for item in items if isinstance(item, PdfLine)] for items in pages]
    builder = _Builder(body)
    for items, columns in zip(pages, _find_columns(lines, body), strict=True):
        remaining = iter(columns)
        for item, after in zip_longest(items, items[1:]):
            if isinstance(item, PdfTable):
                builder.add_table(item)
            else:
                next_line = after if isinstance(after, PdfLine) else None
                builder.add(item, next(remaining), next_line)
    return builder.blocks


def _find_columns(pages: list[list[PdfLine]], body: float) -> list[list[Column]]:
    """Return the column of each line of each page; lines of one column share one object."""
    columns = [_columns_of_page(lines, body) for lines in pages]
    gaps = indents = 0  # paragraphs that seem to start after a gap, and with an indent
    for lines, columns_of_lines in zip(pages, columns, strict=True):
        for (before, line), column in zip(pairwise(lines), columns_of_lines[1:], strict=False):
            if before.bold or not _is_like_body(line, body) or _is_new_column(before, line):
                continue
            pitches = (before.baseline - line.baseline) / (column.pitch * line.size)
            gaps += _WIDE_GAP < pitches < 2 * _WIDE_GAP
            is_moved = line.left > before.left + line.indent
            indents += is_moved and before.left < column.left + INDENT
    for columns_of_lines in columns:
        for column in columns_of_lines:
            column.spaced = gaps >= max(2, indents)
            column.indented = indents > max(2, gaps)
    return columns


def _columns_of_page(lines: list[PdfLine], body: float) -> list[Column]:
    pitch = _line_pitch(lines)
    found: list[Column] = []
    for start, line in enumerate(lines):
        if start and not _is_new_column(lines[start - 1], line):
            found.append(found[-1])
            continue
        stop = start + 1
        while stop < len(lines) and not _is_new_column(lines[stop - 1], lines[stop]):
            stop += 1
        part = lines[start:stop]
        alike = [one for one in part if _is_like_body(one, body)] or part
        left = _most_common(Counter(float(round(one.left)) for one in alike))
        rights = [one.right for one in alike if one.left < left + _FAR_IN * one.size]
        found.append(Column(left, max(rights), pitch))
    return found


def _is_new_column(before: PdfLine, line: PdfLine) -> bool:
    """Return whether a line is above the one before it, or is rotated differently."""
    if before.page != line.page or before.turns != line.turns:
        return True
    return line.baseline > before.baseline + line.size / 2


def _is_like_body(line: PdfLine, body: float) -> bool:
    return abs(line.size - body) < _LIKE_BODY * body


def _most_common(counts: Counter[float]) -> float:
    """Return the most common value; of several, the smallest."""
    return max(counts.items(), key=lambda entry: (entry[1], -entry[0]))[0]


def _line_pitch(lines: list[PdfLine]) -> float:
    """Return the usual distance of lines on a page, in sizes of a line."""
    found: Counter[float] = Counter()
    for before, line in pairwise(lines):
        distance = before.baseline - line.baseline
        is_usual = 0.5 * line.size < distance < _LARGEST_PITCH * line.size
        if is_usual and before.turns == line.turns:
            found[round(distance / line.size, 1)] += 1
    return _most_common(found) if found else _USUAL_PITCH


class _Builder:
    """Takes lines one by one."""

    def __init__(self, body: float) -> None:
        self.blocks: list[PdfBlock] = []
        self._body = body
        self._columns = 0
        self._open: PdfBlock | None = None  # the block of the last line
        self._last: PdfLine | None = None
        self._column: Column | None = None

    def add_table(self, table: PdfTable) -> None:
        """Add a table, or the rest of one from the page before."""
        self._open = None
        before = self.blocks[-1].table if self.blocks else None
        if before is None or not before.append(table):
            self.blocks.append(PdfBlock("table", table=table))

    def add(self, line: PdfLine, column: Column, after: PdfLine | None) -> None:
        """Add a line to the block that it continues, or to a new one."""
        self._columns += column is not self._column
        block = self._find_block(line, column, after)
        if block is None:
            block = self._start_block(line)
            block.column = self._columns
            self.blocks.append(block)
        elif len(block.lines) == 1 and line.left > block.lines[0].left + line.indent:
            block.hanging = line.page == block.lines[0].page
        block.lines.append(line)
        block.end = column
        self._last, self._column, self._open = line, column, block

    def _start_block(self, line: PdfLine) -> PdfBlock:
        if line.mono:
            return PdfBlock("code")
        if _is_contents(line.text):
            return PdfBlock("contents")
        marker = _marker_of(line)
        is_note = marker == "*" and line.size < _SMALL_PRINT * self._body
        return PdfBlock("item", marker=marker) if marker and not is_note else PdfBlock("text")

    def _find_block(self, line: PdfLine, column: Column, after: PdfLine | None) -> PdfBlock | None:
        """Return the block that a line continues; None if it starts one."""
        if self._last is None or _is_contents(line.text):
            return None
        if _is_new_column(self._last, line):
            return self._find_unfinished(line, column, after)
        block = self._open
        if block is None or _LineBreak(block, self._last, line, column, after).starts_block():
            return None
        return block

    def _find_unfinished(
        self, line: PdfLine, column: Column, after: PdfLine | None
    ) -> PdfBlock | None:
        """Return the unfinished paragraph of the column before."""
        if _marker_of(line) or line.turns or _is_indented(line, column, after):
            return None
        for block in self.blocks[: -_LOOK_BACK - 1 : -1]:
            if block.kind not in ("text", "item"):
                return None
            last = block.lines[-1]
            is_alike = last.mono == line.mono and last.turns == line.turns
            if not is_alike or not 0.92 < last.size / line.size < 1.09:
                if block.size < _SMALL_PRINT * self._body:
                    continue  # a note at the foot of the page
                return None
            is_near = last.page >= line.page - 1 and block.bold == line.bold
            return block if is_near and not block.is_finished(column) else None
        return None


@dataclass(slots=True)
class _LineBreak:
    """Decides whether a block ends between two lines, one below the other."""

    block: PdfBlock  # of the line above
    above: PdfLine
    line: PdfLine
    column: Column
    after: PdfLine | None  # the line below

    def starts_block(self) -> bool:
        above, line = self.above, self.line
        if self.block.kind == "contents" or line.mono != above.mono or self._changes_look():
            return True
        gap = above.baseline - line.baseline
        if gap > _WIDE_GAP * self.column.pitch * max(line.size, above.size * 0.8):
            # there are empty lines in code
            return not (line.mono and gap < 2 * _WIDE_GAP * self.column.pitch * line.size)
        if line.mono or abs(gap) < line.size / 3:
            return False
        return bool(_marker_of(line) and self._may_be_item()) or self._ends_paragraph()

    def _has_usual_distance(self) -> bool:
        usual = self.column.pitch * self.line.size
        distance = self.above.baseline - self.line.baseline
        return abs(distance - usual) <= _USUAL_DEVIATION * usual

    def _changes_look(self) -> bool:
        """Return whether size or weight start something else."""
        above, line = self.above, self.line
        ratio = line.size / above.size
        if not 0.8 < ratio < 1.25:
            return True
        is_other_size = not 0.89 < ratio < 1.12
        if is_other_size and (not self._has_usual_distance() or line.bold != above.bold):
            return True
        if self.block.bold:
            return not line.bold
        return self.block.kind != "item" and line.bold and not above.bold

    def _may_be_item(self) -> bool:
        """Return whether a marker starts an item; a number may belong to the sentence."""
        line = self.line
        if _BULLET.match(line.text) or self.block.kind == "item":
            return True
        is_moved = abs(line.left - self.above.left) > line.indent / 2
        return is_moved or _ends_sentence(self.above) or self._leaves_room()

    def _ends_paragraph(self) -> bool:
        """Return whether a paragraph ends, by the room above and the indent here."""
        above, line, column, block = self.above, self.line, self.column, self.block
        room = column.right - above.right
        has_much_room = room > _MUCH_ROOM * (column.right - column.left)
        may_end = has_much_room or (not column.spaced and _ends_sentence(above))
        if may_end and self._leaves_room():
            return True
        if block.kind == "item" or block.hanging:
            is_hanging = block.hanging and len(block.lines) > 1
            return is_hanging and line.left < block.lines[1].left - line.indent
        is_centred = abs(line.left + line.right - above.left - above.right) < line.size
        if is_centred or line.left <= above.left + line.indent:
            return False
        if not _is_indented(line, column, self.after):
            return False
        is_first_at_edge = len(block.lines) == 1 and above.left < column.left + line.indent
        return not is_first_at_edge or _ends_sentence(above) or room > 3 * line.size

    def _leaves_room(self) -> bool:
        """Return whether the first word would have fitted into the line above."""
        line = self.line
        if self.above.text.endswith((HYPHEN, "-")):
            return False
        word = line.text.split(None, 1)[0]
        letter_width = max(line.width / max(len(line.text), 1), 0.3 * line.size)
        word_width = (len(word) + 1) * letter_width
        return self.column.right - self.above.right > 1.15 * word_width + line.size


def _marker_of(line: PdfLine) -> str:
    """Return the marker of a list item; empty for any other line."""
    found = None if line.mono else _BULLET.match(line.text) or _MAYBE.match(line.text)
    return found[0].rstrip() if found else ""


def _is_contents(text: str) -> bool:
    """Return whether a line is an entry of a table of contents, with dot leaders."""
    has_dots = any(dots in text for dots in ("...", ". . .", "…", "···"))
    return has_dots and _LEADERS.search(text) is not None


def split_contents(text: str) -> tuple[str, str]:
    """Return the title and the page number of an entry of a table of contents."""
    found = _LEADERS.search(text)
    return (text[: found.start()], found[1] or "") if found else (text, "")


def _ends_sentence(line: PdfLine) -> bool:
    return _SENTENCE_END.search(line.text) is not None


def _is_indented(line: PdfLine, column: Column, after: PdfLine | None) -> bool:
    """Return whether a line is the first of a paragraph: the next one is back at the edge."""
    if line.left <= column.left + line.indent:
        return False
    if after is None or _is_new_column(line, after):
        return True
    return after.left < line.left - line.indent


_LARGER = 1.12  # times the body
_LONGEST = 200  # characters
_LONGEST_BOLD = 120
_MOST_LINES = 4
_MOST_BOLD = 0.4  # of the text; where more is bold, weight means nothing
_STEP = 0.4  # points between two sizes
_NUMBERED = re.compile(r"(?:[A-Z]\.)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_SENTENCE = (".", ",", ";")
_LETTERS = re.compile(r"[^\W\d_]")
_DEEPEST = 6


class _Rank(NamedTuple):
    """Order of candidates: the largest size first, then the depth of the number."""

    size: float  # negative; 0 for all that are no larger than the body
    depth: int


_Ranks = dict[int, _Rank]  # by index of the block
Levels = dict[int, int]


def find_headings(blocks: list[PdfBlock], body: float) -> Levels:
    """Return the level of each heading by the index of its block."""
    lines = [line for block in blocks for line in block.lines]
    bold = sum(len(line.text) for line in lines if line.bold)
    bold_counts = bold < _MOST_BOLD * sum(len(line.text) for line in lines)
    ranks: _Ranks = {}
    for index, block in enumerate(blocks):
        if _may_be_heading(block, body, bold_counts):
            smallest = _smallest_size(block)
            number = _NUMBERED.match(block.lines[0].text)
            depth = number[1].count(".") + 1 if number else 0
            ranks[index] = _Rank(-smallest if smallest >= _LARGER * body else 0.0, depth)
    return _levels_of(ranks)


def _may_be_heading(block: PdfBlock, body: float, bold_counts: bool) -> bool:
    """Return whether a block is short, and larger or bolder than the body."""
    if block.kind not in ("text", "item") or len(block.lines) > _MOST_LINES:
        return False
    first = block.lines[0]
    if first.turns or (block.kind == "item" and not _NUMBERED.match(first.text)):
        return False
    is_larger = _smallest_size(block) >= _LARGER * body
    is_bold = bold_counts and block.bold and block.size > 0.95 * body
    text = "".join(line.text for line in block.lines)
    if not (is_larger or is_bold) or len(_LETTERS.findall(text[:_LONGEST])) < 2:
        return False
    is_sentence = text.endswith(_SENTENCE)
    if is_larger:
        return len(text) <= (_LONGEST_BOLD if is_sentence else _LONGEST)
    return len(text) <= _LONGEST_BOLD and not is_sentence


def _smallest_size(block: PdfBlock) -> float:
    return min(line.size for line in block.lines)


def _levels_of(ranks: _Ranks) -> Levels:
    """Return the levels by size, then by the depth of the number."""
    sizes: list[float] = []  # those that differ enough, the largest first
    for size in sorted({rank.size for rank in ranks.values()}):
        if not sizes or size - sizes[-1] > _STEP or size == 0:
            sizes.append(size)
    steps = {
        index: max(number for number, size in enumerate(sizes) if size <= rank.size)
        for index, rank in ranks.items()
    }
    shallowest: dict[int, int] = {}  # the least depth of a number on each step
    for index, step in steps.items():
        depth = ranks[index].depth
        if depth:
            shallowest[step] = min(shallowest.get(step, depth), depth)
    keys = {
        index: (step, max(ranks[index].depth, shallowest.get(step, 0)))
        for index, step in steps.items()
    }
    order = {key: number for number, key in enumerate(sorted(set(keys.values())), 1)}
    return {index: min(order[key], _DEEPEST) for index, key in keys.items()}
