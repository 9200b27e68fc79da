"""Shapes of a slide in reading order, and their text as Markdown.

The title comes first, then everything from top to bottom. A placeholder without a position has that
of the layout. Dates, footers and slide numbers are left out like running heads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from webquarry._read.css.colours import WHITE, alike, parse_attribute_colour
from webquarry._read.documents.graphics import (
    read_chart_rows,
    read_chart_title,
    read_diagram_texts,
    to_tex,
)
from webquarry._read.documents.office import (
    Element,
    Package,
    child_value,
    children_of,
    choose_alternative,
    find_child,
    find_descendant,
    find_relation,
    name_of,
    parse_number,
    value_of,
)
from webquarry._read.documents.text import (
    DocumentParagraph,
    TextStyle,
    build_table,
    escape_paragraph,
)
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

OFF_SLIDE = "off page"
HIDDEN = "hidden text"
UNSAFE_LINK = "unsafe link"
TINY = "tiny text"
SAME_COLOUR = "same colour"
_TITLES = frozenset({"title", "ctrTitle"})
_RUNNING = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_LISTS = frozenset({"", "body", "obj"})  # placeholders with bullets by default
_GRAPHICS = {"a:tbl": "table", "c:chart": "chart", "dgm:relIds": "diagram"}
_IDENTITIES = ("p:nvSpPr", "p:nvGraphicFramePr", "p:nvGrpSpPr", "p:nvCxnSpPr", "p:nvPicPr")
_FILLS = frozenset({"a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill"})
_DEEPEST = 40
_SMALLEST_TEXT = 200  # hundredths of a point
_LEAST_ALPHA = 5_000  # of 100,000
_MOST_SPAN = 100
_LEVELS = 9
_YES = ("1", "true")
_NUMBERED = "1. "

Position = tuple[int, int]  # from the top, from the left; or height and width
_TextParagraph = tuple[Element, DocumentParagraph]


class SlideShape(NamedTuple):
    """A shape with text."""

    element: Element
    kind: str  # title, list, text, table, chart, diagram
    position: Position


class SlideWriter:
    """Writes one slide into blocks of Markdown."""

    def __init__(
        self, package: Package, part: str, links: Links, out: Blocks, removed: Counter[str]
    ) -> None:
        self._package = package
        self._relations = package.relations(part)
        self._links = links
        self._out = out
        self._removed = removed
        self._inline = Inline(removed)
        self._on_white = False  # the text that is read has nothing but a white page behind it
        self.title = ""

    def write(self, root: Element, size: Position) -> None:
        """Write the slide and its notes. `size` is its height and width."""
        layout_relation = find_relation(self._relations, "slideLayout")
        layout = self._package.read_related(layout_relation)
        master = None
        if layout_relation is not None:
            relations = self._package.relations(layout_relation.target)
            master = self._package.read_related(find_relation(relations, "slideMaster"))
        backgrounds = _Backgrounds([one for one in (root, layout, master) if one is not None])
        for shape in _list_shapes(root, layout, size, self._removed):
            self._on_white = backgrounds.is_white(shape.element)
            self._write_shape(shape)
        self._on_white = True
        notes = self._package.read_related(find_relation(self._relations, "notesSlide"))
        if notes is not None:
            self._write_notes(notes)

    def _write_shape(self, shape: SlideShape) -> None:
        if shape.kind == "table":
            table = find_descendant(shape.element, "a:tbl")
            if table is not None:
                self._on_white = False  # table styles paint cells
                self._add(self._read_table(table))
            return
        if shape.kind in ("chart", "diagram"):
            self._write_graphic(shape)
            return
        paragraphs = list(self._read_paragraphs(find_child(shape.element, "p:txBody")))
        if shape.kind == "title":
            self._write_title(paragraphs)
        else:
            self._write_text(paragraphs, bulleted=shape.kind == "list" and len(paragraphs) > 1)

    def _write_title(self, paragraphs: list[_TextParagraph]) -> None:
        lines = [self._inline.render(found.pieces(plain=True)) for _, found in paragraphs]
        text = " ".join(lines).replace("\n", " ").strip()
        if text:
            words = " ".join(found.text() for _, found in paragraphs).split()
            self.title = self.title or " ".join(words)
            self._out.add(f"## {escape_heading(text)}")

    def _write_text(self, paragraphs: list[_TextParagraph], *, bulleted: bool) -> None:
        """Write paragraphs and list items."""
        levels: list[int] = []  # of the open items
        numbers: Counter[int] = Counter()  # of the last item of each level
        for element, found in paragraphs:
            text = escape_line_starts(self._inline.render(found.pieces()))
            if not text:
                continue
            settings = find_child(element, "a:pPr")
            marker = _marker_of(settings, bulleted=bulleted)
            level = min(parse_number(value_of(settings, "lvl"), most_digits=3) or 0, _LEVELS - 1)
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
            elif name == "mc:AlternateContent":
                self._read(choose_alternative(child), found)
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
        if _has_no_ink(settings) or (self._on_white and _is_white_text(settings)):
            self._removed[SAME_COLOUR] += 1
            return
        link = self._build_link(find_child(settings, "a:hlinkClick"))
        element = find_child(run, "a:t")
        text = "" if element is None else element.text or ""
        found.add(text, TextStyle(link, _marks_of(settings)))

    def _build_link(self, element: Element | None) -> Span | None:
        relation = self._relations.get(value_of(element, "id") or "")
        if relation is None or not relation.external:
            return None
        target = self._links.absolute(relation.target)
        if target is None:
            self._removed[UNSAFE_LINK] += 1
        return Span(LINK, target) if target else None

    def _read_table(self, element: Element) -> str:
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
                    lines = [self._inline.render(found.pieces()) for _, found in paragraphs]
                text = " ".join(lines).replace("\n", " ")
                cells.append(Cell(text, is_heading, span))
            table.rows.append(cells)
        return table.text()

    def _write_graphic(self, shape: SlideShape) -> None:
        """Write a chart as its title and a table, a diagram as a list."""
        is_chart = shape.kind == "chart"
        reference = find_descendant(shape.element, "c:chart" if is_chart else "dgm:relIds")
        identity = value_of(reference, "id" if is_chart else "dm") or ""
        root = self._package.read_related(self._relations.get(identity))
        if root is None:
            return
        if is_chart:
            self._add(escape_paragraph(read_chart_title(root), self._removed))
            self._add(build_table(read_chart_rows(root), self._removed))
            return
        items = [escape_paragraph(text, self._removed) for text in read_diagram_texts(root)]
        self._add("\n".join(f"- {item}" for item in items if item))

    def _write_notes(self, root: Element) -> None:
        """Write the speaker notes as a quote; other placeholders repeat the slide."""
        texts: list[str] = []
        for shape in root.iter():
            if name_of(shape.tag) != "p:sp":
                continue
            placeholder = placeholder_of(shape)
            if placeholder is None or placeholder.get("type") != "body":
                continue
            for _, found in self._read_paragraphs(find_child(shape, "p:txBody")):
                texts.append(escape_line_starts(self._inline.render(found.pieces())))
        if not texts:
            return
        texts[0] = f"Notes: {texts[0]}"
        self._out.open("> ", "> ")
        for text in texts:
            self._out.add(text)
        self._out.close()

    def _add(self, text: str) -> None:
        if text:
            self._out.add(text)


def _list_shapes(
    root: Element, layout: Element | None, size: Position, removed: Counter[str]
) -> list[SlideShape]:
    """Return the shapes with text in reading order."""
    tree = find_child(root, "p:cSld", "p:spTree")
    if tree is None:
        return []
    positions = _layout_positions(layout)
    found: list[SlideShape] = []
    position: Position = (0, 0)
    for shape in _walk(tree, 0, removed):
        outermost = shape  # the group on the slide that contains the shape
        above = shape.getparent()
        while above is not None and above is not tree:
            outermost = above
            above = above.getparent()
        own = _own_position(outermost)
        by_layout = None
        placeholder = placeholder_of(shape)
        if placeholder is not None:
            by_layout = positions.get(f"idx {placeholder.get('idx')}")
            by_layout = by_layout or positions.get(f"type {placeholder.get('type') or ''}")
        if outermost is not shape:  # positions in a group are relative to the group
            position = by_layout or own or position
        else:
            position = own or by_layout or position
            if own is not None and _is_outside(shape, own, size):
                removed[OFF_SLIDE] += 1
                continue
        kind = _kind_of(shape)
        if kind:
            found.append(SlideShape(shape, kind, position))
    return sorted(found, key=lambda shape: (shape.kind != "title", shape.position))


def _layout_positions(root: Element | None) -> dict[str, Position]:
    """Return the positions of the placeholders of a layout, by index and by type."""
    positions: dict[str, Position] = {}
    for shape in root.iter() if root is not None else ():
        placeholder = placeholder_of(shape) if name_of(shape.tag) == "p:sp" else None
        position = _own_position(shape)
        if placeholder is not None and position is not None:
            positions.setdefault(f"idx {placeholder.get('idx')}", position)
            positions.setdefault(f"type {placeholder.get('type') or ''}", position)
    return positions


def _walk(tree: Element, depth: int, removed: Counter[str]) -> Iterator[Element]:
    """Yield shapes in the order of the file, also those in groups; hidden ones are counted."""
    for child in tree:
        name = name_of(child.tag)
        properties = find_child(_identity_of(child), "p:cNvPr")
        if properties is not None and properties.get("hidden") in _YES:
            removed[HIDDEN] += 1
        elif name in ("p:sp", "p:graphicFrame", "p:cxnSp"):
            yield child
        elif name == "p:grpSp" and depth < _DEEPEST:
            yield from _walk(child, depth + 1, removed)
        elif name == "mc:AlternateContent" and depth < _DEEPEST:
            yield from _walk(choose_alternative(child), depth + 1, removed)


def _kind_of(shape: Element) -> str:
    """Return the kind of a shape; empty for one without text."""
    if name_of(shape.tag) == "p:graphicFrame":
        data = find_child(shape, "a:graphic", "a:graphicData")
        names = [] if data is None else [name_of(child.tag) for child in data]
        return next((_GRAPHICS[name] for name in names if name in _GRAPHICS), "")
    if find_child(shape, "p:txBody") is None:
        return ""
    placeholder = placeholder_of(shape)
    kind = "other" if placeholder is None else placeholder.get("type") or ""
    if kind in _RUNNING:
        return ""
    if kind in _TITLES:
        return "title"
    return "list" if kind in _LISTS else "text"


def _identity_of(shape: Element) -> Element | None:
    """Return the non-visual properties of a shape."""
    return next((child for child in shape if name_of(child.tag) in _IDENTITIES), None)


def placeholder_of(shape: Element) -> Element | None:
    """Return the placeholder element of a shape; None if it is not a placeholder."""
    return find_child(_identity_of(shape), "p:nvPr", "p:ph")


def _read_transform(shape: Element, name: str, first: str, second: str) -> Position | None:
    """Return two numbers of the transform of a shape."""
    for path in (("p:spPr", "a:xfrm"), ("p:xfrm",), ("p:grpSpPr", "a:xfrm")):
        element = find_child(shape, *path, name)
        if element is not None:
            try:
                return int(value_of(element, first) or ""), int(value_of(element, second) or "")
            except ValueError:
                return None
    return None


def _own_position(shape: Element) -> Position | None:
    return _read_transform(shape, "a:off", "y", "x")


def _own_extent(shape: Element) -> Position | None:
    return _read_transform(shape, "a:ext", "cy", "cx")


def _is_outside(shape: Element, position: Position, size: Position) -> bool:
    """Return whether a shape lies outside the slide."""
    extent = _own_extent(shape)
    if extent is None or not all(size):
        return False
    return any(
        start >= whole or start + length <= 0
        for start, length, whole in zip(position, extent, size, strict=True)
    )


class _Backgrounds:
    """What is known to be behind the text of a slide, by the slide, its layout and its master."""

    def __init__(self, roots: list[Element]) -> None:
        self._page_is_white = all(map(_has_white_page, roots))
        self._painted: list[Element] = []  # pictures and filled shapes
        for root in roots:
            for shape in root.iter():
                name = name_of(shape.tag)
                if name == "p:pic" or (name in ("p:sp", "p:grpSp") and _is_filled(shape)):
                    self._painted.append(shape)

    def is_white(self, shape: Element) -> bool:
        """Return whether a shape has nothing but a white page behind it."""
        if not self._page_is_white or _is_filled(shape):
            return False
        return not any(_may_overlap(shape, other) for other in self._painted)


def _has_white_page(root: Element) -> bool:
    """Return whether a slide, layout or master leaves the page in the first background colour,
    and that is the light one.
    """
    background = find_child(root, "p:cSld", "p:bg")
    if background is not None:
        reference = find_child(background, "p:bgRef")
        if child_value(reference, "a:schemeClr") not in ("bg1", "lt1"):
            return False
    mapping = find_child(root, "p:clrMap")
    return mapping is None or mapping.get("bg1") == "lt1"


def _may_overlap(shape: Element, other: Element) -> bool:
    """Return whether two shapes overlap, or their positions are unknown."""
    boxes = [(_own_position(one), _own_extent(one)) for one in (shape, other)]
    (position, extent), (other_position, other_extent) = boxes
    if not (position and extent and other_position and other_extent):
        return True
    return all(
        position[axis] < other_position[axis] + other_extent[axis]
        and other_position[axis] < position[axis] + extent[axis]
        for axis in (0, 1)
    )


def _is_filled(shape: Element) -> bool:
    """Return whether a shape has a background of its own."""
    if find_child(shape, "p:style") is not None:
        return True
    settings = find_child(shape, "p:spPr")
    if settings is None:
        settings = find_child(shape, "p:grpSpPr")
    return settings is not None and any(name_of(child.tag) in _FILLS for child in settings)


def _has_no_ink(settings: Element | None) -> bool:
    """Return whether a run is transparent and has no outline."""
    if find_child(settings, "a:ln") is not None:
        return False
    if find_child(settings, "a:noFill") is not None:
        return True
    fill = find_child(settings, "a:solidFill")
    alphas = () if fill is None else (child_value(colour, "a:alpha") for colour in fill)
    return any((parse_number(alpha) or 0) < _LEAST_ALPHA for alpha in alphas if alpha)


def _is_white_text(settings: Element | None) -> bool:
    """Return whether a run is explicitly white."""
    fill = find_child(settings, "a:solidFill")
    scheme = find_child(fill, "a:schemeClr")
    if scheme is not None:
        return value_of(scheme) in ("bg1", "lt1") and not len(scheme)  # without tint or shade
    value = child_value(fill, "a:srgbClr")
    colour = parse_attribute_colour(value.lower()) if value else None
    return colour is not None and alike(colour, WHITE)


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
        marks.append(STRONG)
    if settings.get("i") in _YES:
        marks.append(EMPHASIS)
    if settings.get("strike") in ("sngStrike", "dblStrike"):
        marks.append(STRUCK)
    baseline = settings.get("baseline") or "0"
    if baseline.lstrip("-").rstrip("%") not in ("", "0"):
        marks.append(LOWERED if baseline.startswith("-") else RAISED)
    return tuple(marks)
