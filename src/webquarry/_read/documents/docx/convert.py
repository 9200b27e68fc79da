"""Convert a Word document (DOCX) to Markdown."""

from __future__ import annotations

import re

from webquarry._read.documents.docx.runs import (
    DELETED,
    DELETIONS,
    DocxContext,
    RunReader,
    TooMuchText,
    unwrap,
)
from webquarry._read.documents.docx.styles import (
    DEFAULT_STYLE,
    ItemMark,
    Style,
    outline_level,
    run_properties,
)
from webquarry._read.documents.office import (
    DAMAGED,
    Element,
    Package,
    build_document,
    child_value,
    children_of,
    find_child,
    name_of,
    parse_number,
    value_of,
)
from webquarry._read.documents.text import HIDDEN, Refusal, build_code, escape_line
from webquarry._read.documents.writer import DocumentParagraph, OfficeWriter
from webquarry._read.format import ConvertedDocument
from webquarry._read.markdown.blocks import Block, write_marked
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.text.escape import escape_line_starts

_TOO_MUCH = "The document has more text than is read at once; its end is missing."
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
    content = find_child(unwrap(root), "w:body")
    if content is None:
        raise Refusal(DAMAGED)
    has_background = find_child(root, "w:background") is not None
    context = DocxContext(package, main, url, has_background=has_background)
    writer = BodyWriter(context)
    lost: tuple[str, ...] = ()
    try:
        writer.read(content)
        writer.write_notes()
    except TooMuchText:
        lost = (_TOO_MUCH,)
    return build_document(package, "docx", writer.finish(), writer.title, context.removed, lost)


class BodyWriter(OfficeWriter):
    """Writes the blocks of a document, a note or a cell."""

    def __init__(self, context: DocxContext, *, in_cell: bool = False) -> None:
        super().__init__(context.package, context.relations, context.links, context.removed)
        self._context = context
        self._in_cell = in_cell
        self._code: list[str] = []
        self._carried = DocumentParagraph()
        self.title = ""  # the first heading of level 1

    def finish(self) -> list[Block]:
        self._end_code()
        return super().finish()

    def read(self, element: Element) -> None:
        """Read all blocks in an element."""
        for child in element:
            name = name_of(child.tag)
            if name == "w:p":
                self._read_paragraph(child)
            elif name == "w:tbl":
                self._read_table(child)
            elif name in DELETIONS:
                self._removed[DELETED] += 1
            elif name in ("m:oMath", "m:oMathPara"):
                formula = DocumentParagraph()
                RunReader(self._context, self, DEFAULT_STYLE, formula).read_formula(child)
                self._add(self._inline.render(formula.pieces()))

    def write_notes(self) -> None:
        """Write the notes that the text refers to."""
        self._end_code()
        for key, label in list(self._context.note_labels.items()):
            inner = BodyWriter(self._context)
            inner.read(self._context.notes[key])
            blocks = inner.finish()
            if blocks:
                self._end_list()
                self._out.open(f"[^{label}]: ", "    ")
                self._out.extend(blocks)
                self._out.close()

    def _read_paragraph(self, element: Element) -> None:
        """Read a paragraph and the boxes anchored in it."""
        context = self._context
        settings = find_child(element, "w:pPr")
        style = context.styles.get(child_value(settings, "w:pStyle"))
        paragraph, self._carried = self._carried, DocumentParagraph()
        RunReader(context, self, style, paragraph).read(element)
        # instructions do not continue in the next paragraph
        context.fields = [field for field in context.fields if field.in_result]
        if not DELETIONS.isdisjoint(run_properties(find_child(settings, "w:rPr"))):
            self._carried = paragraph  # its mark was deleted: the next paragraph continues it
            return
        context.count_text(paragraph.length)
        heading = outline_level(child_value(settings, "w:outlineLvl"))
        if heading is None:
            heading = style.heading or int(style.title)
        numbering = find_child(settings, "w:numPr")
        list_id = child_value(numbering, "w:numId") or style.list_id
        mark = None
        if list_id:
            level = parse_number(child_value(numbering, "w:ilvl"))
            level = (style.list_level or 0) if level is None else level
            mark = context.numbering.next(list_id, level)
        self._write(paragraph, style, min(heading, _DEEPEST_HEADING), mark)
        for box in paragraph.boxes:
            self._end_list()
            if name_of(box.tag) == "w:txbxContent":
                self.read(box)
            else:
                self._add_graphic(box)

    def _write(
        self, paragraph: DocumentParagraph, style: Style, heading: int, mark: ItemMark | None
    ) -> None:
        """Write a paragraph as the kind of block that it is."""
        if style.code and not heading:
            self._end_list()
            self._code.append(paragraph.text())
            return
        self._end_code()
        text = self._inline.render(paragraph.pieces(plain=bool(heading)))
        if not text:
            return
        label = escape_line(mark.label, self._removed) if mark else ""
        if heading:
            line = f"{label} {text}".strip().replace("\n", " ")
            self._add(f"**{line}**" if self._in_cell else Block("heading", line, heading))
            if heading == 1 and not self._in_cell:
                self.title = self.title or " ".join(paragraph.text().split())
            return
        text = escape_line_starts(text)
        if style.contents:
            page = _PAGE_NUMBER.search(paragraph.text())
            if page:
                text = f"{text.removesuffix(page[1]).rstrip()} … {page[1]}"
            self._add_item(text, "- ", style.contents - 1)
        elif mark is not None:
            if label and mark.marker == "- ":
                text = f"{label} {text}"
            self._add_item(text, mark.marker, max(mark.level, style.list_depth))
        elif style.quote:
            self._add_in("> ", "> ", [text])
        else:
            self._add(text)

    def _end_code(self) -> None:
        """Write the collected lines of code."""
        text = "\n".join(self._code).strip("\n")
        self._code = []
        if text:
            self._out.add(build_code(text, self._removed))

    def _read_table(self, element: Element) -> None:
        """Read a table; one that only lays out the page is read cell by cell."""
        self._end_code()
        self._end_list()
        rows: list[tuple[Element | None, list[Element]]] = []
        for row in children_of(element, "w:tr"):
            settings = find_child(row, "w:trPr")
            if find_child(settings, "w:del") is not None:
                self._removed[DELETED] += 1
            elif find_child(settings, "w:hidden") is not None:
                self._removed[HIDDEN] += 1
            else:
                rows.append((settings, children_of(row, "w:tc")))
        if self._in_cell or max((len(cells) for _, cells in rows), default=0) < 2:
            for _, cells in rows:
                for cell in cells:
                    self.read(cell)
            return
        table = Table()
        table.rows = [self._read_row(settings, cells) for settings, cells in rows]
        texts = [cell.text for row in table.rows for cell in row]
        is_layout = max(map(len, texts), default=0) > _LONGEST_CELL
        for content in texts if is_layout else [table.to_block()]:
            self._add(content)

    def _read_row(self, settings: Element | None, elements: list[Element]) -> list[Cell]:
        """Return the cells of a row, with empty ones for skipped columns."""
        is_heading = find_child(settings, "w:tblHeader") is not None
        skipped = parse_number(child_value(settings, "w:gridBefore")) or 0
        cells = [Cell("", heading=False)] * min(skipped, _MOST_SPAN)
        for element in elements:
            settings = find_child(element, "w:tcPr")
            span = parse_number(child_value(settings, "w:gridSpan")) or 1
            merged = find_child(settings, "w:vMerge")
            inner = BodyWriter(self._context, in_cell=True)
            if merged is None or value_of(merged) == "restart":
                inner.read(element)
            text = _LINE_ENDS.sub(" ", write_marked(inner.finish()))
            cells.append(Cell(text, is_heading, min(span, _MOST_SPAN)))
        return cells
