"""The shapes of a slide -> its title and the rest of its words in the order in which they are seen.

The title comes first, then everything from top to bottom. A placeholder without a place of its own
stands where the layout of the slide puts it. Dates, footers and numbers of slides are left out like
running heads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from webquarry.read.documents.office import child_of, choose_alternative, name_of, value_of

OFF_SLIDE = "off page"
HIDDEN = "hidden text"
_TITLES = frozenset({"title", "ctrTitle"})
_RUNNING = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_LISTS = frozenset(
    {"", "body", "obj"}
)  # placeholders whose paragraphs have bullets unless they say otherwise
_DEEPEST = 40

Place = tuple[int, int]


@dataclass(frozen=True)
class SlideShape:
    """Something with words on a slide."""

    element: etree._Element
    kind: str  # title, list, text, table, chart, diagram
    place: Place = (0, 0)  # from the top, from the left


class Layout:
    """Where a layout puts its placeholders."""

    def __init__(self, root: etree._Element | None) -> None:
        self._by_number: dict[str, Place] = {}
        self._by_kind: dict[str, Place] = {}
        for shape in root.iter() if root is not None else ():
            if name_of(shape.tag) == "p:sp" and (place := _own_place(shape)) is not None:
                placeholder = _placeholder(shape)
                if placeholder is not None:
                    self._by_number.setdefault(placeholder.get("idx") or "", place)
                    self._by_kind.setdefault(placeholder.get("type") or "", place)

    def place_of(self, shape: etree._Element) -> Place | None:
        placeholder = _placeholder(shape)
        if placeholder is None:
            return None
        number = placeholder.get("idx")
        found = self._by_number.get(number) if number else None
        return found or self._by_kind.get(placeholder.get("type") or "")


def shapes_of(
    root: etree._Element, layout: Layout, size: Place, removed: Counter[str]
) -> list[SlideShape]:
    """The shapes of a slide that say something, in reading order. `size` is that of the slide:
    height, width.
    """
    tree = child_of(child_of(root, "p:cSld"), "p:spTree")
    found: list[SlideShape] = []
    place: Place = (0, 0)
    for shape in _shapes(tree, 0, removed) if tree is not None else ():
        own = None  # places in a group are its own
        if shape.getparent() is tree:
            own = _own_place(shape)
        place = own or layout.place_of(shape) or _group_place(shape, tree) or place
        if own is not None and _is_outside(shape, own, size):
            removed[OFF_SLIDE] += 1
        elif kind := _kind(shape):
            found.append(SlideShape(shape, kind, place))
    return sorted(found, key=lambda shape: (shape.kind != "title", shape.place))


def _shapes(tree: etree._Element, depth: int, removed: Counter[str]) -> Iterator[etree._Element]:
    """Shapes in the order of the file, those of groups among them."""
    for child in tree:
        name = name_of(child.tag)
        if _is_hidden(child):
            removed[HIDDEN] += 1
        elif name in ("p:sp", "p:graphicFrame", "p:cxnSp"):
            yield child
        elif name == "p:grpSp" and depth < _DEEPEST:
            yield from _shapes(child, depth + 1, removed)
        elif name == "mc:AlternateContent" and depth < _DEEPEST:
            yield from _shapes(choose_alternative(child), depth + 1, removed)


def _kind(shape: etree._Element) -> str:
    """What a shape is to a reader; empty for one without words."""
    if name_of(shape.tag) == "p:graphicFrame":
        data = child_of(child_of(shape, "a:graphic"), "a:graphicData")
        kinds = {"a:tbl": "table", "c:chart": "chart", "dgm:relIds": "diagram"}
        if data is not None:
            return next((kinds[name_of(one.tag)] for one in data if name_of(one.tag) in kinds), "")
        return ""
    if child_of(shape, "p:txBody") is None:
        return ""
    placeholder = _placeholder(shape)
    if placeholder is None:
        return "text"
    kind = placeholder.get("type") or ""
    if kind in _RUNNING:
        return ""
    if kind in _TITLES:
        return "title"
    if kind in _LISTS:
        return "list"
    return "text"


def _properties(shape: etree._Element) -> etree._Element | None:
    """The part of a shape that says which one it is."""
    names = ("p:nvSpPr", "p:nvGraphicFramePr", "p:nvGrpSpPr", "p:nvCxnSpPr", "p:nvPicPr")
    return next((one for one in shape if name_of(one.tag) in names), None)


def _placeholder(shape: etree._Element) -> etree._Element | None:
    return child_of(child_of(_properties(shape), "p:nvPr"), "p:ph")


def _is_hidden(shape: etree._Element) -> bool:
    drawn = child_of(_properties(shape), "p:cNvPr")
    return drawn is not None and drawn.get("hidden") in ("1", "true")


def _transform(shape: etree._Element) -> etree._Element | None:
    found = child_of(child_of(shape, "p:spPr"), "a:xfrm")
    found = child_of(shape, "p:xfrm") if found is None else found
    if found is None:
        return child_of(child_of(shape, "p:grpSpPr"), "a:xfrm")
    return found


def _own_place(shape: etree._Element) -> Place | None:
    return _pair(child_of(_transform(shape), "a:off"), "y", "x")


def _group_place(shape: etree._Element, tree: etree._Element | None) -> Place | None:
    """Where the outermost group around a shape stands."""
    above = shape.getparent()
    while above is not None and above is not tree:
        if above.getparent() is tree:
            return _own_place(above)
        above = above.getparent()
    return None


def _is_outside(shape: etree._Element, place: Place, size: Place) -> bool:
    extent = _pair(child_of(_transform(shape), "a:ext"), "cy", "cx")
    if extent is None or not all(size):
        return False
    return any(
        start >= whole or start + long <= 0
        for start, long, whole in zip(place, extent, size, strict=True)
    )


def _pair(element: etree._Element | None, first: str, second: str) -> Place | None:
    try:
        return (int(value_of(element, first) or ""), int(value_of(element, second) or ""))
    except ValueError:
        return None
