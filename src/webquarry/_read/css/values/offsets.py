"""What a box declares -> where that takes it: its offsets, its transformations and its margins."""

from __future__ import annotations

from typing import NamedTuple

from webquarry._read.css.declarations import Declarations, first_value, parse_length
from webquarry._read.css.values.numbers import split_top
from webquarry._read.css.values.transforms import Placement, place_box

_PERCENT, _VIEW = 12.0, 25.6  # pixels that one per cent and a hundredth of the window count for
_NO_PLACE = Placement()
# What moves a box that has a position.
OFFSETS = frozenset(
    {
        "left", "right", "top", "bottom", "inset", "inset-inline", "inset-block",
        "inset-inline-start", "inset-inline-end", "inset-block-start", "inset-block-end",
    }
)  # fmt: skip


def find_sides(style: Declarations) -> list[str]:
    """What is declared of top, right, bottom and left, by any of their names."""
    inset = split_top(style.get("inset", ""), " ")
    block = split_top(style.get("inset-block", ""), " ")
    inline = split_top(style.get("inset-inline", ""), " ")
    if 0 < len(inset) < 3:
        inset = (inset * 4)[:4]
    elif inset:
        inset = (inset + inset[1:2])[:4]
    else:
        inset = [""] * 4
    top, right, bottom, left = inset
    if block:
        top, bottom = block[0], block[-1]
    if inline:
        left, right = inline[0], inline[-1]
    return [
        first_value(style, "top", "inset-block-start") or top,
        first_value(style, "right", "inset-inline-end") or right,
        first_value(style, "bottom", "inset-block-end") or bottom,
        first_value(style, "left", "inset-inline-start") or left,
    ]


def find_placement(style: Declarations) -> Placement:
    """Where its transformations take a box."""
    transform = first_value(style, "transform", "-webkit-transform")
    translate, scale = style.get("translate", ""), style.get("scale", "")
    rotate = style.get("rotate", "")
    if not transform and not translate and not scale and not rotate:
        return _NO_PLACE
    return place_box(transform, translate, rotate, scale, style.get("transform-origin", ""))


class Shift(NamedTuple):
    """How far a box is moved from its place, in pixels; all of its own size counts for 1,200."""

    right: float
    down: float


_SHIFTING = frozenset(
    {
        "transform", "-webkit-transform", "translate", "top", "left", "right", "bottom", "inset",
        "margin", "margin-top", "margin-left", "margin-block-start", "margin-inline-start",
    }
)  # fmt: skip
_NUDGE = 20.0  # pixels


def find_shift(style: Declarations) -> Shift | None:
    """Where transformations, margins and a position take a box, None where it stays about where it
    is.
    """
    if _SHIFTING.isdisjoint(style):
        return None
    place = find_placement(style)
    right, down = place.right, place.down
    if style.get("position") in ("relative", "absolute"):
        top, to_right, bottom, left = (_parse_shift(side) for side in find_sides(style))
        right += left or -to_right
        down += top or -bottom
    margins = split_top(style.get("margin", ""), " ")
    beside = first_value(style, "margin-left", "margin-inline-start")
    right += _parse_shift(beside or "".join(margins[3:4] or margins[1:2] or margins[:1]))
    above = first_value(style, "margin-top", "margin-block-start")
    down += _parse_shift(above or "".join(margins[:1]))
    if max(abs(right), abs(down)) < _NUDGE:
        return None
    return Shift(right, down)


def _parse_shift(value: str) -> float:
    return parse_length(value, percent=_PERCENT, view=_VIEW) or 0.0
