"""Visibility of text by the computed styles and layout boxes of a browser.

A transparent, clipped or moved box hides everything inside. Other properties, which descendants can
override, are checked for each text: its box, its `visibility` and its colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._read.style.colours import WHITE, Colour, alike, lay_over, parse_colour
from webquarry._read.style.judge import FAINT, find_reason

# Computed styles to request from the browser, in the order of its reply.
STYLES = (
    "display", "visibility", "opacity", "color", "background-color", "background-image",
    "font-size", "overflow-x", "overflow-y", "clip", "clip-path", "position", "filter",
    "mask-image", "-webkit-text-fill-color", "content-visibility", "white-space",
)  # fmt: skip
_MAX_CLIPPED = 1.0  # pixels of a clipped box that shows nothing
_MAX_UNREADABLE = 2.0  # pixels of a text in one direction
_MIN_TEXT = 3  # characters; a shorter text can be a mark
_MAX_X = 8_000.0  # pixels
_CLIPS = frozenset({"hidden", "clip"})
_OUT_OF_FLOW = frozenset({"absolute", "fixed"})
_HIDING = ("filter", "clip", "clip-path", "mask-image", "position", "background-color")
_MAX_OVERLAP_CHECKS = 200  # texts with the colour of their background

Bounds = Sequence[float]  # x, y, width, height
Styles = dict[str, str]


@dataclass(frozen=True)
class Inherited:
    """Visibility that a node inherits from the boxes around it."""

    opacity: float = 1.0
    is_hidden: bool = False
    background: Colour = WHITE
    has_image: bool = False  # behind the text, so the colour of the background is unknown
    is_visible: bool = True  # by `visibility`
    is_readable: bool = True  # the colour of the text differs from its background


class VisibleBoxes:
    """Decides which boxes of one document are visible."""

    def __init__(self, painted: Sequence[tuple[int, Bounds]], parents: Sequence[int]) -> None:
        self._painted = painted  # nodes and boxes with an image or a background
        self._parents = parents
        self._overlap_checks = 0

    def enter(
        self, outer: Inherited, styles: Styles, bounds: Bounds, *, is_root: bool
    ) -> Inherited:
        """Return what the children of a box inherit."""
        opacity = outer.opacity * _parse_number(styles.get("opacity", ""), 1.0)
        background, has_image = outer.background, outer.has_image
        own = parse_colour(styles.get("background-color", ""))
        if own is not None and own.alpha > 0:
            background = lay_over(own, background)
            has_image = has_image and own.alpha < 1
        if styles.get("background-image", "none") != "none":
            has_image = True
        is_hidden = outer.is_hidden or opacity < FAINT
        return Inherited(
            opacity=opacity,
            is_hidden=is_hidden or (not is_root and _hides_content(styles, bounds)),
            background=background,
            has_image=has_image,
            is_visible=styles.get("visibility", "visible") == "visible",
            is_readable=has_image or _is_readable(styles, background),
        )

    def shows_text(self, outer: Inherited, bounds: Bounds, node: int, length: int) -> bool:
        """Return whether a text node of some length with a layout box is visible."""
        if outer.is_hidden or not outer.is_visible:
            return False
        x, y, width, height = bounds
        is_unreadable = length >= _MIN_TEXT and min(width, height) <= _MAX_UNREADABLE
        if is_unreadable or min(width, height) <= 0:
            return False
        if x + width <= 0 or y + height <= 0 or x >= _MAX_X:
            return False
        return outer.is_readable or self._overlaps_other_box(bounds, node)

    def _overlaps_other_box(self, bounds: Bounds, node: int) -> bool:
        """Return whether a painted box that is not an ancestor is behind a text, such as an image
        behind white text.
        """
        self._overlap_checks += 1
        if self._overlap_checks > _MAX_OVERLAP_CHECKS:
            return False
        x, y, width, height = bounds
        middle_x, middle_y = x + width / 2, y + height / 2
        ancestors: set[int] = set()
        while node >= 0:
            ancestors.add(node)
            node = self._parents[node]
        return any(
            left <= middle_x <= left + wide and top <= middle_y <= top + high
            for other, (left, top, wide, high) in self._painted
            if other not in ancestors
        )


def _hides_content(styles: Styles, bounds: Bounds) -> bool:
    """Return whether a box hides everything inside."""
    hiding = {name: styles[name] for name in _HIDING if styles.get(name, "none") != "none"}
    if styles.get("position") not in _OUT_OF_FLOW or hiding.get("clip") == "auto":
        hiding.pop("clip", None)  # without effect
    if hiding and find_reason(hiding) is not None:
        return True
    _, _, width, height = bounds
    is_narrow = width <= _MAX_CLIPPED and styles.get("overflow-x") in _CLIPS
    is_flat = height <= _MAX_CLIPPED and styles.get("overflow-y") in _CLIPS
    return is_narrow or is_flat


def _is_readable(styles: Styles, background: Colour) -> bool:
    """Return whether the colour of text in a box differs from its background."""
    value = styles.get("-webkit-text-fill-color") or styles.get("color", "")
    colour = parse_colour(value)
    if colour is None:
        return True
    return colour.alpha >= FAINT and not alike(lay_over(colour, background), background)


def _parse_number(text: str, default: float) -> float:
    try:
        return float(text)
    except ValueError:
        return default
