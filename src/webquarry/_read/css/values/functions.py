"""Functions that stand for a value: `env()`, `attr()` and `if()` in, what they come to out."""

from __future__ import annotations

import re
from collections.abc import Callable

from webquarry._read.css.values.numbers import find_closing, split_top

_ENV = re.compile(r"(?<![\w-])env\(\s*+([\w-]++)[\s\d]*+", re.IGNORECASE)
_KNOWN = ("safe-area-", "keyboard-inset-", "titlebar-area-", "viewport-segment-")
_DEEPEST = 24  # fallbacks in fallbacks
_LONGEST = 2_000  # characters of a fallback
_ATTRIBUTE = re.compile(r"([\w:-]++)\s*+(type\([^()]*+\)|[\w%-]++)?+\s*+")
_STYLE = re.compile(r"style\(\s*+(--[\w\u0080-\U0010ffff-]++)\s*+(?::([^()]*+))?+\)")
_UNITS = frozenset({"px", "em", "rem", "%", "vw", "vh", "deg", "pt", "ch", "cm", "in", "turn"})
_NOTHING = "\0"  # no value of any property

Find = Callable[[str], str | None]


def resolve_env(text: str, depth: int = 0) -> str:
    """A text with what the `env()` in it come to: nothing is known of any device, so that names of
    edges are nothing wide and all others are their fallbacks.
    """
    pieces: list[str] = []
    place = 0
    while (found := _ENV.search(text, place)) is not None:
        end = find_closing(text, found.end())
        pieces.append(text[place : found.start()])
        pieces.append(_find_env(found[1].lower(), text[found.end() : end], depth))
        place = end + 1
    pieces.append(text[place:])
    return "".join(pieces)


def _find_env(name: str, rest: str, depth: int) -> str:
    if name.startswith(_KNOWN):
        return "0px"
    _, comma, fallback = rest.partition(",")
    if not comma or depth >= _DEEPEST or len(fallback) > _LONGEST:
        return _NOTHING
    return resolve_env(fallback.strip(), depth + 1)


def read_attribute(inside: str, find: Find) -> str | None:
    """What stands in the brackets of `attr()` -> the value of the attribute, or the fallback.
    `find` tells the attributes of the element.
    """
    found = _ATTRIBUTE.match(inside)
    if found is None:
        return None
    value = find(found[1].lower())
    kind = (found[2] or "").lower()
    if value is None:
        _, comma, fallback = inside[found.end() :].partition(",")
        return fallback.strip() if comma else None
    value = value.strip()
    if kind in _UNITS:
        return f"{value}{kind}"
    if kind.startswith("type("):
        return value
    return f'"{value}"'


def choose_branch(inside: str, find: Find) -> str | None:
    """What stands in the brackets of `if()` -> the value behind the first condition that holds.
    `find` tells the variables of the element.
    """
    for branch in split_top(inside, ";"):
        condition, *values = split_top(branch, ":")
        if values and _holds(condition.strip(), find):
            return ":".join(values).strip()
    return None


def _holds(condition: str, find: Find) -> bool:
    """Whether a condition of `if()` is true, as far as that can be told."""
    if condition == "else":
        return True
    if condition.startswith("not "):
        return not _holds(condition[4:].strip(), find)
    for joint, judge in ((" or ", any), (" and ", all)):
        if joint in condition:
            return judge(_holds(one.strip(), find) for one in condition.split(joint))
    found = _STYLE.fullmatch(condition)
    if found is None:
        return condition.startswith(("supports(", "media("))
    value = find(found[1])
    if found[2] is None:
        return value is not None
    return value is not None and value.split() == found[2].split()
