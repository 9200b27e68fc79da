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

from webquarry.read.documents.pdf.layout import INDENT, WIDE_GAP, Column, columns_of, is_new_column
from webquarry.read.documents.pdf.lines import HYPHEN, PdfLine
from webquarry.read.documents.pdf.tables import Item, PdfTable

Kind = Literal["text", "item", "code", "contents", "table"]

_BULLET = re.compile(r"[•‣◦▪▫■□●○◆◇►▶➢➤✓✔∙·∗\uf0b7\uf0a7\uf0d8\uf076]\s*(?=\S)")
# What begins an item only where something else says so too: numbers, dashes, the letter that stands
# for a circle.
_MAYBE = re.compile(
    r"(?:\d{1,3}[.)]|\(\d{1,3}\)|\(?[a-zA-Z]\)|\(?[ivx]{1,5}\)|\[\d{1,3}\]|[–*-])\s+(?=\S)|o\s+(?=[A-Z])"
)
_LEADERS = re.compile(r"\s*(?:[.·…_]\s?){5,}\s*([\divxlc]{1,5})?$")
_SENTENCE_END = re.compile(r"[.!?…:;。！？][\"'”’)\]»*†‡]*(?:\d{1,3}|\[\d{1,3}\])?$")
_MUCH_ROOM = 0.25  # of the width of the column
_SMALL_PRINT = 0.93  # of the body's size
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
        if self.lines:
            return max(line.size for line in self.lines)
        return 0.0

    @property
    def bold(self) -> bool:
        return bool(self.lines) and all(line.bold for line in self.lines)


def build_blocks(pages: list[list[Item]], body: float) -> list[Block]:
    """The blocks of a whole document."""
    builder = _Builder(body)
    columns = columns_of(
        [[item for item in items if isinstance(item, PdfLine)] for items in pages], body
    )
    for items, places in zip(pages, map(iter, columns), strict=True):
        placed = [(item, next(places) if isinstance(item, PdfLine) else None) for item in items]
        for place, (item, column) in enumerate(placed):
            if isinstance(item, PdfTable):
                builder.add_table(item)
            elif column is not None:
                after = None
                if place + 1 < len(placed):
                    after = placed[place + 1][0]
                builder.add(item, column, after if isinstance(after, PdfLine) else None)
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
        before = self.blocks[-1].table if self.blocks else None
        if before is not None and _is_same_table(before, table):
            skip = 1 if table.rows[0] == before.rows[0] else 0
            before.rows += table.rows[skip:]
            before.foot = table.foot
            before.more_pages += 1
        else:
            self.blocks.append(Block("table", table=table))
        self._open = None

    def add(self, line: PdfLine, column: Column, after: PdfLine | None) -> None:
        self._columns += column is not self._column
        block = self._home_of(line, column, after)
        if block is None:
            block = self._new_block(line)
            block.column = self._columns
            self.blocks.append(block)
        elif len(block.lines) == 1 and line.left > block.lines[0].left + INDENT * line.size:
            block.hanging = line.page == block.lines[0].page
        block.lines.append(line)
        block.end = column
        self._last, self._column, self._open = line, column, block

    def _new_block(self, line: PdfLine) -> Block:
        if line.mono:
            return Block("code")
        if is_contents(line.text):
            return Block("contents")
        marker = _marker(line)
        is_note = marker == "*" and line.size < _SMALL_PRINT * self._body
        if marker and not is_note:
            return Block("item", marker=marker)
        return Block("text")

    def _home_of(self, line: PdfLine, column: Column, after: PdfLine | None) -> Block | None:
        """The block that a line goes on, or None when it begins one."""
        last = self._last
        if last is None or is_contents(line.text):
            return None
        if is_new_column(last, line):
            return self._carried_over(line, column, after)
        block = self._open
        if block and not self._starts_block(block, last, line, column, after):
            return block
        return None

    def _carried_over(self, line: PdfLine, column: Column, after: PdfLine | None) -> Block | None:
        """The unfinished paragraph of the column before."""
        if _marker(line) or line.turns or _is_indented(line, column, after):
            return None
        for block in self.blocks[: -_LOOK_BACK - 1 : -1]:
            if block.kind in ("text", "item") and not _is_alike(block.lines[-1], line):
                if block.size < _SMALL_PRINT * self._body:
                    continue
                return None
            if block.kind not in ("text", "item") or block.lines[-1].page < line.page - 1:
                return None
            if block.bold != line.bold or _is_finished(block, column):
                return None
            return block
        return None

    def _starts_block(
        self, block: Block, last: PdfLine, line: PdfLine, column: Column, after: PdfLine | None
    ) -> bool:
        if line.mono and not last.mono and _is_name_in_prose(last, line, column):
            line.mono = False
        if (
            block.kind == "contents"
            or line.mono != last.mono
            or _changes_look(last, line, column, block)
        ):
            return True
        gap = last.baseline - line.baseline
        if gap > WIDE_GAP * column.pitch * max(line.size, last.size * 0.8):
            return not (line.mono and gap < 2 * WIDE_GAP * column.pitch * line.size)
        if line.mono:
            return False
        if abs(gap) < line.size / 3:
            return False
        if _marker(line) and _may_be_item(block, last, line, column):
            return True
        return _ends_paragraph(block, last, line, column, after)


def _marker(line: PdfLine) -> str:
    """The mark with which a list item begins; empty for a line that is none."""
    found = _BULLET.match(line.text) or _MAYBE.match(line.text)
    if found and not line.mono:
        return found[0].rstrip()
    return ""


def is_contents(text: str) -> bool:
    """Whether a line belongs to a table of contents: dots lead from what it names to a page."""
    return ("..." in text or ". . ." in text or "…" in text or "···" in text) and _LEADERS.search(
        text
    ) is not None


def contents_entry(text: str) -> tuple[str, str]:
    """What a line of a table of contents names, and the page it gives."""
    found = _LEADERS.search(text)
    if found:
        return (text[: found.start()], found[1] or "")
    return (text, "")


def _may_be_item(block: Block, last: PdfLine, line: PdfLine, column: Column) -> bool:
    """A number or a dash at the beginning of a line may just belong to the sentence."""
    if _BULLET.match(line.text) or block.kind == "item":
        return True
    moved = abs(line.left - last.left) > INDENT * line.size / 2
    return moved or _SENTENCE_END.search(last.text) is not None or _leaves_room(last, line, column)


def _is_name_in_prose(last: PdfLine, line: PdfLine, column: Column) -> bool:
    """Whether a line in a font for code is only a long name in the middle of a paragraph."""
    if _SENTENCE_END.search(last.text) or _leaves_room(last, line, column):
        return False
    usual = column.pitch * line.size
    return (
        abs(last.baseline - line.baseline - usual) < 0.15 * usual
        and abs(line.left - last.left) < line.size / 2
    )


def _changes_look(last: PdfLine, line: PdfLine, column: Column, block: Block) -> bool:
    ratio = line.size / last.size
    if not 0.8 < ratio < 1.25:
        return True
    usual = column.pitch * line.size
    moved = abs(last.baseline - line.baseline - usual) > 0.15 * usual
    if not 0.89 < ratio < 1.12 and (moved or line.bold != last.bold):
        return True
    return (block.bold and not line.bold) or (line.bold and not last.bold and block.kind != "item")


def _ends_paragraph(
    block: Block, last: PdfLine, line: PdfLine, column: Column, after: PdfLine | None
) -> bool:
    much = column.right - last.right > _MUCH_ROOM * (column.right - column.left)
    if (
        (much or not column.spaced)
        and _leaves_room(last, line, column)
        and (much or _SENTENCE_END.search(last.text))
    ):
        return True
    if block.kind == "item" or block.hanging:
        if len(block.lines) > 1:
            text_left = block.lines[1].left
        else:
            text_left = block.lines[0].left
        return len(block.lines) > 1 and block.hanging and line.left < text_left - INDENT * line.size
    if abs(line.left + line.right - last.left - last.right) < line.size:  # both are centred
        return False
    if line.left <= last.left + INDENT * line.size or not _is_indented(line, column, after):
        return False
    hangs = (
        len(block.lines) == 1 and last.left < column.left + INDENT * line.size
    )  # its first line was at the edge
    return (
        not hangs
        or _SENTENCE_END.search(last.text) is not None
        or column.right - last.right > 3 * line.size
    )


def _is_indented(line: PdfLine, column: Column, after: PdfLine | None) -> bool:
    """Whether a line is the first of a paragraph by its indent: the next goes back to the edge, if
    there is one.
    """
    if line.left <= column.left + INDENT * line.size:
        return False
    return (
        after is None or is_new_column(line, after) or after.left < line.left - INDENT * line.size
    )


def _leaves_room(last: PdfLine, line: PdfLine, column: Column) -> bool:
    """Whether the first word of a line would have fitted behind the line before it."""
    if last.text.endswith((HYPHEN, "-")):
        return False
    word = line.text.split(None, 1)[0]
    wide = (len(word) + 1) * max(line.width / max(len(line.text), 1), 0.3 * line.size)
    return column.right - last.right > 1.15 * wide + line.size


def _is_finished(block: Block, column: Column) -> bool:
    """Whether a paragraph ended where its column did, as far as its last line and the way
    paragraphs begin here tell.
    """
    last = block.lines[-1]
    if _SENTENCE_END.search(last.text) is None:
        return False
    return not column.indented or block.end is None or block.end.right - last.right > 3 * last.size


def _is_alike(one: PdfLine, other: PdfLine) -> bool:
    return (
        0.92 < one.size / other.size < 1.09 and one.mono == other.mono and one.turns == other.turns
    )


def _is_same_table(one: PdfTable, other: PdfTable) -> bool:
    """Whether a table at the head of a page goes on from one at the foot of the page before."""
    follows = one.page + one.more_pages == other.page - 1 and one.foot < 0.25 and other.top > 0.75
    return follows and len(one.rows[0]) == len(other.rows[0])
