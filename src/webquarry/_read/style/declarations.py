"""Declarations: the properties that can hide an element, which of their values browsers accept,
and what a shorthand resets.

Values are in lower case, without comments and escapes (`d\\69splay` is `display`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from webquarry._native import split_declarations, strip_comments
from webquarry._read.style.colours import COLOUR_NAMES
from webquarry._read.style.values import expand_sides
from webquarry._read.text.brackets import split_top

Declarations = dict[str, str]

_LONGEST_VALUE = 2_000  # characters
_LONGEST_ATTRIBUTE = 1_000_000
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})[ \t\n]?|\\(.)", re.IGNORECASE | re.DOTALL)
# Characters of CSS names, and those that begin one: letters, digits and everything beyond ASCII,
# as complements, because a class of `\w` and a range takes milliseconds to compile.
NAME_CHARACTER = r"[^\x00-,./:-@\[-^`{-\x7f]"
NAME_START = r"[^\x00-@\[-^`{-\x7f]"
_VARIABLE = re.compile(rf"(--{NAME_CHARACTER}+)")
_IMPORTANT = re.compile(r"\s*!\s*important\s*$", re.IGNORECASE)
_ENV = re.compile(r"env\(\s*([\w-]+)[\s\d]*(?:,((?:[^()]|\([^()]*\))*))?\)")
_DEEPEST_ENV = 8
_KNOWN_ENV = ("safe-area-", "titlebar-area-", "keyboard-inset-", "viewport-segment-")

# Names that mean the same, where text runs from left to right and lines from top to bottom.
_ALIASES = {
    "-ms-filter": "filter", "-webkit-filter": "filter", "-webkit-transform": "transform",
    "-webkit-background-clip": "background-clip", "-webkit-clip-path": "clip-path",
    "inline-size": "width", "block-size": "height", "max-inline-size": "max-width",
    "max-block-size": "max-height", "min-inline-size": "min-width", "min-block-size": "min-height",
    "inset-inline-start": "left", "inset-inline-end": "right", "inset-block-start": "top",
    "inset-block-end": "bottom", "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right", "margin-block-start": "margin-top",
    "padding-inline-start": "padding-left", "padding-block-end": "padding-bottom",
}  # fmt: skip
PROPERTIES = frozenset(
    """
    all display visibility opacity filter content-visibility zoom font-size font color
    -webkit-text-fill-color -webkit-text-security background background-color background-image
    background-clip text-shadow -webkit-text-stroke position left right top bottom inset
    inset-inline inset-block transform translate scale rotate margin margin-left margin-top
    margin-right margin-inline margin-block padding padding-left padding-right padding-top
    padding-bottom padding-inline padding-block text-indent letter-spacing word-spacing width
    height max-width max-height min-width min-height overflow overflow-x overflow-y
    overflow-clip-margin clip clip-path z-index float content color-scheme animation
    animation-name animation-fill-mode
    """.split()  # noqa: SIM905
)
_READ = PROPERTIES.union(_ALIASES)
# The properties that a shorthand sets. The values of sides and axes are split, others are read
# where they are needed, unless they are only reset.
_SIDES = {
    "inset": ("top", "right", "bottom", "left"),
    "margin": ("margin-top", "margin-right", "margin-bottom", "margin-left"),
    "padding": ("padding-top", "padding-right", "padding-bottom", "padding-left"),
}
_AXES = {
    "overflow": ("overflow-x", "overflow-y"),
    "inset-inline": ("left", "right"),
    "inset-block": ("top", "bottom"),
    "margin-inline": ("margin-left", "margin-right"),
    "margin-block": ("margin-top", "margin-bottom"),
    "padding-inline": ("padding-left", "padding-right"),
    "padding-block": ("padding-top", "padding-bottom"),
}
_SHORTHANDS: dict[str, tuple[str, ...]] = {
    **_SIDES,
    **_AXES,
    "font": ("font-size",),
    "background": ("background-color", "background-image", "background-clip"),
    "animation": ("animation-name", "animation-fill-mode"),
    "all": tuple(PROPERTIES - {"all"}),
}
_FOR_ALL = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_CALL = re.compile(r"(?:var|attr|if)\(")
_DISPLAY = frozenset(
    """
    none contents block inline flow-root flex grid table ruby math list-item inline-block
    inline-flex inline-grid inline-table table-row table-cell table-row-group table-header-group
    table-footer-group table-column table-column-group table-caption ruby-text ruby-base
    -webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex flow grid-lanes
    """.split()  # noqa: SIM905
)
_KEYWORDS = {
    "visibility": frozenset({"visible", "hidden", "collapse"}),
    "position": frozenset({"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"}),
    "content-visibility": frozenset({"visible", "auto", "hidden"}),
    "float": frozenset({"left", "right", "none", "inline-start", "inline-end"}),
}
_OVERFLOWS = frozenset({"visible", "hidden", "clip", "scroll", "auto", "overlay"})
_SIZES = frozenset(
    """
    auto none normal min-content max-content fit-content stretch -webkit-fill-available
    -webkit-min-content -webkit-max-content -webkit-fit-content xx-small x-small small medium large
    x-large xx-large xxx-large smaller larger math contain
    """.split()  # noqa: SIM905
)
# The sizes of text by keyword, in pixels, and those that depend on the text around it.
FONT_SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
    "x-large": 24.0, "xx-large": 32.0, "xxx-large": 48.0, "initial": 16.0, "math": 16.0,
}  # fmt: skip
PARENT_SIZES = ("inherit", "larger", "smaller", "unset", "revert", "revert-layer")
_LENGTH_PROPERTIES = frozenset(
    """
    width height max-width max-height min-width min-height left right top bottom font-size
    text-indent letter-spacing margin-left margin-top margin-right padding-top padding-bottom
    padding-left padding-right
    """.split()  # noqa: SIM905
)
_NUMBER = r"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:e[+-]?\d++)?+"
_LENGTH = re.compile(
    rf"{_NUMBER}(?:px|em|rem|ex|rex|ch|rch|cap|rcap|ic|ric|lh|rlh|pt|pc|in|cm|mm|q|%"
    r"|[sld]?v(?:w|h|min|max|i|b)|cq(?:w|h|min|max|i|b))|[+-]?+(?:0++\.?+0*+|\.0++)(?:e[+-]?\d++)?+"
)
_OPACITY = re.compile(rf"{_NUMBER}%?+")
_MAX_CACHED = 400  # bytes of declarations, which pages repeat
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")


def parse_body(body: bytes) -> tuple[Declarations, Declarations]:
    """Parse declarations without comments; return the ordinary and the important ones, which must
    not be changed.
    """
    if len(body) > _MAX_CACHED:
        return _parse_body.__wrapped__(body)
    return _parse_body(body)


@lru_cache(maxsize=1_024)
def _parse_body(body: bytes) -> tuple[Declarations, Declarations]:
    ordinary: Declarations = {}
    important: Declarations = {}
    for name, value in split_declarations(body, _READ):
        read = _read_declaration(name, value)
        if read is not None:
            name, value, is_important = read
            declare(important if is_important else ordinary, name, value)
    return ordinary, important


def parse_attribute(text: str) -> tuple[Declarations, Declarations]:
    """Parse a style attribute; return the ordinary and the important declarations."""
    return parse_body(strip_comments(text[:_LONGEST_ATTRIBUTE].encode("utf-8", "replace")))


def parse_variables(body: bytes) -> tuple[Declarations, Declarations]:
    """Return the custom properties of declarations, the ordinary and the important ones."""
    ordinary: Declarations = {}
    important: Declarations = {}
    for name, value in split_declarations(body, None):
        if not name.startswith("--"):
            continue
        mark = _IMPORTANT.search(value)
        if mark is None:
            ordinary[name] = value
        else:
            important[name] = value[: mark.start()]
    return ordinary, important


@lru_cache(maxsize=4_096)
def _read_declaration(name: str, value: str) -> tuple[str, str, bool] | None:
    """Normalize a declaration and split off its importance; None if browsers ignore it."""
    if "\\" in name:
        name = unescape(name).lower()
    name = _ALIASES.get(name, name)
    if name not in PROPERTIES:
        return None
    mark = None
    if "!" in value:
        mark = _IMPORTANT.search(value)
    if mark is not None:
        value = value[: mark.start()]
    value = normalize(value)
    if not is_valid(name, value):
        return None
    return name, value, mark is not None


def normalize(value: str) -> str:
    """Resolve escapes and `env()`, fold case except in names of variables, and collapse blanks."""
    value = unescape(value[:_LONGEST_VALUE])
    if "--" in value:
        pieces = _VARIABLE.split(value)
        pieces[::2] = [piece.lower() for piece in pieces[::2]]
        value = "".join(pieces)
    else:
        value = value.lower()
    for _ in range(value.count("env(") and _DEEPEST_ENV):
        value = _ENV.sub(_resolve_env, value)
    return " ".join(value.split()).replace("( ", "(")


def _resolve_env(found: re.Match[str]) -> str:
    if found[1].startswith(_KNOWN_ENV):
        return "0px"
    return found[2] or "\0"


def unescape(text: str) -> str:
    """Resolve backslash escapes."""
    if "\\" not in text:
        return text

    def resolve(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[2]
        number = int(found[1], 16)
        if 0xD800 <= number < 0xE000 or not 0 < number < 0x110000:
            return "\ufffd"
        return chr(number)

    return _ESCAPE.sub(resolve, text)


def is_valid(name: str, value: str) -> bool:
    """Whether browsers accept a value in lower case; `display:none;display:bogus` hides."""
    if value in _FOR_ALL or has_calls(value):
        return True
    if name == "display":
        return _DISPLAY.issuperset(value.split())
    if name in _KEYWORDS:
        return value in _KEYWORDS[name]
    if name == "opacity":
        return "(" in value or _OPACITY.fullmatch(value) is not None
    if name in ("overflow", "overflow-x", "overflow-y"):
        return _OVERFLOWS.issuperset(value.split())
    if name in ("color", "background-color", "-webkit-text-fill-color"):
        is_word = value in COLOUR_NAMES or value in ("currentcolor", "transparent")
        return is_word or "(" in value or _HEX.fullmatch(value) is not None
    if name in _LENGTH_PROPERTIES:
        return value in _SIZES or "(" in value or _LENGTH.fullmatch(value) is not None
    return bool(value)


def has_calls(value: str) -> bool:
    """Whether a value depends on the element, by a variable or an attribute."""
    return _CALL.search(value) is not None


def declare(style: Declarations, name: str, value: str) -> None:
    """Put a declaration over earlier ones. A shorthand whose value depends on the element is
    split when it is known.
    """
    for part in _SHORTHANDS.get(name, ()):
        style.pop(part, None)
    style.pop(name, None)  # the order counts
    words = [value]
    if name in _SHORTHANDS and not has_calls(value):
        words = split_top(value, " ") or [""]
        if name in _SIDES:
            style.update(zip(_SIDES[name], expand_sides(words), strict=True))
            return
        if name in _AXES:
            style.update(zip(_AXES[name], (words[0], words[-1]), strict=True))
            return
        if name == "font":
            name, value = "font-size", find_font_size(words)
    if value:
        style[name] = value


def find_font_size(words: Sequence[str]) -> str:
    """Return the size among the words of `font`; a number alone is a weight, except zero."""
    for word in words:
        size = word if "(" in word else word.partition("/")[0]
        if size in FONT_SIZES or size in PARENT_SIZES or "(" in size:
            return size
        if _LENGTH.fullmatch(size):
            return size
    return ""


def apply_declarations(style: Declarations, later: Declarations) -> None:
    """Put later declarations over earlier ones."""
    if _SHORTHANDS.keys().isdisjoint(later):
        style.update(later)
        return
    for name, value in later.items():
        declare(style, name, value)
