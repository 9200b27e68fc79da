"""Elements anywhere on a page -> whether a person sees something of them, out of the turn of the
walk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice

from lxml import etree

from webquarry._read.text.characters import strip_invisible
from webquarry._read.visibility.computed import ComputedStyle

MOST_LOOKED_INTO = 30  # elements in the one that is asked about
_DEEPEST_ASKED = 12  # elements that are asked about because of each other
_PICTURES = frozenset({"img", "image", "svg", "input", "video", "canvas"})

_NEVER_PAINTED = frozenset(
    """
    noscript noframes noembed template script style head title iframe object video audio canvas
    datalist textarea desc metadata defs symbol
    """.split()  # noqa: SIM905
)

Element = etree._Element
_Judge = Callable[[Element, Sequence[str], ComputedStyle], str | ComputedStyle]


class StyleLookup:
    """The styles of elements that were asked about. `judge` tells why nothing of an element is
    seen, given the style of its parent, or its own style.
    """

    def __init__(self, judge: _Judge, first: ComputedStyle) -> None:
        self._judge = judge
        self._first = first
        self._known: dict[Element, ComputedStyle | None] = {}  # None for what is not seen
        self._asked = 0

    def is_seen(self, element: Element) -> bool:
        """Whether some text or a picture in an element is painted."""
        if self._asked >= _DEEPEST_ASKED:
            return False
        self._asked += 1
        try:
            return self._shows_something(element)
        finally:
            self._asked -= 1

    def _shows_something(self, element: Element) -> bool:
        for inner in islice(element.iter(etree.Element), MOST_LOOKED_INTO):
            is_picture = inner.tag in _PICTURES and _holds_picture(inner)
            if (is_picture or _has_letters(inner.text)) and self.is_painted(inner):
                return True
            if inner is not element and _has_letters(inner.tail):
                around = inner.getparent()
                if around is not None and self.is_painted(around):
                    return True
        return False

    def is_painted(self, element: Element) -> bool:
        """Whether text right in an element is seen."""
        style = self._find_style(element)
        return style is not None and style.reason is None

    def _find_style(self, element: Element) -> ComputedStyle | None:
        """The style of an element, None for one that is not seen. While an element is being asked
        about, it counts as not seen: no panel is opened by what lies in it.
        """
        known = self._known
        chain: list[Element] = []
        node: Element | None = element
        while node is not None and node not in known:
            chain.append(node)
            node = node.getparent()
        style: ComputedStyle | None = self._first
        if node is not None:
            style = known[node]
        for node in reversed(chain):
            known[node] = None
            if style is None or (node.tag in _NEVER_PAINTED and node.tag not in _PICTURES):
                style = None
                continue
            names: list[str] = node.keys()  # type: ignore[assignment]  # never bytes in HTML
            verdict = self._judge(node, names, style)
            style = None
            if not isinstance(verdict, str):
                style = known[node] = verdict
        return style


def _has_letters(text: str | None) -> bool:
    """Whether a text holds anything that is painted."""
    return bool(text) and bool(strip_invisible(text or "", Counter()).strip())


def _holds_picture(element: Element) -> bool:
    """Whether a picture or a field has something to show."""
    if element.tag == "input":
        return (element.get("type") or "").lower() != "hidden"
    for name in ("width", "height"):
        if (element.get(name) or "").strip().removesuffix("px") in ("0", "1", "2"):
            return False
    if element.tag == "svg":
        return len(element) > 0
    return bool(element.get("src") or element.get("alt"))
