"""Convert a PDF file to Markdown.

Pages become lines without hidden text and running heads, then tables, blocks and headings. A line
`[page 3]` marks the first block that starts on a page; brackets in the document are escaped, so no
text can imitate it. Text before the first mark is on page 1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, pairwise
from math import inf

from webquarry._read.documents.pdf_blocks import (
    LEADERS,
    Levels,
    PdfBlock,
    body_size,
    build_blocks,
    find_headings,
)
from webquarry._read.documents.pdf_hidden import read_objects
from webquarry._read.documents.pdf_lines import (
    Joiner,
    PdfLine,
    drop_running_heads,
    read_lines,
)
from webquarry._read.documents.pdf_page import PdfFile
from webquarry._read.documents.pdf_tables import Grid, find_grids, find_tables
from webquarry._read.documents.text import (
    LONGEST_TEXT,
    Refusal,
    build_code,
    build_heading,
    build_table,
    clean_name,
    clean_title,
    escape_paragraph,
)
from webquarry._read.documents.writer import DocumentWriter
from webquarry._read.format import ConvertedDocument
from webquarry._read.markdown.blocks import Block

_MOST_PAGES = 2_000
_TITLE_PAGES = 2  # on which a title is looked for
_WIDEST_CODE = 200  # characters
_LONGEST_NUMBER = 4  # characters of the number of a list item


def convert(body: bytes, url: str) -> ConvertedDocument:
    """Return the document. Links are not read, so `url` is not used."""
    removed: Counter[str] = Counter()
    pdf = PdfFile(body)
    try:
        pages = _read_pages(pdf, removed)
        title = clean_title(pdf.read_metadata("Title"), removed)
        author = clean_name(pdf.read_metadata("Author"), removed)
        published = pdf.read_date("CreationDate")
        modified = pdf.read_date("ModDate")
    finally:
        pdf.close()
    pages.prepare()
    items = [find_tables(*page) for page in zip(pages.grids, pages.lines, strict=True)]
    lines = list(chain.from_iterable(pages.lines))
    size = body_size(lines)
    blocks = build_blocks(items, size)
    levels = find_headings(blocks, size)
    joiner = Joiner(line.text for line in lines)
    written = _Writer(joiner, removed).write(blocks, levels)
    if not title:  # the first heading of level 1 on the first pages
        for index, block in enumerate(blocks):
            if levels.get(index) == 1 and block.page < _TITLE_PAGES:
                title = clean_name(joiner.join(line.text for line in block.lines), removed)
                break
    return ConvertedDocument(
        written,
        title=title,
        author=author,
        published=published,
        modified=modified,
        removed=removed,
        notes=tuple(pages.notes),
        lost=tuple(pages.notes),
    )


@dataclass
class _Pages:
    """Contents of the pages."""

    lines: list[list[PdfLine]] = field(default_factory=list)
    grids: list[list[Grid]] = field(default_factory=list)
    pictured: int = 0  # pages with an image and no text
    broken: int = 0
    notes: list[str] = field(default_factory=list)

    def prepare(self) -> None:
        """Drop running heads; raises `Refusal` if there are none."""
        count = len(self.lines)
        bare = drop_running_heads(self.lines)
        if not any(bare):
            if self.pictured:
                raise Refusal(
                    "has no text layer: its pages are pictures, and it needs OCR to be read"
                )
            if self.broken == count:
                raise Refusal("is damaged: none of its pages can be read")
            if not any(self.lines):
                raise Refusal("has no text that can be seen")
            bare = self.lines  # a page of nothing but a running head
        self.lines = bare
        if self.broken:
            self.notes.append(f"Damaged pages that could not be read: {self.broken:,}.")
        if self.pictured:
            self.notes.append(
                "Pages that are pictures without a text layer, and need OCR: "
                f"{self.pictured:,} of {count:,}."
            )


def _read_pages(pdf: PdfFile, removed: Counter[str]) -> _Pages:
    """Read the pages, one open at a time."""
    if not pdf.page_count:
        raise Refusal("is a PDF file without pages")
    pages = _Pages()
    count = min(pdf.page_count, _MOST_PAGES)
    if count < pdf.page_count:
        pages.notes.append(
            f"The PDF has {pdf.page_count:,} pages; only the first {count:,} were read."
        )
    length = 0
    for number in range(count):
        lines: list[PdfLine] = []
        grids: list[Grid] = []
        with pdf.page(number) as page:
            if page is None:
                pages.broken += 1
            else:
                objects = read_objects(page)
                length += page.count
                if length > LONGEST_TEXT:
                    pages.notes.append(
                        "The PDF has more text than is read at once; it ends before page "
                        f"{number + 1:,}."
                    )
                    break
                lines = read_lines(page, objects, number, removed)
                grids = find_grids(page, objects.rules, lines)
                pages.pictured += bool(objects.images) and not lines
        for line in lines:
            line.places = ()  # the page is closed now
        pages.lines.append(lines)
        pages.grids.append(grids)
    return pages


class _Writer(DocumentWriter):
    """Writes the blocks of one document."""

    def __init__(self, joiner: Joiner, removed: Counter[str]) -> None:
        super().__init__(removed)
        self._joiner = joiner
        self._item: PdfBlock | None = None  # the last one of the open list

    def write(self, blocks: list[PdfBlock], levels: Levels) -> list[Block]:
        """Return the blocks. `levels` are those of headings, by index of the block."""
        page = 0
        for index, block in enumerate(blocks):
            is_new_page = block.page != page
            if index in levels or is_new_page or block.kind not in ("item", "contents"):
                self._end_list()
            if is_new_page:
                page = block.page
                self._out.add(f"[page {page + 1}]")
            self._write_block(block, levels.get(index))
        return self.finish()

    def _write_block(self, block: PdfBlock, level: int | None) -> None:
        removed = self._removed
        text: Block | str | None = None
        if block.table is not None:
            text = build_table(block.table.rows, removed)
        elif level is not None:
            text = build_heading(self._text_of(block), level, removed)
        elif block.kind in ("item", "contents"):
            mark = block.marker
            marker, skip = "- ", 0  # a marker that Markdown does not have is part of the text
            if len(mark) <= _LONGEST_NUMBER and mark[:-1].isdecimal() and mark[-1] in ".)":
                marker, skip = f"{mark} ", len(mark)
            elif len(mark) == 1 and not mark.isdigit():
                skip = 1
            item = LEADERS.sub(r" … \1", self._text_of(block, skip))
            self._write_item(block, marker, escape_paragraph(item, removed))
        elif block.kind == "code":
            text = self._format_code(block.lines)
        else:
            text = escape_paragraph(self._text_of(block), removed)
        if text:
            self._out.add(text)

    def _text_of(self, block: PdfBlock, skip: int = 0) -> str:
        """Return the text of a block without its first characters."""
        texts = [line.text for line in block.lines]
        texts[0] = texts[0][skip:].lstrip()
        return self._joiner.join(texts)

    def _write_item(self, block: PdfBlock, marker: str, text: str) -> None:
        """Write an item as deep as it is indented."""
        if not text:
            return
        first = block.lines[0]
        is_comparable = self._item is not None and self._item.column == block.column
        tolerance = first.size / 2 if is_comparable else inf
        self._add_item(text, marker, first.left, tolerance)
        self._item = block

    def _format_code(self, lines: list[PdfLine]) -> Block:
        """Return lines of code with their indents and blank lines."""
        edge = min(line.left for line in lines)
        letter_width = max(sum(one.width for one in lines) / sum(len(one.text) for one in lines), 1)
        distances = [before.baseline - line.baseline for before, line in pairwise(lines)]
        usual = min(distances, default=0)
        texts: list[str] = []
        for number, line in enumerate(lines):
            follows = bool(number) and lines[number - 1].page == line.page
            if follows and distances[number - 1] > 1.5 * usual > 0:
                texts.append("")
            indent = min(round((line.left - edge) / letter_width), _WIDEST_CODE)
            texts.append(" " * indent + self._joiner.join([line.text]).replace("\r", " "))
        return build_code("\n".join(texts), self._removed)
