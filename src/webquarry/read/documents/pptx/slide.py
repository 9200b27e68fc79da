"""One slide -> Markdown: its title as a heading, then lists, text, tables, charts and diagrams,
then the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lxml import etree

from webquarry.read.documents import prose
from webquarry.read.documents.graphics import chart_rows, chart_title, diagram_texts
from webquarry.read.documents.office import (
    Package,
    Relation,
    child_of,
    name_of,
    preferred,
    value_of,
)
from webquarry.read.documents.omml import to_tex
from webquarry.read.documents.paragraph import Look, Paragraph
from webquarry.read.documents.pptx.shapes import Layout, Shape, shapes_of
from webquarry.read.markdown.blocks import Blocks
from webquarry.read.markdown.inline import (
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
from webquarry.read.markdown.links import Links
from webquarry.read.markdown.tables import Cell, Table
from webquarry.read.text.escape import escape_heading, escape_line_starts

UNSAFE_LINK = "unsafe link"
TINY = "tiny text"
_SMALLEST_TEXT = 200  # hundredths of a point
_MOST_SPAN = 100
_LEVELS = 9


class Slide:
    """Writes one slide into the blocks of the presentation."""

    def __init__(
        self, package: Package, part: str, links: Links, out: Blocks, removed: Counter[str]
    ) -> None:
        self._package = package
        self._relations = package.relations(part)
        self._links = links
        self._out = out
        self._removed = removed
        self._inline = Inline(removed)
        self.title = ""

    def write(self, root: etree._Element, size: tuple[int, int]) -> None:
        layout = Layout(self._related_by_kind("slideLayout"))
        for shape in shapes_of(root, layout, size, self._removed):
            self._write_shape(shape)
        notes = self._related_by_kind("notesSlide")
        if notes is not None:
            self._write_notes(notes)

    def _write_shape(self, shape: Shape) -> None:
        if shape.kind == "table":
            table = next((one for one in shape.element.iter() if name_of(one.tag) == "a:tbl"), None)
            self._add(self._table(table) if table is not None else "")
        elif shape.kind in ("chart", "diagram"):
            self._graphic(shape)
        else:
            paragraphs = list(self._paragraphs(child_of(shape.element, "p:txBody")))
            if shape.kind == "title":
                self._title(paragraphs)
            else:
                self._text(paragraphs, bulleted=shape.kind == "list" and len(paragraphs) > 1)

    def _title(self, paragraphs: list[tuple[etree._Element, Paragraph]]) -> None:
        text = " ".join(
            self._inline.render(found.pieces(plain=True)) for _, found in paragraphs
        ).replace("\n", " ")
        if text.strip():
            self.title = self.title or " ".join(
                " ".join(found.text() for _, found in paragraphs).split()
            )
            self._out.add(f"## {escape_heading(text.strip())}")

    def _text(self, paragraphs: list[tuple[etree._Element, Paragraph]], *, bulleted: bool) -> None:
        """Paragraphs and list items; items are as deep as their level says."""
        levels: list[int] = []
        numbers: Counter[int] = Counter()
        for settings, found in paragraphs:
            text = escape_line_starts(self._inline.render(found.pieces()))
            if not text:
                continue
            mark = _mark(settings, bulleted=bulleted)
            level = _level(settings)
            follows = bool(levels)
            while levels and (not mark or levels[-1] >= level):
                levels.pop()
                self._out.close()
            for deeper in [one for one in numbers if one > level or mark != "1. "]:
                del numbers[deeper]
            if mark:
                numbers[level] += 1
                marker = f"{numbers[level]}. " if mark == "1. " else mark
                self._out.tight = follows
                self._out.open(marker, " " * len(marker))
                levels.append(level)
            self._out.add(text)
        for _ in levels:
            self._out.close()

    def _paragraphs(
        self, body: etree._Element | None
    ) -> Iterator[tuple[etree._Element, Paragraph]]:
        """The paragraphs of a shape that are not empty."""
        for element in body if body is not None else ():
            if name_of(element.tag) == "a:p":
                found = Paragraph()
                self._read(element, found)
                if found.text().strip():
                    yield element, found

    def _read(self, element: etree._Element, found: Paragraph) -> None:
        for child in element:
            name = name_of(child.tag)
            if name in ("a:r", "a:fld"):
                self._run(child, found)
            elif name == "a:br":
                found.add(BREAK, Look())
            elif name == "m:oMath":
                found.add(Literal(to_tex(child, self._removed)), Look())
            elif name == "mc:AlternateContent":
                self._read(preferred(child), found)
            elif name in ("m", "m:oMathPara"):
                self._read(child, found)

    def _run(self, run: etree._Element, found: Paragraph) -> None:
        if (run.get("type") or "").startswith("slidenum"):
            return
        settings = child_of(run, "a:rPr")
        text = child_of(run, "a:t")
        size = value_of(settings, "sz") or ""
        if size.isascii() and size.isdigit() and int(size[:9]) < _SMALLEST_TEXT:
            self._removed[TINY] += 1
            return
        link = self._link(child_of(settings, "a:hlinkClick"))
        found.add((text.text or "") if text is not None else "", Look(link, _marks(settings)))

    def _link(self, element: etree._Element | None) -> Span | None:
        relation = self._relations.get(value_of(element, "id") or "")
        if relation is None or not relation.external:
            return None
        target = self._links.absolute(relation.target)
        if target is None:
            self._removed[UNSAFE_LINK] += 1
        if target:
            return Span(LINK, target)
        return None

    def _table(self, element: etree._Element) -> str:
        heads = (value_of(child_of(element, "a:tblPr"), "firstRow") or "") in ("1", "true")
        rows = [row for row in element if name_of(row.tag) == "a:tr"]
        table = Table()
        for place, row in enumerate(rows):
            cells = [
                cell
                for cell in row
                if name_of(cell.tag) == "a:tc" and cell.get("hMerge") not in ("1", "true")
            ]
            table.rows.append([self._cell(cell, heads and place == 0) for cell in cells])
        return table.text()

    def _cell(self, cell: etree._Element, heading: bool) -> Cell:
        span = cell.get("gridSpan") or ""
        columns = 1
        if span.isascii() and span.isdigit() and len(span) < 9:
            columns = min(max(int(span), 1), _MOST_SPAN)
        if cell.get("vMerge") in ("1", "true"):
            return Cell("", heading, columns)
        paragraphs = self._paragraphs(child_of(cell, "a:txBody"))
        text = " ".join(self._inline.render(found.pieces()) for _, found in paragraphs)
        return Cell(text.replace("\n", " "), heading, columns)

    def _graphic(self, shape: Shape) -> None:
        if shape.kind == "chart":
            wanted, key = ("c:chart", "id")
        else:
            wanted, key = ("dgm:relIds", "dm")
        element = next((one for one in shape.element.iter() if name_of(one.tag) == wanted), None)
        relation = self._relations.get(value_of(element, key) or "")
        root = self._part(relation)
        if root is None:
            return
        if shape.kind == "chart":
            self._add(prose.paragraph(chart_title(root), self._removed))
            rows = [
                [Cell(prose.line(one, self._removed), heading=False) for one in row]
                for row in chart_rows(root)
            ]
            self._add(Table(rows).text())
        else:
            items = [prose.paragraph(text, self._removed) for text in diagram_texts(root)]
            self._add("\n".join(f"- {item}" for item in items if item))

    def _write_notes(self, root: etree._Element) -> None:
        """What the speaker says, as a quote; the other placeholders of the notes repeat the slide."""
        texts: list[str] = []
        for shape in root.iter():
            if name_of(shape.tag) == "p:sp" and _is_notes(shape):
                for _, found in self._paragraphs(child_of(shape, "p:txBody")):
                    texts.append(escape_line_starts(self._inline.render(found.pieces())))
        if texts:
            self._out.open("> ", "> ")
            for place, text in enumerate(texts):
                self._out.add(f"Notes: {text}" if not place else text)
            self._out.close()

    def _add(self, text: str) -> None:
        if text:
            self._out.add(text)

    def _related_by_kind(self, kind: str) -> etree._Element | None:
        return self._part(next((one for one in self._relations.values() if one.kind == kind), None))

    def _part(self, relation: Relation | None) -> etree._Element | None:
        if relation is None or relation.external:
            return None
        return self._package.xml_if_sound(relation.target)


def _is_notes(shape: etree._Element) -> bool:
    placeholder = child_of(child_of(child_of(shape, "p:nvSpPr"), "p:nvPr"), "p:ph")
    return placeholder is not None and placeholder.get("type") == "body"


def _level(paragraph: etree._Element) -> int:
    level = value_of(child_of(paragraph, "a:pPr"), "lvl") or ""
    if level.isascii() and level.isdigit() and len(level) < 4:
        return min(int(level), _LEVELS - 1)
    return 0


def _mark(paragraph: etree._Element, *, bulleted: bool) -> str:
    """The mark of an item; empty for a paragraph that is none."""
    settings = child_of(paragraph, "a:pPr")
    if settings is not None:
        names = {name_of(one.tag) for one in settings}
    else:
        names = set()
    if "a:buNone" in names:
        return ""
    if "a:buAutoNum" in names:
        return "1. "
    if bulleted or names & {"a:buChar", "a:buBlip"}:
        return "- "
    return ""


def _marks(settings: etree._Element | None) -> tuple[str, ...]:
    if settings is None:
        return ()
    found = [
        mark
        for mark, name in ((STRONG, "b"), (EMPHASIS, "i"))
        if settings.get(name) in ("1", "true")
    ]
    if settings.get("strike") in ("sngStrike", "dblStrike"):
        found.append(STRUCK)
    raised = settings.get("baseline") or "0"
    if raised.lstrip("-").rstrip("%") not in ("", "0"):
        found.append(LOWERED if raised.startswith("-") else RAISED)
    return tuple(found)
