"""Declarations -> what follows from them, worked out once: most elements of a page declare what
others have declared before.
"""

from __future__ import annotations

from lxml import etree

from webquarry._read.css.declarations import Declarations
from webquarry._read.css.selectors.attributes import find_value
from webquarry._read.visibility.computed import ComputedStyle
from webquarry._read.visibility.concealment import reason_to_skip
from webquarry._read.visibility.surroundings import HIDING_WITH_OTHERS

_COLOURED_BY_ATTRIBUTES = frozenset({"font", "body"})
_SHRINKING = frozenset({"transform", "-webkit-transform", "scale", "translate"})


class KnownStyle:
    """Declarations, and what they came to. They may not be changed."""

    def __init__(self, declarations: Declarations) -> None:
        self.declarations = declarations
        self.reason = reason_to_skip(declarations)  # why they hide an element by themselves
        self.is_shrinking = not _SHRINKING.isdisjoint(declarations)
        # whether the element may be hidden by what is around it
        self.depends_on_boxes = not HIDING_WITH_OTHERS.isdisjoint(declarations)
        # by what else decides the style of an element; the style of its parent is kept with it, so
        # that its identity stays its own
        self.computed: dict[tuple[int, str, bool, float], tuple[ComputedStyle, ComputedStyle]] = {}


class StyleMemory:
    """What the declarations of one page came to."""

    def __init__(self) -> None:
        # by identity, which is told at once; the declarations are kept, so that it stays theirs
        self._same: dict[int, tuple[Declarations, KnownStyle]] = {}
        self._alike: dict[tuple[tuple[str, str], ...], KnownStyle] = {}

    def find(self, declarations: Declarations) -> KnownStyle:
        """What is known of declarations."""
        same = self._same.get(id(declarations))
        if same is not None:
            return same[1]
        key = tuple(declarations.items())
        known = self._alike.get(key)
        if known is None:
            known = self._alike[key] = KnownStyle(declarations)
        self._same[id(declarations)] = (declarations, known)
        return known

    def compute_child(
        self,
        element: etree._Element,
        declarations: Declarations,
        parent: ComputedStyle,
        root_size: float,
        is_painted_elsewhere: bool,
    ) -> ComputedStyle:
        """What `ComputedStyle.compute_child` gives, for all elements of a tag that declare the same
        in the same style.
        """
        tag = element.tag
        if tag in _COLOURED_BY_ATTRIBUTES or find_value(element, "bgcolor") is not None:
            return parent.compute_child(
                element,
                declarations,
                root_size=root_size,
                is_painted_elsewhere=is_painted_elsewhere,
            )
        computed = self.find(declarations).computed
        key = (id(parent), tag, is_painted_elsewhere, root_size)
        known = computed.get(key)
        if known is None:
            style = parent.compute_child(
                element,
                declarations,
                root_size=root_size,
                is_painted_elsewhere=is_painted_elsewhere,
            )
            if style == parent:
                style = parent  # whoever compares them is told at once
            known = computed[key] = (parent, style)
        return known[1]
