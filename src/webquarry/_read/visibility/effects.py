"""What an element declares -> the same without what has no effect on it: offsets of a box that is
not positioned, sizes of a piece of a line, anything about a box that there is none of.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from lxml import etree

from webquarry._read.css.declarations import Declarations
from webquarry._read.css.values.offsets import OFFSETS

_OF_BOXES = frozenset(
    {
        "width", "height", "max-width", "max-height", "min-width", "min-height", "inline-size",
        "block-size", "max-inline-size", "max-block-size", "overflow", "overflow-x", "overflow-y",
        "transform", "-webkit-transform", "translate", "scale", "rotate", "contain", "text-indent",
        "margin-top", "margin-block-start", "margin-block", "content-visibility", "offset",
        "offset-path", "flex", "flex-basis",
    }
)  # fmt: skip
# Without a box, all that is about one; what children inherit stays.
_WITHOUT_BOX = (
    OFFSETS
    | (_OF_BOXES - {"text-indent"})
    | {
        "opacity", "filter", "-webkit-filter", "-ms-filter", "clip", "clip-path",
        "-webkit-clip-path", "mask", "mask-image", "-webkit-mask", "-webkit-mask-image", "margin",
        "margin-left", "margin-inline-start", "margin-inline", "padding", "padding-left",
        "padding-inline-start", "padding-inline", "z-index", "position", "background",
        "background-color", "background-image", "mix-blend-mode", "zoom",
    }
)  # fmt: skip
_IN_LINES = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small
    span strike strong sub sup time tt u var
    """.split()  # noqa: SIM905
)
_LAYS_OUT = ("flex", "grid", "inline-flex", "inline-grid", "-webkit-box", "-webkit-flex")
_DEEPEST = 8  # elements without a box around each other
_UNPLACED = ("static", "initial", "unset", "revert")


class Effects:
    """Judges what works on the elements of one page. `find_layout` tells how an element is laid
    out, by all rules; `knows_all` says that no style sheet of the page is unknown.
    """

    def __init__(
        self, find_layout: Callable[[etree._Element], Declarations], *, knows_all: bool
    ) -> None:
        self._find_layout = find_layout
        self._knows_all = knows_all

    def keep_working(self, element: etree._Element, style: Declarations) -> Declarations:
        """The declarations that have an effect. Where an unknown sheet may give them one, they
        stay.
        """
        if style.get("display") == "contents":
            return _drop(style, _WITHOUT_BOX)
        position = style.get("position", "")
        if position in _UNPLACED or (not position and self._knows_all):
            style = _drop(style, OFFSETS | {"clip"})
        elif position in ("relative", "sticky"):
            style = _drop(style, frozenset({"clip"}))
        if not self._knows_all or position in ("absolute", "fixed"):
            return style
        is_part = self._is_part(element)
        if not is_part and _is_inline(element, style):
            return _drop(style, _OF_BOXES)
        if not is_part:
            return _drop(style, frozenset({"flex", "flex-basis"}))
        return style

    def _is_part(self, element: etree._Element) -> bool:
        """Whether the box around an element lays it out as a box, whatever it is."""
        for around in islice(element.iterancestors(), _DEEPEST):
            display = self._find_layout(around).get("display", "")
            if display != "contents":
                return display.startswith(_LAYS_OUT)
        return False


def _is_inline(element: etree._Element, style: Declarations) -> bool:
    """Whether an element is a piece of the line that it stands in."""
    if style.get("float", "none") != "none":
        return False
    display = style.get("display", "")
    if display in ("inline", "initial"):
        return element.tag not in ("img", "svg", "input", "button", "video", "iframe", "object")
    return not display and element.tag in _IN_LINES


def _drop(style: Declarations, names: frozenset[str]) -> Declarations:
    if names.isdisjoint(style):
        return style
    return {name: value for name, value in style.items() if name not in names}
