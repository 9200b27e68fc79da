"""What a page hides only until its own scripts have run, which is before anybody looks at it.

Three kinds: parts that React sends late and moves into place, boxes that fade in where they stand,
and a page that hides itself as a whole so that nobody sees it half built. A parser that never found
the end of a menu makes a fourth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml import etree

from webquarry.read.css.declarations import Declarations, first_value, parse_lengths
from webquarry.read.html.tree import length_outside

_LATE_PART = re.compile(r"S:[0-9a-f]{1,4}")
_PLACE = re.compile(r"[BP]:[0-9a-f]{1,4}")
_SMALL_SHIFT = 250.0  # pixels
_TRANSLATION = re.compile(r"translate\w*\(([^()]*)\)")
_MOVES = re.compile(r"translate|matrix\(1|scale\w*\(\s*(?:0?\.[5-9]|1)")
_NOT_TEXT = frozenset({"script", "style", "noscript", "template", "title"})
_CONTENT_TAGS = ("h1", "main", "article")  # what a box must hold to be the page
_MOST_ASKED = 5  # times that the text of an element is measured
_MOST_OF_IT = 0.6
_OF_MAIN = 0.25  # of the text; menus can be longer than what they lead to


class Revealed:
    """The late parts and the text of one page, looked up when something hidden asks for them."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._roots = roots
        self._length: int | None = None
        self._asked = 0
        self._has_places: bool | None = None

    def is_late_part(self, element: etree._Element) -> bool:
        """Whether React's script will move this element to the place that is kept for it."""
        if _LATE_PART.fullmatch(element.get("id") or "") is None:
            return False
        if self._has_places is None:
            self._has_places = self._find_places()
        return self._has_places

    def _find_places(self) -> bool:
        """Whether the page keeps a place for late parts."""
        for root in self._roots:
            for template in root.iter("template"):
                if _PLACE.fullmatch(template.get("id") or ""):
                    return True
        return False

    def is_the_page(self, element: etree._Element) -> bool:
        """Whether an element holds nearly everything there is: a heading or the like, and most of
        the text. Measured a few times only, because it takes a walk over the page.
        """
        if self._asked >= _MOST_ASKED:
            return False
        if next(element.iter(*_CONTENT_TAGS), None) is None:
            return False
        self._asked += 1
        if self._length is None:
            self._length = sum(length_outside(root, _NOT_TEXT) for root in self._roots)
        share = _MOST_OF_IT
        if element.tag == "main":
            share = _OF_MAIN
        return length_outside(element, _NOT_TEXT) >= share * self._length


def fades_in(style: Declarations) -> bool:
    """Whether a transparent box is about to appear: it is moved a little, and will come to rest."""
    transform = first_value(style, "transform", "-webkit-transform")
    if not transform or not _MOVES.search(transform):
        return False
    for arguments in _TRANSLATION.findall(transform):
        for shift in parse_lengths(arguments):
            if abs(shift) > _SMALL_SHIFT:
                return False
    return True
