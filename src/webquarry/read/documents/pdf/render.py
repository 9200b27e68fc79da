"""Blocks and the levels of headings -> Markdown.

Where a page of a longer document begins, a line `[page 3]` says so, in front of the first block
that begins there; a paragraph that runs over the page is not interrupted. Brackets of the document
itself are escaped, so no text in it can pass for such a mark. What stands before the first mark is
on page 1.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from webquarry.read.documents import prose
from webquarry.read.documents.pdf.blocks import Block, contents_entry
from webquarry.read.documents.pdf.joining import Joiner
from webquarry.read.documents.pdf.lines import PdfLine, Word
from webquarry.read.documents.pdf.tables import PdfTable
from webquarry.read.markdown.blocks import Blocks
from webquarry.read.markdown.tables import Cell
from webquarry.read.markdown.tables import Table as PipeTable
from webquarry.read.text.characters import strip_invisible, without_surrogates
from webquarry.read.text.delimiters import defuse_prose, defuse_verbatim
from webquarry.read.text.fence import fence

_WIDEST_CODE = 200  # characters
_LONGEST_NUMBER = 4  # "999." is one of a list; Markdown takes digits with a full stop or a bracket


class _Item(NamedTuple):
    """A list item that is open."""

    column: int
    left: float
    text_left: float  # of its second line, if it has one


class Renderer:
    """Writes one document; counts what it takes out."""

    def __init__(self, joiner: Joiner, removed: Counter[str]) -> None:
        self._joiner = joiner
        self._removed = removed
        self._out = Blocks()
        self._items: list[_Item] = []  # the list items that are open

    def render(self, blocks: list[Block], levels: dict[int, int]) -> str:
        page = 0
        for place, block in enumerate(blocks):
            if place in levels or not self._stays_in_item(block):
                self._close_items(0)
            if block.page != page:
                self._close_items(0)
                page = block.page
                self._out.add(f"[page {page + 1}]")
            self._write(block, levels.get(place))
        self._close_items(0)
        return defuse_prose(self._out.text(), self._removed)

    def _write(self, block: Block, level: int | None) -> None:
        if block.table is not None:
            self._add(self._table(block.table))
        elif level is not None:
            self._add(prose.build_heading(self._text(block), level, self._removed))
        elif block.kind == "item":
            self._add_item(block, *self._item(block))
        elif block.kind == "code":
            self._add(self._code(block.lines))
        elif block.kind == "contents":
            self._add_item(block, "- ", self._contents(block))
        else:
            self._add_text(block)

    def _stays_in_item(self, block: Block) -> bool:
        """Whether a block belongs to the list that is open: an item, or a paragraph as far in as
        the text of one.
        """
        if block.kind in ("item", "contents"):
            return True
        if block.kind != "text" or not self._items:
            return False
        item, left = self._items[-1], min(line.left for line in block.lines)
        inside = len(block.lines) > 1 and left > item.left + block.size / 2
        return block.column == item.column and (
            inside or (item.text_left > item.left and abs(left - item.text_left) < 2)
        )

    def _add_text(self, block: Block) -> None:
        self._add(prose.escape_paragraph(self._text(block), self._removed))

    def _add(self, text: str) -> None:
        if text:
            self._out.add(text)

    def _text(self, block: Block, skip: int = 0) -> str:
        texts = [line.text for line in block.lines]
        texts[0] = texts[0][skip:].lstrip()
        return self._joiner.join(texts)

    def _item(self, block: Block) -> tuple[str, str]:
        """The mark of a list item in Markdown, and its text."""
        marker = _markdown_marker(block.marker)
        if marker == "- " and not _is_bullet(block.marker):
            skip = 0
        else:
            skip = len(block.marker)
        return marker, prose.escape_paragraph(self._text(block, skip), self._removed)

    def _contents(self, block: Block) -> str:
        name, page = contents_entry(block.lines[0].text)
        text = prose.escape_paragraph(self._joiner.join([name]), self._removed)
        if page:
            return f"{text} … {page}"
        return text

    def _add_item(self, block: Block, marker: str, text: str) -> None:
        """Put an item into the list that is open, as deep as it is indented on the page."""
        if not text:
            return
        left, size = block.lines[0].left, block.lines[0].size
        follows = bool(self._items)
        if follows and self._items[-1].column != block.column:
            self._close_items(0)  # how far in it is, cannot be compared
        while self._items and left <= self._items[-1].left + size / 2:
            self._close_items(len(self._items) - 1)
        self._out.tight = follows
        self._out.open(marker, " " * len(marker))
        self._items.append(
            _Item(block.column, left, block.lines[1].left if len(block.lines) > 1 else left)
        )
        self._out.add(text)

    def _close_items(self, depth: int) -> None:
        while len(self._items) > depth:
            self._items.pop()
            self._out.close()

    def _code(self, lines: list[PdfLine]) -> str:
        """Lines as they stand, moved in as far as they are on the page, with the gaps between them."""
        edge = min(line.left for line in lines)
        words = [
            word
            for line in lines
            for word in line.words or [Word(line.text, line.left, line.right)]
        ]
        wide = max(
            sum(word.right - word.left for word in words)
            / max(1, sum(len(word.text) for word in words)),
            1.0,
        )
        usual = min(
            (before.baseline - line.baseline for before, line in pairwise(lines)), default=0
        )
        texts: list[str] = []
        before: PdfLine | None = None
        for line in lines:
            if (
                before is not None
                and before.page == line.page
                and before.baseline - line.baseline > 1.5 * usual > 0
            ):
                texts.append("")
            texts.append(self._joiner.join([_spaced(line, edge, wide)]).replace("\r", " "))
            before = line
        code = strip_invisible(without_surrogates("\n".join(texts)), self._removed)
        return fence(defuse_verbatim(code, self._removed), "")

    def _table(self, table: PdfTable) -> str:
        return PipeTable(
            [
                [Cell(prose.escape_line(cell, self._removed), heading=False) for cell in row]
                for row in table.rows
            ]
        ).text()


def _spaced(line: PdfLine, edge: float, wide: float) -> str:
    """A line of code with as many blanks in it as there is room for on the page."""
    text = ""
    for word in line.words or [Word(line.text, line.left, line.right)]:
        blanks = min(round((word.left - edge) / wide), _WIDEST_CODE) - len(text)
        text += " " * max(blanks, 1 if text else 0) + word.text
    return text


def _is_bullet(marker: str) -> bool:
    return len(marker) == 1 and not marker.isdigit()


def _markdown_marker(marker: str) -> str:
    number = marker[:-1]
    ordered = marker[-1] in ".)" and number.isascii() and number.isdigit()
    if ordered and len(marker) <= _LONGEST_NUMBER:
        return f"{marker} "
    return "- "
