"""Boxes that are laid over others: what one declares in, whether it hides all that lies below it
out.
"""

from __future__ import annotations

from lxml import etree

from webquarry._read.css.colours import parse_colour
from webquarry._read.css.declarations import Declarations, first_value, parse_length
from webquarry._read.css.values.offsets import find_sides
from webquarry._read.visibility.computed import Cover
from webquarry._read.visibility.concealment import reason_to_skip

MOST_CHILDREN = 30  # of a box that are looked at


def covers_box(declarations: Declarations) -> bool:
    """Whether a box without text covers the one it stands in, so that nothing is seen of it."""
    if declarations.get("position") != "absolute" or not _fills_box(declarations):
        return False
    return is_opaque(declarations)


def is_opaque(declarations: Declarations) -> bool:
    """Whether nothing is seen through a box that lies above others."""
    ground = parse_colour(first_value(declarations, "background-color", "background"))
    if ground is None or ground.alpha < 1:
        return False
    opacity = parse_length(declarations.get("opacity", "1"), percent=0.01)
    if opacity is None or opacity < 1 or "transform" in declarations or "clip-path" in declarations:
        return False
    is_behind = (parse_length(declarations.get("z-index", "")) or 0.0) < 0
    is_shown = declarations.get("visibility", "visible") == "visible"
    return is_shown and not is_behind and reason_to_skip(declarations) is None


def _fills_box(declarations: Declarations) -> bool:
    """Whether a box reaches to all edges of the one it stands in."""
    top, right, bottom, left = (parse_length(side) for side in find_sides(declarations))
    width = parse_length(declarations.get("width", ""), percent=1, view=1)
    height = parse_length(declarations.get("height", ""), percent=1, view=1)
    is_wide = _is_edge(left) and (_is_edge(right) or (width is not None and width >= 100))
    is_high = _is_edge(top) and (_is_edge(bottom) or (height is not None and height >= 100))
    return is_wide and is_high


def _is_edge(side: float | None) -> bool:
    return side is not None and side <= 0


def find_part_cover(element: etree._Element, style: Declarations) -> Cover | None:
    """What an element lays over itself with its `::before` or `::after`."""
    for part in ("before", "after"):
        content = style.get(f"::{part} content", "none")
        if content in ("none", "normal"):
            continue
        declared = {
            name.partition(" ")[2]: value
            for name, value in style.items()
            if name.startswith(f"::{part} ")
        }
        if covers_box(declared):
            layer = parse_length(declared.get("z-index", "")) or 0.0
            return Cover(element, None, part, layer)
    return None


def lies_above(element: etree._Element, declarations: Declarations, cover: Cover) -> bool:
    """Whether a box with a position of its own is painted after a cover: it is the cover, comes
    later in the page, or is lifted.
    """
    layer = parse_length(declarations.get("z-index", "")) or 0.0
    if layer > max(cover.layer, 0.0):
        return True
    if cover.part:
        return layer == cover.layer and cover.part == "before"
    box = cover.box
    child: etree._Element | None = element
    while child is not None and child.getparent() is not box:
        child = child.getparent()
    if child is None or cover.child is None or child is cover.child:
        return True
    return layer == 0 and box.index(child) > box.index(cover.child)
