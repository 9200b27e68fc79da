"""The styles and boxes that a browser computed -> what of its tree a person can see.

A box hides all that is in it (`hides_all`): transparent, clipped to nothing, moved away. What its
children can undo is asked of each text: whether it has a box, its visibility and its colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webquarry._read.style.colours import WHITE, Colour, alike, lay_over, parse_colour
from webquarry._read.style.judge import FAINT, find_reason

_SLIVER = 1.0  # pixels; what is not larger shows nothing
_TINY = 2.0  # pixels of a text in one direction; nobody can read it
_SHORT = 3  # characters; fewer may be a mark
_FAR_RIGHT = 8_000.0  # pixels; nobody scrolls there
_CLIPS = frozenset({"hidden", "clip"})
_AWAY = frozenset({"absolute", "fixed"})
_JUDGED = ("filter", "clip", "clip-path", "mask-image", "position", "background-color")
_MOST_COVERED = 200  # texts of the colour of their ground that are looked at closely

Bounds = Sequence[float]  # x, y, width, height
Styles = dict[str, str]


@dataclass(frozen=True)
class InheritedLook:
    """What a node inherits of the boxes around it."""

    opacity: float = 1.0
    is_hidden: bool = False
    ground: Colour = WHITE
    has_picture: bool = False  # some picture is behind the text, so its ground is not known
    is_visible: bool = True  # by `visibility`
    is_readable: bool = True  # its text has another colour than its ground


class ShownParts:
    """Judges the boxes of one document."""

    def __init__(self, painted: Sequence[tuple[int, Bounds]], parents: Sequence[int]) -> None:
        self._painted = painted  # boxes with a picture or a ground of their own, by their node
        self._parents = parents
        self._checked = 0

    def enter(
        self, around: InheritedLook, styles: Styles, bounds: Bounds, *, is_root: bool
    ) -> InheritedLook:
        """What the children of a box inherit of it."""
        opacity = around.opacity * _read_number(styles.get("opacity", ""), 1.0)
        ground, has_picture = around.ground, around.has_picture
        own = parse_colour(styles.get("background-color", ""))
        if own is not None and own.alpha > 0:
            ground = lay_over(own, ground)
            has_picture = has_picture and own.alpha < 1
        if styles.get("background-image", "none") != "none":
            has_picture = True
        hides = around.is_hidden or opacity < FAINT
        if not hides and not is_root:
            hides = _hides_all(styles, bounds)
        return replace(
            around,
            opacity=opacity,
            is_hidden=hides,
            ground=ground,
            has_picture=has_picture,
            is_visible=styles.get("visibility", "visible") == "visible",
            is_readable=has_picture or _is_readable(styles, ground),
        )

    def shows_text(self, around: InheritedLook, bounds: Bounds, node: int, length: int) -> bool:
        """Whether a text of such a length, the node of that number with such a box, can be
        seen.
        """
        if around.is_hidden or not around.is_visible:
            return False
        x, y, width, height = bounds
        if min(width, height) <= 0 or (length >= _SHORT and min(width, height) <= _TINY):
            return False
        if x + width <= 0 or y + height <= 0 or x >= _FAR_RIGHT:
            return False
        if around.is_readable:
            return True
        return self._is_on_another_box(bounds, node)

    def _is_on_another_box(self, bounds: Bounds, node: int) -> bool:
        """Whether a box that is not around a text lies where the text is, and gives it its ground:
        white text on a picture that stands beside it in the tree.
        """
        self._checked += 1
        if self._checked > _MOST_COVERED:
            return False
        x, y, width, height = bounds
        middle_x, middle_y = x + width / 2, y + height / 2
        around: set[int] = set()
        while node >= 0:
            around.add(node)
            node = self._parents[node]
        for other, (left, top, wide, high) in self._painted:
            is_there = left <= middle_x <= left + wide and top <= middle_y <= top + high
            if is_there and other not in around:
                return True
        return False


def _hides_all(styles: Styles, bounds: Bounds) -> bool:
    """Whether nothing of a box can be seen, whatever is in it."""
    judged = {name: styles[name] for name in _JUDGED if styles.get(name, "none") != "none"}
    if styles.get("position") not in _AWAY:
        judged.pop("clip", None)  # it has no effect on others
    if judged.get("clip") == "auto":
        del judged["clip"]
    if len(judged) > 0 and find_reason(judged) is not None:
        return True
    _, _, width, height = bounds
    is_narrow = width <= _SLIVER and styles.get("overflow-x") in _CLIPS
    is_flat = height <= _SLIVER and styles.get("overflow-y") in _CLIPS
    return is_narrow or is_flat


def _is_readable(styles: Styles, ground: Colour) -> bool:
    """Whether text in such a box has another colour than what is behind it."""
    value = styles.get("-webkit-text-fill-color") or styles.get("color", "")
    colour = parse_colour(value)
    if colour is None:
        return True
    if colour.alpha < FAINT:
        return False
    return not alike(lay_over(colour, ground), ground)


def _read_number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise
