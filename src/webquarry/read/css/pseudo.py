"""Pseudo-classes of CSS that the tree alone decides: `:nth-child(2n+1)`, `:first-of-type`,
`:not(.a)`.

Those that depend on what a person does (`:hover`), and those with a list of their own inside, are
not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

_MOST_PARENTS = 256  # whose children's numbers are remembered
_FORMULA = re.compile(
    r"(?P<factor>[+-]?\d{0,6})n(?:\s*(?P<sign>[+-])\s*(?P<distance>\d{1,6}))?"
    r"|(?P<number>[+-]?\d{1,6})"
)
_NAMED_FORMULAS = {"odd": (2, 1), "even": (2, 0)}
# Whether only siblings of the same tag count, and whether they are counted from the end.
_ENDS = {
    "first-child": (False, False),
    "first-of-type": (True, False),
    "last-child": (False, True),
    "last-of-type": (True, True),
}
_COUNTED = {
    "nth-child": (False, False),
    "nth-of-type": (True, False),
    "nth-last-child": (False, True),
    "nth-last-of-type": (True, True),
}
_NO_NUMBER = {"": 1, "+": 1, "-": -1}  # what the sign alone before an n stands for


class ElementTest(Protocol):
    """Something that is asked about one element."""

    def matches(self, element: etree._Element) -> bool: ...


class SiblingPosition:
    """Which of the children of its parent an element is: every `step`-th, from `offset` on.

    Elements are asked about in the order of the page, so each is counted on from the one before it.
    """

    __slots__ = ("_counted", "_from_end", "_of_type", "_offset", "_step")

    def __init__(
        self, step: int, offset: int, of_type: bool = False, from_end: bool = False
    ) -> None:
        self._step = step
        self._offset = offset
        self._of_type = of_type  # only those with the same tag count
        self._from_end = from_end
        self._counted: dict[tuple[etree._Element, object], tuple[etree._Element, int, int]] = {}

    def matches(self, element: etree._Element) -> bool:
        beyond = self._find_position(element) - self._offset
        if self._step == 0:
            return beyond == 0
        steps, rest = divmod(beyond, self._step)
        return rest == 0 and steps >= 0

    def _find_position(self, element: etree._Element) -> int:
        """The number of an element, the first being 1."""
        parent = element.getparent()
        if parent is None:
            return 1
        tag = None
        if self._of_type:
            tag = element.tag
        known, known_before, size = self._counted.get((parent, tag), (None, 0, 0))
        before = 0
        for sibling in element.itersiblings(tag, preceding=True):
            if sibling is known:
                before += known_before + 1
                break
            before += 1
        if known is None and self._from_end:
            behind = sum(1 for _ in element.itersiblings(tag))
            size = before + 1 + behind
        if len(self._counted) >= _MOST_PARENTS:
            self._counted.clear()
        self._counted[parent, tag] = (element, before, size)
        if self._from_end:
            return size - before
        return before + 1


@dataclass(frozen=True, slots=True)
class Root:
    """The outermost element."""

    def matches(self, element: etree._Element) -> bool:
        return element.getparent() is None


@dataclass(frozen=True, slots=True)
class Negation:
    """What an element must not be."""

    refused: tuple[ElementTest, ...]

    def matches(self, element: etree._Element) -> bool:
        return not any(test.matches(element) for test in self.refused)


def parse_structural(name: str, argument: str) -> tuple[ElementTest, ...] | None:
    """What a pseudo-class without selectors in it asks, or None for one that is not understood."""
    if name in _ENDS:
        of_type, from_end = _ENDS[name]
        return (SiblingPosition(0, 1, of_type, from_end),)
    if name in ("only-child", "only-of-type"):
        of_type = name == "only-of-type"
        is_first = SiblingPosition(0, 1, of_type)
        is_last = SiblingPosition(0, 1, of_type, from_end=True)
        return is_first, is_last
    if name == "root":
        return (Root(),)
    if name not in _COUNTED:
        return None

    # `2n+1` has step and offset; a bare number has no step.
    formula = argument.strip()
    found = _FORMULA.fullmatch(formula)
    if formula in _NAMED_FORMULAS:
        step, offset = _NAMED_FORMULAS[formula]
    elif found is None:
        return None
    elif found["number"] is not None:
        step = 0
        offset = int(found["number"])
    else:
        factor, sign, distance = found.group("factor", "sign", "distance")
        step = _NO_NUMBER.get(factor) or int(factor)
        offset = 0
        if sign:
            offset = int(sign + distance)
    of_type, from_end = _COUNTED[name]
    return (SiblingPosition(step, offset, of_type, from_end),)
