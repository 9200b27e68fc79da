"""The conditions of `@media` and of `media=""` -> whether a rule applies to every screen, to some,
or to none.

Ordinary screens are between 320 and 2,560 pixels wide, have colours, and run scripts; what no
screen at all is like never applies. Nor does a condition that browsers do not know.
"""

from __future__ import annotations

import re

from webquarry._read.css.declarations import parse_length
from webquarry._read.css.scan import find_closing, split_list

# When a rule applies. One that is unsure may hide something, and shows nothing.
ALWAYS, UNSURE, SOMETIMES, NEVER = range(4)
_OPPOSITE = {ALWAYS: NEVER, UNSURE: UNSURE, SOMETIMES: SOMETIMES, NEVER: ALWAYS}
_NARROWEST, _WIDEST = 320.0, 2560.0  # pixels
_LOWEST, _HIGHEST = 300.0, 4000.0
_TOO_NARROW, _TOO_WIDE = 150.0, 8000.0  # no screen is
_MEDIA = {"": ALWAYS, "all": ALWAYS, "screen": ALWAYS, "projection": SOMETIMES}
_DEEPEST = 8  # brackets in brackets
_WORD = re.compile(r"\s*+([a-z-]++)?+\s*+")
_JOINTS = frozenset({"and", "or", "not", "only"})
_COMPARED = re.compile(r"([^<>=]*+)([<>]=?|=)([^<>=]*+)(?:([<>]=?)([^<>=]*+))?+")
_SIZES = frozenset({"width", "device-width", "height", "device-height"})
# Features that depend on the person or the device.
_VARYING = frozenset(
    """
    orientation aspect-ratio device-aspect-ratio prefers-color-scheme prefers-reduced-motion
    prefers-contrast prefers-reduced-transparency prefers-reduced-data hover any-hover pointer
    any-pointer resolution -webkit-device-pixel-ratio color-gamut dynamic-range display-mode
    forced-colors inverted-colors horizontal-viewport-segments vertical-viewport-segments
    device-posture video-dynamic-range overflow-block overflow-inline -webkit-transform-3d scan
    color-index nav-controls shape environment-blending
    """.split()  # noqa: SIM905
)
# What ordinary screens answer to a feature alone, and to one of its values.
_SETTLED: dict[str, int] = {
    "color": ALWAYS, "grid": NEVER, "grid:0": ALWAYS, "grid:1": NEVER, "monochrome": NEVER,
    "monochrome:0": ALWAYS, "scripting": ALWAYS, "scripting:enabled": ALWAYS,
    "scripting:none": NEVER, "scripting:initial-only": NEVER, "update": ALWAYS,
    "update:fast": ALWAYS, "update:slow": NEVER, "update:none": NEVER, "width": ALWAYS,
    "height": ALWAYS, "device-width": ALWAYS, "device-height": ALWAYS, "aspect-ratio": ALWAYS,
    "resolution": ALWAYS, "orientation": ALWAYS, "pointer": ALWAYS, "any-pointer": ALWAYS,
    "color-gamut": ALWAYS, "color-gamut:srgb": ALWAYS, "dynamic-range:standard": ALWAYS,
    "overflow-block:scroll": ALWAYS, "overflow-inline:scroll": ALWAYS, "scan": NEVER,
    "inverted-colors": NEVER, "forced-colors": NEVER, "-webkit-transform-3d": ALWAYS,
    "color-index": NEVER, "color-index:0": ALWAYS, "dynamic-range": ALWAYS,
    "display-mode": ALWAYS, "prefers-color-scheme": ALWAYS,
}  # fmt: skip


def judge_media(query: str) -> int:
    """When a list of conditions, in lower case, is true: the best that one of them says."""
    if not query.strip():
        return ALWAYS
    return min(_judge_condition(condition.strip()) for condition in split_list(query))


def _judge_condition(text: str, depth: int = 0) -> int:
    """A medium, features that are joined by "and" or "or", or both.

    All that is joined by "and" must hold, so that what holds least often decides.
    """
    parts: list[int] = []
    negated = joined_by_or = negates_next = False
    place = 0
    while place < len(text):
        word = _WORD.match(text, place)
        assert word is not None  # it matches nothing, too
        name = word[1] or ""
        place = word.end()
        opens = text[place : place + 1] == "("
        if name == "not":
            if parts or opens:
                negates_next = not negates_next
            else:
                negated = not negated
        elif name == "or":
            joined_by_or = True
        elif name and name not in _JOINTS:
            if opens:
                return NEVER  # a function, which browsers do not know here
            parts.append(_MEDIA.get(name, NEVER))
        if not opens:
            if not name:
                return NEVER
            continue
        end = find_closing(text, place + 1)
        if end < 0 or depth > _DEEPEST:
            return NEVER
        result = _judge_brackets(text[place + 1 : end].strip(), depth)
        if negates_next:
            result = _OPPOSITE[result]
            negates_next = False
        parts.append(result)
        place = end + 1
    if not parts:
        return NEVER
    worst = max(parts)
    if joined_by_or:
        worst = min(parts)
    if negated:
        return _OPPOSITE[worst]
    return worst


def _judge_brackets(text: str, depth: int) -> int:
    """What stands in brackets: a feature, or conditions."""
    if text.startswith(("(", "not")):
        return _judge_condition(text, depth + 1)
    name, colon, value = text.partition(":")
    if colon:
        return _judge_feature(name.strip(), value.strip())
    compared = _COMPARED.fullmatch(text)
    if compared is not None:
        return _judge_range(compared)
    return _judge_feature(text, "")


def _judge_range(compared: re.Match[str]) -> int:
    """`400px <= width <= 700px`, `width > 400px`."""
    first, sign, second, second_sign, third = compared.groups()
    first, second = first.strip(), second.strip()
    if second_sign:
        bounds = [_judge_bound(second, _turn(sign), first)]
        bounds.append(_judge_bound(second, second_sign, third.strip()))
        return max(bounds)
    if first[:1].isalpha():
        return _judge_bound(first, sign, second)
    return _judge_bound(second, _turn(sign), first)


def _turn(sign: str) -> str:
    """The sign of a comparison when its sides change places."""
    return sign.replace("<", "\0").replace(">", "<").replace("\0", ">")


def _judge_bound(name: str, sign: str, value: str) -> int:
    if sign.startswith(">"):
        return _judge_feature(f"min-{name}", value)
    if sign.startswith("<"):
        return _judge_feature(f"max-{name}", value)
    return _judge_feature(name, value)


def _judge_feature(name: str, value: str) -> int:
    """When a feature of screens has a value."""
    settled = name
    if value:
        settled = f"{name}:{value}"
    if settled in _SETTLED:
        return _SETTLED[settled]
    name = name.replace("-webkit-min-", "min--webkit-").replace("-webkit-max-", "max--webkit-")
    bound = ""
    if name.startswith(("min-", "max-")):
        bound, name = name[:3], name[4:]
    if name in _SIZES:
        return _judge_size(name, bound, value)
    if name in ("color", "monochrome") and bound:
        return _judge_depth(name, bound, value)
    if name in ("resolution", "-webkit-device-pixel-ratio") and bound == "min":
        density = parse_length(value.replace("dppx", "px").replace("dpi", "px"))
        return ALWAYS if density is not None and density <= 1 else SOMETIMES
    if name in _VARYING:
        return SOMETIMES
    return NEVER


def _judge_depth(name: str, bound: str, value: str) -> int:
    """Bits of a colour: ordinary screens have 8, and none that is only grey."""
    if not value.isascii() or not value.isdigit():
        return NEVER
    bits = 8 if name == "color" else 0
    number = int(value[:9])
    holds = number <= bits if bound == "min" else number >= bits
    return ALWAYS if holds else NEVER


def _judge_size(name: str, bound: str, value: str) -> int:
    """When a condition about the size of the window is true."""
    limit = parse_length(value)
    if limit is None:
        return SOMETIMES
    least, most = _NARROWEST, _WIDEST
    if name.endswith("height"):
        least, most = _LOWEST, _HIGHEST
    if bound == "min":
        if limit <= least:
            return ALWAYS
        return NEVER if limit > _TOO_WIDE else SOMETIMES
    if bound == "max":
        if limit >= most:
            return ALWAYS
        return NEVER if limit < _TOO_NARROW else SOMETIMES
    return SOMETIMES if _TOO_NARROW <= limit <= _TOO_WIDE else NEVER
