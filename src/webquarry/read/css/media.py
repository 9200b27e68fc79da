"""The conditions of `@media` and of `media=""` -> whether a rule applies to every screen, to some,
or to none.

Ordinary screens are between 320 and 2,560 pixels wide; what no screen at all is like never applies.
"""

from __future__ import annotations

import re

from webquarry.read.css.declarations import parse_length

ALWAYS, SOMETIMES, NEVER = 0, 1, 2
_OPPOSITE = {ALWAYS: NEVER, SOMETIMES: SOMETIMES, NEVER: ALWAYS}
_NARROWEST, _WIDEST = 320.0, 2560.0  # pixels
_TOO_NARROW, _TOO_WIDE = 150.0, 8000.0  # no screen is
_MEDIA = {"": ALWAYS, "all": ALWAYS, "screen": ALWAYS, "projection": SOMETIMES}
_MODIFIERS = re.compile(r"(?:(?:only|not)\s+)*+")
_AND = re.compile(r"\sand\s|\sand(?=\()|(?<=\))and\s")
_WIDTH = re.compile(
    r"\(\s*(?:(min|max)-(?:device-)?width\s*:|width\s*([<>])=?)\s*([^()]{1,20}?)\s*\)"
)


def judge_media(query: str) -> int:
    """When a list of conditions, in lower case, is true: the best that one of them says.

    Each is a medium, features that are joined by "and", or both. All of it must hold, so the part
    that holds least often decides.
    """
    if not query.strip():
        return ALWAYS
    best = NEVER
    for condition in query.split(","):
        condition = condition.strip()
        modifiers = _MODIFIERS.match(condition)
        assert modifiers is not None  # it matches nothing, too
        medium, *features = _AND.split(condition[modifiers.end() :])
        if medium.startswith("("):
            features.append(medium)
            worst = ALWAYS
        else:
            worst = _MEDIA.get(medium.strip(), NEVER)
        for feature in features:
            worst = max(worst, _judge_feature(feature))
        if modifiers[0].count("not") % 2:
            worst = _OPPOSITE[worst]
        best = min(best, worst)
    return best


def _judge_feature(text: str) -> int:
    """When a condition about the width of the window is true; others may be, now and then."""
    width = _WIDTH.fullmatch(text.strip())
    if width is None:
        return SOMETIMES
    limit = parse_length(width[3])
    if limit is None:
        return SOMETIMES
    if width[1] == "min" or width[2] == ">":
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
