"""Convert a Word document (DOCX) to Markdown."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from lxml import etree

from webquarry._read.documents.docx_styles import (
    DEFAULT_STYLE,
    ItemMark,
    Numbering,
    RunProperties,
    Style,
    Styles,
    is_on,
    is_shaded,
    outline_level,
    run_properties,
)
from webquarry._read.documents.graphics import symbol_of, to_tex
from webquarry._read.documents.office import (
    Element,
    Package,
    build_document,
    child_value,
    children_of,
    find_child,
    find_relation,
    name_of,
    parse_number,
    value_of,
)
from webquarry._read.documents.text import (
    HIDDEN,
    SAME_COLOUR,
    TINY,
    Refusal,
    build_code,
    escape_line,
)
from webquarry._read.documents.writer import DocumentParagraph, OfficeWriter, TextStyle
from webquarry._read.format import ConvertedDocument
from webquarry._read.markdown import inline
from webquarry._read.markdown.blocks import Block, write_marked
from webquarry._read.markdown.inline import BREAK, Literal, Span, render_inline
from webquarry._read.markdown.links import Links
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.style.colours import WHITE, alike, parse_attribute_colour
from webquarry._read.text.escape import escape_line_starts

DELETED = "deleted text"
_CONTAINERS = ("ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent", "dir", "bdo")
_DELETIONS = frozenset({"w:del", "w:moveFrom"})
_CHARACTERS = {"w:tab": "\t", "w:ptab": "\t", "w:cr": BREAK, "w:noBreakHyphen": "\u2011"}
_NOTES = {"w:footnoteReference": "footnote", "w:endnoteReference": "endnote"}
_MARKS = (
    (inline.STRONG, ("w:b",)),
    (inline.EMPHASIS, ("w:i",)),
    (inline.STRUCK, ("w:strike", "w:dstrike")),
)
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]\S*))', re.IGNORECASE)
_LONGEST_INSTRUCTION = 5_000  # characters
_MOST_FIELDS = 50  # inside of each other
_SMALLEST_TEXT = 4  # half points
_DEEPEST_HEADING = 6
_MOST_SPAN = 100
_LINE_ENDS = re.compile(r"(?<!\s)\s*\n\s*+")

NoteKey = tuple[str, str]  # footnote or endnote, and its id


def convert(body: bytes, url: str) -> ConvertedDocument:
    """Return the document. Relative links are resolved against `url`."""
    package = Package(body)
    main, root = package.read_main("word/document.xml")
    content = find_child(_unwrap(root), "w:body")
    if content is None:
        raise Refusal("is damaged: the main part is not a Word document")
    state = _State(package, main, url)
    state.has_background = find_child(root, "w:background") is not None
    writer = _BodyWriter(state)
    writer.read(content)
    writer.write_notes()
    return build_document(package, "docx", writer.finish(), writer.title, state.removed)


def _unwrap(root: Element | None) -> Element | None:
    """Replace content controls, insertions and other containers in a part by their contents."""
    if root is not None:
        etree.strip_tags(root, *(f"{{*}}{name}" for name in _CONTAINERS))
    return root


@dataclass
class _Field:
    """An open field: its instruction, then its result."""

    instruction: str = ""
    in_result: bool = False
    link: Span | None = None


class _State:
    """State of one document while it is read."""

    has_background = False  # the page is not white

    def __init__(self, package: Package, main: str, url: str) -> None:
        self.package = package
        self.relations = package.relations(main)
        self.styles = Styles(self._read_part("styles"))
        self.numbering = Numbering(self._read_part("numbering"))
        self.notes: dict[NoteKey, Element] = {}
        self.note_labels: dict[NoteKey, str] = {}  # in the order of reference
        for kind in _NOTES.values():
            self._read_notes(kind)
        self.removed: Counter[str] = Counter()
        self.fields: list[_Field] = []  # open fields, the innermost last
        self.links = Links(url)

    def label_note(self, key: NoteKey) -> str:
        """Return the label of a note in Markdown."""
        return self.note_labels.setdefault(key, str(len(self.note_labels) + 1))

    def _read_part(self, kind: str) -> Element | None:
        """Return the related part of a kind, or the one with the default name."""
        relation = find_relation(self.relations, kind)
        return self.package.read_optional(relation.target if relation else f"word/{kind}.xml")

    def _read_notes(self, kind: str) -> None:
        for element in children_of(_unwrap(self._read_part(f"{kind}s")), f"w:{kind}"):
            identity = value_of(element, "id")
            is_separator = value_of(element, "type") not in (None, "normal")
            if identity and not is_separator:
                self.notes.setdefault((kind, identity), element)


@dataclass
class _Paragraph(DocumentParagraph):
    """Runs of a paragraph while it is read."""

    style: Style = DEFAULT_STYLE
    link: Span | None = None  # of the open hyperlink
    boxes: list[Element] = field(default_factory=list)  # text boxes, charts and diagrams


class _BodyWriter(OfficeWriter):
    """Writes the blocks of a document, a note or a cell."""

    def __init__(self, state: _State, *, in_cell: bool = False) -> None:
        super().__init__(state.package, state.relations, state.links, state.removed)
        self._state = state
        self._in_cell = in_cell
        self._code: list[str] = []
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
            elif name in _DELETIONS:
                self._removed[DELETED] += 1
            elif name in ("m:oMath", "m:oMathPara"):
                formula = _Paragraph()
                self._read_formula(child, formula)
                self._add(render_inline(formula.pieces(), self._removed))

    def write_notes(self) -> None:
        """Write the notes that the text refers to."""
        self._end_code()
        for key, label in list(self._state.note_labels.items()):
            inner = _BodyWriter(self._state)
            inner.read(self._state.notes[key])
            blocks = inner.finish()
            if blocks:
                self._add_in(f"[^{label}]: ", "    ", blocks)

    def _read_paragraph(self, element: Element) -> None:
        """Read a paragraph and the boxes anchored in it."""
        state = self._state
        settings = find_child(element, "w:pPr")
        style = state.styles.get(child_value(settings, "w:pStyle"))
        paragraph = _Paragraph(style=style)
        self._read_runs(element, paragraph)
        # instructions do not continue in the next paragraph
        state.fields = [one for one in state.fields if one.in_result]
        heading = outline_level(child_value(settings, "w:outlineLvl"))
        if heading is None:
            heading = style.heading or int(style.title)
        numbering = find_child(settings, "w:numPr")
        list_id = child_value(numbering, "w:numId") or style.list_id
        mark = None
        if list_id:
            level = parse_number(child_value(numbering, "w:ilvl"))
            level = (style.list_level or 0) if level is None else level
            mark = state.numbering.next(list_id, level)
        self._write(paragraph, min(heading, _DEEPEST_HEADING), mark)
        for box in paragraph.boxes:
            self._end_list()
            if name_of(box.tag) == "w:txbxContent":
                self.read(box)
            else:
                self._add_graphic(box)

    def _write(self, paragraph: _Paragraph, heading: int, mark: ItemMark | None) -> None:
        """Write a paragraph as the kind of block that it is."""
        style = paragraph.style
        if style.code and not heading:
            self._end_list()
            self._code.append(paragraph.text())
            return
        self._end_code()
        text = render_inline(paragraph.pieces(plain=bool(heading)), self._removed)
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
        if mark is not None:
            if label and mark.marker == "- ":
                text = f"{label} {text}"
            self._add_item(text, mark.marker, mark.level)
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
        """Read a table; one in a cell and one of a single column are read cell by cell."""
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
        self._add(table.to_block())

    def _read_row(self, settings: Element | None, elements: list[Element]) -> list[Cell]:
        """Return the cells of a row, with empty ones for skipped columns."""
        is_heading = find_child(settings, "w:tblHeader") is not None
        skipped = parse_number(child_value(settings, "w:gridBefore")) or 0
        cells = [Cell("", heading=False)] * min(skipped, _MOST_SPAN)
        for element in elements:
            settings = find_child(element, "w:tcPr")
            span = parse_number(child_value(settings, "w:gridSpan")) or 1
            merged = find_child(settings, "w:vMerge")
            inner = _BodyWriter(self._state, in_cell=True)
            if merged is None or value_of(merged) == "restart":
                inner.read(element)
            text = _LINE_ENDS.sub(" ", write_marked(inner.finish()))
            cells.append(Cell(text, is_heading, min(span, _MOST_SPAN)))
        return cells

    def _read_runs(self, element: Element, paragraph: _Paragraph) -> None:
        """Read the runs, links and formulas in an element."""
        for child in element:
            name = name_of(child.tag)
            if name == "w:r":
                self._read_run(child, paragraph)
            elif name in ("w:hyperlink", "w:fldSimple"):
                outer = paragraph.link
                if name == "w:hyperlink":
                    link = self.link_to(value_of(child, "id"))
                else:
                    link = self._find_hyperlink(value_of(child, "instr") or "")
                paragraph.link = link or outer
                self._read_runs(child, paragraph)
                paragraph.link = outer
            elif name in _DELETIONS:
                self._removed[DELETED] += _has_text(child)
            elif name in ("m:oMath", "m:oMathPara"):
                self._read_formula(child, paragraph)

    def _read_formula(self, element: Element, paragraph: _Paragraph) -> None:
        """Read a formula, or all formulas of a display."""
        for formula in children_of(element, "m:oMath") or [element]:
            tex = to_tex(formula, self._removed)
            if tex:
                paragraph.add(Literal(tex), TextStyle(paragraph.link))

    def _read_run(self, run: Element, paragraph: _Paragraph) -> None:
        styles = self._state.styles
        properties = run_properties(find_child(run, "w:rPr"))
        character_style = properties.get("w:rStyle")
        if character_style:
            properties = styles.get(character_style).run | properties
        inherited = styles.run | paragraph.style.run
        reason = self._why_hidden(run, inherited | properties, paragraph.style)
        marks = _marks_of(properties)
        has_hidden = False
        for child in run:
            name = name_of(child.tag)
            if name in ("w:fldChar", "w:instrText"):
                self._read_field_part(name, child)
            elif not all(one.in_result for one in self._state.fields):
                continue  # part of an instruction
            elif reason is None:
                links = (one.link for one in reversed(self._state.fields) if one.link)
                link = paragraph.link or next(links, None)
                self._read_content(name, child, paragraph, TextStyle(link, marks))
            elif name != "w:rPr":
                has_hidden = True
        if has_hidden and reason:
            self._removed[reason] += 1

    def _read_content(
        self, name: str, child: Element, paragraph: _Paragraph, style: TextStyle
    ) -> None:
        """Read one element of a run."""
        add = paragraph.add
        if name == "w:t":
            add(child.text or "", style)
        elif name in _CHARACTERS:
            add(_CHARACTERS[name], style)
        elif name == "w:br":
            is_line_break = value_of(child, "type") in (None, "textWrapping")
            add(BREAK if is_line_break else " ", style)
        elif name == "w:sym":
            add(symbol_of(value_of(child, "font") or "", value_of(child, "char") or ""), style)
        elif name in _NOTES:
            key = (_NOTES[name], value_of(child, "id") or "")
            if key in self._state.notes:
                add(Literal(f"[^{self._state.label_note(key)}]"))
        elif name == "w:ruby":  # characters with their pronunciation, which is left out
            for base in children_of(child, "w:rubyBase"):
                self._read_runs(base, paragraph)
        elif name in ("w:drawing", "w:pict", "w:object"):
            _collect_boxes(child, paragraph.boxes)

    def _read_field_part(self, name: str, element: Element) -> None:
        """Read the start, separator or end of a field, or a piece of its instruction."""
        fields = self._state.fields
        if name == "w:instrText":
            if fields and len(fields[-1].instruction) < _LONGEST_INSTRUCTION:
                fields[-1].instruction += (element.text or "")[:_LONGEST_INSTRUCTION]
            return
        kind = value_of(element, "fldCharType")
        if kind == "begin" and len(fields) < _MOST_FIELDS:
            fields.append(_Field())
        elif kind == "separate" and fields:
            fields[-1].in_result = True
            fields[-1].link = self._find_hyperlink(fields[-1].instruction)
        elif kind == "end" and fields:
            fields.pop()

    def _find_hyperlink(self, instruction: str) -> Span | None:
        """Return the link of a HYPERLINK field; None for any other instruction."""
        found = _HYPERLINK.match(instruction)
        return self.build_link(found[1] or found[2] or "") if found else None

    def _why_hidden(self, run: Element, properties: RunProperties, style: Style) -> str | None:
        """Return why a run with these properties is invisible; None if it is visible."""
        if is_on(properties, "w:vanish"):
            return HIDDEN
        size = parse_number(properties.get("w:sz"), most_digits=5)
        if size is not None and size < _SMALLEST_TEXT:
            return TINY
        if find_child(run, "w:rPr", "textFill", "noFill") is not None:
            return SAME_COLOUR
        colour = parse_attribute_colour((properties.get("w:color") or "auto").lower())
        if colour is None or not alike(colour, WHITE):
            return None
        # cells and text boxes may have a background by a table style or a theme
        may_be_dark = (
            self._state.has_background
            or style.shaded
            or any(
                name_of(one.tag) in ("w:txbxContent", "w:tbl")
                or is_shaded(find_child(one, "w:pPr"))
                for one in run.iterancestors()
            )
        )
        is_marked = "w:shd" in properties or is_on(properties, "w:highlight")
        return None if may_be_dark or is_marked else SAME_COLOUR


def _collect_boxes(element: Element, boxes: list[Element]) -> None:
    """Collect the outermost text boxes, charts and diagrams of a drawing."""
    for child in element:
        if name_of(child.tag) in ("w:txbxContent", "c:chart", "dgm:relIds"):
            boxes.append(child)
        else:
            _collect_boxes(child, boxes)


def _marks_of(properties: RunProperties) -> tuple[str, ...]:
    """Return the Markdown marks for run properties."""
    marks = [mark for mark, names in _MARKS if any(is_on(properties, name) for name in names)]
    position = properties.get("w:vertAlign")
    if position == "superscript":
        marks.append(inline.RAISED)
    elif position == "subscript":
        marks.append(inline.LOWERED)
    return tuple(marks)


def _has_text(element: Element) -> bool:
    """Return whether an element contains text, deleted text included."""
    for one in element.iter():
        if name_of(one.tag) in ("w:t", "w:delText") and (one.text or "").strip():
            return True
    return False
