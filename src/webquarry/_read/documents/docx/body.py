"""The blocks of a Word document -> Markdown: headings, paragraphs, lists, tables, quotes, code,
notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from webquarry._read.documents import prose
from webquarry._read.documents.docx.context import DELETED, HIDDEN, DocxContext
from webquarry._read.documents.docx.numbering import Mark
from webquarry._read.documents.docx.runs import RunReader
from webquarry._read.documents.docx.shading import ground_of_box, ground_of_shading
from webquarry._read.documents.docx.styles import Style, outline_level, run_properties, shading_of
from webquarry._read.documents.graphics import read_chart_rows, read_chart_title, read_diagram_texts
from webquarry._read.documents.office import (
    Element,
    child_of,
    child_value,
    choose_alternative,
    find_child,
    name_of,
    parse_number,
    value_of,
)
from webquarry._read.documents.paragraph import DocumentParagraph
from webquarry._read.documents.tables import build_table
from webquarry._read.markdown.blocks import Blocks
from webquarry._read.markdown.inline import Inline
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.style.colours import Colour
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim
from webquarry._read.text.escape import escape_heading, escape_line_starts
from webquarry._read.text.fence import fence

_CONTAINERS = frozenset(
    {"w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag", "w:txbxContent"}
)
_DELETED = frozenset({"w:del", "w:moveFrom"})
_LONGEST_CELL = 1_500  # characters; a table with longer ones arranges a page
_DEEPEST_HEADING = 6
_MOST_SPAN = 100
# It begins where white space does: each run is looked at once.
_LINE_ENDS = re.compile(r"(?<!\s)\s*\n\s*+")
_PAGE_NUMBER = re.compile(r"(?<!\s)(?=[^\S\t]*+\t)\s++(\d+|[ivxlc]+)$")


@dataclass(frozen=True)
class _ParagraphSettings:
    """What a paragraph says about itself."""

    style: Style
    heading: int
    list_id: str | None
    list_level: int
    shading: str | None
    joined: bool  # its end was deleted: the next paragraph goes on in it


class BodyWriter:
    """Writes one part of a document, or one cell of it."""

    def __init__(
        self, context: DocxContext, ground: Colour | None, *, in_cell: bool = False
    ) -> None:
        self._context = context
        self._ground = ground  # what the paragraphs stand on; None where it cannot be told
        self._removed = context.removed
        self._in_cell = in_cell
        self._inline = Inline(context.removed)
        self._out = Blocks()
        self._levels: list[int] = []  # of the list items that are open
        self._code: list[str] = []
        self._carried = DocumentParagraph()
        self.title = ""  # the first heading of the first level

    def text(self) -> str:
        """What was written, as Markdown."""
        self._end_code()
        return self._out.text()

    def read(self, element: Element) -> None:
        """Take every block in an element."""
        for child in element:
            name = name_of(child.tag)
            if name == "w:p":
                self._read_paragraph(child)
            elif name == "w:tbl":
                self._read_table(child)
            elif name in _CONTAINERS:
                self.read(child)
            elif name in _DELETED:
                self._removed[DELETED] += 1
            elif name == "mc:AlternateContent":
                self.read(choose_alternative(child))
            elif name in ("m:oMath", "m:oMathPara"):
                reader = RunReader(self._context, Style(), self._ground)
                reader.read_formula(child)
                self._add(self._inline.render(reader.paragraph.pieces()))

    def write_notes(self) -> None:
        """Write the notes that the text has referred to."""
        notes = self._context.notes
        self._end_list()
        for key, label in list(notes.labels.items()):
            inner = BodyWriter(self._context, self._ground)
            inner.read(notes.elements[key])
            text = inner.text()
            if text:
                self._end_code()
                self._out.open(f"[^{label}]: ", "    ")
                self._out.add(text)
                self._out.close()

    def _read_paragraph(self, element: Element) -> None:
        """A paragraph, and the boxes that stand in it."""
        context = self._context
        settings = self._read_settings(child_of(element, "w:pPr"))
        is_shaded, ground = ground_of_shading(settings.shading, context.theme)
        if not is_shaded:
            ground = self._ground
        reader = RunReader(context, settings.style, ground)
        reader.paragraph = self._carried
        self._carried = DocumentParagraph()
        reader.read(element)
        # no instruction is so long that it goes on in the next paragraph
        context.fields = [field for field in context.fields if field.in_result]
        paragraph = reader.paragraph
        if settings.joined:
            self._carried = paragraph
            return
        context.count_text(paragraph.length)
        self._write(paragraph, settings)
        for box in paragraph.boxes:
            self._read_box(box)

    def _read_settings(self, element: Element | None) -> _ParagraphSettings:
        """What a paragraph says about itself, else what its style says."""
        style = self._context.styles.get(child_value(element, "w:pStyle"))
        heading = outline_level(child_value(element, "w:outlineLvl"))
        if heading is None:
            heading = style.heading or int(style.title)
        numbering = child_of(element, "w:numPr")
        level_text = child_value(numbering, "w:ilvl") or ""
        if level_text.isascii() and level_text.isdigit():
            list_level = int(level_text)
        else:
            list_level = style.list_level or 0
        end_mark = run_properties(child_of(element, "w:rPr"))
        return _ParagraphSettings(
            style,
            heading=min(heading, _DEEPEST_HEADING),
            list_id=child_value(numbering, "w:numId") or style.list_id,
            list_level=list_level,
            shading=shading_of(element) or style.shading,
            joined="w:del" in end_mark or "w:moveFrom" in end_mark,
        )

    def _write(self, paragraph: DocumentParagraph, settings: _ParagraphSettings) -> None:
        """Write a paragraph as the block that it is."""
        style = settings.style
        mark = None
        if settings.list_id:
            mark = self._context.numbering.next(settings.list_id, settings.list_level)
        if style.code and not settings.heading:
            self._end_list()
            self._code.append(paragraph.text())
            return
        self._end_code()
        text = self._inline.render(paragraph.pieces(plain=bool(settings.heading)))
        if not text:
            return
        if settings.heading:
            self._write_heading(text, settings.heading, mark)
            is_title = settings.heading == 1 and not self._in_cell
            if is_title and not self.title:
                words = paragraph.text().split()
                self.title = " ".join(words)
            return
        text = escape_line_starts(text)
        if style.contents:
            page = _PAGE_NUMBER.search(paragraph.text())
            if page:
                number = page[1]
                name = text.removesuffix(number).rstrip()
                text = f"{name} … {number}"
            self._write_item(text, Mark("- ", level=style.contents - 1))
        elif mark is not None:
            level = max(mark.level, style.list_depth)
            self._write_item(text, replace(mark, level=level))
        elif style.quote:
            self._end_list()
            self._out.open("> ", "> ")
            self._out.add(text)
            self._out.close()
        else:
            self._add(text)

    def _write_heading(self, text: str, level: int, mark: Mark | None) -> None:
        """A heading with its number; in a cell, where Markdown has none, bold text."""
        self._end_list()
        line = text.replace("\n", " ")
        if mark:
            label = prose.escape_line(mark.label, self._removed)
            line = f"{label} {line}"
        line = line.strip()
        if self._in_cell:
            self._out.add(f"**{line}**")
        else:
            signs = "#" * level
            heading = escape_heading(line)
            self._out.add(f"{signs} {heading}")

    def _write_item(self, text: str, mark: Mark) -> None:
        """An item of the list that is open, or the first of a new one."""
        levels = self._levels
        follows = bool(levels)
        while levels and levels[-1] >= mark.level:
            levels.pop()
            self._out.close()
        indent = " " * len(mark.marker)
        self._out.tight = follows
        self._out.open(mark.marker, indent)
        levels.append(mark.level)
        label = ""
        if mark.marker == "- ":
            label = prose.escape_line(mark.label, self._removed)
        if label:
            text = f"{label} {text}"
        self._out.add(text)

    def _add(self, text: str) -> None:
        """Add a block behind the list that is open."""
        self._end_list()
        if text:
            self._out.add(text)

    def _end_list(self) -> None:
        """Close the items that are open."""
        while self._levels:
            self._levels.pop()
            self._out.close()
        self._out.tight = False

    def _end_code(self) -> None:
        """Write the lines of code that have come so far."""
        text = "\n".join(self._code).strip("\n")
        self._code = []
        if text:
            visible = strip_invisible(text, self._removed)
            safe = defuse_verbatim(visible, self._removed)
            self._out.add(fence(safe, ""))

    def _read_box(self, element: Element) -> None:
        """A text box, a chart or a diagram that stands in a paragraph."""
        name = name_of(element.tag)
        if name == "w:txbxContent":
            self._end_list()
            around = self._ground
            self._ground = ground_of_box(element, around, self._context.theme)
            self.read(element)
            self._ground = around
            return
        is_chart = name == "c:chart"
        if is_chart:
            relation_id = value_of(element, "id")
        else:
            relation_id = value_of(element, "dm")
        root = self._context.read_related(relation_id)
        if root is None:
            return
        if is_chart:
            title = prose.escape_paragraph(read_chart_title(root), self._removed)
            table = build_table(read_chart_rows(root), self._removed)
            self._add(title)
            self._add(table)
            return
        for text in read_diagram_texts(root):
            self._context.count_text(len(text))
            item = prose.escape_paragraph(text, self._removed)
            self._write_item(item, Mark("- "))
        self._end_list()

    def _read_table(self, element: Element) -> None:
        """A table; one that only arranges the page is read cell by cell."""
        self._end_code()
        self._end_list()
        rows: list[tuple[Element, list[Element]]] = []
        for row in _descendants(element, "w:tr"):
            if find_child(row, "w:trPr", "w:del") is not None:
                self._removed[DELETED] += 1
                continue
            if find_child(row, "w:trPr", "w:hidden") is not None:
                self._removed[HIDDEN] += 1
                continue
            cells = _descendants(row, "w:tc")
            rows.append((row, cells))
        most_columns = max((len(cells) for _, cells in rows), default=0)
        if self._in_cell or most_columns < 2:
            for _, cells in rows:
                for cell in cells:
                    self._read_arranged(cell)
            return
        table = Table()
        texts: list[str] = []
        for row, elements in rows:
            table_row = self._read_row(row, elements)
            table.rows.append(table_row)
            texts += [cell.text for cell in table_row]
        longest = max(map(len, texts), default=0)
        if longest <= _LONGEST_CELL:
            self._add(table.text())
            return
        for text in texts:
            self._add(text)

    def _read_arranged(self, cell: Element) -> None:
        """A cell of a table that only arranges the page."""
        around = self._ground
        shading = shading_of(child_of(cell, "w:tcPr"))
        is_shaded, ground = ground_of_shading(shading, self._context.theme)
        self._ground = ground if is_shaded else None
        self.read(cell)
        self._ground = around

    def _read_row(self, row: Element, elements: list[Element]) -> list[Cell]:
        """The cells of a row, with empty ones for the columns that it leaves out in front."""
        settings = child_of(row, "w:trPr")
        is_heading = child_of(settings, "w:tblHeader") is not None
        skipped = parse_number(child_value(settings, "w:gridBefore")) or 0
        cells = [Cell("", heading=False)] * min(skipped, _MOST_SPAN)
        for element in elements:
            settings = child_of(element, "w:tcPr")
            span = parse_number(child_value(settings, "w:gridSpan")) or 1
            columns = min(span, _MOST_SPAN)
            merged = child_of(settings, "w:vMerge")
            goes_on = merged is not None and value_of(merged) != "restart"
            # What a style of tables paints is not looked into.
            _, ground = ground_of_shading(shading_of(settings), self._context.theme)
            inner = BodyWriter(self._context, ground, in_cell=True)
            if not goes_on:
                inner.read(element)
            text = _LINE_ENDS.sub(" ", inner.text())
            cell = Cell(text, is_heading, columns)
            cells.append(cell)
        return cells


def _descendants(element: Element, wanted: str) -> list[Element]:
    """Rows or cells, also those in content controls."""
    found: list[Element] = []
    for child in element:
        name = name_of(child.tag)
        if name == wanted:
            found.append(child)
        elif name in _CONTAINERS:
            found += _descendants(child, wanted)
    return found
