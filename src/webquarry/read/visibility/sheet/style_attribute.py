"""The text of a style attribute -> what it declares, read once for all elements that have the
same.
"""

from __future__ import annotations

from webquarry.read.css.declarations import Declarations, parse_declarations
from webquarry.read.css.variables import has_calls
from webquarry.read.visibility.sheet.suspicion import is_suspicious


class StyleAttribute:
    """What one style attribute declares. Not to be changed."""

    def __init__(self, text: str) -> None:
        self.declared = parse_declarations(text)  # ordinary and important
        ordinary, important = self.declared
        self.both: Declarations = ordinary  # what counts of it
        if important:
            self.both = {**ordinary, **important}
        # some value depends on the element, by a variable or an attribute
        self.has_calls = has_calls(text.lower())
        self._is_suspicious: bool | None = None

    def is_suspicious(self) -> bool:
        """Whether it may hide an element, so that rules which say otherwise, or more, are to be
        asked.
        """
        if self._is_suspicious is None:
            self._is_suspicious = is_suspicious(self.both)
        return self._is_suspicious
