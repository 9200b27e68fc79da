"""What a walk may take of a page: all of it, or only the parts that were chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Protocol

from lxml import etree

# What may be taken of an element, as bits: what is inside it, its own text, the text behind it.
# The last two are what lxml calls `text` and `tail`. And whether there are elements in it.
INSIDE, TEXT, TAIL = 1, 2, 4
HOLDS = 8
# Children are asked for all at once, which is quicker than one by one; beyond this many it would
# take too much memory.
_MOST_AT_ONCE = 200

Element = etree._Element
# An element, what may be taken of it, its tag, the names of its attributes, and of its own text and
# the text behind it those that may be taken.
Child = tuple[Element, int, str, list[str], str | None, str | None]


class Parts(Protocol):
    """Tells which elements the walk comes to, and what it may take of each of them."""

    def among(self, elements: list[Element]) -> Iterable[tuple[Element, int]]:
        """Those of some elements that may be taken, each with what may be taken of it."""

    def children(self, element: Element) -> Iterable[Child]:
        """The children of an element that the walk goes on to; false where it has none."""


class AllParts:
    """Every element with all of its text."""

    def among(self, elements: list[Element]) -> Iterable[tuple[Element, int]]:
        # the text behind them is not theirs
        return zip(elements, repeat(INSIDE | TEXT), strict=False)

    def children(self, element: Element) -> Iterable[Child]:
        count = len(element)
        if not count:
            return ()
        if count > _MOST_AT_ONCE:
            return map(_take_whole, element)
        return list(map(_take_whole, element[:]))  # type: ignore[index]  # of the stubs


def _take_whole(element: Element) -> Child:
    """An element with all of its text."""
    return take_child(element, INSIDE | TEXT | TAIL)


def take_child(element: Element, parts: int) -> Child:
    """An element with what may be taken of it."""
    names: list[str] = element.keys()  # type: ignore[assignment]  # never bytes in HTML
    text = tail = None
    if len(element):
        parts |= HOLDS
    if parts & TEXT:
        text = element.text
    if parts & TAIL:
        tail = element.tail
    return element, parts, element.tag, names, text, tail


_ALL_PARTS = AllParts()


@dataclass(frozen=True, slots=True)
class WalkScope:
    """What a walk may take, and how it takes it. As it stands here: the whole page, as it is seen.

    `fallback_tags` are shown by browsers only without scripts or frames, but taken all the same.
    `heading_tags` become headings where their role says so. `counts_hidden_skipped` says that an
    element is counted as hidden even where its tag is never shown: its text was chosen, so it is
    missed. With `script_has_run`, what scripts use to show is taken as shown.
    """

    parts: Parts = _ALL_PARTS
    fallback_tags: frozenset[str] = frozenset()
    heading_tags: frozenset[str] = frozenset({"center", "div", "header", "p", "section"})
    counts_hidden_skipped: bool = False
    script_has_run: bool = False
