"""Declarations -> what follows from them, worked out once: most elements of a page declare what
others have declared before.
"""

from __future__ import annotations

from lxml import etree

from webquarry.read.css.declarations import Declarations
from webquarry.read.visibility.computed import ComputedStyle
from webquarry.read.visibility.concealment import reason_to_skip

_COLOURED_BY_ATTRIBUTES = frozenset({"font", "body"})


class StyleMemory:
    """What the declarations of one page came to."""

    def __init__(self) -> None:
        self._computed: dict[tuple[object, ...], tuple[ComputedStyle, ComputedStyle]] = {}
        self._reasons: dict[tuple[tuple[str, str], ...], str | None] = {}

    def find_reason(self, declarations: Declarations) -> str | None:
        """What `reason_to_skip` says."""
        key = tuple(declarations.items())
        if key not in self._reasons:
            self._reasons[key] = reason_to_skip(declarations)
        return self._reasons[key]

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
        is_by_tag = tag not in _COLOURED_BY_ATTRIBUTES and element.get("bgcolor") is None
        key = (id(parent), tag, is_painted_elsewhere, root_size, *declarations.items())
        if is_by_tag and key in self._computed:
            return self._computed[key][1]
        style = parent.compute_child(
            element, declarations, root_size=root_size, is_painted_elsewhere=is_painted_elsewhere
        )
        if is_by_tag:
            self._computed[key] = (
                parent,
                style,
            )  # the parent is kept, so that its id stays its own
        return style
