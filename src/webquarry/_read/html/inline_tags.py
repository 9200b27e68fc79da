"""Rename inline tags that libxml2 closes where a paragraph starts.

Browsers keep them open, so that a hidden `<u>` hides the paragraphs in it and a `<b>` makes them
bold. Scripts, titles, comments and attribute values are not changed.
"""

from __future__ import annotations

import re

_RENAMED = {
    b"b": b"strong",
    b"u": b"ins",
    b"s": b"del",
    b"strike": b"del",
    b"tt": b"samp",
    b"big": b"span",
    b"small": b"span",
}
_TAGS = rb"(?:b|u|s|strike|tt|big|small)"
_RAW = rb"script|style|textarea|title|xmp"
_INLINE = re.compile(rb"<(?i:b|u|s|strike|tt|big|small)[\s/>]")
_ATTRIBUTES = (
    rb"""(?:\s++[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++))?+)*+\s*+/?"""
)
# An inline element without anything that ends it early or contains a false end.
_CLOSED = re.compile(
    rb"<(" + _TAGS + rb")" + _ATTRIBUTES + rb">(?:[^<]++|<(?!/?+(?:\1|p|td|th|center|" + _RAW
    + rb"|iframe|noscript|noembed|noframes|plaintext)[\s/>])/?+[a-z][\w:-]*+" + _ATTRIBUTES
    + rb">)*+</\1\s*+>",
    re.IGNORECASE,
)  # fmt: skip
# The start of a comment or of raw text, or a tag with its attributes.
_TOKEN = re.compile(
    rb"<(?:(!--)|(" + _RAW + rb")(?=[\s/>])|(/?)(" + _TAGS + rb")(?=[\s/>])|/?[a-z])"
    rb"""(?(1)|(?(2)|(?:[^"'=>]++|=\s*+(?:"[^"]*+"|'[^']*+')|["'=])*+))""",
    re.IGNORECASE,
)
_RAW_ENDS = {
    name: re.compile(rb"</" + name + rb"(?=[\s/>])", re.IGNORECASE) for name in _RAW.split(b"|")
}


def rename_inline_tags(data: bytes) -> bytes:
    """Return a page with `<b>` as `<strong>` and the like if one of them contains a paragraph."""
    if all(_CLOSED.match(data, found.start()) for found in _INLINE.finditer(data)):
        return data
    parts: list[bytes] = []
    done = place = 0
    while (found := _TOKEN.search(data, place)) is not None:
        place = found.end()
        if found[1]:
            end = data.find(b"-->", found.start() + 2)
            place = max(end, place) if end >= 0 else len(data)
        elif found[2]:
            closing = _RAW_ENDS[found[2].lower()].search(data, place)
            place = closing.end() if closing else len(data)
        elif found[4]:
            parts += (data[done : found.start(4)], _RENAMED[found[4].lower()])
            done = found.end(4)
    parts.append(data[done:])
    return b"".join(parts)
