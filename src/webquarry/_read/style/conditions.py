"""Conditions of `@media`, `@supports` and `@container`: on which screens rules apply.

Ordinary screens are between 320 and 2,560 pixels wide, have colours, and run scripts. Conditions
that browsers do not know never hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from webquarry._read.style.declarations import is_valid
from webquarry._read.style.selectors import is_plausible
from webquarry._read.style.values import parse_length
from webquarry._read.text.brackets import find_closing, split_top

# An unsure rule may hide something and shows nothing. Rules that apply to some windows show their
# elements there and hide nothing.
ALWAYS, UNSURE, SOMETIMES, NEVER = range(4)
_OPPOSITE = {ALWAYS: NEVER, UNSURE: UNSURE, SOMETIMES: SOMETIMES, NEVER: ALWAYS}
_MEDIA = {"all": ALWAYS, "screen": ALWAYS, "projection": SOMETIMES}
_DEEPEST = 8  # brackets
_LONGEST = 1_000  # characters
_WORD = re.compile(r"\s*+([a-z-]++)?+\s*+")
_COMPARISON = re.compile(r"([^<>=]*+)([<>]=?|=)([^<>=]*+)(?:([<>]=?)([^<>=]*+))?+")
_SIGNS = {">": "min-", "<": "max-", "=": ""}
_TURNED = {">": "<", "<": ">", "=": "="}
# The values of sizes that all ordinary screens reach, and those that no screen has.
_BOUNDS = {"width": (320.0, 2560.0), "height": (300.0, 4000.0)}
_TOO_SMALL, _TOO_LARGE = 150.0, 8000.0
_TRUE = frozenset(
    """
    color grid:0 monochrome:0 scripting scripting:enabled update update:fast width height
    device-width device-height aspect-ratio resolution orientation pointer any-pointer color-gamut
    color-gamut:srgb dynamic-range dynamic-range:standard overflow-block:scroll
    overflow-inline:scroll display-mode prefers-color-scheme color-index:0 -webkit-transform-3d
    """.split()  # noqa: SIM905
)
_FALSE = frozenset(
    """
    grid grid:1 monochrome scripting:none scripting:initial-only update:slow update:none scan
    inverted-colors forced-colors color-index
    """.split()  # noqa: SIM905
)
_VARYING = frozenset(
    """
    orientation aspect-ratio device-aspect-ratio prefers-color-scheme prefers-reduced-motion
    prefers-contrast prefers-reduced-transparency prefers-reduced-data hover any-hover pointer
    any-pointer resolution -webkit-device-pixel-ratio color-gamut dynamic-range display-mode
    forced-colors inverted-colors video-dynamic-range overflow-block overflow-inline
    -webkit-transform-3d
    """.split()  # noqa: SIM905
)
_LEAST_DEPTH = {"color": 8, "monochrome": 0}  # bits of ordinary screens
_OLD_PREFIX = re.compile(r"^-webkit-(min|max)-")

_JudgeFeature = Callable[[str], int]


def judge_media(query: str) -> int:
    """Return when a media query list in lower case holds: the best of its conditions."""
    if not query.strip():
        return ALWAYS
    return min(_judge(one, _judge_feature, _MEDIA, 0) for one in split_top(query, ","))


@lru_cache(maxsize=512)
def judge_group(name: str, query: str) -> int:
    """Return when the rules in an at-rule apply."""
    query = query.lower()
    if name == "@layer":
        return ALWAYS
    if len(query) > _LONGEST:
        return UNSURE
    if name == "@media":
        return judge_media(query)
    if name == "@supports":
        return _judge(query, _judge_support, {}, 0)
    return UNSURE


def _judge(text: str, judge_feature: _JudgeFeature, media: dict[str, int], depth: int) -> int:
    """Judge a condition: a medium, and features in brackets joined by "and" or "or"."""
    parts: list[int] = []
    negates_all = negates_next = joined_by_or = False
    place = 0
    while place < len(text):
        word = _WORD.match(text, place)
        assert word is not None  # it also matches nothing
        name, place = word[1] or "", word.end()
        opens = text.startswith("(", place)
        if not opens and not name:
            return NEVER
        if name == "not":
            is_first = not parts and not opens
            negates_all, negates_next = negates_all ^ is_first, negates_next ^ (not is_first)
            name = ""
        elif name in ("and", "or", "only"):
            joined_by_or = joined_by_or or name == "or"
            name = ""
        if opens:
            end = find_closing(text, place + 1)
            if end == len(text) or depth > _DEEPEST:
                return UNSURE
            inside = text[place + 1 : end].strip()
            if name:
                result = NEVER if media else _judge_function(name, inside)
            else:
                result = _judge_brackets(inside, judge_feature, media, depth + 1)
            parts.append(_OPPOSITE[result] if negates_next else result)
            negates_next = False
            place = end + 1
        elif name:
            parts.append(media.get(name, NEVER))
    if not parts:
        return NEVER
    result = min(parts) if joined_by_or else max(parts)
    return _OPPOSITE[result] if negates_all else result


def _judge_brackets(
    inside: str, judge_feature: _JudgeFeature, media: dict[str, int], depth: int
) -> int:
    """Judge a feature, or a condition in brackets."""
    if inside.startswith(("(", "not")):
        return _judge(inside, judge_feature, media, depth)
    return judge_feature(inside)


def _judge_function(name: str, argument: str) -> int:
    """Judge `selector()` of `@supports`; other functions are not known."""
    if name != "selector":
        return UNSURE
    return ALWAYS if is_plausible(argument) else NEVER


def _judge_support(declaration: str) -> int:
    """Judge a declaration of `@supports`; of most properties it is not known."""
    name, _, value = declaration.partition(":")
    if name.strip() in ("display", "position", "opacity", "visibility", "overflow"):
        return ALWAYS if is_valid(name.strip(), value.strip()) else NEVER
    return ALWAYS if name.startswith("--") else UNSURE


def _judge_feature(text: str) -> int:
    """Judge a media feature: `width`, `min-width: 40em`, `400px <= width <= 700px`."""
    name, colon, value = text.partition(":")
    if colon:
        return _judge_value(name.strip(), value.strip())
    compared = _COMPARISON.fullmatch(text)
    if compared is None:
        return _judge_value(text.strip(), "")
    first, sign, second, second_sign, third = (part.strip() for part in compared.groups(""))
    if second_sign:
        before = _judge_value(_SIGNS[_TURNED[sign[0]]] + second, first)
        return max(before, _judge_value(_SIGNS[second_sign[0]] + second, third))
    if first[:1].isalpha():
        return _judge_value(_SIGNS[sign[0]] + first, second)
    return _judge_value(_SIGNS[_TURNED[sign[0]]] + second, first)


def _judge_value(name: str, value: str) -> int:
    settled = f"{name}:{value}" if value else name
    if settled in _TRUE:
        return ALWAYS
    if settled in _FALSE:
        return NEVER
    name = _OLD_PREFIX.sub(r"\1--webkit-", name)
    bound = ""
    if name.startswith(("min-", "max-")):
        bound, name = name[:3], name[4:]
    if name.removeprefix("device-") in _BOUNDS:
        return _judge_size(name.removeprefix("device-"), bound, value)
    if name in _LEAST_DEPTH and bound:
        if not value.isascii() or not value.isdigit():
            return NEVER
        number, bits = int(value[:9]), _LEAST_DEPTH[name]
        return ALWAYS if (number <= bits if bound == "min" else number >= bits) else NEVER
    if name in ("resolution", "-webkit-device-pixel-ratio") and bound == "min":
        density = parse_length(value.replace("dppx", "px").replace("dpi", "px"))
        return ALWAYS if density is not None and density <= 1 else SOMETIMES
    return SOMETIMES if name in _VARYING else NEVER


def _judge_size(name: str, bound: str, value: str) -> int:
    limit = parse_length(value)
    if limit is None:
        return SOMETIMES
    least, most = _BOUNDS[name]
    if bound == "min":
        if limit <= least:
            return ALWAYS
        return NEVER if limit > _TOO_LARGE else SOMETIMES
    if bound == "max":
        if limit >= most:
            return ALWAYS
        return NEVER if limit < _TOO_SMALL else SOMETIMES
    return SOMETIMES if _TOO_SMALL <= limit <= _TOO_LARGE else NEVER
