"""The body of a rule -> whether it may hide something, told by words: most rules have none of
them, and need not be looked into.
"""

from __future__ import annotations

import re

from webquarry.read.text.remember import remember_short
from webquarry.read.text.search import WordSearch

# Nothing hides without one of these words, and most rules have none.
_HIDING_WORDS = (
    "display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.",
    "opacity(0", "opacity=0", "font-size:.", "font-size:1px", "font-size:2px", "font:0",
    "size-adjust:0", "clip:rect", "clip-path:", "height:0", "height:1px", "width:0", "width:1px",
    "-size:0", "scale:0", "scale(0", "scalex(0", "scaley(0", "scale3d(0", "zoom:0", "matrix(0",
    "rotatex(", "rotatey(", "indent:1", "text-security", "color:transparent",
)  # fmt: skip
_MORE_HIDING_WORDS = (
    "mask", "offset-path", "offset:path", "rotate:", "rotate3d(", "0fr", "content-visibility",
    "spacing:-", "fill-color", "inset:", "indent:calc", "contain:", "zoom:.", "scale:.", "scale(.",
    "height:.", "width:.", "font:.", "opacity:calc", "font-size:calc", "filter:", "matrix3d(",
    "perspective(", "opacity:-", "font-size:0", "height:calc", "width:calc", "font-size:max(",
    "font-size:min(", "font-size:clamp(", "opacity:min(", "opacity:max(", "opacity:clamp(",
    "flex:0", "flex-basis:0", "ray(", "blend-mode:",
    "opacity:1e", "font-size:1e", "height:1e", "width:1e", "scale(1e", "animation", "matrix(",
)  # fmt: skip
# two patterns, because one that begins with a plain sign is searched for several times as fast
_FAR_OUT = re.compile(r"-\d\d(?:\d|[erv]|ch|in|cm)")
_FAR_RIGHT = re.compile(r"\d{4}(?:px|%|em|vw)|\d{3}(?:em|vw|vh|rem)|100%")
_FAR_DOWN = re.compile(r"top:\d{3}")
_MOVED = ("left:", "right:", "top:", "bottom:", "translate")
_PALE_OR_DARK = (
    "color:#fff", "color:white", "color:#000", "color:black", "color:rgb", "color:hsl",
    "color:hwb", "color:ok", "color:la", "color:lc", "color:color(", "color:inherit",
)  # fmt: skip
_FLAT_WORDS = WordSearch(("0fr", "rows:0", "line-height:0", "line-height:."))
_FLAT_COLUMNS = re.compile(r"template-columns:(?:[^;]*[ \]])?0(?:px|fr|%)?(?=[ ;]|$)")
HIDING_OR_PALE = WordSearch(_HIDING_WORDS + _PALE_OR_DARK)
HIDING_OR_PAINTING = WordSearch((*_HIDING_WORDS, "color:", "background"))
_MORE_HIDING = WordSearch(_MORE_HIDING_WORDS)


def may_hide(body: str, words: WordSearch) -> bool:
    """Whether the body of a rule holds one of the words, or a large number that moves something
    away.
    """
    return words.is_any_in(body) or _may_hide_otherwise(body)


@remember_short
def _may_hide_otherwise(body: str) -> bool:
    """The same for the words that always count."""
    if _MORE_HIDING.is_any_in(body) or _FAR_OUT.search(body) is not None:
        return True
    if "overflow" in body and "line-height:" in body:
        return True
    if _FAR_DOWN.search(body) is not None:
        return True
    is_moved = any(word in body for word in _MOVED)
    return is_moved and _FAR_RIGHT.search(body) is not None


@remember_short
def is_flat(body: str) -> bool:
    """Whether the body of a rule may make rows, lines or columns without any size."""
    return _FLAT_WORDS.is_any_in(body) or _FLAT_COLUMNS.search(body) is not None
