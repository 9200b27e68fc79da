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

from webquarry.read.documents.pdf.layout import (
    INDENT,
    WIDE_GAP,
    Column,
    columns_of,
    is_new_column,
)
from webquarry.read.documents.pdf.lines import HYPHEN, PdfLine
from webquarry.read.documents.pdf.tables import PageItem, PdfTable

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
        if self.table:
            return self.table.page
        return self.lines[0].page

    @property
    def size(self) -> float:
        return max((line.size for line in self.lines), default=0.0)

    @property
    def bold(self) -> bool:
        return bool(self.lines) and all(line.bold for line in self.lines)


def build_blocks(pages: list[list[PageItem]], body: float) -> list[Block]:
    """The blocks of a whole document."""
    lines_of_pages: list[list[PdfLine]] = []
    for items in pages:
        lines_of_pages.append([item for item in items if isinstance(item, PdfLine)])
    builder = _Builder(body)
    for items, columns in zip(pages, columns_of(lines_of_pages, body), strict=True):
        remaining = iter(columns)
        for place, item in enumerate(items):
            if isinstance(item, PdfTable):
                builder.add_table(item)
                continue
            after = items[place + 1] if place + 1 < len(items) else None
            builder.add(item, next(remaining), after if isinstance(after, PdfLine) else None)
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
        before = self.blocks[-1].table if self.blocks else None
        if before is not None and before.continues_in(table):
            repeats_head = table.rows[0] == before.rows[0]
            before.rows += table.rows[1:] if repeats_head else table.rows
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
        elif len(block.lines) == 1 and line.left > block.lines[0].left + INDENT * line.size:
            block.hanging = line.page == block.lines[0].page
        block.lines.append(line)
        block.end = column
        self._last, self._column, self._open = line, column, block

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
        if block and not self._starts_block(block, last, line, column, after):
            return block
        return None

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
            if not is_alike or not 0.92 < last.size / line.size < 1.09:
                if block.size < _SMALL_PRINT * self._body:
                    continue  # a note at the foot of the page
                return None
            if last.page < line.page - 1 or block.bold != line.bold:
                return None
            return None if _is_finished(block, column) else block
        return None

    def _starts_block(
        self, block: Block, last: PdfLine, line: PdfLine, column: Column, after: PdfLine | None
    ) -> bool:
        """Whether a line begins a block instead of going on the one of the line before it."""
        if line.mono and not last.mono and _is_name_in_prose(last, line, column):
            line.mono = False
        if block.kind == "contents" or line.mono != last.mono:
            return True
        if _changes_look(last, line, column, block):
            return True
        gap = last.baseline - line.baseline
        if gap > WIDE_GAP * column.pitch * max(line.size, last.size * 0.8):
            # there are empty lines in code
            return not (line.mono and gap < 2 * WIDE_GAP * column.pitch * line.size)
        if line.mono or abs(gap) < line.size / 3:
            return False
        if _marker_of(line) and _may_be_item(block, last, line, column):
            return True
        return _ends_paragraph(block, last, line, column, after)


def _marker_of(line: PdfLine) -> str:
    """The mark with which a list item begins; empty for a line that is none."""
    found = _BULLET.match(line.text) or _MAYBE.match(line.text)
    if found and not line.mono:
        return found[0].rstrip()
    return ""


def is_contents(text: str) -> bool:
    """Whether a line belongs to a table of contents: dots lead from what it names to a page."""
    has_dots = "..." in text or ". . ." in text or "…" in text or "···" in text
    return has_dots and _LEADERS.search(text) is not None


def contents_entry(text: str) -> tuple[str, str]:
    """What a line of a table of contents names, and the page it gives."""
    found = _LEADERS.search(text)
    if found:
        return text[: found.start()], found[1] or ""
    return text, ""


def _may_be_item(block: Block, last: PdfLine, line: PdfLine, column: Column) -> bool:
    """A number or a dash at the beginning of a line may just belong to the sentence."""
    if _BULLET.match(line.text) or block.kind == "item":
        return True
    is_moved = abs(line.left - last.left) > INDENT * line.size / 2
    if is_moved or _ends_sentence(last):
        return True
    return _leaves_room(last, line, column)


def _is_name_in_prose(last: PdfLine, line: PdfLine, column: Column) -> bool:
    """Whether a line in a font for code is only a long name in the middle of a paragraph."""
    if _ends_sentence(last) or _leaves_room(last, line, column):
        return False
    usual = column.pitch * line.size
    deviation = abs(last.baseline - line.baseline - usual)
    is_below = abs(line.left - last.left) < line.size / 2
    return is_below and deviation < _USUAL_DEVIATION * usual


def _ends_sentence(line: PdfLine) -> bool:
    return _SENTENCE_END.search(line.text) is not None


def _changes_look(last: PdfLine, line: PdfLine, column: Column, block: Block) -> bool:
    """Whether size or weight say that something else begins."""
    ratio = line.size / last.size
    if not 0.8 < ratio < 1.25:
        return True
    is_other_size = not 0.89 < ratio < 1.12
    if is_other_size:
        usual = column.pitch * line.size
        deviation = abs(last.baseline - line.baseline - usual)
        if deviation > _USUAL_DEVIATION * usual or line.bold != last.bold:
            return True
    if block.bold:
        return not line.bold
    return line.bold and not last.bold and block.kind != "item"


def _ends_paragraph(
    block: Block, last: PdfLine, line: PdfLine, column: Column, after: PdfLine | None
) -> bool:
    """Whether a paragraph ends with its last line, by the room there and the indent here."""
    indent = INDENT * line.size
    room = column.right - last.right
    has_much_room = room > _MUCH_ROOM * (column.right - column.left)
    may_end = has_much_room or not column.spaced
    if may_end and _leaves_room(last, line, column) and (has_much_room or _ends_sentence(last)):
        return True
    if block.kind == "item" or block.hanging:
        is_hanging = block.hanging and len(block.lines) > 1
        return is_hanging and line.left < block.lines[1].left - indent
    is_centred = abs(line.left + line.right - last.left - last.right) < line.size
    if is_centred or line.left <= last.left + indent or not _is_indented(line, column, after):
        return False
    is_first_at_edge = len(block.lines) == 1 and last.left < column.left + indent
    return not is_first_at_edge or _ends_sentence(last) or room > 3 * line.size


def _is_indented(line: PdfLine, column: Column, after: PdfLine | None) -> bool:
    """Whether a line is the first of a paragraph by its indent: the next goes back to the edge, if
    there is one.
    """
    indent = INDENT * line.size
    if line.left <= column.left + indent:
        return False
    return after is None or is_new_column(line, after) or after.left < line.left - indent


def _leaves_room(last: PdfLine, line: PdfLine, column: Column) -> bool:
    """Whether the first word of a line would have fitted behind the line before it."""
    if last.text.endswith((HYPHEN, "-")):
        return False
    word = line.text.split(None, 1)[0]
    letter_width = max(line.width / max(len(line.text), 1), 0.3 * line.size)
    word_width = (len(word) + 1) * letter_width
    return column.right - last.right > 1.15 * word_width + line.size


def _is_finished(block: Block, column: Column) -> bool:
    """Whether a paragraph ended where its column did, as far as its last line and the way
    paragraphs begin here tell.
    """
    last = block.lines[-1]
    if not _ends_sentence(last):
        return False
    if not column.indented or block.end is None:
        return True
    return block.end.right - last.right > 3 * last.size
