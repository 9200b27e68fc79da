"""Rules about parts of elements, such as `::after` -> declarations of the element itself, under
names of their own: `::after position`.

Only parts that may lie over the text of their element count, and the colour of a first line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from webquarry._read.css.declarations import Declarations, parse_body
from webquarry._read.css.nesting import RawRule
from webquarry._read.css.rules import RuleText
from webquarry._read.css.scan import split_list
from webquarry._read.visibility.covers import covers_box

_PART = re.compile(r"::?(before|after|first-line)\s*+$", re.IGNORECASE)
_COLON = ord(":")
_MARKS = (b":before", b":after", b":first-line")
_OF_COVERS = frozenset({"before", "after"})


def is_about_part(rule: RawRule) -> bool:
    """Whether the selectors of a rule hold one of these parts."""
    if _COLON not in rule.selectors:
        return False
    selectors = rule.selectors.lower()
    for mark in _MARKS:  # noqa: SIM110 - a generator takes longer
        if selectors.find(mark) >= 0:
            return True
    return False


def makes_cover(body: str) -> bool:
    """Whether a rule about `::before` or `::after` may lay it over all of its element."""
    ordinary, important = parse_body(body)
    return covers_box({**ordinary, **important})


def list_part_rules(
    rules: Sequence[RuleText], *, with_covers: bool
) -> Iterator[tuple[RuleText, Declarations, Declarations]]:
    """Rules about parts -> rules about their elements, one for each selector, and what they declare
    under names of their own, ordinary and important.
    """
    for rule in rules:
        ordinary, important = parse_body(rule.body)
        for text in split_list(rule.selectors):
            split = _split_part(text)
            if split is None:
                continue
            selector, part = split
            if part != "first-line" and not with_covers:
                continue
            own = _name_declarations(part, ordinary)
            heavy = _name_declarations(part, important)
            if own or heavy:
                yield rule._replace(selectors=selector), own, heavy


def _split_part(text: str) -> tuple[str, str] | None:
    """A selector -> that of the element, and the name of the part; None where it names none."""
    found = _PART.search(text)
    if found is None:
        return None
    before = text[: found.start()]
    if not before or before[-1].isspace() or before[-1] in ">+~":
        before += "*"
    return before, found[1].lower()


def _name_declarations(part: str, declared: Declarations) -> Declarations:
    """What is declared of a part, under the names that its element has it by."""
    named: Declarations = {}
    for name, value in declared.items():
        if part in _OF_COVERS or name == "color":
            named[f"::{part} {name}"] = value
    return named
