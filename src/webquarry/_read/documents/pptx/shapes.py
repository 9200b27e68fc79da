"""Shapes of a slide in reading order, and their backgrounds.

The title comes first, then everything from top to bottom. A placeholder without a position has that
of the layout. Dates, footers and slide numbers are left out like running heads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from webquarry._read.documents.office import Element, child_value, find_child, name_of, value_of
from webquarry._read.documents.text import HIDDEN, OFF_PAGE

YES = ("1", "true")
_TITLES = frozenset({"title", "ctrTitle"})
_RUNNING = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_LISTS = frozenset({"", "body", "obj"})  # placeholders with bullets by default
_FILLS = frozenset({"a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill"})
_GRAPHICS = frozenset({"a:tbl", "c:chart", "dgm:relIds"})
_IDENTITIES = ("p:nvSpPr", "p:nvGraphicFramePr", "p:nvGrpSpPr", "p:nvCxnSpPr", "p:nvPicPr")
_DEEPEST = 40
_MOST_PAINTED = 1_000  # shapes that may be behind a text

Position = tuple[int, int]  # from the top, from the left; or height and width


class SlideShape(NamedTuple):
    """A shape with text."""

    element: Element
    content: Element  # its text, table, chart or diagram
    kind: str  # title, list, text or graphic
    position: Position


def list_shapes(
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
            extent = _own_extent(shape)
            if own and extent and all(size) and not _overlap(own, extent, (0, 0), size):
                removed[OFF_PAGE] += 1
                continue
        kind, content = _content_of(shape)
        if content is not None:
            found.append(SlideShape(shape, content, kind, position))
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
        if properties is not None and properties.get("hidden") in YES:
            removed[HIDDEN] += 1
        elif name in ("p:sp", "p:graphicFrame", "p:cxnSp"):
            yield child
        elif name == "p:grpSp" and depth < _DEEPEST:
            yield from _walk(child, depth + 1, removed)


def _content_of(shape: Element) -> tuple[str, Element | None]:
    """Return the kind of a shape and the element with its text; None for one without text."""
    data = find_child(shape, "a:graphic", "a:graphicData")
    if data is not None:
        return "graphic", next((one for one in data if name_of(one.tag) in _GRAPHICS), None)
    placeholder = placeholder_of(shape)
    role = "other" if placeholder is None else placeholder.get("type") or ""
    if role in _RUNNING:
        return "", None
    kind = "title" if role in _TITLES else "list" if role in _LISTS else "text"
    return kind, find_child(shape, "p:txBody")


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


def _overlap(start: Position, extent: Position, other: Position, other_extent: Position) -> bool:
    """Return whether two rectangles share an area."""
    return (
        start[0] < other[0] + other_extent[0]
        and other[0] < start[0] + extent[0]
        and start[1] < other[1] + other_extent[1]
        and other[1] < start[1] + extent[1]
    )


class Backgrounds:
    """Background of the text of a slide: its page and the filled shapes and pictures on it."""

    def __init__(self, roots: list[Element]) -> None:
        self._is_white = all(map(_has_white_page, roots))
        shapes = (shape for root in roots for shape in root.iter())
        painted = (shape for shape in shapes if name_of(shape.tag) == "p:pic" or _is_filled(shape))
        self._painted = [
            (_own_position(shape), _own_extent(shape)) for shape in islice(painted, _MOST_PAINTED)
        ]

    def is_white(self, shape: Element) -> bool:
        """Return whether a shape has nothing but a white page behind it as far as is known."""
        if not self._is_white or _is_filled(shape):
            return False
        position, extent = _own_position(shape), _own_extent(shape)
        return all(
            position and extent and other and size and not _overlap(position, extent, other, size)
            for other, size in self._painted
        )


def _has_white_page(root: Element) -> bool:
    """Return whether a slide, layout or master has the first background colour, a light one."""
    background = find_child(root, "p:cSld", "p:bg")
    scheme = child_value(find_child(background, "p:bgRef"), "a:schemeClr")
    mapping = find_child(root, "p:clrMap")
    is_light = mapping is None or mapping.get("bg1") == "lt1"
    return is_light and (background is None or scheme in ("bg1", "lt1"))


def _is_filled(shape: Element) -> bool:
    """Return whether a shape or group has a background of its own."""
    for child in shape:
        name = name_of(child.tag)
        if name == "p:style":
            return True
        if name in ("p:spPr", "p:grpSpPr"):
            return any(name_of(fill.tag) in _FILLS for fill in child)
    return False
