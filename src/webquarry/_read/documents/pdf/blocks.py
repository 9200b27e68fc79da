"""Lines and tables in reading order -> blocks: paragraphs, list items, code, lines of a table of
contents, tables.

A paragraph ends where the page shows it: at a wider gap, an indent, a change of size or weight, a
mark of a list, or a last line that left room for the next word. It goes on in the next column or on
the next page when its last sentence is not finished there; notes at the foot of the page in between
stay behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from webquarry._read.documents.pdf.layout import (
    WIDE_GAP,
    Column,
    columns_of,
    is_new_column,
)
from webquarry._read.documents.pdf.lines import HYPHEN, PdfLine
from webquarry._read.documents.pdf.tables import PageItem, PdfTable

Kind = Literal["text", "item", "code", "contents", "table"]

_BULLET = re.compile(r"[•‣◦▪▫■□●○◆◇►▶➢➤✓✔∙·∗\uf0b7\uf0a7\uf0d8\uf076]\s*(?=\S)")
# What begins an item only where something else says so too: numbers, dashes, the letter that stands
# for a circle.
_MAYBE = re.compile(
    r"(?:\d{1,3}[.)]|\(\d{1,3}\)|\(?[a-zA-Z]\)|\(?[ivx]{1,5}\)|\[\d{1,3}\]|[–*-])\s+(?=\S)"
    r"|o\s+(?=[A-Z])"
)
_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){5,}\s*([\divxlc]{1,5})?$")
_SENTENCE_END = re.compile(r"[.!?…:;。！？][\"'”’)\]»*†‡]*(?:\d{1,3}|\[\d{1,3}\])?$")
_MUCH_ROOM = 0.25  # of the width of the column
_SMALL_PRINT = 0.93  # of the body's size
_USUAL_DEVIATION = 0.15  # of the usual distance of lines
_LOOK_BACK = 6  # blocks of small print that may stand between the halves of a paragraph


@dataclass
class Block:
    """Lines that belong together."""

    kind: Kind
    lines: list[PdfLine] = field(default_factory=list)
    marker: str = ""  # of a list item: its bullet or its number
    table: PdfTable | None = None
    hanging: bool = False  # its lines but the first are indented
    column: int = 0  # of the document, counted from its beginning
    end: Column | None = None  # the column in which it ends

    @property
    def page(self) -> int:
        """The page on which it begins."""
        if self.table:
            return self.table.page
        return self.lines[0].page

    @property
    def size(self) -> float:
        """That of its largest line."""
        return max((line.size for line in self.lines), default=0.0)

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        if not self.lines:
            return False
        return all(line.bold for line in self.lines)

    def is_finished(self, column: Column) -> bool:
        """Whether a paragraph ended where its column did, as far as its last line and the way
        paragraphs begin in the next column tell.
        """
        last = self.lines[-1]
        if not _ends_sentence(last):
            return False
        if not column.indented or self.end is None:
            return True
        return self.end.right - last.right > 3 * last.size


def build_blocks(pages: list[list[PageItem]], body: float) -> list[Block]:
    """The blocks of a whole document."""
    lines_of_pages: list[list[PdfLine]] = []
    for items in pages:
        lines = [item for item in items if isinstance(item, PdfLine)]
        lines_of_pages.append(lines)
    columns_of_pages = columns_of(lines_of_pages, body)
    builder = _Builder(body)
    for items, columns in zip(pages, columns_of_pages, strict=True):
        remaining = iter(columns)
        for place, item in enumerate(items):
            if isinstance(item, PdfTable):
                builder.add_table(item)
                continue
            line_after: PdfLine | None = None
            if place + 1 < len(items):
                after = items[place + 1]
                if isinstance(after, PdfLine):
                    line_after = after
            builder.add(item, next(remaining), line_after)
    return builder.blocks


class _Builder:
    """Takes lines one by one."""

    def __init__(self, body: float) -> None:
        self.blocks: list[Block] = []
        self._body = body
        self._columns = 0
        self._open: Block | None = None  # the block that the last line went into
        self._last: PdfLine | None = None  # the last line of the open block
        self._column: Column | None = None

    def add_table(self, table: PdfTable) -> None:
        """Add a table, or the rest of one that began on the page before."""
        before: PdfTable | None = None
        if self.blocks:
            before = self.blocks[-1].table
        if before is not None and before.continues_in(table):
            repeats_head = table.rows[0] == before.rows[0]
            if repeats_head:
                before.rows += table.rows[1:]
            else:
                before.rows += table.rows
            before.foot = table.foot
            before.more_pages += 1
        else:
            self.blocks.append(Block("table", table=table))
        self._open = None

    def add(self, line: PdfLine, column: Column, after: PdfLine | None) -> None:
        """Add a line to the block that it goes on, or to a new one."""
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
        self._last = line
        self._column = column
        self._open = block

    def _start_block(self, line: PdfLine) -> Block:
        """A block of the kind that a line begins, still empty."""
        if line.mono:
            return Block("code")
        if is_contents(line.text):
            return Block("contents")
        marker = _marker_of(line)
        is_note = marker == "*" and line.size < _SMALL_PRINT * self._body
        if marker and not is_note:
            return Block("item", marker=marker)
        return Block("text")

    def _find_block(self, line: PdfLine, column: Column, after: PdfLine | None) -> Block | None:
        """The block that a line goes on, or None when it begins one."""
        last = self._last
        if last is None or is_contents(line.text):
            return None
        if is_new_column(last, line):
            return self._find_unfinished(line, column, after)
        block = self._open
        if block is None:
            return None
        line_break = _LineBreak(block, last, line, column, after)
        if line_break.starts_block():
            return None
        return block

    def _find_unfinished(
        self, line: PdfLine, column: Column, after: PdfLine | None
    ) -> Block | None:
        """The unfinished paragraph of the column before."""
        if _marker_of(line) or line.turns or _is_indented(line, column, after):
            return None
        for block in self.blocks[: -_LOOK_BACK - 1 : -1]:
            if block.kind not in ("text", "item"):
                return None
            last = block.lines[-1]
            is_alike = last.mono == line.mono and last.turns == line.turns
            is_same_size = 0.92 < last.size / line.size < 1.09
            if not is_alike or not is_same_size:
                if block.size < _SMALL_PRINT * self._body:
                    continue  # a note at the foot of the page
                return None
            if last.page < line.page - 1:
                return None
            if block.bold != line.bold:
                return None
            if block.is_finished(column):
                return None
            return block
        return None


@dataclass(slots=True)
class _LineBreak:
    """The place between two lines, one below the other: does a block end there?"""

    block: Block  # the one that the line above belongs to
    above: PdfLine
    line: PdfLine
    column: Column
    after: PdfLine | None  # the line below

    def starts_block(self) -> bool:
        """Whether the line begins a block instead of going on the one of the line above."""
        above = self.above
        line = self.line
        if line.mono and not above.mono and self._is_name_in_prose():
            line.mono = False
        if self.block.kind == "contents" or line.mono != above.mono or self._changes_look():
            return True
        gap = above.baseline - line.baseline
        if gap > WIDE_GAP * self.column.pitch * max(line.size, above.size * 0.8):
            # there are empty lines in code
            return not (line.mono and gap < 2 * WIDE_GAP * self.column.pitch * line.size)
        if line.mono or abs(gap) < line.size / 3:
            return False
        if _marker_of(line) and self._may_be_item():
            return True
        return self._ends_paragraph()

    def _is_name_in_prose(self) -> bool:
        """Whether a line in a font for code is only a long name in the middle of a paragraph."""
        if _ends_sentence(self.above) or self._leaves_room():
            return False
        above = self.above
        line = self.line
        is_below = abs(line.left - above.left) < line.size / 2
        if not is_below:
            return False
        usual = self.column.pitch * line.size
        deviation = abs(above.baseline - line.baseline - usual)
        return deviation < _USUAL_DEVIATION * usual

    def _changes_look(self) -> bool:
        """Whether size or weight say that something else begins."""
        above = self.above
        line = self.line
        ratio = line.size / above.size
        if not 0.8 < ratio < 1.25:
            return True
        is_other_size = not 0.89 < ratio < 1.12
        if is_other_size:
            usual = self.column.pitch * line.size
            deviation = abs(above.baseline - line.baseline - usual)
            if deviation > _USUAL_DEVIATION * usual:
                return True
            if line.bold != above.bold:
                return True
        if self.block.bold:
            return not line.bold
        if self.block.kind == "item":
            return False
        return line.bold and not above.bold

    def _may_be_item(self) -> bool:
        """A number or a dash at the beginning of a line may just belong to the sentence."""
        line = self.line
        if _BULLET.match(line.text) or self.block.kind == "item":
            return True
        is_moved = abs(line.left - self.above.left) > line.indent / 2
        if is_moved:
            return True
        return _ends_sentence(self.above) or self._leaves_room()

    def _ends_paragraph(self) -> bool:
        """Whether a paragraph ends with the line above, by the room there and the indent here."""
        above = self.above
        line = self.line
        column = self.column
        block = self.block
        room = column.right - above.right
        has_much_room = room > _MUCH_ROOM * (column.right - column.left)
        may_end = has_much_room or not column.spaced
        if may_end and self._leaves_room() and (has_much_room or _ends_sentence(above)):
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
        """Whether the first word of the line would have fitted behind the line above."""
        line = self.line
        if self.above.text.endswith((HYPHEN, "-")):
            return False
        word = line.text.split(None, 1)[0]
        letter_width = max(line.width / max(len(line.text), 1), 0.3 * line.size)
        word_width = (len(word) + 1) * letter_width
        return self.column.right - self.above.right > 1.15 * word_width + line.size


def _marker_of(line: PdfLine) -> str:
    """The mark with which a list item begins; empty for a line that is none."""
    if line.mono:
        return ""
    found = _BULLET.match(line.text) or _MAYBE.match(line.text)
    if found is None:
        return ""
    return found[0].rstrip()


def is_contents(text: str) -> bool:
    """Whether a line belongs to a table of contents: dots lead from what it names to a page."""
    has_dots = "..." in text or ". . ." in text or "…" in text or "···" in text
    if not has_dots:
        return False
    return _LEADERS.search(text) is not None


def contents_entry(text: str) -> tuple[str, str]:
    """What a line of a table of contents names, and the page it gives."""
    found = _LEADERS.search(text)
    if found is None:
        return text, ""
    name = text[: found.start()]
    page = found[1] or ""
    return name, page


def _ends_sentence(line: PdfLine) -> bool:
    """Whether a line ends with a sentence, or with what stands behind one."""
    return _SENTENCE_END.search(line.text) is not None


def _is_indented(line: PdfLine, column: Column, after: PdfLine | None) -> bool:
    """Whether a line is the first of a paragraph by its indent: the next goes back to the edge, if
    there is one.
    """
    if line.left <= column.left + line.indent:
        return False
    if after is None or is_new_column(line, after):
        return True
    return after.left < line.left - line.indent
