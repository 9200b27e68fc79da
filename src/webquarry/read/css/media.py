"""The conditions of `@media` and of `media=""` -> whether a rule applies to every screen, to some,
or to none.

Ordinary screens are between 320 and 2,560 pixels wide; what no screen at all is like never applies.
"""

from __future__ import annotations

import re

from webquarry.read.css.declarations import length

ALWAYS, SOMETIMES, NEVER = 0, 1, 2
_NARROWEST, _WIDEST = 320.0, 2560.0  # pixels
_TOO_NARROW, _TOO_WIDE = 150.0, 8000.0  # no screen is
_MEDIA = {"": ALWAYS, "all": ALWAYS, "screen": ALWAYS}
_WIDTH = re.compile(
    r"\(\s*(?:(min|max)-(?:device-)?width\s*:|width\s*([<>])=?)\s*([^()]{1,20}?)\s*\)"
)


def judge_media(query: str) -> int:
    """When a list of conditions, in lower case, is true: the best that one of them says."""
    if query.strip():
        return min(map(_one, query.split(",")))
    return ALWAYS


def _one(query: str) -> int:
    first, *others = re.split(
        r"\sand\s|\sand(?=\()|(?<=\))and\s", query.strip().removeprefix("only ")
    )
    if first.startswith("not "):
        said = _one(query.strip().removeprefix("not "))
        return {ALWAYS: NEVER, NEVER: ALWAYS}.get(said, SOMETIMES)
    if not first.startswith("("):
        first = first.strip()
        return max(
            _MEDIA.get(first, SOMETIMES if first == "projection" else NEVER),
            *map(_feature, others),
            ALWAYS,
        )
    return max(map(_feature, [first, *others]))


def _feature(text: str) -> int:
    found = _WIDTH.fullmatch(text.strip())
    limit = length(found[3]) if found else None
    if found is None or limit is None:
        return SOMETIMES
    if found[1] == "min" or found[2] == ">":
        if limit <= _NARROWEST:
            return ALWAYS
        if limit > _TOO_WIDE:
            return NEVER
        return SOMETIMES
    if limit >= _WIDEST:
        return ALWAYS
    if limit < _TOO_NARROW:
        return NEVER
    return SOMETIMES
