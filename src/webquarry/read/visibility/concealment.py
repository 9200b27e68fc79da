"""The declared style of one element -> why a person cannot see it, or None.

Only what hides a box with everything in it is judged here. What children can undo (visibility, text
size, colour) is followed down the tree in `visible.py`.
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
_OPACITY_FILTER = re.compile(r"opacity\s*[(=]\s*([\d.]+%?)")
_CALL = re.compile(r"([a-z0-9]+)\(([^()]*)\)")


def reason_to_skip(style: Declarations) -> str | None:
    """Why nothing of this element is seen."""
    for names, check in _CHECKS:
        for name in names:
            if name in style and (reason := check(style)):
                return reason
    return None


def _display(style: Declarations) -> str | None:
    hidden = style.get("display") == "none" or style.get("content-visibility") == "hidden"
    if hidden:
        return DISPLAY
    return None


def _opacity(style: Declarations) -> str | None:
    value = None
    if "opacity" in style:
        value = parse_length(style["opacity"], percent=0.01)
    if value is None and (
        found := _OPACITY_FILTER.search(first_value(style, "filter", "-ms-filter"))
    ):
        number = parse_length(found[1], percent=0.01) or 0.0
        value = number / 100 if number > 1 else number
    if value is not None and value < FAINT:
        return TRANSPARENT
    return None


def _security(style: Declarations) -> str | None:
    if style["-webkit-text-security"] not in ("none", ""):
        return TRANSPARENT
    return None


def _clip(style: Declarations) -> str | None:
    shape = first_value(style, "clip-path", "-webkit-clip-path")
    for value in (style.get("clip", ""), shape):
        for name, arguments in _CALL.findall(value):
            if _is_empty_shape(name, arguments):
                return CLIPPED
    return None


def _is_empty_shape(name: str, arguments: str) -> bool:
    arguments = arguments.partition(" at ")[0].partition(" round ")[0]
    sizes = parse_lengths(arguments)
    if name == "rect":
        return len(sizes) == 4 and (
            sizes[2] - sizes[0] <= _SLIVER or sizes[1] - sizes[3] <= _SLIVER
        )
    if name == "inset" and sizes and "%" in arguments:
        if len(sizes) < 3:
            top, right, bottom, left = (sizes * 4)[:4]
        else:
            top, right, bottom, left = (sizes + sizes[1:2])[:4]
        return top + bottom >= 99 or left + right >= 99
    if name in ("circle", "ellipse"):
        return bool(sizes) and min(sizes) <= _SLIVER
    if name == "polygon":
        points = {tuple(parse_lengths(point)) for point in arguments.split(",")}
        return (
            len({point[0] for point in points if point}) <= 1
            or len({point[-1] for point in points if point}) <= 1
        )
    return name == "xywh" and len(sizes) == 4 and min(sizes[2:]) <= _SLIVER


def _size(style: Declarations) -> str | None:
    if "%" in first_value(style, "padding-bottom", "padding-top", "padding"):
        return None  # a frame of fixed proportions: what it holds is laid over the padding
    no_width = _is_sliver(style, "width", "inline-size") and not _has_least(style, "min-width")
    no_height = _is_sliver(style, "height", "max-height", "block-size") and not _has_least(
        style, "min-height"
    )
    cut = any(
        style.get(name, "visible") != "visible" for name in ("overflow", "overflow-x", "overflow-y")
    )
    shut = parse_length(style.get("max-height", "")) == 0
    narrow = no_width or _is_sliver(
        style, "max-width"
    )  # alone, a known trick to shorten the text of a table cell
    if shut or (narrow and no_height) or (cut and (no_width or no_height)):
        return NO_SIZE
    return None


def _is_sliver(style: Declarations, *names: str) -> bool:
    sizes = (parse_length(style[name], percent=10) for name in names if name in style)
    return any(size is not None and size <= _SLIVER for size in sizes)


def _has_least(style: Declarations, name: str) -> bool:
    return (parse_length(style.get(name, ""), percent=10) or 0.0) > _SLIVER


def _position(style: Declarations) -> str | None:
    position = style.get("position", "")
    if position == "static":
        return None
    left = _offset(first_value(style, "left", "inset-inline-start"))
    top = _offset(first_value(style, "top", "inset-block-start"))
    others = [_offset(style.get(name, "")) for name in ("right", "bottom")]
    others += [_offset(part) for part in style.get("inset", "").split()]
    if min(left, top, *others) <= (
        -_AWAY if position else -_FAR
    ):  # a class may well give the position
        return OFF_SCREEN
    if (position in ("absolute", "fixed") and (left >= _FAR or top >= _BELOW)) or (
        position == "fixed" and max(left, top, *others) >= _FAR
    ):
        return OFF_SCREEN
    layer = parse_length(style.get("z-index", ""))
    if position and layer is not None and layer <= _BEHIND:
        return OFF_SCREEN
    return None


def _margin(style: Declarations) -> str | None:
    parts = style.get("margin", "").split()
    top, left = parts[:1], (parts[3:4] or parts[1:2] or parts[:1])
    named = [style.get(name, "") for name in ("margin-left", "margin-top", "margin-inline-start")]
    if min(map(_offset, (*top, *left, *named))) <= -_AWAY:
        return OFF_SCREEN
    return None


def _offset(value: str) -> float:
    """Pixels; the whole width of the page counts as far enough to be away."""
    return parse_length(value, percent=_AWAY / 100, view=_AWAY / 100) or 0.0


def _indent(style: Declarations) -> str | None:
    offset = _offset(style["text-indent"])
    if abs(offset) >= _AWAY:
        return OFF_SCREEN
    return None


def _spacing(style: Declarations) -> str | None:
    if _offset(style["letter-spacing"]) <= _CRAMPED:
        return OFF_SCREEN
    return None


def _transform(style: Declarations) -> str | None:
    calls = _CALL.findall(first_value(style, "transform", "-webkit-transform"))
    calls += [(name, style[name]) for name in ("translate", "scale") if name in style]
    for name, arguments in calls:
        numbers = parse_lengths(arguments, percent=_FAR / 250, view=_FAR / 100)
        if name.startswith("scale") and numbers and min(map(abs, numbers)) < 0.02:
            return NO_SIZE
        if (
            name.startswith("matrix")
            and numbers
            and len(numbers) > 3
            and abs(numbers[0]) + abs(numbers[1]) < 0.02
        ):
            return NO_SIZE
        if name.startswith("translate") and max(map(abs, numbers), default=0) >= _FAR:
            return OFF_SCREEN
        if name in ("rotatex", "rotatey") and arguments.strip() in ("90deg", "-90deg", "270deg"):
            return NO_SIZE
    return None


def _zoom(style: Declarations) -> str | None:
    values = (parse_length(style.get(name, ""), 0.01) for name in ("zoom", "font-size-adjust"))
    if any(value is not None and value < 0.05 for value in values):
        return NO_SIZE
    return None


_CHECKS: tuple[tuple[tuple[str, ...], Callable[[Declarations], str | None]], ...] = (
    (("display", "content-visibility"), _display),
    (("opacity", "filter", "-ms-filter"), _opacity),
    (("-webkit-text-security",), _security),
    (("clip", "clip-path", "-webkit-clip-path"), _clip),
    (("width", "height", "max-width", "max-height", "inline-size", "block-size"), _size),
    (("position", "left", "top", "right", "bottom", "inset"), _position),
    (("margin", "margin-left", "margin-top", "margin-inline-start"), _margin),
    (("text-indent",), _indent),
    (("letter-spacing",), _spacing),
    (("transform", "-webkit-transform", "translate", "scale"), _transform),
    (("zoom", "font-size-adjust"), _zoom),
)
