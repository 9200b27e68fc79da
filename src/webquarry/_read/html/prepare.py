"""Prepare HTML for libxml2: rename inline tags and trim attributes.

libxml2 closes some inline tags where a paragraph starts; browsers keep them open, so that a hidden
`<u>` hides the paragraphs in it. It takes quadratic time over the attributes of one tag. All
functions read the text once.
"""

from __future__ import annotations

import re
from itertools import islice

_WINDOW = 16_384  # bytes
_MAX_ATTRIBUTES = 1_000  # a tag with more keeps only those that are read
_NAME = re.compile(rb"[a-zA-Z][^\s/>]{0,100}")
_ATTRIBUTE = re.compile(r"([^\s/>=\"']+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
_READ_ATTRIBUTES = frozenset({
    "style", "hidden", "aria-hidden", "role", "popover", "color", "bgcolor",
    "alt", "aria-controls", "class", "colspan", "content", "data-bs-target", "data-target",
    "disabled", "encoding", "href", "id", "name", "open", "reversed", "rowspan", "src", "start",
    "title", "type", "value",
})  # fmt: skip
_RENAMED = {
    b"b": b"strong",
    b"u": b"ins",
    b"s": b"del",
    b"strike": b"del",
    b"tt": b"samp",
    b"big": b"span",
    b"small": b"span",
}
_INLINE_TAGS = rb"(?:b|u|s|strike|tt|big|small)"
_RAW_NAMES = rb"script|style|textarea|title|xmp"
_INLINE_TAG = re.compile(rb"<(?i:b|u|s|strike|tt|big|small)[\s/>]")
_TAG_ATTRIBUTES = (
    rb"""(?:\s++[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++))?+)*+\s*+/?"""
)
# An inline element without anything that ends it early or contains a false end.
_CLOSED = re.compile(
    rb"<(" + _INLINE_TAGS + rb")" + _TAG_ATTRIBUTES + rb">"
    rb"(?:[^<]++|<(?!/?+(?:\1|p|td|th|center|" + _RAW_NAMES
    + rb"|iframe|noscript|noembed|noframes|plaintext)[\s/>])/?+[a-z][\w:-]*+" + _TAG_ATTRIBUTES
    + rb">)*+</\1\s*+>",
    re.IGNORECASE,
)  # fmt: skip
# The start of a comment or of raw text, or a tag with its attributes.
_TOKEN = re.compile(
    rb"<(?:(!--)|(" + _RAW_NAMES + rb")(?=[\s/>])|(/?)(" + _INLINE_TAGS + rb")(?=[\s/>])|/?[a-z])"
    rb"""(?(1)|(?(2)|(?:[^"'=>]++|=\s*+(?:"[^"]*+"|'[^']*+')|["'=])*+))""",
    re.IGNORECASE,
)
_RAW_ENDS = {
    name: re.compile(rb"</" + name + rb"(?=[\s/>])", re.IGNORECASE)
    for name in _RAW_NAMES.split(b"|")
}


def rename_inline_tags(data: bytes) -> bytes:
    """Return a page with `<b>` as `<strong>` and the like if one of them contains a paragraph."""
    if all(_CLOSED.match(data, found.start()) for found in _INLINE_TAG.finditer(data)):
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


def trim_attributes(data: bytes) -> bytes:
    """Return a page in which tags with thousands of attributes have only those that are read.

    Such a tag is long, so that examining one position in each 16 KB finds it.
    """
    parts: list[bytes] = []
    done = tag_end = searched = 0
    opening = closing = -1  # the last "<", and the first ">" behind it
    for place in range(_WINDOW, len(data), _WINDOW):
        if place < tag_end or data.find(b">", place, place + _WINDOW) >= 0:
            continue
        opening = max(opening, data.rfind(b"<", max(done, searched), place + _WINDOW))
        searched = place + _WINDOW
        if opening > closing:
            closing = data.find(b">", opening)
            if closing < 0:
                break
        name = _NAME.match(data, opening + 1)
        if opening < done or closing < place or name is None:
            continue
        tag_end = closing
        attributes = data[name.end() : tag_end].decode("utf-8", "replace")
        if sum(1 for _ in islice(_ATTRIBUTE.finditer(attributes), _MAX_ATTRIBUTES)) == (
            _MAX_ATTRIBUTES
        ):
            parts += (data[done : name.end()], _select_attributes(attributes).encode())
            done = tag_end
    parts.append(data[done:])
    return b"".join(parts)


def _select_attributes(attributes: str) -> str:
    """Return the attributes that are read, the first of each name."""
    parts: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(attributes):
        name, value = found[1].lower(), found[2]
        if name not in _READ_ATTRIBUTES or name in parts:
            continue
        parts[name] = f" {name}"
        if value:
            parts[name] = f" {name}={value}"
    return "".join(parts.values())
