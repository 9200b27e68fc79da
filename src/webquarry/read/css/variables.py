"""Custom properties of CSS: declarations that use them in, the same with their values out, where
that can hide text.

A value counts if the page's own sheets give the property that one value everywhere; else nobody
knows it without all of the cascade, and the declaration stays as it is.
"""

from __future__ import annotations

import re

# Values of other properties are left alone: nearly every rule of some pages has one, and none of
# them hides a box.
_DECIDES = re.compile(r"(?:display|visibility|opacity)\s*:\s*var\([^;]*", re.IGNORECASE)
_USED = re.compile(r"var\(\s*(--[\w-]{1,100})\s*(?:,\s*([^(),]{0,100}))?\)", re.IGNORECASE)
_VALUE = re.compile(rb"\s*:\s*([^;{}!]{0,100})")
_DEEPEST = 4  # variables whose values are variables
_MOST_PLACES = 200  # at which a property is looked at


def may_decide(body: str) -> bool:
    """Whether a variable in a body that is in lower case, without blanks around colons, can hide
    something.
    """
    return "display:var(" in body or "visibility:var(" in body or "opacity:var(" in body


class Variables:
    """The custom properties of a page, looked up one by one."""

    def __init__(self, css: bytes) -> None:
        self._css = css
        self._lowered: bytes | None = None
        self._known: dict[str, str | None] = {}

    def resolve(self, declarations: str) -> str:
        """Declarations with the values of the variables that decide whether something is seen."""
        return _DECIDES.sub(self._resolve_declaration, declarations)

    def _resolve_declaration(self, found: re.Match[str]) -> str:
        declaration = found[0]
        for _ in range(_DEEPEST):
            before = declaration
            declaration = _USED.sub(self._find_value, before)
            if declaration == before:
                break
        return declaration

    def _find_value(self, used: re.Match[str]) -> str:
        """The value of a variable, else its fallback, else the `var()` as it stands."""
        name = used[1].lower()
        if name not in self._known:
            values = self._collect_values(name)
            if len(values) == 1:
                self._known[name] = values.pop()
            elif values:
                self._known[name] = ""
            else:
                self._known[name] = None
        value = self._known[name]
        if value is None:
            value = (used[2] or "").strip()
        return value or used[0]

    def _collect_values(self, name: str) -> set[str]:
        """Every value that the sheets give to a property, in lower case.

        A place at which it is only used, `var(--name)`, has no colon behind it.
        """
        if self._lowered is None:
            self._lowered = self._css.lower()
        css = self._lowered
        sought = name.encode(errors="replace")
        values: set[str] = set()
        end = 0
        for _ in range(_MOST_PLACES):
            place = css.find(sought, end)
            if place < 0:
                break
            end = place + len(sought)
            value = _VALUE.match(css, end)
            if value:
                values.add(value[1].decode(errors="replace").strip())
        return values
