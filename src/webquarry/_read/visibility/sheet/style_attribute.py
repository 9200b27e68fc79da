"""Parsed style attributes, shared by all elements with the same text."""

from __future__ import annotations

from webquarry._read.css.declarations import Declarations, parse_declarations
from webquarry._read.css.variables import has_calls


class StyleAttribute:
    """The declarations of one style attribute. Must not be changed."""

    def __init__(self, text: str) -> None:
        self.declared = parse_declarations(text)  # ordinary and important
        ordinary, important = self.declared
        self.both: Declarations = ordinary
        if important:
            self.both = {**ordinary, **important}
        # some value depends on the element, by a variable or an attribute
        self.has_calls = any(map(has_calls, self.both.values()))
