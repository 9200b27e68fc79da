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

from webquarry.read.documents import text as prose
from webquarry.read.documents.pdf.blocks import Block, contents_entry
from webquarry.read.documents.pdf.headings import Levels
from webquarry.read.documents.pdf.joining import Joiner
from webquarry.read.documents.pdf.lines import PdfLine, Word
from webquarry.read.documents.text import build_table
from webquarry.read.markdown.blocks import Blocks
from webquarry.read.text.characters import strip_invisible, without_surrogates
from webquarry.read.text.delimiters import defuse_prose, defuse_verbatim
from webquarry.read.text.fence import fence

_WIDEST_CODE = 200  # characters
_SAME_EDGE = 2  # points
_LONGEST_NUMBER = 4  # "999." is one of a list; Markdown takes digits with a full stop or a bracket


class _OpenItem(NamedTuple):
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
        self._items: list[_OpenItem] = []

    def render(self, blocks: list[Block], levels: Levels) -> str:
        """The document. `levels` are those of headings, by the place of their blocks."""
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
        """Write a block as what it is; `level` is that of a heading."""
        removed = self._removed
        if block.table is not None:
            table = build_table(block.table.rows, removed)
            self._add(table)
        elif level is not None:
            heading = prose.build_heading(self._text_of(block), level, removed)
            self._add(heading)
        elif block.kind == "item":
            self._write_item(block)
        elif block.kind == "code":
            self._add(self._format_code(block.lines))
        elif block.kind == "contents":
            name, page = contents_entry(block.lines[0].text)
            joined = self._joiner.join([name])
            text = prose.escape_paragraph(joined, removed)
            if page:
                text = f"{text} … {page}"
            self._add_item(block, "- ", text)
        else:
            paragraph = prose.escape_paragraph(self._text_of(block), removed)
            self._add(paragraph)

    def _stays_in_item(self, block: Block) -> bool:
        """Whether a block belongs to the list that is open: an item, or a paragraph as far in as
        the text of one.
        """
        if block.kind in ("item", "contents"):
            return True
        if block.kind != "text" or not self._items:
            return False
        item = self._items[-1]
        if block.column != item.column:
            return False
        left = min(line.left for line in block.lines)
        if len(block.lines) > 1 and left > item.left + block.size / 2:
            return True
        if item.text_left <= item.left:
            return False
        return abs(left - item.text_left) < _SAME_EDGE

    def _add(self, text: str) -> None:
        """Add a block, unless it is empty."""
        if text:
            self._out.add(text)

    def _text_of(self, block: Block, skip: int = 0) -> str:
        """The text of a block without its first characters."""
        texts = [line.text for line in block.lines]
        texts[0] = texts[0][skip:].lstrip()
        return self._joiner.join(texts)

    def _write_item(self, block: Block) -> None:
        """A list item; a mark that Markdown does not have stays in front of the text."""
        mark = block.marker
        number = mark[:-1]
        is_number = mark[-1] in ".)" and number.isascii() and number.isdigit()
        is_bullet = len(mark) == 1 and not mark.isdigit()
        marker = "- "
        skip = 0
        if is_number and len(mark) <= _LONGEST_NUMBER:
            marker = f"{mark} "
            skip = len(mark)
        elif is_bullet:
            skip = len(mark)
        written = self._text_of(block, skip)
        text = prose.escape_paragraph(written, self._removed)
        self._add_item(block, marker, text)

    def _add_item(self, block: Block, marker: str, text: str) -> None:
        """Put an item into the list that is open, as deep as it is indented on the page."""
        if not text:
            return
        first = block.lines[0]
        items = self._items
        follows = bool(items)
        if follows and items[-1].column != block.column:
            self._close_items(0)  # how far in it is, cannot be compared
        while items and first.left <= items[-1].left + first.size / 2:
            self._close_items(len(items) - 1)
        self._out.tight = follows
        self._out.open(marker, " " * len(marker))
        text_left = first.left
        if len(block.lines) > 1:
            text_left = block.lines[1].left
        item = _OpenItem(block.column, first.left, text_left)
        items.append(item)
        self._out.add(text)

    def _close_items(self, depth: int) -> None:
        """Close the open items down to a depth."""
        while len(self._items) > depth:
            self._items.pop()
            self._out.close()

    def _format_code(self, lines: list[PdfLine]) -> str:
        """Lines as they stand, moved in as far as on the page, with the gaps between them."""
        edge = min(line.left for line in lines)
        words = [word for line in lines for word in _words_of(line)]
        width = sum(word.right - word.left for word in words)
        letters = sum(len(word.text) for word in words)
        letter_width = max(width / max(1, letters), 1.0)
        distances = [before.baseline - line.baseline for before, line in pairwise(lines)]
        usual = min(distances, default=0)
        texts: list[str] = []
        before: PdfLine | None = None
        for line in lines:
            if before is not None and before.page == line.page:
                distance = before.baseline - line.baseline
                if distance > 1.5 * usual > 0:
                    texts.append("")
            # as many blanks in front of each word as there is room for on the page
            spaced = ""
            for word in _words_of(line):
                column = min(round((word.left - edge) / letter_width), _WIDEST_CODE)
                least = 1 if spaced else 0
                blanks = max(column - len(spaced), least)
                spaced += " " * blanks + word.text
            joined = self._joiner.join([spaced])
            texts.append(joined.replace("\r", " "))
            before = line
        text = without_surrogates("\n".join(texts))
        visible = strip_invisible(text, self._removed)
        code = defuse_verbatim(visible, self._removed)
        return fence(code, "")


def _words_of(line: PdfLine) -> list[Word]:
    """The words of a line; the whole line where they were not asked for."""
    if line.words:
        return line.words
    whole = Word(line.text, line.left, line.right)
    return [whole]
