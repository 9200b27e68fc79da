"""The conditions of `@supports` and `@container` -> when the rules behind them apply.

Where more would have to be known than a sheet says, a rule is `UNSURE`: it may hide something, and
shows nothing.
"""

from __future__ import annotations

import re

from webquarry._read.css.media import ALWAYS, NEVER, SOMETIMES, UNSURE
from webquarry._read.css.scan import find_closing
from webquarry._read.css.selectors.parser import InvalidSelector, SelectorParser, UndecidedSelector
from webquarry._read.css.validity import is_valid

_OPPOSITE = {ALWAYS: NEVER, NEVER: ALWAYS, UNSURE: UNSURE, SOMETIMES: SOMETIMES}
_WORD = re.compile(r"\s*+(not|and|or)?+\s*+((?:[\w-]++)?)\(", re.IGNORECASE)
_DEEPEST = 8
_SIZE = re.compile(
    r"\(\s*(?:(min|max)-(?:width|inline-size)\s*:|(?:width|inline-size)\s*([<>])=?)\s*"
    r"([\d.]{1,9})(px|em|rem)?\s*\)"
)
# pixels; boxes that hold text are between
_SMALL, _LARGE = 320.0, 2560.0
_TOO_SMALL, _TOO_LARGE = 50.0, 8000.0  # no box is


def judge_supports(query: str, depth: int = 0) -> int:
    """When a browser of today supports all that a condition names."""
    results: list[int] = []
    joined_by = "and"
    negated = False
    place = 0
    query = query.strip()
    while place < len(query):
        found = _WORD.match(query, place)
        if found is None or depth > _DEEPEST:
            return UNSURE
        end = find_closing(query, found.end())
        if end < 0:
            return UNSURE
        word = (found[1] or "").lower()
        function = found[2].lower()
        if function == "not":  # written without a blank
            word, function = "not", ""
        if word == "not":
            negated = True
        elif word:
            joined_by = word
        inside = query[found.end() : end]
        results.append(_judge_support(function, inside, depth))
        place = end + 1
    if not results:
        return UNSURE
    if negated:
        return _OPPOSITE[results[0]]
    if joined_by == "or":
        return min(results)
    return max(results)


def _judge_support(function: str, inside: str, depth: int) -> int:
    """One condition in brackets: a declaration, a selector, or further conditions."""
    if function == "selector":
        try:
            SelectorParser().parse_list(inside)
        except (InvalidSelector, UndecidedSelector):
            return NEVER
        return ALWAYS
    if function:
        return UNSURE
    name, colon, value = inside.partition(":")
    name = name.strip().lower()
    if not colon or name.startswith(("(", "not")):
        return judge_supports(inside, depth + 1)
    if name.startswith("--"):
        return ALWAYS
    is_known = is_valid(name, value.strip().lower())
    if is_known is None:
        return UNSURE
    if is_known:
        return ALWAYS
    return NEVER


def judge_container(query: str) -> int:
    """When the box around an element is as a condition says. Nearly all boxes are of more than a
    few pixels; what else it asks is not known.
    """
    sizes = _SIZE.findall(query)
    if len(sizes) != 1 or " or " in query or "not" in query or "style(" in query:
        return UNSURE
    bound, sign, number, unit = sizes[0]
    try:
        limit = float(number) * (16 if unit.endswith("em") else 1)
    except ValueError:
        return UNSURE
    if bound == "min" or sign == ">":
        if limit <= _SMALL:
            return UNSURE  # true wherever there is a container
        if limit > _TOO_LARGE:
            return NEVER
        return SOMETIMES
    if limit >= _LARGE:
        return UNSURE
    if limit < _TOO_SMALL:
        return NEVER
    return SOMETIMES
