"""What an element declares together with what it is and what is around it -> why it is not seen,
or None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from lxml import etree

from webquarry._read.css.declarations import (
    Declarations,
    first_value,
    parse_declarations,
    parse_length,
)
from webquarry._read.css.values.numbers import find_closing, split_top
from webquarry._read.css.values.offsets import Shift, find_shift
from webquarry._read.visibility.computed import ComputedStyle
from webquarry._read.visibility.concealment import (
    CLIPPED,
    NO_SIZE,
    OFF_SCREEN,
    TRANSPARENT,
    has_height,
    is_cut_off,
)
from webquarry._read.visibility.covers import is_opaque

_MOST_BLUR = 12.0  # pixels; letters of ordinary size are a smear then
_PICTURES = ("img", "picture", "video")  # they are often blurred until they are there
_LINE_NAMES = re.compile(r"\[[^\]]*\]")
_MOST_TRACKS = 40
_NEAR = 3  # boxes around one that may cut it off
_WHOLE = 1200.0  # pixels that all of its own width or height counts for
_MOVES_LATER = (b":hover", b":focus", b"keyframes", b":checked", b":target")

_LEAST_COVER = 16.0  # pixels
# What an element must declare so that it is hidden by what is around it, but for boxes that are
# known to be narrow or flat.
HIDING_WITH_OTHERS = frozenset(
    {
        "z-index", "filter", "clip-path", "-webkit-clip-path", "grid-template-rows",
        "grid-template-columns", "grid-template",
    }
)  # fmt: skip


class Surroundings:
    """The boxes of one page that hide what is in them if that declares something, too. They are
    asked about on the way down the tree.
    """

    def __init__(
        self,
        roots: Sequence[etree._Element],
        find_layout: Callable[[etree._Element], Declarations],
        css: bytes = b"",
        pulled: Sequence[etree._Element] = (),
        has_scripts: Callable[[], bool] | None = None,
    ) -> None:
        """`find_layout` tells how an element is laid out; `pulled` are the empty boxes that a
        margin may lay over others; `has_scripts` tells whether a script may move something into
        sight later.
        """
        self._roots = roots
        self._find_layout = find_layout
        self._has_scripts = has_scripts
        self._css = css
        self._is_still: bool | None = None  # nothing is moved into sight later
        self.covered = set(_find_covered(pulled))  # by what is pulled over them
        self._narrow: set[etree._Element] = set()  # what stands in columns without width
        self._collapsed: set[etree._Element] = set()  # grids whose rows have no height
        self._empty_clips: set[str] | None = None

    def may_hide(self, parent: ComputedStyle) -> bool:
        """Whether elements in a box of this style may be hidden that declare none of
        `HIDING_WITH_OTHERS`.
        """
        if self._is_page_still() or self._collapsed or self._narrow:
            return True
        return parent.flat_lines

    def judge(
        self, element: etree._Element, declarations: Declarations, parent: ComputedStyle
    ) -> str | None:
        """Why an element is not seen, given the style of its parent."""
        is_moved = declarations.get("position") == "relative"
        if parent.boxed and is_moved and (parse_length(declarations.get("z-index", "")) or 0) < 0:
            return OFF_SCREEN
        if "blur(" in declarations.get("filter", "") and _is_smeared(element, declarations):
            return TRANSPARENT
        path = first_value(declarations, "clip-path", "-webkit-clip-path")
        if "url(" in path and self._is_clipped_to_nothing(path):
            return CLIPPED
        rows = first_value(declarations, "grid-template-rows", "grid-template")
        if any(map(_is_empty_track, _split_tracks(rows.partition("/")[0])[:1])):
            self._collapsed.add(element)
        self._note_columns(element, declarations)
        if element in self._narrow and is_cut_off(declarations):
            return NO_SIZE
        if self._is_page_still() and self._is_moved_out(element, declarations):
            return OFF_SCREEN
        if (parent.flat_lines or self._collapsed) and self._has_no_height(
            element, declarations, parent
        ):
            return NO_SIZE
        return None

    def _is_page_still(self) -> bool:
        """Whether neither a script nor a state of the page moves something."""
        if self._is_still is None:
            self._is_still = False
            if self._has_scripts is not None and not any(map(self._css.__contains__, _MOVES_LATER)):
                self._is_still = not self._has_scripts()
        return self._is_still

    def _has_no_height(
        self, element: etree._Element, declarations: Declarations, parent: ComputedStyle
    ) -> bool:
        """Whether a row or lines without height leave nothing of an element."""
        is_cut = is_cut_off(declarations)
        may_be_nothing = is_cut or parse_length(declarations.get("min-height", "")) == 0
        if may_be_nothing and element.getparent() in self._collapsed:
            return True
        is_flat = parent.flat_lines and "line-height" not in declarations
        return is_cut and is_flat and not has_height(declarations)

    def _note_columns(self, element: etree._Element, declarations: Declarations) -> None:
        """Remember the children of a grid that stand in columns without width."""
        columns = first_value(declarations, "grid-template-columns", "grid-template")
        if "/" in columns:
            columns = columns.rpartition("/")[2]
        elif "grid-template-columns" not in declarations:
            return
        if "repeat" in columns:
            return
        empty = [_is_empty_track(track) for track in _split_tracks(columns)]
        if not any(empty):
            return
        children = [child for child in element if isinstance(child.tag, str)]
        for place, child in enumerate(children):
            if empty[place % len(empty)]:
                self._narrow.add(child)

    def _is_moved_out(self, element: etree._Element, declarations: Declarations) -> bool:
        """Whether an element is moved out of a box that cuts off what sticks out of it."""
        shift = find_shift(declarations)
        if shift is None:
            return False
        for around in islice(element.iterancestors(), _NEAR):
            layout = self._find_layout(around)
            if is_cut_off(layout):
                return _leaves_box(element, shift, layout)
        return False

    def _is_clipped_to_nothing(self, path: str) -> bool:
        """Whether the shape that a box is cut out with holds nothing."""
        if self._empty_clips is None:
            self._empty_clips = set()
            for root in self._roots:
                for clip in root.iter("clippath"):
                    if not len(clip):
                        self._empty_clips.add((clip.get("id") or "").lower())
        name = path.partition("#")[2].partition(")")[0]
        return name.strip("\"'") in self._empty_clips


def _find_covered(boxes: Sequence[etree._Element]) -> Iterator[etree._Element]:
    """The elements that an empty box which follows them is pulled over by its margin."""
    for box in boxes:
        below = box.getprevious()
        if below is None or not isinstance(below.tag, str):
            continue
        ordinary, important = parse_declarations(box.get("style") or "")
        style = {**ordinary, **important}
        margins = split_top(style.get("margin", ""), " ")
        pull = -(parse_length(style.get("margin-top") or "".join(margins[:1])) or 0.0)
        height = parse_length(style.get("height", "")) or 0.0
        own = parse_declarations(below.get("style") or "")[0]
        room = parse_length(own.get("height", "")) or pull
        is_high = pull >= max(room, _LEAST_COVER) and height >= room
        if is_high and style.get("position") in ("relative", "absolute") and is_opaque(style):
            yield below


def _leaves_box(element: etree._Element, shift: Shift, layout: Declarations) -> bool:
    """Whether a shift takes an element out of a box that is laid out like this."""
    width = parse_length(layout.get("width", ""), percent=_WHOLE / 100)
    if abs(shift.right) >= min(width or _WHOLE, _WHOLE):
        return True
    height = parse_length(first_value(layout, "height", "max-height"), percent=_WHOLE / 100)
    if height is not None:
        return abs(shift.down) >= min(height, _WHOLE)
    around = element.getparent()
    return abs(shift.down) >= _WHOLE and around is not None and len(around) == 1


def _split_tracks(value: str) -> list[str]:
    """Split a list of grid rows or columns, without the names of grid lines."""
    return split_top(_LINE_NAMES.sub(" ", value), " ")[:_MOST_TRACKS]


def _is_empty_track(track: str) -> bool:
    """Whether a grid row or column has no size of its own."""
    return parse_length(track.replace("fr", "px")) == 0


def _is_smeared(element: etree._Element, declarations: Declarations) -> bool:
    """Whether letters are blurred until nobody can read them."""
    filters = declarations["filter"]
    start = filters.index("blur(") + len("blur(")
    blur = parse_length(filters[start : find_closing(filters, start)])
    return blur is not None and blur > _MOST_BLUR and element.tag not in _PICTURES
