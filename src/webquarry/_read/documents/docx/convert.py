"""Convert a Word document (DOCX) to Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from webquarry._read.documents.docx.runs import (
    DELETED,
    DELETIONS,
    HIDDEN,
    DocxContext,
    RunReader,
    TooMuchText,
)
from webquarry._read.documents.docx.styles import (
    DEFAULT_STYLE,
    ItemMark,
    Style,
    is_shaded,
    outline_level,
    run_properties,
)
from webquarry._read.documents.graphics import read_chart_rows, read_chart_title, read_diagram_texts
from webquarry._read.documents.models import Refusal
from webquarry._read.documents.office import (
    DAMAGED,
    Element,
    Package,
    child_value,
    choose_alternative,
    find_child,
    name_of,
    parse_number,
    read_properties,
    value_of,
)
from webquarry._read.documents.text import (
    DocumentParagraph,
    build_code,
    build_table,
    clean_name,
    escape_line,
    escape_paragraph,
)
from webquarry._read.format import ConvertedDocument
from webquarry._read.markdown.blocks import Blocks
from webquarry._read.markdown.inline import Inline
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.text.escape import escape_heading, escape_line_starts

_TOO_MUCH = "The document has more text than is read at once; its end is missing."
_CONTAINERS = frozenset(
    {"w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag", "w:txbxContent"}
)
_LONGEST_CELL = 1_500  # characters; a table with longer ones is a page layout
_DEEPEST_HEADING = 6
_MOST_SPAN = 100
_LINE_ENDS = re.compile(r"(?<!\s)\s*\n\s*+")
_PAGE_NUMBER = re.compile(r"(?<!\s)(?=[^\S\t]*+\t)\s++(\d+|[ivxlc]+)$")


def convert(body: bytes, url: str) -> ConvertedDocument:
    """Return the document. Relative links are resolved against `url`."""
    package = Package(body)
    main = package.main_part("word/document.xml")
    root = package.xml(main)
    content = find_child(root, "w:body")
    if content is None:
        raise Refusal(DAMAGED)
    context = DocxContext(package, main, url)
    writer = BodyWriter(context, on_white=find_child(root, "w:background") is None)
    lost: tuple[str, ...] = ()
    try:
        writer.read(content)
        writer.write_notes()
    except TooMuchText:
        lost = (_TOO_MUCH,)
    removed = context.removed
    markdown = defuse_prose(writer.text(), removed)
    properties = read_properties(package, "docx", removed)
    if not markdown.strip():
        raise Refusal("has no text that can be seen")
    return ConvertedDocument(
        markdown,
        title=properties.title or clean_name(writer.title, removed),
        author=properties.author,
        published=properties.published,
        modified=properties.modified,
        removed={reason: count for reason, count in removed.items() if count},
        notes=lost,
        lost=lost,
    )


@dataclass(frozen=True)
class _ParagraphSettings:
    """Properties of a paragraph, its own or those of its style."""

    style: Style
    heading: int
    list_id: str | None
    list_level: int
    shaded: bool
    joined: bool  # its paragraph mark was deleted: the next paragraph continues it


class BodyWriter:
    """Writes the blocks of a document, a note or a cell.

    `on_white` says that the background is the white of the page as far as is known.
    """

    def __init__(self, context: DocxContext, *, on_white: bool, in_cell: bool = False) -> None:
        self._context = context
        self._on_white = on_white
        self._removed = context.removed
        self._in_cell = in_cell
        self._inline = Inline(context.removed)
        self._out = Blocks()
        self._levels: list[int] = []  # of the open list items
        self._code: list[str] = []
        self._carried = DocumentParagraph()
        self.title = ""  # the first heading of level 1

    def text(self) -> str:
        """Return the Markdown."""
        self._end_code()
        return self._out.text()

    def read(self, element: Element) -> None:
        """Read all blocks in an element."""
        for child in element:
            name = name_of(child.tag)
            if name == "w:p":
                self._read_paragraph(child)
            elif name == "w:tbl":
                self._read_table(child)
            elif name in _CONTAINERS:
                self.read(child)
            elif name in DELETIONS:
                self._removed[DELETED] += 1
            elif name == "mc:AlternateContent":
                self.read(choose_alternative(child))
            elif name in ("m:oMath", "m:oMathPara"):
                formula = DocumentParagraph()
                RunReader(
                    self._context, DEFAULT_STYLE, formula, on_white=self._on_white
                ).read_formula(child)
                self._add(self._inline.render(formula.pieces()))

    def write_notes(self) -> None:
        """Write the notes that the text refers to."""
        context = self._context
        self._end_list()
        for key, label in list(context.note_labels.items()):
            inner = BodyWriter(context, on_white=self._on_white)
            inner.read(context.notes[key])
            text = inner.text()
            if text:
                self._end_code()
                self._out.open(f"[^{label}]: ", "    ")
                self._out.add(text)
                self._out.close()

    def _read_paragraph(self, element: Element) -> None:
        """Read a paragraph and the boxes anchored in it."""
        context = self._context
        settings = self._read_settings(find_child(element, "w:pPr"))
        paragraph, self._carried = self._carried, DocumentParagraph()
        on_white = self._on_white and not settings.shaded
        RunReader(context, settings.style, paragraph, on_white=on_white).read(element)
        # instructions do not continue in the next paragraph
        context.fields = [field for field in context.fields if field.in_result]
        if settings.joined:
            self._carried = paragraph
            return
        context.count_text(paragraph.length)
        self._write(paragraph, settings)
        for box in paragraph.boxes:
            self._read_box(box)

    def _read_settings(self, element: Element | None) -> _ParagraphSettings:
        style = self._context.styles.get(child_value(element, "w:pStyle"))
        heading = outline_level(child_value(element, "w:outlineLvl"))
        if heading is None:
            heading = style.heading or int(style.title)
        numbering = find_child(element, "w:numPr")
        level = parse_number(child_value(numbering, "w:ilvl"))
        end_mark = run_properties(find_child(element, "w:rPr"))
        return _ParagraphSettings(
            style,
            heading=min(heading, _DEEPEST_HEADING),
            list_id=child_value(numbering, "w:numId") or style.list_id,
            list_level=(style.list_level or 0) if level is None else level,
            shaded=is_shaded(element) or style.shaded,
            joined=not DELETIONS.isdisjoint(end_mark),
        )

    def _write(self, paragraph: DocumentParagraph, settings: _ParagraphSettings) -> None:
        """Write a paragraph as the kind of block that it is."""
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
            if settings.heading == 1 and not self._in_cell:
                self.title = self.title or " ".join(paragraph.text().split())
            return
        text = escape_line_starts(text)
        if style.contents:
            page = _PAGE_NUMBER.search(paragraph.text())
            if page:
                text = f"{text.removesuffix(page[1]).rstrip()} … {page[1]}"
            self._write_item(text, ItemMark("- ", level=style.contents - 1))
        elif mark is not None:
            self._write_item(text, replace(mark, level=max(mark.level, style.list_depth)))
        elif style.quote:
            self._end_list()
            self._out.open("> ", "> ")
            self._out.add(text)
            self._out.close()
        else:
            self._add(text)

    def _write_heading(self, text: str, level: int, mark: ItemMark | None) -> None:
        """Write a heading with its number; in a cell as bold text."""
        self._end_list()
        line = text.replace("\n", " ")
        if mark:
            line = f"{escape_line(mark.label, self._removed)} {line}"
        line = line.strip()
        if self._in_cell:
            self._out.add(f"**{line}**")
        else:
            self._out.add(f"{'#' * level} {escape_heading(line)}")

    def _write_item(self, text: str, mark: ItemMark) -> None:
        """Write an item of the open list, or the first of a new one."""
        levels = self._levels
        follows = bool(levels)
        while levels and levels[-1] >= mark.level:
            levels.pop()
            self._out.close()
        self._out.tight = follows
        self._out.open(mark.marker, " " * len(mark.marker))
        levels.append(mark.level)
        label = escape_line(mark.label, self._removed) if mark.marker == "- " else ""
        self._out.add(f"{label} {text}" if label else text)

    def _add(self, text: str) -> None:
        """Add a block after the open list."""
        self._end_list()
        if text:
            self._out.add(text)

    def _end_list(self) -> None:
        while self._levels:
            self._levels.pop()
            self._out.close()
        self._out.tight = False

    def _end_code(self) -> None:
        """Write the collected lines of code."""
        text = "\n".join(self._code).strip("\n")
        self._code = []
        if text:
            self._out.add(build_code(text, self._removed))

    def _read_box(self, element: Element) -> None:
        """Read a text box, a chart or a diagram."""
        name = name_of(element.tag)
        if name == "w:txbxContent":
            self._end_list()
            outer, self._on_white = self._on_white, False  # the box may be filled
            self.read(element)
            self._on_white = outer
            return
        identity = value_of(element, "id" if name == "c:chart" else "dm")
        root = self._context.package.read_related(self._context.relations.get(identity or ""))
        if root is None:
            return
        if name == "c:chart":
            self._add(escape_paragraph(read_chart_title(root), self._removed))
            self._add(build_table(read_chart_rows(root), self._removed))
            return
        for text in read_diagram_texts(root):
            self._context.count_text(len(text))
            self._write_item(escape_paragraph(text, self._removed), ItemMark("- "))
        self._end_list()

    def _read_table(self, element: Element) -> None:
        """Read a table; one that only lays out the page is read cell by cell."""
        self._end_code()
        self._end_list()
        rows: list[tuple[Element, list[Element]]] = []
        for row in _descendants(element, "w:tr"):
            settings = find_child(row, "w:trPr")
            if find_child(settings, "w:del") is not None:
                self._removed[DELETED] += 1
            elif find_child(settings, "w:hidden") is not None:
                self._removed[HIDDEN] += 1
            else:
                rows.append((row, _descendants(row, "w:tc")))
        table_settings = find_child(element, "w:tblPr")
        on_white = self._on_white and not is_shaded(table_settings)
        # a table style may paint its cells
        on_white = on_white and find_child(table_settings, "w:tblStyle") is None
        if self._in_cell or max((len(cells) for _, cells in rows), default=0) < 2:
            outer = self._on_white
            for _, cells in rows:
                for cell in cells:
                    self._on_white = on_white and not is_shaded(find_child(cell, "w:tcPr"))
                    self.read(cell)
            self._on_white = outer
            return
        table = Table()
        table.rows = [self._read_row(row, cells, on_white) for row, cells in rows]
        texts = [cell.text for row in table.rows for cell in row]
        if max(map(len, texts), default=0) <= _LONGEST_CELL:
            self._add(table.text())
            return
        for text in texts:
            self._add(text)

    def _read_row(self, row: Element, elements: list[Element], on_white: bool) -> list[Cell]:
        """Return the cells of a row, with empty ones for skipped columns."""
        settings = find_child(row, "w:trPr")
        is_heading = find_child(settings, "w:tblHeader") is not None
        skipped = parse_number(child_value(settings, "w:gridBefore")) or 0
        cells = [Cell("", heading=False)] * min(skipped, _MOST_SPAN)
        for element in elements:
            settings = find_child(element, "w:tcPr")
            span = parse_number(child_value(settings, "w:gridSpan")) or 1
            merged = find_child(settings, "w:vMerge")
            inner = BodyWriter(
                self._context, on_white=on_white and not is_shaded(settings), in_cell=True
            )
            if merged is None or value_of(merged) == "restart":
                inner.read(element)
            text = _LINE_ENDS.sub(" ", inner.text())
            cells.append(Cell(text, is_heading, min(span, _MOST_SPAN)))
        return cells


def _descendants(element: Element, wanted: str) -> list[Element]:
    """Return rows or cells, also those in content controls."""
    found: list[Element] = []
    for child in element:
        name = name_of(child.tag)
        if name == wanted:
            found.append(child)
        elif name in _CONTAINERS:
            found += _descendants(child, wanted)
    return found
