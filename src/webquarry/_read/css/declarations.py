"""CSS text -> declarations and lengths. Only what `visibility/` asks about is read; everything else
is passed over.

Values come out in lower case, without comments and escapes (`d\\69splay` is `display`), shorthands
left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from webquarry._read.css.parts import split_parts
from webquarry._read.css.scan import join_brackets, split_list
from webquarry._read.css.shorthands import declare
from webquarry._read.css.validity import is_valid
from webquarry._read.css.values.functions import resolve_env
from webquarry._read.css.values.numbers import LENGTHS, OF_VIEW, evaluate, split_top
from webquarry._read.text.remember import remember_short

_VARIABLE = re.compile(r"(--[\w\u0080-\U0010ffff-]+)")
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})[ \t\n]?|\\(.)", re.IGNORECASE | re.DOTALL)
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?")
_LONGEST_VALUE = 2_000  # characters
_LONGEST_REMEMBERED = 80  # characters of a declaration
_MOST_REMEMBERED = 4_096  # declarations; a megabyte
_LONGEST_LENGTH = 20  # characters of a value that is remembered
_LONGEST = 1_000_000  # characters of one style attribute; the rest is not a style any more

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
        "color-scheme", "content", "fill", "fill-opacity", "stroke", "float", "flex", "flex-basis",
        "flex-grow", "table-layout", "grid-template-columns", "mask-position", "mask-repeat",
        "mask-composite", "-webkit-mask-position", "-webkit-mask-repeat",
        "-webkit-mask-composite", "overflow-clip-margin", "animation-play-state",
        "animation-delay", "animation-duration",
    }
)  # fmt: skip

_DECLARED = PROPERTIES | {"all"}

Declarations = dict[str, str]

try:
    from webquarry._read.css._rule_text import DeclarationSplitter
except ImportError:  # not built

    class DeclarationSplitter:  # type: ignore[no-redef]
        """Splits bodies of rules into their declarations, which is left to others here."""

        def __init__(self, names: Collection[str]) -> None:
            """The names of the properties that count."""

        def split(self, body: str) -> list[str] | None:
            """None, as for bodies that need a closer look."""


_SPLITTER = DeclarationSplitter(_DECLARED)


def parse_declarations(text: str) -> tuple[Declarations, Declarations]:
    """What a style attribute declares: the ordinary ones and the important ones."""
    text = text[:_LONGEST]
    if "/*" in text or "<!--" in text or "-->" in text or '"' in text or "'" in text:
        text = b"}".join(split_parts(text.encode(errors="replace"))).decode()
    if "(" in text or "[" in text or "{" in text:
        return _read_declarations(split_list(text, ";"))
    return _read_declarations(text.split(";"))


@remember_short
def parse_body(text: str) -> tuple[Declarations, Declarations]:
    """What the body of a rule declares, not to be changed. The signs in its strings are escapes
    already.
    """
    parts = _SPLITTER.split(text)
    if parts is None:
        parts = split_body(text)
    return _read_declarations(parts)


def split_body(text: str) -> list[str]:
    """The declarations of the body of a rule, whatever they are about."""
    parts = text.split(";")
    if "(" in text:
        parts = join_brackets(parts, ";")
    return parts


def _read_declarations(parts: list[str]) -> tuple[Declarations, Declarations]:
    """The ordinary and the important ones among declarations."""
    ordinary: Declarations = {}
    important: Declarations = {}
    for part in parts:
        if len(part) <= _LONGEST_REMEMBERED:
            read = _read_remembered(part)
        else:
            read = _read_declaration(part)
        if read is None:
            continue
        name, value, is_important = read
        if is_important:
            declare(important, name, value)
        else:
            declare(ordinary, name, value)
    return ordinary, important


def _read_declaration(text: str) -> tuple[str, str, bool] | None:
    """The property and the value of one declaration, and whether it is important; None for one that
    is not looked at, or that browsers do not take.
    """
    if "\\" in text:
        text = unescape(text)
    name, colon, value = text.partition(":")
    name = name.strip().lower()
    if not colon or name not in _DECLARED:
        return None
    value = lower_text(value)
    before_mark, mark, behind_mark = value.rpartition("!")
    is_important = mark != "" and behind_mark.strip() == "important"
    if is_important:
        value = before_mark
    value = value.strip()[:_LONGEST_VALUE]
    if "env(" in value:
        value = resolve_env(value)
    if is_valid(name, value) is False:
        return None
    return name, value, is_important


# style sheets declare the same things again and again, in other company
_read_remembered = lru_cache(maxsize=_MOST_REMEMBERED)(_read_declaration)


def lower_text(text: str) -> str:
    """CSS in lower case, but for the names of variables."""
    if "--" not in text:
        return text.lower()
    pieces = _VARIABLE.split(text)
    pieces[::2] = [piece.lower() for piece in pieces[::2]]
    return "".join(pieces)


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
    if not value:
        return None
    value = value.strip()
    if "(" in value:
        return evaluate(value, _build_units(percent, em, view))
    if len(value) <= _LONGEST_LENGTH:
        found = _read_short_length(value)
    else:
        found = _read_length(value)
    if found is None:
        return None
    number, unit = found
    if unit == "%":
        return number * percent
    if unit == "em":
        return number * em
    if unit in OF_VIEW:
        return number * view
    if unit in LENGTHS:
        return number * LENGTHS[unit]
    return None


def _read_length(value: str) -> tuple[float, str] | None:
    """The number that a value begins with, and its unit."""
    found = _LENGTH.match(value)
    if found is None:
        return None
    return float(found[1]), found[2] or "px"


_read_short_length = lru_cache(maxsize=1_024)(_read_length)


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
