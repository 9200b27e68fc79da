"""The body of a rule -> what it may do, told by words: most rules have none of them, and need not
be looked into.
"""

from __future__ import annotations

import re

from webquarry.read.text.word_groups import WordGroups

# Nothing hides without one of these words, and most rules have none.
_HIDING = (
    "display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.",
    "opacity(0", "opacity=0", "font-size:.", "font-size:1px", "font-size:2px", "font:0",
    "size-adjust:0", "clip:rect", "clip-path:", "height:0", "height:1px", "width:0", "width:1px",
    "-size:0", "scale:0", "scale(0", "scalex(0", "scaley(0", "scale3d(0", "zoom:0", "matrix(0",
    "rotatex(", "rotatey(", "indent:1", "text-security", "color:transparent",
)  # fmt: skip
_MORE_HIDING = (
    "mask", "offset-path", "offset:path", "rotate:", "rotate3d(", "0fr", "content-visibility",
    "spacing:-", "fill-color", "inset:", "indent:calc", "contain:", "zoom:.", "scale:.", "scale(.",
    "height:.", "width:.", "font:.", "opacity:calc", "font-size:calc", "filter:", "matrix3d(",
    "perspective(", "opacity:-", "font-size:0", "height:calc", "width:calc", "font-size:max(",
    "font-size:min(", "font-size:clamp(", "opacity:min(", "opacity:max(", "opacity:clamp(",
    "flex:0", "flex-basis:0", "ray(", "blend-mode:",
    "opacity:1e", "font-size:1e", "height:1e", "width:1e", "scale(1e", "animation", "matrix(",
)  # fmt: skip
_MOVED = ("left:", "right:", "top:", "bottom:", "translate")
# several patterns, because one that begins with a plain sign is searched for several times as fast
_FAR_OUT = re.compile(r"-\d\d(?:\d|[erv]|ch|in|cm)")
_FAR_RIGHT = re.compile(r"\d{4}(?:px|%|em|vw)|\d{3}(?:em|vw|vh|rem)|100%")
_FAR_DOWN = re.compile(r"top:\d{3}")
_FLAT_COLUMNS = re.compile(r"template-columns:(?:[^;]*[ \]])?0(?:px|fr|%)?(?=[ ;]|$)")
_PALE_OR_DARK = (
    "color:#fff", "color:white", "color:#000", "color:black", "color:rgb", "color:hsl",
    "color:hwb", "color:ok", "color:la", "color:lc", "color:color(", "color:inherit",
)  # fmt: skip

# What the body of a rule may do: hide something, colour it pale or dark, paint it at all, make
# rows, lines or columns without any size, cut off what is in them, place it; or that it calls for
# other values.
_PUBLIC = 7
HIDES, IS_PALE, PAINTS, IS_FLAT, CUTS, PLACES, CALLS = (1 << bit for bit in range(_PUBLIC))
# What takes a closer look.
_OVERFLOW, _HAS_LINES, _IS_MOVED, _HAS_NUMBERS, _HAS_COLUMNS = (
    1 << bit for bit in range(_PUBLIC, _PUBLIC + 5)
)
_WORDS = WordGroups(
    (
        _HIDING + _MORE_HIDING,
        _PALE_OR_DARK,
        ("color:", "background"),
        ("0fr", "rows:0", "line-height:0", "line-height:."),
        ("overflow", "min-height:0", "template-columns:"),
        ("position:",),
        ("var(", "attr(", "if("),
        ("overflow",),
        ("line-height:",),
        _MOVED,
        (*_MOVED, *(f"-{digit}" for digit in range(10))),
        ("template-columns:",),
    )
)


def search_far_away(body: str, is_moved: bool) -> bool:
    """Whether a number in a body moves something out of sight; `is_moved` says that it is moved by
    some name.
    """
    if _FAR_OUT.search(body) is not None or _FAR_DOWN.search(body) is not None:
        return True
    return is_moved and _FAR_RIGHT.search(body) is not None


try:
    from webquarry.read.css._rule_text import is_far_away
except ImportError:  # not built
    is_far_away = search_far_away


def find_hints(body: str) -> int:
    """What the body of a rule, in lower case and without needless blanks, may do, as bits."""
    found = _WORDS.find_in(body)
    if not found & HIDES and _moves_away(body, found):
        found |= HIDES
    if found & _HAS_COLUMNS and _FLAT_COLUMNS.search(body) is not None:
        found |= IS_FLAT
    return found


def _moves_away(body: str, found: int) -> bool:
    """Whether a large number moves something away, or lines without height are cut off."""
    if found & _OVERFLOW and found & _HAS_LINES:
        return True
    is_moved = bool(found & _IS_MOVED)
    if not body.isascii():  # other scripts have digits of their own
        return search_far_away(body, is_moved)
    return bool(found & _HAS_NUMBERS) and is_far_away(body, is_moved)
