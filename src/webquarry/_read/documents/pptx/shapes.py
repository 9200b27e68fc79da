"""The shapes of a slide -> its title and the rest of its words in the order in which they are seen.

The title comes first, then everything from top to bottom. A placeholder without a place of its own
stands where the layout of the slide puts it. Dates, footers and numbers of slides are left out like
running heads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from webquarry._read.documents.office import (
    Element,
    child_of,
    choose_alternative,
    find_child,
    name_of,
    value_of,
)

OFF_SLIDE = "off page"
HIDDEN = "hidden text"
_TITLES = frozenset({"title", "ctrTitle"})
_RUNNING = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
# placeholders whose paragraphs have bullets unless they say otherwise
_LISTS = frozenset({"", "body", "obj"})
_GRAPHICS = {"a:tbl": "table", "c:chart": "chart", "dgm:relIds": "diagram"}
_IDENTITIES = ("p:nvSpPr", "p:nvGraphicFramePr", "p:nvGrpSpPr", "p:nvCxnSpPr", "p:nvPicPr")
_DEEPEST = 40

Place = tuple[int, int]


@dataclass(frozen=True)
class SlideShape:
    """Something with words on a slide."""

    element: Element
    kind: str  # title, list, text, table, chart, diagram
    place: Place = (0, 0)  # from the top, from the left


class Layout:
    """Where a layout puts its placeholders."""

    def __init__(self, root: Element | None) -> None:
        self._by_number: dict[str, Place] = {}
        self._by_kind: dict[str, Place] = {}
        if root is None:
            return
        for shape in root.iter():
            if name_of(shape.tag) != "p:sp":
                continue
            place = own_place(shape)
            placeholder = placeholder_of(shape)
            if place is None or placeholder is None:
                continue
            number = placeholder.get("idx") or ""
            kind = placeholder.get("type") or ""
            self._by_number.setdefault(number, place)
            self._by_kind.setdefault(kind, place)

    def place_of(self, shape: Element) -> Place | None:
        """Where the layout puts a shape of a slide; None for one it does not know."""
        placeholder = placeholder_of(shape)
        if placeholder is None:
            return None
        number = placeholder.get("idx")
        if number and number in self._by_number:
            return self._by_number[number]
        return self._by_kind.get(placeholder.get("type") or "")


def shapes_of(
    root: Element, layout: Layout, size: Place, removed: Counter[str]
) -> list[SlideShape]:
    """The shapes of a slide that say something, in reading order. `size` is that of the slide:
    height, width.
    """
    tree = find_child(root, "p:cSld", "p:spTree")
    if tree is None:
        return []
    found: list[SlideShape] = []
    place: Place = (0, 0)
    for shape in _walk(tree, 0, removed):
        outermost = shape  # the group around it that stands on the slide itself, if there is one
        above = shape.getparent()
        while above is not None and above is not tree:
            outermost = above
            above = above.getparent()
        outer_place = own_place(outermost)
        if outermost is not shape:  # places in a group are the group's own
            place = layout.place_of(shape) or outer_place or place
        else:
            place = outer_place or layout.place_of(shape) or place
            if outer_place is not None and _is_outside(shape, outer_place, size):
                removed[OFF_SLIDE] += 1
                continue
        kind = _kind_of(shape)
        if kind:
            found.append(SlideShape(shape, kind, place))
    return sorted(found, key=lambda shape: (shape.kind != "title", shape.place))


def _walk(tree: Element, depth: int, removed: Counter[str]) -> Iterator[Element]:
    """Shapes in the order of the file, those of groups among them; hidden ones are counted."""
    for child in tree:
        name = name_of(child.tag)
        drawn = child_of(_identity_of(child), "p:cNvPr")
        if drawn is not None and drawn.get("hidden") in ("1", "true"):
            removed[HIDDEN] += 1
        elif name in ("p:sp", "p:graphicFrame", "p:cxnSp"):
            yield child
        elif name == "p:grpSp" and depth < _DEEPEST:
            yield from _walk(child, depth + 1, removed)
        elif name == "mc:AlternateContent" and depth < _DEEPEST:
            yield from _walk(choose_alternative(child), depth + 1, removed)


def _kind_of(shape: Element) -> str:
    """What a shape is to a reader; empty for one without words."""
    if name_of(shape.tag) == "p:graphicFrame":
        data = find_child(shape, "a:graphic", "a:graphicData")
        if data is None:
            return ""
        names = [name_of(child.tag) for child in data]
        return next((_GRAPHICS[name] for name in names if name in _GRAPHICS), "")
    if child_of(shape, "p:txBody") is None:
        return ""
    placeholder = placeholder_of(shape)
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


def _identity_of(shape: Element) -> Element | None:
    """The part of a shape that says which one it is."""
    for child in shape:
        if name_of(child.tag) in _IDENTITIES:
            return child
    return None


def placeholder_of(shape: Element) -> Element | None:
    """The placeholder of a layout that a shape fills; None for one that stands alone."""
    return find_child(_identity_of(shape), "p:nvPr", "p:ph")


def _transform_of(shape: Element) -> Element | None:
    """The element that says where a shape stands and how large it is."""
    candidates = (
        find_child(shape, "p:spPr", "a:xfrm"),
        child_of(shape, "p:xfrm"),
        find_child(shape, "p:grpSpPr", "a:xfrm"),
    )
    return next((found for found in candidates if found is not None), None)


def own_place(shape: Element) -> Place | None:
    """Where a shape says that it stands."""
    transform = _transform_of(shape)
    offset = child_of(transform, "a:off")
    return _read_pair(offset, "y", "x")


def own_extent(shape: Element) -> Place | None:
    """How large a shape says that it is: its height and width."""
    transform = _transform_of(shape)
    return _read_pair(child_of(transform, "a:ext"), "cy", "cx")


def _is_outside(shape: Element, place: Place, size: Place) -> bool:
    """Whether a shape stands beside the slide, where nobody sees it."""
    extent = own_extent(shape)
    if extent is None or not all(size):
        return False
    for start, length, whole in zip(place, extent, size, strict=True):
        end = start + length
        if start >= whole or end <= 0:
            return True
    return False


def _read_pair(element: Element | None, first: str, second: str) -> Place | None:
    """Two attributes that are numbers; None where they are not."""
    try:
        one = int(value_of(element, first) or "")
        other = int(value_of(element, second) or "")
    except ValueError:
        return None
    return one, other
