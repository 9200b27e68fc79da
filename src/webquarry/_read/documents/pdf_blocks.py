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
from typing import Literal

from webquarry._read.documents.pdf_lines import PdfLine
from webquarry._read.documents.pdf_tables import PageItem, PdfTable

Kind = Literal["text", "item", "code", "contents", "table"]
Levels = dict[int, int]  # of headings, by index of the block

_BULLET = re.compile(r"[•‣◦▪▫■□●○◆◇►▶➢➤✓✔∙·∗\uf0b7\uf0a7\uf0d8\uf076]\s*(?=\S)")
# Numbers, dashes and the letter for a circle start an item only where the layout agrees.
_MAYBE = re.compile(
    r"(?:\d{1,3}[.)]|\(\d{1,3}\)|\(?[a-zA-Z]\)|\(?[ivx]{1,5}\)|\[\d{1,3}\]|[–*-])\s+(?=\S)"
    r"|o\s+(?=[A-Z])"
)
LEADERS = re.compile(r"\s*(?:[.·…_]\s?){5,}\s*([\divxlc]{1,5})?$")
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
_LARGER = 1.12  # times the body
_LONGEST_HEADING = 200  # characters
_LONGEST_BOLD = 120
_MOST_LINES = 4
_MOST_BOLD = 0.4  # of the text; where more is bold, weight means nothing
_NUMBERED = re.compile(r"(?:[A-Z]\.)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_SENTENCE = (".", ",", ";")
_LETTERS = re.compile(r"[^\W\d_]")
_DEEPEST = 6


@dataclass
class Column:
    """A run of lines down the page."""

    left: float  # of most lines
    right: float  # the furthest
    pitch: float  # distance of lines, in sizes of the line


@dataclass
class PdfBlock:
    """Lines that belong together."""

    kind: Kind
    lines: list[PdfLine] = field(default_factory=list)
    marker: str = ""  # of a list item
    table: PdfTable | None = None
    column: int = 0  # counted from the start of the document

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

    @property
    def is_finished(self) -> bool:
        """Return whether its last line ends a sentence."""
        return _ends_sentence(self.lines[-1])


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
    columns_of_pages = [_columns_of_page(one, body) for one in lines]
    for items, columns in zip(pages, columns_of_pages, strict=True):
        remaining = iter(columns)
        for item, after in zip_longest(items, items[1:]):
            if isinstance(item, PdfTable):
                builder.add_table(item)
            else:
                next_line = after if isinstance(after, PdfLine) else None
                builder.add(item, next(remaining), next_line)
    return builder.blocks


def _columns_of_page(lines: list[PdfLine], body: float) -> list[Column]:
    """Return the column of each line; lines of one column share one object."""
    pitch = _line_pitch(lines)
    parts: list[list[PdfLine]] = []
    for number, line in enumerate(lines):
        if not number or _is_new_column(lines[number - 1], line):
            parts.append([])
        parts[-1].append(line)
    found: list[Column] = []
    for part in parts:
        alike = [one for one in part if _is_like_body(one, body)] or part
        left = _most_common(Counter(float(round(one.left)) for one in alike))
        rights = [one.right for one in alike if one.left < left + _FAR_IN * one.size]
        found += [Column(left, max(rights), pitch)] * len(part)
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
    """Adds lines one by one to the block that they continue, or to a new one."""

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
        """Add a line in a column. `after` is the next one."""
        self._columns += column is not self._column
        block = None
        if self._last is not None and not _is_contents(line.text):
            is_first = _is_indented(line, column, after)
            if _is_new_column(self._last, line):
                block = self._find_unfinished(line, is_first)
            elif self._open and not self._starts_block(
                self._open, self._last, line, column, is_first
            ):
                block = self._open
        if block is None:
            block = self._start_block(line)
            block.column = self._columns
            self.blocks.append(block)
        block.lines.append(line)
        self._last, self._column, self._open = line, column, block

    def _start_block(self, line: PdfLine) -> PdfBlock:
        if line.mono:
            return PdfBlock("code")
        if _is_contents(line.text):
            return PdfBlock("contents")
        marker = _marker_of(line)
        is_note = marker == "*" and line.size < _SMALL_PRINT * self._body
        return PdfBlock("item", marker=marker) if marker and not is_note else PdfBlock("text")

    def _find_unfinished(self, line: PdfLine, is_first: bool) -> PdfBlock | None:
        """Return the unfinished paragraph of the column before, which a line continues."""
        if _marker_of(line) or line.turns or is_first:
            return None
        for block in self.blocks[: -_LOOK_BACK - 1 : -1]:
            if block.kind not in ("text", "item"):
                return None
            last = block.lines[-1]
            is_alike = last.mono == line.mono and last.turns == line.turns
            if is_alike and 0.92 < last.size / line.size < 1.09:
                is_near = last.page >= line.page - 1 and block.bold == line.bold
                return block if is_near and not block.is_finished else None
            if block.size >= _SMALL_PRINT * self._body:  # not a note at the foot of the page
                return None
        return None

    @staticmethod
    def _starts_block(
        block: PdfBlock, above: PdfLine, line: PdfLine, column: Column, is_first: bool
    ) -> bool:
        """Return whether a block ends above a line. `is_first`: the line is indented."""
        if block.kind == "contents" or line.mono != above.mono:
            return True
        gap = above.baseline - line.baseline
        if _changes_look(block, above, line, gap / (column.pitch * line.size)):
            return True
        if gap > _WIDE_GAP * column.pitch * max(line.size, above.size * 0.8):
            # there are empty lines in code
            return not (line.mono and gap < 2 * _WIDE_GAP * column.pitch * line.size)
        if line.mono or abs(gap) < line.size / 3:
            return False
        if _marker_of(line):
            is_moved = abs(line.left - above.left) > line.indent / 2
            is_list = block.kind == "item" or _BULLET.match(line.text) is not None
            if is_list or is_moved or _ends_sentence(above):  # else a number in a sentence
                return True
        return _ends_paragraph(block, above, line, column, is_first)


def _changes_look(block: PdfBlock, above: PdfLine, line: PdfLine, pitches: float) -> bool:
    """Return whether size or weight start something else."""
    ratio = line.size / above.size
    if not 0.8 < ratio < 1.25:
        return True
    is_usual_distance = abs(pitches - 1) <= _USUAL_DEVIATION
    if not 0.89 < ratio < 1.12 and (not is_usual_distance or line.bold != above.bold):
        return True
    return block.bold and not line.bold


def _ends_paragraph(
    block: PdfBlock, above: PdfLine, line: PdfLine, column: Column, is_first: bool
) -> bool:
    """Return whether a paragraph ends, by the room in its last line and the indent below it."""
    room = column.right - above.right
    has_much_room = room > _MUCH_ROOM * (column.right - column.left)
    if has_much_room and room > _width_of_first_word(line):
        return True
    is_centred = abs(line.left + line.right - above.left - above.right) < line.size
    if block.kind == "item" or is_centred or line.left <= above.left + line.indent:
        return False
    is_first_at_edge = len(block.lines) == 1 and above.left < column.left + line.indent
    return is_first and (not is_first_at_edge or _ends_sentence(above) or room > 3 * line.size)


def _width_of_first_word(line: PdfLine) -> float:
    """Return the room that the first word of a line needs in the line above."""
    word = line.text.split(None, 1)[0]
    letter_width = max(line.width / max(len(line.text), 1), 0.3 * line.size)
    return 1.15 * (len(word) + 1) * letter_width + line.size


def _marker_of(line: PdfLine) -> str:
    """Return the marker of a list item; empty for any other line."""
    found = None if line.mono else _BULLET.match(line.text) or _MAYBE.match(line.text)
    return found[0].rstrip() if found else ""


def _is_contents(text: str) -> bool:
    """Return whether a line is an entry of a table of contents, with dot leaders."""
    has_dots = any(dots in text for dots in ("...", ". . .", "…", "···"))
    return has_dots and LEADERS.search(text) is not None


def _ends_sentence(line: PdfLine) -> bool:
    return _SENTENCE_END.search(line.text) is not None


def _is_indented(line: PdfLine, column: Column, after: PdfLine | None) -> bool:
    """Return whether a line is the first of a paragraph: the next one is back at the edge."""
    if line.left <= column.left + line.indent:
        return False
    if after is None or _is_new_column(line, after):
        return True
    return after.left < line.left - line.indent


def find_headings(blocks: list[PdfBlock], body: float) -> Levels:
    """Return the levels by size, the largest first, then by the depth of the number."""
    lines = [line for block in blocks for line in block.lines]
    bold = sum(len(line.text) for line in lines if line.bold)
    bold_counts = bold < _MOST_BOLD * sum(len(line.text) for line in lines)
    ranks: dict[int, tuple[float, int]] = {}
    shallowest: dict[float, int] = {}  # the least depth of a number, by size
    for index, block in enumerate(blocks):
        if not _is_heading(block, body, bold_counts):
            continue
        smallest = min(line.size for line in block.lines)
        size = -round(smallest * 2) / 2 if smallest >= _LARGER * body else 0.0
        number = _NUMBERED.match(block.lines[0].text)
        depth = number[1].count(".") + 1 if number else 0
        ranks[index] = size, depth
        if depth:
            shallowest[size] = min(shallowest.get(size, depth), depth)
    keys = {
        index: (size, max(depth, shallowest.get(size, 0))) for index, (size, depth) in ranks.items()
    }
    order = {key: number for number, key in enumerate(sorted(set(keys.values())), 1)}
    return {index: min(order[key], _DEEPEST) for index, key in keys.items()}


def _is_heading(block: PdfBlock, body: float, bold_counts: bool) -> bool:
    """Return whether a block is short, and larger or bolder than the body."""
    if block.kind not in ("text", "item") or len(block.lines) > _MOST_LINES:
        return False
    first = block.lines[0]
    if first.turns or (block.kind == "item" and not _NUMBERED.match(first.text)):
        return False
    text = "".join(line.text for line in block.lines)
    if len(_LETTERS.findall(text[:_LONGEST_HEADING])) < 2:
        return False
    if min(line.size for line in block.lines) >= _LARGER * body:
        return len(text) <= _LONGEST_HEADING
    is_bold = bold_counts and block.bold and block.size > 0.95 * body
    return is_bold and len(text) <= _LONGEST_BOLD and not text.endswith(_SENTENCE)
