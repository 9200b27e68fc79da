"""What an element declares together with what it is and what is around it -> why it is not seen,
or None.
"""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from webquarry.read.css.declarations import Declarations, first_value, parse_length
from webquarry.read.visibility.computed import ComputedStyle
from webquarry.read.visibility.concealment import (
    CLIPPED,
    NO_SIZE,
    OFF_SCREEN,
    TRANSPARENT,
    has_height,
    is_cut_off,
)

_MOST_BLUR = 12.0  # pixels; letters of ordinary size are a smear then
_PICTURES = ("img", "picture", "video")  # they are often blurred until they are there
_NO_ROWS = ("0fr", "0px", "0 ")


class Surroundings:
    """The boxes of one page that hide what is in them if that declares something, too. They are
    asked about on the way down the tree.
    """

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._roots = roots
        self._collapsed: set[etree._Element] = set()  # grids whose rows have no height
        self._empty_clips: set[str] | None = None

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
        if rows.startswith(_NO_ROWS) or rows == "0":
            self._collapsed.add(element)
        if (parent.flat_lines or self._collapsed) and self._has_no_height(
            element, declarations, parent
        ):
            return NO_SIZE
        return None

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


def _is_smeared(element: etree._Element, declarations: Declarations) -> bool:
    """Whether letters are blurred until nobody can read them."""
    blur = parse_length(declarations["filter"].partition("blur(")[2])
    return blur is not None and blur > _MOST_BLUR and element.tag not in _PICTURES
