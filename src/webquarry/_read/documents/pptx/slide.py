"""One slide -> Markdown: its title as a heading, then lists, text, tables, charts and diagrams,
then the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from webquarry._read.documents import prose
from webquarry._read.documents.graphics import read_chart_rows, read_chart_title, read_diagram_texts
from webquarry._read.documents.office import (
    Element,
    Package,
    Relation,
    child_of,
    child_value,
    children_of,
    choose_alternative,
    find_child,
    name_of,
    parse_number,
    value_of,
)
from webquarry._read.documents.omml import to_tex
from webquarry._read.documents.paragraph import DocumentParagraph, TextStyle
from webquarry._read.documents.pptx.look import Looks, SlideLook, TextLook
from webquarry._read.documents.pptx.shapes import Layout, SlideShape, shapes_of
from webquarry._read.documents.tables import build_table
from webquarry._read.markdown.blocks import Blocks
from webquarry._read.markdown.inline import (
    BREAK,
    EMPHASIS,
    LINK,
    LOWERED,
    RAISED,
    STRONG,
    STRUCK,
    Inline,
    Literal,
    Span,
)
from webquarry._read.markdown.links import Links
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.text.escape import escape_heading, escape_line_starts

UNSAFE_LINK = "unsafe link"
TINY = "tiny text"
SAME_COLOUR = "same colour"
_SMALLEST_TEXT = 200  # hundredths of a point
_MOST_SPAN = 100
_LEVELS = 9
_YES = ("1", "true")
_NUMBERED = "1. "

_TextParagraph = tuple[Element, DocumentParagraph]  # the element, and what was found in it


class SlideWriter:
    """Writes one slide into the blocks of the presentation."""

    def __init__(
        self,
        package: Package,
        part: str,
        links: Links,
        out: Blocks,
        removed: Counter[str],
        looks: Looks,
    ) -> None:
        self._package = package
        self._part = part
        self._looks = looks
        self._look: TextLook | None = None  # of the text that is read
        self._level = 0  # of the paragraph that is read
        self._relations = package.relations(part)
        self._links = links
        self._out = out
        self._removed = removed
        self._inline = Inline(removed)
        self.title = ""

    def write(self, root: Element, size: tuple[int, int]) -> None:
        """Write the slide and its notes. `size` is its height and width."""
        layout_root = self._looks.read(self._looks.find_related(self._part, "slideLayout"))
        layout = Layout(layout_root)
        look = SlideLook(self._looks, self._part, root, layout)
        for shape in shapes_of(root, layout, size, self._removed):
            self._write_shape(shape, look)
        self._look = look.look_at_notes()
        notes = self._read_related("notesSlide")
        if notes is not None:
            self._write_notes(notes)

    def _write_shape(self, shape: SlideShape, look: SlideLook) -> None:
        """Write a shape as what it is."""
        if shape.kind == "table":
            table = _find_descendant(shape.element, "a:tbl")
            if table is not None:
                self._add(self._read_table(table, look))
        elif shape.kind == "chart":
            self._write_chart(shape.element)
        elif shape.kind == "diagram":
            self._write_diagram(shape.element)
        else:
            self._look = look.look_at(shape.element)
            body = child_of(shape.element, "p:txBody")
            paragraphs = list(self._read_paragraphs(body))
            if shape.kind == "title":
                self._write_title(paragraphs)
            else:
                is_list = shape.kind == "list" and len(paragraphs) > 1
                self._write_text(paragraphs, bulleted=is_list)

    def _write_title(self, paragraphs: list[_TextParagraph]) -> None:
        """The title of the slide as a heading."""
        lines: list[str] = []
        plain: list[str] = []
        for _, found in paragraphs:
            pieces = found.pieces(plain=True)
            lines.append(self._inline.render(pieces))
            plain += found.text().split()
        text = " ".join(lines).replace("\n", " ").strip()
        if not text:
            return
        if not self.title:
            self.title = " ".join(plain)
        heading = escape_heading(text)
        self._out.add(f"## {heading}")

    def _write_text(self, paragraphs: list[_TextParagraph], *, bulleted: bool) -> None:
        """Paragraphs and list items; items are as deep as their level says."""
        levels: list[int] = []  # of the items that are open
        numbers: Counter[int] = Counter()  # how far each level has been counted
        for element, found in paragraphs:
            written = self._inline.render(found.pieces())
            text = escape_line_starts(written)
            if not text:
                continue
            settings = child_of(element, "a:pPr")
            marker = _marker_of(settings, bulleted=bulleted)
            level = _level_of(settings)
            follows = bool(levels)
            while levels and (not marker or levels[-1] >= level):
                levels.pop()
                self._out.close()
            for counted in list(numbers):
                if counted > level or marker != _NUMBERED:
                    del numbers[counted]
            if marker:
                numbers[level] += 1
                if marker == _NUMBERED:
                    marker = f"{numbers[level]}. "
                self._out.tight = follows
                self._out.open(marker, " " * len(marker))
                levels.append(level)
            self._out.add(text)
        for _ in levels:
            self._out.close()

    def _read_paragraphs(self, body: Element | None) -> Iterator[_TextParagraph]:
        """The paragraphs of a shape that are not empty."""
        for element in children_of(body, "a:p"):
            found = DocumentParagraph()
            self._level = _level_of(child_of(element, "a:pPr"))
            self._read(element, found)
            if found.text().strip():
                yield element, found

    def _read(self, element: Element, found: DocumentParagraph) -> None:
        """Take everything in an element into a paragraph."""
        for child in element:
            name = name_of(child.tag)
            if name in ("a:r", "a:fld"):
                self._read_run(child, found)
            elif name == "a:br":
                found.add(BREAK, TextStyle())
            elif name == "m:oMath":
                tex = to_tex(child, self._removed)
                found.add(Literal(tex), TextStyle())
            elif name == "mc:AlternateContent":
                self._read(choose_alternative(child), found)
            elif name in ("m", "m:oMathPara"):
                self._read(child, found)

    def _read_run(self, run: Element, found: DocumentParagraph) -> None:
        """Take a run of text, unless it is the number of the slide or too small to be seen."""
        if (run.get("type") or "").startswith("slidenum"):
            return
        settings = child_of(run, "a:rPr")
        size = value_of(settings, "sz") or ""
        if size.isascii() and size.isdigit() and int(size[:9]) < _SMALLEST_TEXT:
            self._removed[TINY] += 1
            return
        if self._look is not None and self._look.hides(settings, self._level):
            self._removed[SAME_COLOUR] += 1
            return
        link_element = child_of(settings, "a:hlinkClick")
        link = self._build_link(link_element)
        style = TextStyle(link, _marks_of(settings))
        element = child_of(run, "a:t")
        text = ""
        if element is not None:
            text = element.text or ""
        found.add(text, style)

    def _build_link(self, element: Element | None) -> Span | None:
        """The link that an element asks for, if it can be followed without harm."""
        relation_id = value_of(element, "id") or ""
        relation = self._relations.get(relation_id)
        if relation is None or not relation.external:
            return None
        target = self._links.absolute(relation.target)
        if target is None:
            self._removed[UNSAFE_LINK] += 1
        if not target:
            return None
        return Span(LINK, target)

    def _read_table(self, element: Element, look: SlideLook) -> str:
        """A table as Markdown."""
        has_heading = child_value(element, "a:tblPr", "firstRow") in _YES
        table = Table()
        for row in children_of(element, "a:tr"):
            is_heading = has_heading and not table.rows
            cells: list[Cell] = []
            for cell_element in children_of(row, "a:tc"):
                if cell_element.get("hMerge") in _YES:
                    continue  # it is part of the cell to the left
                self._look = look.look_at_cell(cell_element)
                cell = self._read_cell(cell_element, is_heading)
                cells.append(cell)
            table.rows.append(cells)
        return table.text()

    def _read_cell(self, cell: Element, is_heading: bool) -> Cell:
        """A cell of a table, with the columns that it spans."""
        span = parse_number(cell.get("gridSpan")) or 1
        columns = min(span, _MOST_SPAN)
        if cell.get("vMerge") in _YES:  # it is part of the cell above
            return Cell("", is_heading, columns)
        lines: list[str] = []
        body = child_of(cell, "a:txBody")
        for _, found in self._read_paragraphs(body):
            line = self._inline.render(found.pieces())
            lines.append(line)
        text = " ".join(lines).replace("\n", " ")
        return Cell(text, is_heading, columns)

    def _write_chart(self, shape: Element) -> None:
        """The title of a chart, and its values as a table."""
        chart = _find_descendant(shape, "c:chart")
        relation = self._relations.get(value_of(chart, "id") or "")
        root = self._read_part(relation)
        if root is None:
            return
        title = prose.escape_paragraph(read_chart_title(root), self._removed)
        table = build_table(read_chart_rows(root), self._removed)
        self._add(title)
        self._add(table)

    def _write_diagram(self, shape: Element) -> None:
        """The texts of a diagram as a list."""
        diagram = _find_descendant(shape, "dgm:relIds")
        relation = self._relations.get(value_of(diagram, "dm") or "")
        root = self._read_part(relation)
        if root is None:
            return
        items: list[str] = []
        for text in read_diagram_texts(root):
            item = prose.escape_paragraph(text, self._removed)
            if item:
                items.append(f"- {item}")
        self._add("\n".join(items))

    def _write_notes(self, root: Element) -> None:
        """What the speaker says, as a quote; the other placeholders there repeat the slide."""
        texts: list[str] = []
        for shape in root.iter():
            if name_of(shape.tag) != "p:sp":
                continue
            placeholder = find_child(shape, "p:nvSpPr", "p:nvPr", "p:ph")
            if placeholder is None or placeholder.get("type") != "body":
                continue
            body = child_of(shape, "p:txBody")
            for _, found in self._read_paragraphs(body):
                text = self._inline.render(found.pieces())
                texts.append(escape_line_starts(text))
        if not texts:
            return
        texts[0] = f"Notes: {texts[0]}"
        self._out.open("> ", "> ")
        for text in texts:
            self._out.add(text)
        self._out.close()

    def _add(self, text: str) -> None:
        """Add a block, unless it is empty."""
        if text:
            self._out.add(text)

    def _read_related(self, kind: str) -> Element | None:
        """The part of that kind that belongs to the slide."""
        for relation in self._relations.values():
            if relation.kind == kind:
                return self._read_part(relation)
        return None

    def _read_part(self, relation: Relation | None) -> Element | None:
        """The part that a relation leads to; None where there is none in the file."""
        if relation is None or relation.external:
            return None
        return self._package.xml_if_sound(relation.target)


def _find_descendant(element: Element, name: str) -> Element | None:
    """The first element of that name, at any depth."""
    for one in element.iter():
        if name_of(one.tag) == name:
            return one
    return None


def _level_of(settings: Element | None) -> int:
    """How deep a paragraph is, from 0."""
    level = parse_number(value_of(settings, "lvl"), most_digits=3) or 0
    return min(level, _LEVELS - 1)


def _marker_of(settings: Element | None, *, bulleted: bool) -> str:
    """The mark of an item; empty for a paragraph that is none."""
    names: set[str] = set()
    if settings is not None:
        names = {name_of(child.tag) for child in settings}
    if "a:buNone" in names:
        return ""
    if "a:buAutoNum" in names:
        return _NUMBERED
    if bulleted or names & {"a:buChar", "a:buBlip"}:
        return "- "
    return ""


def _marks_of(settings: Element | None) -> tuple[str, ...]:
    """The marks of Markdown for the settings of a run."""
    if settings is None:
        return ()
    marks: list[str] = []
    if settings.get("b") in _YES:
        marks.append(STRONG)
    if settings.get("i") in _YES:
        marks.append(EMPHASIS)
    if settings.get("strike") in ("sngStrike", "dblStrike"):
        marks.append(STRUCK)
    baseline = settings.get("baseline") or "0"
    is_moved = baseline.lstrip("-").rstrip("%") not in ("", "0")
    if is_moved and baseline.startswith("-"):
        marks.append(LOWERED)
    elif is_moved:
        marks.append(RAISED)
    return tuple(marks)
