"""CSS text -> declarations and lengths. Only what `visibility/` asks about is read; everything else
is passed over.

Values come out in lower case, without comments and escapes (`d\\69splay` is `display`), shorthands
left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from webquarry.read.css.values.numbers import LENGTHS, OF_VIEW, evaluate, split_top

_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})[ \t\n]?|\\(.)", re.IGNORECASE | re.DOTALL)
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?")
_LONGEST_VALUE = 2_000  # characters
_LONGEST = 20_000  # characters of one style attribute; the rest is not a style any more

PROPERTIES = frozenset(
    {
        "display", "visibility", "opacity", "filter", "-ms-filter", "content-visibility", "zoom",
        "font-size", "font", "font-size-adjust", "color", "-webkit-text-fill-color",
        "-webkit-text-security", "background", "background-color", "background-image",
        "background-clip", "-webkit-background-clip", "text-shadow", "position", "left", "right",
        "top", "bottom", "inset", "inset-inline-start", "inset-block-start", "transform",
        "-webkit-transform", "translate", "scale", "margin", "margin-left", "margin-top",
        "margin-inline-start", "text-indent", "letter-spacing", "width", "height", "max-width",
        "max-height", "min-width", "min-height", "inline-size", "block-size", "overflow",
        "overflow-x", "overflow-y", "clip", "clip-path", "-webkit-clip-path", "z-index",
        "padding-bottom", "padding-top", "padding", "white-space", "will-change", "transition",
        "animation", "animation-name", "animation-fill-mode", "margin-right", "margin-inline",
        "margin-block", "margin-block-start", "padding-left", "padding-inline-start",
        "padding-inline", "padding-right", "inset-inline", "inset-block", "inset-inline-end",
        "inset-block-end", "max-inline-size", "max-block-size", "min-inline-size",
        "min-block-size", "line-height", "contain", "contain-intrinsic-size", "aspect-ratio",
        "grid-template-rows", "grid-template", "grid-auto-rows", "word-spacing", "rotate",
        "transform-origin", "backface-visibility", "offset", "offset-path", "offset-distance",
        "offset-position", "mask", "mask-image", "mask-size", "-webkit-mask",
        "-webkit-mask-image", "-webkit-mask-size", "-webkit-text-stroke",
        "-webkit-text-stroke-width", "-webkit-text-stroke-color", "-webkit-filter",
        "mix-blend-mode", "isolation", "box-shadow", "background-size", "background-repeat",
        "color-scheme", "content", "fill", "fill-opacity", "stroke",
    }
)  # fmt: skip

Declarations = dict[str, str]


def strip_comments(css: bytes) -> bytes:
    """A sheet without comments, and without the marks of an HTML comment that old pages put around
    it.
    """
    if b"<!--" in css or b"-->" in css:
        css = css.replace(b"<!--", b" ").replace(b"-->", b" ")
    pieces: list[bytes] = []
    place = 0
    while (start := css.find(b"/*", place)) >= 0:
        pieces.append(css[place:start])
        end = css.find(b"*/", start + 2)
        if end < 0:
            place = len(css)
        else:
            place = end + 2
    if not pieces:
        return css
    pieces.append(css[place:])
    return b" ".join(pieces)


def parse_declarations(text: str) -> tuple[Declarations, Declarations]:
    """What a style attribute or the body of a rule declares: the ordinary ones and the important
    ones.
    """
    ordinary: Declarations = {}
    important: Declarations = {}
    text = unescape(text[:_LONGEST])
    if "/*" in text or "<!--" in text or "-->" in text:
        text = strip_comments(text.encode(errors="replace")).decode()
    for part in text.lower().split(";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        if not colon or name not in PROPERTIES:
            continue
        before_mark, mark, behind_mark = value.rpartition("!")
        if mark and behind_mark.strip() == "important":
            important[name] = before_mark.strip()[:_LONGEST_VALUE]
        else:
            ordinary[name] = value.strip()[:_LONGEST_VALUE]
    return ordinary, important


def unescape(text: str) -> str:
    """CSS with its backslash escapes resolved."""
    if "\\" not in text:
        return text

    def resolve(found: re.Match[str]) -> str:
        """The character that an escape stands for."""
        if found[1] is None:
            return found[2]
        number = int(found[1], 16)
        is_surrogate = 0xD800 <= number < 0xE000
        if is_surrogate or not 0 < number < 0x110000:
            return "\ufffd"
        return chr(number)

    return _ESCAPE.sub(resolve, text)


def parse_length(
    value: str, percent: float = 1.0, em: float = 16.0, view: float = 12.8
) -> float | None:
    """The first length of a value in pixels, None where there is none.

    `percent`, `em` and `view` are what one per cent, one em and a hundredth of the window are taken
    for.
    """
    value = value.strip()
    if "(" in value:
        return evaluate(value, _build_units(percent, em, view))
    found = _LENGTH.match(value)
    if found is None:
        return None
    number = float(found[1])
    unit = found[2] or "px"
    if unit == "%":
        return number * percent
    if unit == "em":
        return number * em
    if unit in OF_VIEW:
        return number * view
    if unit in LENGTHS:
        return number * LENGTHS[unit]
    return None


@lru_cache(maxsize=256)
def _build_units(percent: float, em: float, view: float) -> Mapping[str, float]:
    """What the units of lengths are worth in pixels."""
    return {**LENGTHS, "em": em, "%": percent, **dict.fromkeys(OF_VIEW, view)}


def parse_lengths(value: str, percent: float = 1.0, view: float = 12.8) -> list[float]:
    """All the lengths of a value in pixels; words such as `auto` are left out."""
    lengths: list[float] = []
    parts = value.replace(",", " ").split()
    if "(" in value:
        parts = []
        for piece in split_top(value, ","):
            parts.extend(split_top(piece, " "))
    for part in parts:
        length = parse_length(part, percent, view=view)
        if length is not None:
            lengths.append(length)
    return lengths


def first_value(style: Mapping[str, str], *names: str) -> str:
    """The value of the first of these properties that is declared, or an empty text."""
    for name in names:
        if name in style:
            return style[name]
    return ""
