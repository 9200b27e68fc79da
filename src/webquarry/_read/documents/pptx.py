"""Convert a presentation (PPTX) to Markdown.

Slides are in the order of the presentation, which may differ from that of their file names. A line
`[slide 3]` marks the start of a slide; text before the first mark is on slide 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from webquarry._read.documents.graphics import to_tex
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
from webquarry._read.documents.text import HIDDEN, OFF_PAGE, SAME_COLOUR, TINY
from webquarry._read.documents.writer import DocumentParagraph, OfficeWriter, TextStyle
from webquarry._read.format import ConvertedDocument
from webquarry._read.markdown import inline
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.inline import BREAK, Literal, render_inline
from webquarry._read.markdown.links import Links
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.style.colours import WHITE, alike, parse_attribute_colour
from webquarry._read.text.escape import escape_line_starts

_YES = ("1", "true")
_TITLES = frozenset({"title", "ctrTitle"})
_RUNNING = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_LISTS = frozenset({"", "body", "obj"})  # placeholders with bullets by default
_FILLS = frozenset({"a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill"})
_GRAPHICS = frozenset({"a:tbl", "c:chart", "dgm:relIds"})
_IDENTITIES = ("p:nvSpPr", "p:nvGraphicFramePr", "p:nvGrpSpPr", "p:nvCxnSpPr", "p:nvPicPr")
_TRANSFORMS = (("p:spPr", "a:xfrm"), ("p:xfrm",), ("p:grpSpPr", "a:xfrm"))
_DEEPEST = 40
_MOST_PAINTED = 1_000  # shapes that may be behind a text
_MOST_SLIDES = 2_000
_SMALLEST_TEXT = 200  # hundredths of a point
_MOST_SPAN = 100
_LEVELS = 9
_NUMBERED = "1. "

_TextParagraph = tuple[Element, DocumentParagraph]


def convert(body: bytes, url: str) -> ConvertedDocument:
    """Return the presentation. Relative links are resolved against `url`."""
    package = Package(body)
    main, root = package.read_main("ppt/presentation.xml")
    parts = _list_slides(package, main, root)
    size = find_child(root, "p:sldSz")
    height = parse_number(value_of(size, "cy"), most_digits=10) or 0
    width = parse_number(value_of(size, "cx"), most_digits=10) or 0
    links = Links(url)
    removed: Counter[str] = Counter()
    lost: list[str] = []
    if len(parts) > _MOST_SLIDES:
        lost.append(
            f"The presentation has {len(parts):,} slides; "
            f"only the first {_MOST_SLIDES:,} were read."
        )
    title = ""
    blocks: list[Block] = []
    hidden = 0
    for number, part in enumerate(parts[:_MOST_SLIDES], 1):
        slide = package.xml(part)
        if slide is None:
            continue
        if slide.get("show") in ("0", "false"):
            hidden += 1
            continue
        writer = _SlideWriter(package, package.relations(part), links, removed)
        writer.write(slide, _Frame(0, 0, height, width))
        title = title or writer.title
        written = writer.finish()
        if written and number > 1:
            blocks.append(Block("paragraph", f"[slide {number}]"))
        blocks += written
    notes = [f"Hidden slides that were left out: {hidden:,}."] if hidden else []
    return build_document(package, "pptx", blocks, title, removed, lost, notes)


def _list_slides(package: Package, main: str, root: Element) -> list[str]:
    """Return the parts of the slides in order."""
    relations = package.relations(main)
    parts: list[str] = []
    for element in children_of(find_child(root, "p:sldIdLst"), "p:sldId"):
        # the element also has an `id` without a namespace
        identities = [str(value) for key, value in element.items() if name_of(key) == "r:id"]
        relation = relations.get(identities[0]) if identities else None
        if relation is not None and not relation.external:
            parts.append(relation.target)
    return parts


class _Frame(NamedTuple):
    """The rectangle of a shape."""

    top: int
    left: int
    height: int
    width: int

    def overlaps(self, other: _Frame) -> bool:
        """Return whether two rectangles share an area."""
        return (
            self.top < other.top + other.height
            and other.top < self.top + self.height
            and self.left < other.left + other.width
            and other.left < self.left + self.width
        )


class _Shape(NamedTuple):
    """A shape with text."""

    element: Element
    content: Element  # its text, table, chart or diagram
    kind: str  # title, list, text or graphic
    position: tuple[int, ...]  # from the top, from the left


def _list_shapes(root: Element, slide: _Frame, removed: Counter[str]) -> list[_Shape]:
    """Return the shapes with text in reading order."""
    tree = find_child(root, "p:cSld", "p:spTree")
    if tree is None:
        return []
    found: list[_Shape] = []
    position: tuple[int, ...] = (0, 0)  # of the shape before, for placeholders of the layout
    for shape, outermost in _walk(tree, removed):
        frame = _frame_of(outermost)
        is_off = frame is not None and slide.width and slide.height and not frame.overlaps(slide)
        if is_off and outermost is shape:  # positions in a group are relative to the group
            removed[OFF_PAGE] += 1
            continue
        position = frame[:2] if frame else position
        kind, content = _content_of(shape)
        if content is not None:
            found.append(_Shape(shape, content, kind, position))
    return sorted(found, key=lambda shape: (shape.kind != "title", shape.position))


def _walk(
    tree: Element, removed: Counter[str], group: Element | None = None, depth: int = 0
) -> Iterator[tuple[Element, Element]]:
    """Yield shapes in the order of the file, and the group on the slide that contains each, or the
    shape itself. Hidden ones are counted.
    """
    for child in tree:
        name = name_of(child.tag)
        properties = find_child(_identity_of(child), "p:cNvPr")
        outermost = child if group is None else group
        if properties is not None and properties.get("hidden") in _YES:
            removed[HIDDEN] += 1
        elif name in ("p:sp", "p:graphicFrame", "p:cxnSp"):
            yield child, outermost
        elif name == "p:grpSp" and depth < _DEEPEST:
            yield from _walk(child, removed, outermost, depth + 1)


def _content_of(shape: Element) -> tuple[str, Element | None]:
    """Return the kind of a shape and the element with its text; None for one without text."""
    data = find_child(shape, "a:graphic", "a:graphicData")
    if data is not None:
        return "graphic", next((one for one in data if name_of(one.tag) in _GRAPHICS), None)
    placeholder = _placeholder_of(shape)
    role = "other" if placeholder is None else placeholder.get("type") or ""
    if role in _RUNNING:
        return "", None
    kind = "title" if role in _TITLES else "list" if role in _LISTS else "text"
    return kind, find_child(shape, "p:txBody")


def _identity_of(shape: Element) -> Element | None:
    """Return the non-visual properties of a shape."""
    return next((child for child in shape if name_of(child.tag) in _IDENTITIES), None)


def _placeholder_of(shape: Element) -> Element | None:
    """Return the placeholder element of a shape; None if it is not a placeholder."""
    return find_child(_identity_of(shape), "p:nvPr", "p:ph")


def _frame_of(shape: Element) -> _Frame | None:
    """Return the rectangle of a shape or group; None if it has none of its own."""
    transforms = (find_child(shape, *path) for path in _TRANSFORMS)
    transform = next((one for one in transforms if one is not None), None)
    offset, extent = find_child(transform, "a:off"), find_child(transform, "a:ext")
    numbers = [value_of(offset, "y"), value_of(offset, "x")]
    numbers += [value_of(extent, "cy") or "1", value_of(extent, "cx") or "1"]
    try:
        return _Frame(*(int(number or "") for number in numbers))
    except ValueError:
        return None


def _list_painted(roots: Iterable[Element]) -> list[_Frame | None]:
    """Return the rectangles of what a slide, its layout and master paint; None if unknown."""
    painted: list[_Frame | None] = []
    for root in roots:
        background = find_child(root, "p:cSld", "p:bg")
        scheme = child_value(find_child(background, "p:bgRef"), "a:schemeClr")
        is_dark = find_child(root, "p:clrMap") is not None and (
            child_value(root, "p:clrMap", "bg1") != "lt1"
        )
        if is_dark or (background is not None and scheme not in ("bg1", "lt1")):
            painted.append(None)
        shapes = (one for one in root.iter() if name_of(one.tag) == "p:pic" or _is_filled(one))
        painted += map(_frame_of, islice(shapes, _MOST_PAINTED))
    return painted


def _is_filled(shape: Element) -> bool:
    """Return whether a shape or group has a background of its own."""
    for child in shape:
        name = name_of(child.tag)
        if name == "p:style":
            return True
        if name in ("p:spPr", "p:grpSpPr"):
            return any(name_of(fill.tag) in _FILLS for fill in child)
    return False


class _SlideWriter(OfficeWriter):
    """Writes one slide."""

    _on_white = False  # the text that is read has nothing but a white page behind it
    title = ""

    def write(self, root: Element, size: _Frame) -> None:
        """Write the slide and its notes."""
        roots, relations = [root], self._relations
        for kind in ("slideLayout", "slideMaster"):
            relation = find_relation(relations, kind)
            part = self._package.read_related(relation)
            if relation is not None and part is not None:
                roots.append(part)
                relations = self._package.relations(relation.target)
        painted = _list_painted(roots)
        for shape in _list_shapes(root, size, self._removed):
            frame = _frame_of(shape.element)
            self._on_white = not _is_filled(shape.element) and all(
                frame and other and not frame.overlaps(other) for other in painted
            )
            self._write_shape(shape)
        self._on_white = True
        notes = self._package.read_related(find_relation(self._relations, "notesSlide"))
        if notes is not None:
            self._write_notes(notes)

    def _write_shape(self, shape: _Shape) -> None:
        if shape.kind == "graphic":
            if name_of(shape.content.tag) == "a:tbl":
                self._on_white = False  # table styles paint cells
                self._add(self._read_table(shape.content))
            else:
                self._add_graphic(shape.content)
            return
        paragraphs = list(self._read_paragraphs(shape.content))
        if shape.kind != "title":
            self._write_text(paragraphs, bulleted=shape.kind == "list" and len(paragraphs) > 1)
            return
        lines = [render_inline(found.pieces(plain=True), self._removed) for _, found in paragraphs]
        text = " ".join(lines).replace("\n", " ").strip()
        if text:
            words = " ".join(found.text() for _, found in paragraphs).split()
            self.title = self.title or " ".join(words)
            self._add(Block("heading", text, 2))

    def _write_text(self, paragraphs: list[_TextParagraph], *, bulleted: bool) -> None:
        """Write paragraphs and list items."""
        numbers: Counter[int] = Counter()  # of the last item of each level
        for element, found in paragraphs:
            text = escape_line_starts(render_inline(found.pieces(), self._removed))
            if not text:
                continue
            settings = find_child(element, "a:pPr")
            marker = _marker_of(settings, bulleted=bulleted)
            level = min(parse_number(value_of(settings, "lvl"), most_digits=3) or 0, _LEVELS - 1)
            for counted in list(numbers):
                if counted > level or marker != _NUMBERED:
                    del numbers[counted]
            if marker == _NUMBERED:
                numbers[level] += 1
                marker = f"{numbers[level]}. "
            if marker:
                self._add_item(text, marker, level)
            else:
                self._add(text)
        self._end_list()

    def _read_paragraphs(self, body: Element | None) -> Iterator[_TextParagraph]:
        """Yield the paragraphs of a shape that are not empty."""
        for element in children_of(body, "a:p"):
            found = DocumentParagraph()
            self._read(element, found)
            if found.text().strip():
                yield element, found

    def _read(self, element: Element, found: DocumentParagraph) -> None:
        for child in element:
            name = name_of(child.tag)
            if name in ("a:r", "a:fld"):
                self._read_run(child, found)
            elif name == "a:br":
                found.add(BREAK)
            elif name == "m:oMath":
                found.add(Literal(to_tex(child, self._removed)))
            elif name in ("m", "m:oMathPara"):
                self._read(child, found)

    def _read_run(self, run: Element, found: DocumentParagraph) -> None:
        """Read a run of text, unless it is a slide number or invisible."""
        if (run.get("type") or "").startswith("slidenum"):
            return
        settings = find_child(run, "a:rPr")
        size = parse_number(value_of(settings, "sz"))
        if size is not None and size < _SMALLEST_TEXT:
            self._removed[TINY] += 1
            return
        if _is_unpainted(settings, on_white=self._on_white):
            self._removed[SAME_COLOUR] += 1
            return
        link = self.link_to(child_value(settings, "a:hlinkClick", "id"))
        element = find_child(run, "a:t")
        text = "" if element is None else element.text or ""
        found.add(text, TextStyle(link, _marks_of(settings)))

    def _read_table(self, element: Element) -> Block | None:
        has_heading = child_value(element, "a:tblPr", "firstRow") in _YES
        table = Table()
        for row in children_of(element, "a:tr"):
            is_heading = has_heading and not table.rows
            cells: list[Cell] = []
            for cell in children_of(row, "a:tc"):
                if cell.get("hMerge") in _YES:
                    continue  # part of the cell to the left
                span = min(parse_number(cell.get("gridSpan")) or 1, _MOST_SPAN)
                lines: list[str] = []
                if cell.get("vMerge") not in _YES:  # else part of the cell above
                    paragraphs = self._read_paragraphs(find_child(cell, "a:txBody"))
                    lines = [
                        render_inline(found.pieces(), self._removed) for _, found in paragraphs
                    ]
                text = " ".join(lines).replace("\n", " ")
                cells.append(Cell(text, is_heading, span))
            table.rows.append(cells)
        return table.to_block()

    def _write_notes(self, root: Element) -> None:
        """Write the speaker notes as a quote; other placeholders repeat the slide."""
        texts: list[str] = []
        for shape in root.iter():
            if name_of(shape.tag) != "p:sp":
                continue
            placeholder = _placeholder_of(shape)
            if placeholder is None or placeholder.get("type") != "body":
                continue
            for _, found in self._read_paragraphs(find_child(shape, "p:txBody")):
                texts.append(escape_line_starts(render_inline(found.pieces(), self._removed)))
        if not texts:
            return
        texts[0] = f"Notes: {texts[0]}"
        self._add_in("> ", "> ", texts)


def _is_unpainted(settings: Element | None, *, on_white: bool) -> bool:
    """Return whether a run has no fill and no outline, or is explicitly white on white."""
    if find_child(settings, "a:noFill") is not None:
        return find_child(settings, "a:ln") is None
    fill = find_child(settings, "a:solidFill")
    scheme = find_child(fill, "a:schemeClr")
    if scheme is not None:  # without tint or shade
        return on_white and value_of(scheme) in ("bg1", "lt1") and not len(scheme)
    colour = parse_attribute_colour((child_value(fill, "a:srgbClr") or "").lower())
    return on_white and colour is not None and alike(colour, WHITE)


def _marker_of(settings: Element | None, *, bulleted: bool) -> str:
    """Return the list marker of a paragraph; empty if it is not a list item."""
    names = set() if settings is None else {name_of(child.tag) for child in settings}
    if "a:buNone" in names:
        return ""
    if "a:buAutoNum" in names:
        return _NUMBERED
    return "- " if bulleted or names & {"a:buChar", "a:buBlip"} else ""


def _marks_of(settings: Element | None) -> tuple[str, ...]:
    """Return the Markdown marks for run properties."""
    if settings is None:
        return ()
    marks: list[str] = []
    if settings.get("b") in _YES:
        marks.append(inline.STRONG)
    if settings.get("i") in _YES:
        marks.append(inline.EMPHASIS)
    if settings.get("strike") in ("sngStrike", "dblStrike"):
        marks.append(inline.STRUCK)
    baseline = settings.get("baseline") or "0"
    if baseline.lstrip("-").rstrip("%") not in ("", "0"):
        marks.append(inline.LOWERED if baseline.startswith("-") else inline.RAISED)
    return tuple(marks)
