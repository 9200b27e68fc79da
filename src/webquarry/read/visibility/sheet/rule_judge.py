"""The body of a rule -> whether it matters: it hides something on one page, or may do so together
with other rules there.
"""

from __future__ import annotations

import re

from webquarry.read.css.colours import alike, parse_colour
from webquarry.read.css.declarations import Declarations, first_value
from webquarry.read.css.selectors.matching import SelectorContext
from webquarry.read.css.values.offsets import find_shift
from webquarry.read.css.variables import has_calls
from webquarry.read.visibility.sheet.page_variables import PageVariables
from webquarry.read.visibility.sheet.suspicion import (
    FAINT_COLOUR,
    PAINTED,
    hides_with_others,
)

_FLATTENING = frozenset(
    {
        "grid-template-rows", "grid-template-columns", "grid-template", "line-height", "overflow",
        "overflow-x", "overflow-y", "min-height",
    }
)  # fmt: skip
# An animation that is paused, or takes minutes.
_NEVER_GOES_ON = re.compile(r"paused|\d{3}s|\d{6}ms")
_PAINTED_OR_MIXED = PAINTED | {"filter", "mix-blend-mode"}


class RuleJudge:
    """Judges the rules of one page. With `colours`, those that merely paint something matter too.

    `has_flat_boxes` says that some rule may make rows or lines without height, `has_covers` that a
    part of some element, such as `::after`, may lie over it.
    """

    def __init__(
        self, context: SelectorContext, variables: PageVariables, *, colours: bool
    ) -> None:
        self._context = context
        self._variables = variables
        self._colours = colours
        self.has_flat_boxes = False
        self.has_covers = False

    def matters(self, body: str, ordinary: Declarations, important: Declarations) -> bool:
        """Whether the body of a rule matters, which declares something, ordinary and important."""
        style = ordinary
        if important:
            style = ordinary | important
        if self._colours and not _PAINTED_OR_MIXED.isdisjoint(style):
            return True
        if hides_with_others(body):
            return True
        if self.has_flat_boxes and not _FLATTENING.isdisjoint(style):
            return True
        if self.has_covers and "position" in style:
            return True
        if not self._context.has_script and find_shift(style) is not None:
            return True
        if has_calls(body) and self._variables.may_make(body):
            return True
        if "animation" in body and _NEVER_GOES_ON.search(body):
            return True
        return not self._colours and _paints_alike(style)


def _paints_alike(style: Declarations) -> bool:
    """Whether text has no colour, or that of its own background: on a page that links to sheets
    which are not read, only what one rule says of both counts.
    """
    colour = parse_colour(style.get("color", ""))
    if colour is None:
        return False
    if colour.alpha < FAINT_COLOUR:
        return True
    ground = parse_colour(first_value(style, "background-color", "background"))
    return ground is not None and alike(colour, ground)
