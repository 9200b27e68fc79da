"""Custom properties of CSS: declarations that use them in, the same with their values out.

An element has the variables that rules and its style attribute give it, and those of the elements
around it. Each value is worked out once, whatever it is made of; one that needs itself is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lxml import etree

from webquarry._read.css.declarations import Declarations
from webquarry._read.css.scan import find_closing
from webquarry._read.css.values.functions import Find, choose_branch, read_attribute

_Element = etree._Element
_START = re.compile(r"var\(\s*+(--[\w\u0080-\U0010ffff-]++)\s*+", re.IGNORECASE)
_ASKED = re.compile(r"style\(\s*+(--[\w\u0080-\U0010ffff-]++)", re.IGNORECASE)
_OTHER = re.compile(r"(?<![\w-])(attr|if)\(", re.IGNORECASE)
_DEFINITION = re.compile(r"(?<![\w(,-])(--[\w\u0080-\U0010ffff-]++)\s*+:([^;]*+)")
_IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)
_PROPERTY = re.compile(rb"@property\s+(--[\w-]+)\s*\{([^{}]*)\}", re.IGNORECASE)
_INITIAL = re.compile(rb"initial-value\s*:([^;}]*)", re.IGNORECASE)
_LONGEST = 1_000  # characters of a value with all that it stands for
_DEEPEST = 24  # fallbacks in fallbacks
Definitions = dict[str, str]


try:
    from webquarry._read.css._rule_text import find_plain_definitions
except ImportError:  # not built

    def find_plain_definitions(body: str) -> tuple[Definitions, Definitions] | None:
        """None, as for declarations that need a closer look."""


def find_definitions(body: str) -> tuple[Definitions, Definitions]:
    """The variables that declarations set, the ordinary and the important ones."""
    plain = find_plain_definitions(body)
    if plain is None:
        plain = search_definitions(body)
    return plain


def search_definitions(body: str) -> tuple[Definitions, Definitions]:
    """The same, whatever is in the declarations."""
    ordinary: Definitions = {}
    important: Definitions = {}
    for name, value in _DEFINITION.findall(body):
        mark = None
        if "!" in value:
            mark = _IMPORTANT.search(value)
        if mark is None:
            ordinary[name] = value.strip()
        else:
            important[name] = value[: mark.start()].strip()
    return ordinary, important


def find_registered(css: bytes) -> Definitions:
    """The variables that have a value where nobody gives them one, by `@property`."""
    registered: Definitions = {}
    if css.find(b"@property") < 0:
        return registered
    for name, body in _PROPERTY.findall(css):
        initial = _INITIAL.search(body)
        if initial is not None:
            registered[name.decode(errors="replace")] = initial[1].decode(errors="replace").strip()
    return registered


def find_used(text: str) -> list[str]:
    """The variables that a value uses, also those in fallbacks."""
    used = _START.findall(text)
    if "style(" in text:
        used += _ASKED.findall(text)
    return used


def has_calls(text: str) -> bool:
    """Whether a value stands for another one, which depends on the element."""
    return "var(" in text or "attr(" in text or "if(" in text


def substitute(text: str, find: Callable[[str], str | None], depth: int = 0) -> str | None:
    """A value with those of its variables; None where one has none and no fallback."""
    pieces: list[str] = []
    place = length = 0
    while (found := _START.search(text, place)) is not None:
        opening = text.index("(", found.start()) + 1
        end = find_closing(text, opening)
        if end < 0:
            end = len(text)
        value = find(found[1])
        if value is None:
            fallback = text[found.end() : end]
            if not fallback.startswith(",") or depth >= _DEEPEST:
                return None
            value = substitute(fallback[1:].strip(), find, depth + 1)
            if value is None:
                return None
        pieces += [text[place : found.start()], value]
        length += len(value) + found.start() - place
        if length > _LONGEST:
            return None
        place = end + 1
    pieces.append(text[place:])
    return "".join(pieces).strip()


def _resolve_others(text: str, find: Find, find_attribute: Find, depth: int = 0) -> str | None:
    """A value with what its `attr()` and `if()` come to; None where one comes to nothing."""
    pieces: list[str] = []
    place = 0
    while (found := _OTHER.search(text, place)) is not None:
        end = find_closing(text, found.end())
        if end < 0:
            end = len(text)
        inside = text[found.end() : end]
        value = None
        if depth >= _DEEPEST:
            return None
        if found[1].lower() == "if":
            value = choose_branch(inside, find)
        else:
            value = read_attribute(inside, find_attribute)
        if value is not None:
            value = _resolve_others(value, find, find_attribute, depth + 1)
        if value is None:
            return None
        pieces += [text[place : found.start()], value]
        place = end + 1
    pieces.append(text[place:])
    return "".join(pieces)


class VariableScope:
    """The variables of one element, and those around it. What is worked out is counted by `spend`;
    when that says no, nothing has a value any more.
    """

    def __init__(
        self, own: Mapping[str, str], around: VariableScope | None, spend: Callable[[int], bool]
    ) -> None:
        self._own = own
        self._around = around
        self._spend = spend
        self._known: dict[str, str | None] = {}

    def find(self, name: str) -> str | None:
        """The value of a variable with all that it stands for, or None."""
        missing: list[VariableScope] = []
        scope: VariableScope | None = self
        value: str | None = None
        while scope is not None:
            if name in scope._known:
                value = scope._known[name]
                break
            if name in scope._own:
                scope._work_out(name)
                value = scope._known[name]
                break
            missing.append(scope)
            scope = scope._around
        for inner in missing:
            inner._known[name] = value
        return value

    def _work_out(self, name: str) -> None:
        """Find the values of a variable and of all that it needs here, innermost first."""
        waiting = [name]
        under_way: set[str] = set()
        circular: set[str] = set()
        while waiting:
            current = waiting[-1]
            if current in self._known:
                waiting.pop()
                continue
            needed = [one for one in find_used(self._own[current]) if one in self._own]
            open_ones = [one for one in needed if one not in self._known]
            if current in under_way:  # what it needs is known, or needs it in turn
                waiting.pop()
                self._known[current] = None
                is_circular = current in circular or bool(open_ones)
                if not is_circular and self._spend(1):
                    self._known[current] = self._compute(current)
                continue
            under_way.add(current)
            for one in open_ones:
                if one in under_way:
                    circular.update((one, current))
                else:
                    waiting.append(one)

    def _compute(self, name: str) -> str | None:
        """The value of a variable whose own needs are known."""
        value = self._own[name]
        if value.lower() == "initial":
            return None
        if value.lower() in ("inherit", "unset", "revert", "revert-layer"):
            return self._around.find(name) if self._around is not None else None

        def find(used: str) -> str | None:
            if used in self._own:
                return self._known[used]
            return self._around.find(used) if self._around is not None else None

        return substitute(value, find)


def resolve_style(style: Declarations, find: Find, find_attribute: Find) -> Declarations:
    """A style with the values of variables and attributes; a declaration whose variable has none
    counts for nothing.
    """
    resolved: Declarations = {}
    for name, value in style.items():
        if not has_calls(value):
            resolved[name] = value
            continue
        filled: str | None = _resolve_others(value, find, find_attribute)
        if filled is not None:
            filled = substitute(filled, find)
        if filled:
            resolved[name] = " ".join(filled.lower().split())
    return resolved
