"""A PDF file comes in, Markdown goes out, or a refusal that says why none can be made.

pages -> lines (hidden text dropped) -> running heads dropped -> tables -> blocks -> headings ->
Markdown
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain

from webquarry.read.documents.models import LONGEST_TEXT, DocumentText, Refusal
from webquarry.read.documents.pdf.blocks import build_blocks
from webquarry.read.documents.pdf.drawings import read_drawings
from webquarry.read.documents.pdf.headings import find_headings
from webquarry.read.documents.pdf.joining import Joiner
from webquarry.read.documents.pdf.layout import body_size
from webquarry.read.documents.pdf.lines import PdfLine, read_lines
from webquarry.read.documents.pdf.metadata import author_of, date_of, title_of
from webquarry.read.documents.pdf.order import sort_for_reading
from webquarry.read.documents.pdf.pdfium import PageText, PdfFile
from webquarry.read.documents.pdf.render import Renderer
from webquarry.read.documents.pdf.ruled import Grid, find_grids
from webquarry.read.documents.pdf.running_heads import drop_running_heads
from webquarry.read.documents.pdf.tables import PageItem, find_tables
from webquarry.read.documents.text import clean_name

_MOST_PAGES = 2_000
_TITLE_PAGES = 2  # where a title is looked for


@dataclass
class _Pages:
    """What was read of the pages."""

    lines: list[list[PdfLine]] = field(default_factory=list)
    grids: list[list[Grid]] = field(default_factory=list)
    pictured: int = 0  # pages with a picture and no text
    broken: int = 0
    notes: list[str] = field(default_factory=list)

    def read(self, pdf: PdfFile, removed: Counter[str]) -> None:
        """Read every page, one open at a time."""
        if not pdf.page_count:
            raise Refusal("is a PDF file without pages")
        length = 0
        count = min(pdf.page_count, _MOST_PAGES)
        if count < pdf.page_count:
            self.notes.append(
                f"The PDF has {pdf.page_count:,} pages; only the first {count:,} were read."
            )
        for number in range(count):
            with pdf.page(number) as page:
                length += page.count if page else 0
                if length > LONGEST_TEXT:
                    self.notes.append(
                        "The PDF has more text than is read at once; it ends before page "
                        f"{number + 1:,}."
                    )
                    break
                self._add(page, number, removed)
        if self.broken:
            self.notes.append(f"Damaged pages that could not be read: {self.broken:,}.")

    def find_items(self) -> list[list[PageItem]]:
        """Lines and tables, page by page; `lines` are then those that count."""
        if not any(self.lines):
            raise Refusal(self._explain_emptiness())
        bare = drop_running_heads(self.lines)
        if not any(bare):
            count = len(self.lines)
            if 2 * self.pictured > count or (count > 1 and self.pictured):
                raise Refusal(self._explain_emptiness())
            bare = self.lines  # a page with nothing but a head is better than nothing
        self.lines = [sort_for_reading(lines) for lines in bare]
        items: list[list[PageItem]] = []
        for grids, lines in zip(self.grids, self.lines, strict=True):
            items.append(find_tables(grids, lines))
        return items

    def _add(self, page: PageText | None, number: int, removed: Counter[str]) -> None:
        """Read the next page; None stands for one that is broken."""
        if page is None:
            self.broken += 1
            self.lines.append([])
            self.grids.append([])
            return
        drawings = read_drawings(page)
        page.prefer_drawn(drawings.said, removed)
        lines = read_lines(page, drawings, number, removed)
        grids = find_grids(page, drawings.rules, lines)
        self.lines.append(lines)
        self.grids.append(grids)
        if drawings.images and not lines:
            self.pictured += 1
        for line in lines:
            line.places = ()  # the page is closed after this

    def _explain_emptiness(self) -> str:
        """Why there is no text, going on from the document's name."""
        if self.pictured:
            return "has no text layer: its pages are pictures, and it needs OCR to be read"
        if self.broken == len(self.lines):
            return "is damaged: none of its pages can be read"
        return "has no text that can be seen"


def convert(body: bytes, url: str) -> DocumentText:
    """The document. `url` is not needed: links in a PDF are not read."""
    removed: Counter[str] = Counter()
    pages = _Pages()
    pdf = PdfFile(body)
    try:
        pages.read(pdf, removed)
        outline = pdf.read_outline()
        title = title_of(pdf, removed)
        author = author_of(pdf, removed)
        published = date_of(pdf, "CreationDate")
        modified = date_of(pdf, "ModDate")
    finally:
        pdf.close()
    items = pages.find_items()
    size = body_size(chain.from_iterable(pages.lines))
    blocks = build_blocks(items, size)
    levels = find_headings(blocks, size, outline)
    joiner = Joiner.from_texts(line.text for lines in pages.lines for line in lines)
    markdown = Renderer(joiner, removed).render(blocks, levels)
    notes = pages.notes
    if pages.pictured:
        notes.append(
            f"Pages that are pictures without a text layer, and need OCR: {pages.pictured:,} of "
            f"{len(pages.lines):,}."
        )
    if not title:  # the first heading of the highest level, on the first pages
        for place, block in enumerate(blocks):
            if levels.get(place) == 1 and block.page < _TITLE_PAGES:
                heading = joiner.join(line.text for line in block.lines)
                title = clean_name(heading, removed)
                break
    return DocumentText(
        markdown,
        title=title,
        author=author,
        published=published,
        modified=modified,
        removed={reason: count for reason, count in removed.items() if count},
        notes=tuple(notes),
        lost=tuple(notes),
    )
