"""Conditions of `@media`, `@supports` and `@container`: on which screens rules apply.

Ordinary screens are between 320 and 2,560 pixels wide, have colours, and run scripts. Conditions
that browsers do not know never hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from webquarry._read.style.declarations import PROPERTIES, is_valid
from webquarry._read.style.values import parse_length
from webquarry._read.text.brackets import split_top

# An unsure rule may hide something and shows nothing. Rules that apply to some windows show their
# elements there and hide nothing.
ALWAYS, UNSURE, SOMETIMES, NEVER = range(4)
_OPPOSITE = {ALWAYS: NEVER, UNSURE: UNSURE, SOMETIMES: SOMETIMES, NEVER: ALWAYS}
_MEDIA = {"all": ALWAYS, "screen": ALWAYS, "projection": SOMETIMES}
_JOINTS = ("and", "or", "only")
_LONGEST = 400  # characters
_RANGE = re.compile(r"(?:([^<>=]+)([<>])=?)?\s*([a-z-]+)\s*(?:([<>])=?([^<>=]+))?")
# The values of sizes that all ordinary screens reach, and those that no screen has.
_BOUNDS = {"width": (320.0, 2560.0), "height": (300.0, 4000.0)}
_TOO_SMALL, _TOO_LARGE = 150.0, 8000.0
_TRUE = frozenset(
    """
    color grid:0 monochrome:0 scripting scripting:enabled update update:fast width height
    device-width device-height aspect-ratio resolution orientation pointer any-pointer color-gamut
    color-gamut:srgb dynamic-range dynamic-range:standard display-mode prefers-color-scheme
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
    any-pointer color-gamut dynamic-range display-mode forced-colors inverted-colors
    """.split()  # noqa: SIM905
)
_NOT_JUDGED = frozenset(
    """
    color color-index monochrome grid resolution -webkit-device-pixel-ratio -webkit-transform-3d
    overflow-block overflow-inline video-dynamic-range
    """.split()  # noqa: SIM905
)

_JudgeFeature = Callable[[str], int]


def judge_media(query: str) -> int:
    """Return when a media query list in lower case holds: the best of its conditions."""
    if len(query) > _LONGEST:
        return UNSURE
    queries = split_top(query, ",")
    return min((_judge(one, _judge_feature) for one in queries if one), default=ALWAYS)


@lru_cache(maxsize=512)
def judge_group(name: str, query: str) -> int:
    """Return when the rules in an at-rule apply."""
    query = query.lower()
    if name == "@layer":
        return ALWAYS
    if name == "@media":
        return judge_media(query)
    if name == "@supports" and len(query) <= _LONGEST:
        return _judge(query, _judge_support)
    return UNSURE


def _judge(query: str, judge_feature: _JudgeFeature) -> int:
    """Judge media and features in brackets, joined by "and" or "or"."""
    words = split_top(query, " ")
    is_negated = words[:1] == ["not"]
    parts: list[int] = []
    for word in words[is_negated:]:
        inside = word[1:-1].strip()
        if word in _JOINTS:
            continue
        if not word.startswith("("):
            parts.append(_MEDIA.get(word, UNSURE if word.startswith("selector(") else NEVER))
        elif not word.endswith(")"):
            return UNSURE
        elif inside.startswith(("(", "not ", "not(")):
            parts.append(_judge(inside, judge_feature))
        else:
            parts.append(judge_feature(inside))
    if not parts:
        return NEVER
    result = min(parts) if "or" in words else max(parts)
    return _OPPOSITE[result] if is_negated else result


def _judge_support(declaration: str) -> int:
    """Judge a declaration of `@supports`; of most properties it is not known."""
    name, _, value = (part.strip() for part in declaration.partition(":"))
    if name in PROPERTIES:
        return ALWAYS if is_valid(name, value) else NEVER
    return ALWAYS if name.startswith("--") else UNSURE


def _judge_feature(text: str) -> int:
    """Judge a media feature: `width`, `min-width: 40em`, `400px <= width <= 700px`."""
    compared = _RANGE.fullmatch(text)
    if compared is None or (not compared[1] and not compared[5]):
        name, _, value = text.partition(":")
        return _judge_value(name.strip(), value.strip())
    least, before, name, behind, most = compared.groups()
    results = [
        _judge_value(f"{'min-' if is_least else 'max-'}{name}", value.strip())
        for is_least, value in ((before == "<", least), (behind == ">", most))
        if value
    ]
    return max(results)


def _judge_value(name: str, value: str) -> int:
    settled = f"{name}:{value}" if value else name
    if settled in _TRUE:
        return ALWAYS
    if settled in _FALSE:
        return NEVER
    name = re.sub(r"^-webkit-(min|max)-", r"\1--webkit-", name)
    bound = ""
    if name.startswith(("min-", "max-")):
        bound, name = name[:3], name[4:]
    if name.removeprefix("device-") in _BOUNDS:
        return _judge_size(name.removeprefix("device-"), bound, value)
    if name in _VARYING:
        return SOMETIMES
    return UNSURE if name in _NOT_JUDGED else NEVER


def _judge_size(name: str, bound: str, value: str) -> int:
    limit = parse_length(value)
    if limit is None:
        return SOMETIMES
    least, most = _BOUNDS[name]
    if (bound == "min" and limit <= least) or (bound == "max" and limit >= most):
        return ALWAYS
    is_impossible = limit > _TOO_LARGE if bound == "min" else limit < _TOO_SMALL
    return NEVER if is_impossible else SOMETIMES
