"""The declared style of one element -> why a person cannot see it, or None.

Only what hides a box with everything in it is judged here. What children can undo (visibility, text
size, colour) is followed down the tree in `tracker.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from webquarry.read.css.declarations import Declarations, first_value, parse_length, parse_lengths

DISPLAY = "display none"
TRANSPARENT = "transparent"
NO_SIZE = "no size"
CLIPPED = "clipped"
OFF_SCREEN = "off screen"

FAINT = 0.1  # opacity; below it nothing can be read
_SLIVER = 1.0  # pixels; what is not larger shows no text
_AWAY = 500.0  # pixels beyond the edge; a page's own nudges are smaller
_FAR = 3000.0  # pixels; tracks of slides are moved by less
_BELOW = 20000.0  # pixels from the top; a long page places nothing by hand so far down
_CRAMPED = -20.0  # pixels between letters; the text runs back over itself and out of sight
_BEHIND = -100
_SMALLEST_SCALE = 0.02
_SMALLEST_ZOOM = 0.05
_ON_EDGE = ("90deg", "-90deg", "270deg")  # turned so that only an edge is seen
_OPACITY_FILTER = re.compile(r"opacity\s*[(=]\s*([\d.]+%?)")
_CALL = re.compile(r"([a-z0-9]+)\(([^()]*)\)")


_Check = Callable[[Declarations], str | None]
_CHECKS: list[tuple[tuple[str, ...], _Check]] = []


def reason_to_skip(style: Declarations) -> str | None:
    """The declared style of an element -> why nothing of the element is seen, or None."""
    for names, check in _CHECKS:
        for name in names:
            if name in style and (reason := check(style)):
                return reason
    return None


def _looks_at(*names: str) -> Callable[[_Check], _Check]:
    """Makes a function a check of the style of every element that declares one of these."""

    def register(check: _Check) -> _Check:
        _CHECKS.append((names, check))
        return check

    return register


@_looks_at("display", "content-visibility")
def _check_display(style: Declarations) -> str | None:
    """Not displayed at all."""
    if style.get("display") == "none":
        return DISPLAY
    if style.get("content-visibility") == "hidden":
        return DISPLAY
    return None


@_looks_at("opacity", "filter", "-ms-filter")
def _check_opacity(style: Declarations) -> str | None:
    """Transparent, by `opacity` or by an old filter."""
    value = None
    if "opacity" in style:
        value = parse_length(style["opacity"], percent=0.01)
    if value is None:
        found = _OPACITY_FILTER.search(first_value(style, "filter", "-ms-filter"))
        if found:
            value = parse_length(found[1], percent=0.01) or 0.0
            if value > 1:  # old filters count to a hundred
                value /= 100
    if value is not None and value < FAINT:
        return TRANSPARENT
    return None


@_looks_at("-webkit-text-security")
def _check_security(style: Declarations) -> str | None:
    """Shown as dots, like a password."""
    if style["-webkit-text-security"] in ("none", ""):
        return None
    return TRANSPARENT


@_looks_at("clip", "clip-path", "-webkit-clip-path")
def _check_clip(style: Declarations) -> str | None:
    """Clipped to a shape that lets nothing through."""
    path = first_value(style, "clip-path", "-webkit-clip-path")
    for value in (style.get("clip", ""), path):
        for name, arguments in _CALL.findall(value):
            if _is_empty_shape(name, arguments):
                return CLIPPED
    return None


def _is_empty_shape(name: str, arguments: str) -> bool:
    """Whether a shape of `clip` or `clip-path` lets nothing through."""
    arguments = arguments.partition(" at ")[0]
    arguments = arguments.partition(" round ")[0]
    sizes = parse_lengths(arguments)
    if name == "rect" and len(sizes) == 4:
        top, right, bottom, left = sizes
        return bottom - top <= _SLIVER or right - left <= _SLIVER
    if name == "inset" and sizes and "%" in arguments:
        if len(sizes) < 3:
            top, right, bottom, left = (sizes * 4)[:4]
        else:
            top, right, bottom, left = (sizes + sizes[1:2])[:4]
        return top + bottom >= 99 or left + right >= 99
    if name in ("circle", "ellipse") and sizes:
        return min(sizes) <= _SLIVER
    if name == "polygon":
        points = [parse_lengths(point) for point in arguments.split(",")]
        columns = {point[0] for point in points if point}
        rows = {point[-1] for point in points if point}
        return len(columns) <= 1 or len(rows) <= 1
    if name == "xywh" and len(sizes) == 4:
        return min(sizes[2:]) <= _SLIVER
    return False


@_looks_at("width", "height", "max-width", "max-height", "inline-size", "block-size")
def _check_size(style: Declarations) -> str | None:
    """Too small to show text, and nothing may stick out."""
    if "%" in first_value(style, "padding-bottom", "padding-top", "padding"):
        return None  # a frame of fixed proportions: what it holds is laid over the padding
    if parse_length(style.get("max-height", "")) == 0:
        return NO_SIZE
    no_width = False
    if _is_sliver(style, "width", "inline-size"):
        no_width = not _has_minimum(style, "min-width")
    no_height = False
    if _is_sliver(style, "height", "max-height", "block-size"):
        no_height = not _has_minimum(style, "min-height")
    # alone, a known trick to shorten the text of a table cell
    is_narrow = no_width or _is_sliver(style, "max-width")
    if is_narrow and no_height:
        return NO_SIZE
    for name in ("overflow", "overflow-x", "overflow-y"):
        is_cut = style.get(name, "visible") != "visible"
        if is_cut and (no_width or no_height):
            return NO_SIZE
    return None


def _is_sliver(style: Declarations, *names: str) -> bool:
    """Whether one of these properties makes a box too small to show text."""
    for name in names:
        if name in style:
            size = parse_length(style[name], percent=10)
            if size is not None and size <= _SLIVER:
                return True
    return False


def _has_minimum(style: Declarations, name: str) -> bool:
    """Whether a box is kept large enough to show text."""
    size = parse_length(style.get(name, ""), percent=10)
    if size is None:
        return False
    return size > _SLIVER


@_looks_at("position", "left", "top", "right", "bottom", "inset")
def _check_position(style: Declarations) -> str | None:
    """Moved beyond the edges of the page, or far behind it."""
    position = style.get("position", "")
    if position == "static":
        return None
    left = _parse_offset(first_value(style, "left", "inset-inline-start"))
    top = _parse_offset(first_value(style, "top", "inset-block-start"))
    others = [style.get("right", ""), style.get("bottom", ""), *style.get("inset", "").split()]
    offsets = [left, top, *map(_parse_offset, others)]
    away = _AWAY
    if not position:
        away = _FAR  # a class may well give the position
    if min(offsets) <= -away:
        return OFF_SCREEN
    if position in ("absolute", "fixed") and (left >= _FAR or top >= _BELOW):
        return OFF_SCREEN
    if position == "fixed" and max(offsets) >= _FAR:
        return OFF_SCREEN
    layer = parse_length(style.get("z-index", ""))
    if position and layer is not None and layer <= _BEHIND:
        return OFF_SCREEN
    return None


@_looks_at("margin", "margin-left", "margin-top", "margin-inline-start")
def _check_margin(style: Declarations) -> str | None:
    """Pulled away by a negative margin."""
    parts = style.get("margin", "").split()
    top = parts[:1]
    left = parts[3:4] or parts[1:2] or parts[:1]
    margins = [*top, *left]
    for name in ("margin-left", "margin-top", "margin-inline-start"):
        margins.append(style.get(name, ""))
    if min(map(_parse_offset, margins)) <= -_AWAY:
        return OFF_SCREEN
    return None


def _parse_offset(value: str) -> float:
    """Pixels; the whole width of the page counts as far enough to be away."""
    offset = parse_length(value, percent=_AWAY / 100, view=_AWAY / 100)
    return offset or 0.0


@_looks_at("text-indent")
def _check_indent(style: Declarations) -> str | None:
    """Its text is moved away, as for images in place of headings."""
    indent = _parse_offset(style["text-indent"])
    if abs(indent) >= _AWAY:
        return OFF_SCREEN
    return None


@_looks_at("letter-spacing")
def _check_spacing(style: Declarations) -> str | None:
    """Its letters run back over each other."""
    if _parse_offset(style["letter-spacing"]) <= _CRAMPED:
        return OFF_SCREEN
    return None


@_looks_at("transform", "-webkit-transform", "translate", "scale")
def _check_transform(style: Declarations) -> str | None:
    """Shrunk to nothing, moved far away, or seen from the edge."""
    calls = _CALL.findall(first_value(style, "transform", "-webkit-transform"))
    for name in ("translate", "scale"):
        if name in style:
            calls.append((name, style[name]))
    for name, arguments in calls:
        numbers = parse_lengths(arguments, percent=_FAR / 250, view=_FAR / 100)
        sizes = [abs(number) for number in numbers]
        if name.startswith("scale") and sizes and min(sizes) < _SMALLEST_SCALE:
            return NO_SIZE
        is_flat = len(sizes) > 3 and sizes[0] + sizes[1] < _SMALLEST_SCALE
        if name.startswith("matrix") and is_flat:
            return NO_SIZE
        if name.startswith("translate") and sizes and max(sizes) >= _FAR:
            return OFF_SCREEN
        if name in ("rotatex", "rotatey") and arguments.strip() in _ON_EDGE:
            return NO_SIZE
    return None


@_looks_at("zoom", "font-size-adjust")
def _check_zoom(style: Declarations) -> str | None:
    """Zoomed until nothing can be read, or its letters made as small."""
    for name in ("zoom", "font-size-adjust"):
        factor = parse_length(style.get(name, ""), percent=0.01)
        if factor is not None and factor < _SMALLEST_ZOOM:
            return NO_SIZE
    return None
