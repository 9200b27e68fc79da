"""The declared style of one element, or an attribute -> why a person cannot see it, or None.

Only what hides a box with everything in it is judged here. What children can undo (visibility, text
size, colour) is followed down the tree in `computed.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache

from webquarry._read.css.declarations import Declarations, first_value, parse_length
from webquarry._read.css.values.numbers import find_closing, split_top
from webquarry._read.css.values.offsets import OFFSETS, find_placement, find_sides
from webquarry._read.visibility.shapes import (
    is_cancelled_mask,
    is_empty_clip,
    is_empty_mask,
    leads_away,
)

DISPLAY = "display none"
TRANSPARENT = "transparent"
NO_SIZE = "no size"
CLIPPED = "clipped"
OFF_SCREEN = "off screen"
HIDDEN = "hidden attribute"
ARIA = "aria-hidden"
CLOSED = "closed dialog"
NAVIGATION = "navigation"

FAINT = 0.1  # opacity; below it nothing can be read
_SLIVER = 1.0  # pixels; what is not larger shows no text
_CUT_SLIVER = 3.0  # the same, of a box that cuts off what sticks out
_READABLE = 20.0  # pixels of text around a box, a line of it at least
_FOOTHOLD = 4.0  # pixels of padding in which text can be read
_AWAY = 500.0  # pixels beyond the edge; a page's own nudges are smaller
_FAR = 3000.0  # pixels; tracks of slides are moved by less
_BELOW = 20000.0  # pixels from the top; a long page places nothing by hand so far down
_WIDEST, _HIGHEST = 2560.0, 1500.0  # pixels of a window
_CRAMPED = -20.0  # pixels between letters; the text runs back over itself and out of sight
_CRAMPED_WORDS = -100.0  # and between words
_ORDINARY_TEXT = 16.0  # pixels
_CRAMPED_PART = -0.7  # of the size of the text, between letters
_BEHIND = -100
_SMALLEST_SCALE = 0.02
_SMALLEST_ZOOM = 0.05
_FLAT = 0.05  # a filter with a lower factor makes one colour of everything
_FILTER = re.compile(r"(opacity|brightness|contrast)\s*\(")
_FLAT_LINE = re.compile(r"/\s*0(?:px|em|%)?(?=\s)")


_Check = Callable[[Declarations], str | None]
_CHECKS: list[_Check] = []
_CHECKS_BY_NAME: dict[str, list[int]] = defaultdict(list)  # the numbers of those that look at it


def reason_to_skip(style: Declarations) -> str | None:
    """The declared style of an element -> why nothing of the element is seen, or None."""
    numbers: set[int] = set()
    for name in style:
        if name in _CHECKS_BY_NAME:
            numbers.update(_CHECKS_BY_NAME[name])
    for number in sorted(numbers):
        reason = _CHECKS[number](style)
        if reason:
            return reason
    return None


def _looks_at(*names: str) -> Callable[[_Check], _Check]:
    """Makes a function a check of the style of every element that declares one of these."""

    def register(check: _Check) -> _Check:
        for name in names:
            _CHECKS_BY_NAME[name].append(len(_CHECKS))
        _CHECKS.append(check)
        return check

    return register


@_looks_at("display", "content-visibility", "content")
def _check_display(style: Declarations) -> str | None:
    """Not displayed at all, or a picture in its place."""
    if style.get("display") == "none":
        return DISPLAY
    if style.get("content-visibility") == "hidden":
        return DISPLAY
    if style.get("content", "").startswith(("url(", "linear-gradient(", "image-set(")):
        return DISPLAY
    return None


@_looks_at("opacity", "filter", "-ms-filter", "-webkit-filter")
def _check_opacity(style: Declarations) -> str | None:
    """Transparent, by `opacity` or by a filter, or made one colour with what is behind it."""
    if "opacity" in style:
        value = parse_length(style["opacity"], percent=0.01)
        if value is not None and value < FAINT:
            return TRANSPARENT
    filters = first_value(style, "filter", "-webkit-filter", "-ms-filter")
    filters = filters.replace("opacity=", "opacity(")  # alpha(opacity=0)
    for found in _FILTER.finditer(filters):
        name, start = found[1], found.end()
        value = parse_length(filters[start : find_closing(filters, start)], percent=0.01)
        if value is None:
            continue
        if name == "opacity" and value > 1:  # old filters count to a hundred
            value /= 100
        if name == "opacity" and value < FAINT:
            return TRANSPARENT
        if name in ("brightness", "contrast") and value < _FLAT and _has_ground(style):
            return TRANSPARENT
    return None


def _has_ground(style: Declarations) -> bool:
    """Whether a box has a background of its own."""
    value = first_value(style, "background-color", "background-image", "background")
    return value not in ("", "none", "transparent", "inherit", "initial", "unset")


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
    if is_empty_clip(style.get("clip", "")) or is_empty_clip(path):
        return CLIPPED
    return None


@_looks_at("mask", "mask-image", "-webkit-mask", "-webkit-mask-image")
def _check_mask(style: Declarations) -> str | None:
    """Behind a mask that lets nothing through."""
    image = first_value(style, "mask-image", "-webkit-mask-image", "mask", "-webkit-mask")
    behind = image.rpartition(")")[2]
    size = first_value(style, "mask-size", "-webkit-mask-size") or behind.partition("/")[2]
    place = first_value(style, "mask-position", "-webkit-mask-position")
    repeat = first_value(style, "mask-repeat", "-webkit-mask-repeat")
    if is_empty_mask(image, size, place or behind.partition("/")[0], repeat or behind):
        return CLIPPED
    composite = first_value(style, "mask-composite", "-webkit-mask-composite")
    if is_cancelled_mask(image, composite or image):
        return CLIPPED
    return None


@_looks_at(
    "width", "height", "max-width", "max-height", "inline-size", "block-size", "max-block-size",
    "max-inline-size",
)  # fmt: skip
def _check_size(style: Declarations) -> str | None:
    """Too small to show text, and nothing may stick out."""
    if "%" in first_value(style, "padding-bottom", "padding-top", "padding"):
        return None  # a frame of fixed proportions: what it holds is laid over the padding
    is_padded = _has_foothold(style)
    if not is_padded and parse_length(style.get("max-height", "")) == 0:
        return NO_SIZE
    is_cut = is_cut_off(style)
    sliver = _CUT_SLIVER if is_cut else _SLIVER
    no_width = False
    if _is_sliver(style, sliver, "width", "inline-size"):
        no_width = not _has_minimum(style, "min-width", "min-inline-size")
    no_height = False
    if not is_padded and _is_sliver(style, sliver, *_HEIGHTS):
        no_height = not _has_minimum(style, "min-height", "min-block-size")
    # alone, a known trick to shorten the text of a table cell
    is_narrow = no_width or _is_sliver(style, sliver, "max-width", "max-inline-size")
    if is_narrow and no_height:
        return NO_SIZE
    if is_cut and (no_width or no_height):
        return NO_SIZE
    return None


_HEIGHTS = ("height", "max-height", "block-size", "max-block-size")


def is_cut_off(style: Declarations) -> bool:
    """Whether what sticks out of a box is not shown."""
    for name in ("overflow", "overflow-x", "overflow-y"):
        value = style.get(name, "visible")
        if value == "clip" and _has_clip_margin(style):
            continue
        if value not in ("visible", "initial", "unset", "inherit"):
            return True
    return "paint" in style.get("contain", "")


def _has_clip_margin(style: Declarations) -> bool:
    """Whether text is seen around a box that cuts off what is further out."""
    for word in style.get("overflow-clip-margin", "").split():
        if (parse_length(word) or 0.0) >= _READABLE:
            return True
    return False


def _has_foothold(style: Declarations) -> bool:
    """Whether text can be read in the padding of a box that is nothing but padding: it begins below
    that at the top, so that only the one at the foot counts.
    """
    sides = split_top(style.get("padding", ""), " ")
    value = style.get("padding-bottom") or "".join(sides[2:3] or sides[:1])
    padding = parse_length(value)
    return padding is not None and padding >= _FOOTHOLD


def _is_sliver(style: Declarations, most: float, *names: str) -> bool:
    """Whether one of these properties makes a box too small to show text."""
    for name in names:
        if name in style:
            size = parse_length(style[name], percent=10)
            if size is not None and size <= most:
                return True
    return False


def _has_minimum(style: Declarations, *names: str) -> bool:
    """Whether a box is kept large enough to show text."""
    size = parse_length(first_value(style, *names), percent=10)
    if size is None:
        return False
    return size > _CUT_SLIVER


def has_height(style: Declarations) -> bool:
    """Whether a box is given a height by more than what it holds."""
    if _has_foothold(style) or "aspect-ratio" in style:
        return True
    for name in ("height", "min-height", "block-size", "min-block-size"):
        size = parse_length(style.get(name, ""), percent=10)
        if size is not None and size > _CUT_SLIVER:
            return True
    return False


@_looks_at("flex", "flex-basis")
def _check_flex(style: Declarations) -> str | None:
    """A part of a row that is given no room and does not grow."""
    words = split_top(style.get("flex", ""), " ")
    basis = first_value(style, "flex-basis")
    if not basis and len(words) >= 2:
        basis = words[-1] if len(words) == 3 or not words[1].isdigit() else "0"
    elif not basis and words and words[0].isdigit():
        basis = "0"
    grow = parse_length(style.get("flex-grow", "") or "".join(words[:1]))
    if grow or parse_length(basis, percent=10) != 0 or not is_cut_off(style):
        return None
    if _has_minimum(style, "min-width", "min-inline-size") or _has_minimum(style, "min-height"):
        return None
    return NO_SIZE


@_looks_at("contain")
def _check_containment(style: Declarations) -> str | None:
    """As large as if there were nothing in it, and cut off."""
    words = style["contain"].split()
    is_sized = "strict" in words or "size" in words or "block-size" in words
    if not is_sized or "contain-intrinsic-size" in style or has_height(style):
        return None
    if "strict" in words or "paint" in words or "content" in words or is_cut_off(style):
        return NO_SIZE
    return None


@_looks_at("line-height", "font")
def _check_line_height(style: Declarations) -> str | None:
    """Lines without height in a box that cuts them off."""
    if has_flat_lines(style) and is_cut_off(style) and not has_height(style):
        return NO_SIZE
    room = parse_length(first_value(style, "height", "max-height"))
    if room is None or "line-height" not in style or not is_cut_off(style):
        return None
    line = _parse_line(style)
    # the text of a line stands in its middle, which may lie below the box
    if line is not None and (line - _find_size(style)) / 2 >= max(room, _SLIVER):
        return NO_SIZE
    return None


def _find_size(style: Declarations) -> float:
    """The size of the text of a box in pixels, as far as its own style tells."""
    return parse_length(style.get("font-size", "")) or _ORDINARY_TEXT


def _parse_line(style: Declarations) -> float | None:
    """The height of a line in pixels."""
    value = style["line-height"]
    size = _find_size(style)
    height = parse_length(value, percent=size / 100, em=size)
    if height is not None and value[-1:].isdigit():  # so many times the size of the text
        height *= size
    return height


def has_flat_lines(style: Declarations) -> bool:
    """Whether the lines of a box have no height by its own style."""
    if "line-height" in style:
        height = parse_length(style["line-height"], percent=0.16)
        if height is None:
            return False
        if style["line-height"][-1:].isdigit():  # so many times the size of the text
            height *= 16
        return height <= _SLIVER
    return _FLAT_LINE.search(style.get("font", "")) is not None


@_looks_at(
    "position", "left", "top", "right", "bottom", "inset", "inset-inline", "inset-block",
    "inset-inline-start", "inset-inline-end", "inset-block-start", "inset-block-end",
)  # fmt: skip
def _check_position(style: Declarations) -> str | None:
    """Moved beyond the edges of the page, or far behind it."""
    position = style.get("position", "")
    if position == "static":
        return None
    if not OFFSETS.isdisjoint(style) and _is_moved_away(position, find_sides(style)):
        return OFF_SCREEN
    layer = parse_length(style.get("z-index", ""))
    if position and layer is not None and layer <= _BEHIND:
        return OFF_SCREEN
    return None


def _is_moved_away(position: str, sides: list[str]) -> bool:
    """Whether its offsets take a box of some position beyond the edges of the page."""
    away = _AWAY
    if not position:
        away = _FAR  # a class may well give the position
    if min(map(_parse_offset, sides)) <= -away:
        return True
    if position in ("absolute", "relative"):
        return _is_far_in(sides)
    return position == "fixed" and _is_out_of_window(sides)


def _is_far_in(sides: list[str]) -> bool:
    """Whether a box is pushed away from a side until it leaves the page at the other one."""
    top, right, bottom, left = (
        parse_length(side, percent=_FAR / 250, view=_WIDEST / 100) or 0.0 for side in sides
    )
    return left >= _FAR or right >= _FAR or bottom >= _FAR or top >= _BELOW


def _is_out_of_window(sides: list[str]) -> bool:
    """The same for a box that stays where it is in the window, so that nobody scrolls to it."""
    top, right, bottom, left = sides
    for side in (left, right):
        if (parse_length(side, percent=_WIDEST / 100, view=_WIDEST / 100) or 0.0) >= _WIDEST:
            return True
    for side in (top, bottom):
        if (parse_length(side, percent=_HIGHEST / 100, view=_HIGHEST / 100) or 0.0) >= _HIGHEST:
            return True
    return False


_PUSHING = (
    "margin", "margin-left", "margin-top", "margin-inline-start", "margin-inline", "margin-block",
    "margin-block-start", "padding", "padding-left", "padding-inline-start", "padding-inline",
)  # fmt: skip


@_looks_at(*_PUSHING, "margin-right")
def _check_margin(style: Declarations) -> str | None:
    """Pulled away by a negative margin, or pushed out by a large one or by a padding."""
    if _is_pushed_away(*[style.get(name, "") for name in _PUSHING]):
        return OFF_SCREEN
    if style.get("float") in ("right", "inline-end"):
        parts = split_top(style.get("margin", ""), " ")
        right = style.get("margin-right") or "".join(parts[1:2] or parts[:1])
        if (parse_length(right, percent=0) or 0.0) <= -_AWAY:
            return OFF_SCREEN
    return None


@lru_cache(2048)  # pages say the same of many elements
def _is_pushed_away(*values: str) -> bool:
    """Whether margins and paddings, in the order of their names, take a box out of sight."""
    style = dict(zip(_PUSHING, values, strict=True))
    parts = split_top(style["margin"], " ")
    tops = [*parts[:1], *split_top(style["margin-block"], " ")[:1]]
    tops += [style["margin-top"], style["margin-block-start"]]
    lefts = [*(parts[3:4] or parts[1:2] or parts[:1])]
    lefts += split_top(style["margin-inline"], " ")[:1]
    lefts += [style["margin-left"], style["margin-inline-start"]]
    paddings = split_top(style["padding"], " ")
    room = [*(paddings[3:4] or paddings[1:2] or paddings[:1])]
    room += split_top(style["padding-inline"], " ")[:1]
    room += [style["padding-left"], style["padding-inline-start"]]
    padding = max(map(_parse_push, room))
    # a ground that reaches to both edges of the window is made of both, one against the other
    left = min(map(_parse_offset, lefts)) + padding
    if left <= -_AWAY or min(map(_parse_offset, tops)) <= -_AWAY:
        return True
    right = max(map(_parse_push, lefts)) + padding + min(map(_parse_offset, lefts))
    return right >= _FAR


def _parse_offset(value: str) -> float:
    """Pixels; the whole width of the page counts as far enough to be away."""
    offset = parse_length(value, percent=_AWAY / 100, view=_AWAY / 100)
    return offset or 0.0


def _parse_push(value: str) -> float:
    """Pixels to the right, nothing for those to the left."""
    return max(parse_length(value, percent=_FAR / 250, view=_WIDEST / 100) or 0.0, 0.0)


@_looks_at("text-indent")
def _check_indent(style: Declarations) -> str | None:
    """Its text is moved away, as for images in place of headings."""
    indent = _parse_offset(style["text-indent"])
    if abs(indent) >= _AWAY:
        return OFF_SCREEN
    return None


@_looks_at("letter-spacing", "word-spacing")
def _check_spacing(style: Declarations) -> str | None:
    """Its letters or words run back over each other."""
    spacing = style.get("letter-spacing", "")
    if _parse_offset(spacing) <= _CRAMPED:
        return OFF_SCREEN
    if spacing.endswith("em") or "font-size" in style:
        size = _find_size(style)
        if (parse_length(spacing, em=size) or 0.0) <= _CRAMPED_PART * size:
            return OFF_SCREEN
    if _parse_offset(style.get("word-spacing", "")) <= _CRAMPED_WORDS:
        return OFF_SCREEN
    return None


@_looks_at("offset", "offset-path")
def _check_path(style: Declarations) -> str | None:
    """Placed on a path that lies off the page."""
    path = first_value(style, "offset-path", "offset")
    distance = style.get("offset-distance") or path.rpartition(")")[2]
    if leads_away(path, distance):
        return OFF_SCREEN
    return None


@_looks_at("transform", "-webkit-transform", "translate", "scale", "rotate")
def _check_transform(style: Declarations) -> str | None:
    """Shrunk to nothing, moved far away, or seen from the edge or from behind."""
    place = find_placement(style)
    if min(place.width, place.height) < _SMALLEST_SCALE:
        return NO_SIZE
    if abs(place.right) >= _FAR or abs(place.down) >= _FAR:
        return OFF_SCREEN
    if place.turned_away and style.get("backface-visibility") == "hidden":
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


def judge_attribute(name: str, value: str) -> str | None:
    """Why an attribute with this value, in lower case, hides its element, or None."""
    if name == "hidden":
        return HIDDEN
    if name == "aria-hidden" and value == "true":
        return ARIA
    if name == "role" and value == "navigation":
        return NAVIGATION
    if name == "popover":
        return CLOSED
    return None
