"""The blocks of a Word document -> Markdown: headings, paragraphs, lists, tables, quotes, code,
notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lxml import etree

from webquarry.read.documents import prose
from webquarry.read.documents.docx.numbering import Mark
from webquarry.read.documents.docx.runs import RunReader
from webquarry.read.documents.docx.story import DELETED, Story
from webquarry.read.documents.docx.styles import Style, outline_level, run_properties
from webquarry.read.documents.graphics import chart_rows, chart_title, diagram_texts
from webquarry.read.documents.office import child_of, name_of, preferred, value_of
from webquarry.read.documents.paragraph import Paragraph
from webquarry.read.markdown.blocks import Blocks
from webquarry.read.markdown.inline import Inline
from webquarry.read.markdown.tables import Cell, Table
from webquarry.read.text.characters import strip_invisible
from webquarry.read.text.delimiters import defuse_verbatim
from webquarry.read.text.escape import escape_heading, escape_line_starts
from webquarry.read.text.fence import fence

_BOXES = frozenset(
    {"w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag", "w:txbxContent"}
)
_DELETED = frozenset({"w:del", "w:moveFrom"})
_LONGEST_CELL = 1_500  # characters; a table with longer ones arranges a page
_DEEPEST_HEADING = 6
_MOST_SPAN = 100
_LINE_ENDS = re.compile(r"\s*\n\s*")
_PAGE_NUMBER = re.compile(r"\s*\t\s*(\d+|[ivxlc]+)$")


@dataclass(frozen=True)
class _Settings:
    """What a paragraph says about itself."""

    style: Style
    heading: int
    list_id: str | None
    list_level: int
    shaded: bool
    joined: bool  # its end was deleted: the next paragraph goes on in it


class Body:
    """Writes one part of a document, or one cell of it."""

    def __init__(self, story: Story, *, in_cell: bool = False) -> None:
        self._story = story
        self._in_cell = in_cell
        self._inline = Inline(story.removed)
        self._out = Blocks()
        self._levels: list[int] = []  # of the list items that are open
        self._code: list[str] = []
        self._carried = Paragraph()
        self.title = ""  # the first heading of the first level

    def text(self) -> str:
        self._end_code()
        return self._out.text()

    def read(self, element: etree._Element) -> None:
        """Take every block in an element."""
        for child in element:
            name = name_of(child.tag)
            if name == "w:p":
                self._paragraph(child)
            elif name == "w:tbl":
                self._table(child)
            elif name in _BOXES:
                self.read(child)
            elif name in _DELETED:
                self._story.removed[DELETED] += 1
            elif name == "mc:AlternateContent":
                self.read(preferred(child))
            elif name in ("m:oMath", "m:oMathPara"):
                reader = RunReader(self._story, Style(), shaded=False)
                reader.formula(child)
                self._add(self._inline.render(reader.found.pieces()))

    def notes(self) -> None:
        """Write the notes that the text has referred to."""
        notes = self._story.notes
        self._end_list()
        for key, label in list(notes.labels.items()):
            inner = Body(self._story)
            inner.read(notes.elements[key])
            if text := inner.text():
                self._end_code()
                self._out.open(f"[^{label}]: ", "    ")
                self._out.add(text)
                self._out.close()

    def _paragraph(self, element: etree._Element) -> None:
        settings = self._settings(child_of(element, "w:pPr"))
        reader = RunReader(self._story, settings.style, shaded=settings.shaded or self._in_cell)
        reader.found, self._carried = self._carried, Paragraph()
        reader.read(element)
        self._story.fields = [
            one for one in self._story.fields if one.in_result
        ]  # no instruction is that long
        found = reader.found
        if settings.joined:
            self._carried = found
            return
        self._story.take(" " * found.length)
        self._write(found, settings)
        for box in found.boxes:
            self._box(box)

    def _settings(self, element: etree._Element | None) -> _Settings:
        style = self._story.styles.get(value_of(child_of(element, "w:pStyle")))
        direct = outline_level(value_of(child_of(element, "w:outlineLvl")))
        if direct is None:
            heading = style.heading or int(style.title)
        else:
            heading = direct
        numbers = child_of(element, "w:numPr")
        list_id = value_of(child_of(numbers, "w:numId")) or style.list_id
        level = value_of(child_of(numbers, "w:ilvl")) or ""
        mark = run_properties(child_of(element, "w:rPr"))
        ground = (value_of(child_of(element, "w:shd"), "fill") or "auto").lower()
        return _Settings(
            style,
            min(heading, _DEEPEST_HEADING),
            list_id,
            int(level) if level.isascii() and level.isdigit() else style.list_level or 0,
            ground not in ("auto", "ffffff"),
            "w:del" in mark or "w:moveFrom" in mark,
        )

    def _write(self, found: Paragraph, settings: _Settings) -> None:
        mark = None
        if settings.list_id:
            mark = self._story.numbering.next(settings.list_id, settings.list_level)
        if settings.style.code and not settings.heading:
            self._end_list()
            self._code.append(found.text())
            return
        self._end_code()
        text = self._inline.render(found.pieces(plain=bool(settings.heading)))
        if not text:
            return
        if not settings.heading:
            text = escape_line_starts(text)
        if settings.heading:
            self._heading(text, settings.heading, mark)
            if settings.heading == 1 and not self._in_cell:
                self.title = self.title or " ".join(found.text().split())
        elif settings.style.contents:
            page = _PAGE_NUMBER.search(found.text())
            if page:
                shown = text.removesuffix(page[1]).rstrip() + f" … {page[1]}"
            else:
                shown = text
            self._item(shown, Mark("- ", level=settings.style.contents - 1))
        elif mark is not None:
            self._item(text, replace(mark, level=max(mark.level, settings.style.list_depth)))
        elif settings.style.quote:
            self._end_list()
            self._out.open("> ", "> ")
            self._out.add(text)
            self._out.close()
        else:
            self._add(text)

    def _heading(self, text: str, level: int, mark: Mark | None) -> None:
        self._end_list()
        if mark:
            label = prose.line(mark.label, self._story.removed)
        else:
            label = ""
        shown = f"{label} {text.replace(chr(10), ' ')}".strip()
        self._out.add(f"**{shown}**" if self._in_cell else f"{'#' * level} {escape_heading(shown)}")

    def _item(self, text: str, mark: Mark) -> None:
        """An item of the list that is open, or the first of a new one."""
        follows = bool(self._levels)
        while self._levels and self._levels[-1] >= mark.level:
            self._levels.pop()
            self._out.close()
        self._out.tight = follows
        self._out.open(mark.marker, " " * len(mark.marker))
        self._levels.append(mark.level)
        if mark.marker == "- ":
            label = prose.line(mark.label, self._story.removed)
        else:
            label = ""
        self._out.add(f"{label} {text}" if label else text)

    def _add(self, text: str) -> None:
        self._end_list()
        if text:
            self._out.add(text)

    def _end_list(self) -> None:
        while self._levels:
            self._levels.pop()
            self._out.close()
        self._out.tight = False

    def _end_code(self) -> None:
        lines, self._code = self._code, []
        text = "\n".join(lines).strip("\n")
        if text:
            removed = self._story.removed
            self._out.add(fence(defuse_verbatim(strip_invisible(text, removed), removed), ""))

    def _box(self, element: etree._Element) -> None:
        """A text box, a chart or a diagram that stands in a paragraph."""
        name = name_of(element.tag)
        if name == "w:txbxContent":
            self._end_list()
            self.read(element)
            return
        root = self._story.related(value_of(element, "id" if name == "c:chart" else "dm"))
        if root is None:
            return
        removed = self._story.removed
        if name == "c:chart":
            self._add(prose.paragraph(chart_title(root), removed))
            rows = chart_rows(root)
            self._add(
                Table(
                    [
                        [Cell(prose.line(cell, removed), heading=False) for cell in row]
                        for row in rows
                    ]
                ).text()
            )
        else:
            for text in diagram_texts(root):
                self._item(prose.paragraph(self._story.take(text), removed), Mark("- "))
            self._end_list()

    def _table(self, element: etree._Element) -> None:
        self._end_code()
        self._end_list()
        rows = [row for row in _rows(element) if not self._is_deleted(row)]
        cells = [[_Cell(cell) for cell in _cells(row)] for row in rows]
        if self._in_cell or max(map(len, cells), default=0) < 2:
            for cell in (cell for row in cells for cell in row):
                self.read(cell.element)
            return
        table = Table()
        for row, found in zip(rows, cells, strict=True):
            heads = child_of(child_of(row, "w:trPr"), "w:tblHeader") is not None
            table.rows.append(
                [Cell("", heading=False)] * _skipped(row)
                + [self._cell(cell, heads) for cell in found]
            )
        if any(len(cell.text) > _LONGEST_CELL for line in table.rows for cell in line):
            for text in (cell.text for line in table.rows for cell in line):
                self._add(text)
        else:
            self._add(table.text())

    def _cell(self, cell: _Cell, heading: bool) -> Cell:
        inner = Body(self._story, in_cell=True)
        if not cell.goes_on:
            inner.read(cell.element)
        return Cell(_LINE_ENDS.sub(" ", inner.text()), heading, cell.columns)

    def _is_deleted(self, row: etree._Element) -> bool:
        settings = child_of(row, "w:trPr")
        deleted = child_of(settings, "w:del") is not None
        self._story.removed[DELETED] += deleted
        return deleted


class _Cell:
    """A cell of a table: how wide it is, and whether it goes on from the row above."""

    def __init__(self, element: etree._Element) -> None:
        settings = child_of(element, "w:tcPr")
        span = value_of(child_of(settings, "w:gridSpan")) or ""
        merged = child_of(settings, "w:vMerge")
        self.element = element
        if span.isascii() and span.isdigit() and len(span) < 9:
            self.columns = min(max(int(span), 1), _MOST_SPAN)
        else:
            self.columns = 1
        self.goes_on = merged is not None and value_of(merged) != "restart"


def _rows(element: etree._Element) -> list[etree._Element]:
    return _children(element, "w:tr")


def _cells(row: etree._Element) -> list[etree._Element]:
    return _children(row, "w:tc")


def _children(element: etree._Element, wanted: str) -> list[etree._Element]:
    """Rows or cells, also those in content controls."""
    found: list[etree._Element] = []
    for child in element:
        name = name_of(child.tag)
        if name == wanted:
            found.append(child)
        elif name in _BOXES:
            found += _children(child, wanted)
    return found


def _skipped(row: etree._Element) -> int:
    """Columns that a row leaves out before its first cell."""
    value = value_of(child_of(child_of(row, "w:trPr"), "w:gridBefore")) or ""
    if value.isascii() and value.isdigit() and len(value) < 9:
        return min(int(value), _MOST_SPAN)
    return 0
