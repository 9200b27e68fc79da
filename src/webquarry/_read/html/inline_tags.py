"""Bytes of a page -> the same page with other names for the marks that libxml2 ends where a
paragraph starts.

Browsers let them go on, so that a hidden `<u>` hides the paragraphs in it and a `<b>` makes them
bold. Where the same letters are no tag they stay as they are: in scripts, titles and comments and
in the values of attributes.
"""

from __future__ import annotations

import re

try:
    from webquarry._read.html._marks import find_marks
except ImportError:  # not built: the same in Python
    from webquarry._read.html.marks import find_marks

# What libxml2 would close at a paragraph -> what means the same and goes on.
_RENAMED = {
    b"b": b"strong",
    b"u": b"ins",
    b"s": b"del",
    b"strike": b"del",
    b"tt": b"samp",
    b"big": b"span",
    b"small": b"span",
}
# A mark from its start to its end with nothing in it that would end it early, or that could make
# its end a false one.
_ATTRIBUTES = (
    rb"""(?:\s++[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++))?+)*+\s*+/?"""
)
_ENDING = (
    rb"p|td|th|center|script|style|textarea|title|xmp|iframe|noscript|noembed|noframes|plaintext"
)
_CLOSED = re.compile(
    rb"<(b|u|s|strike|tt|big|small)" + _ATTRIBUTES + rb">"
    rb"(?:[^<]++|<(?!/?+(?:\1|" + _ENDING + rb")[\s/>])/?+[a-z][\w:-]*+" + _ATTRIBUTES + rb">)*+"
    rb"</\1\s*+>",
    re.IGNORECASE,
)  # fmt: skip
_FOUND = re.compile(
    rb"<(?:(/?)([bBuUsStT](?i:trike|t|ig|mall)?)(?=[\s/>])"
    rb"|((?i:script|style|textarea|title|xmp))(?=[\s/>])|!--)"
)
# Case matters for the first two bytes, so that they are quickly found.
_ENDS = {
    name: re.compile(rb"</(?i:" + name + rb")[\s/>]")
    for name in (b"script", b"style", b"textarea", b"title", b"xmp")
}
_FARTHEST = 16_384  # bytes; a tag that began further back is not looked for


def rename_inline_tags(data: bytes) -> bytes:
    """The page with `<b>` as `<strong>` and the like, if one of them holds a paragraph."""
    if all(_CLOSED.match(data, opening) for opening in find_marks(data)):
        return data
    parts: list[bytes] = []
    values = _AttributeValues(data)
    done = place = 0
    while (found := _FOUND.search(data, place)) is not None:
        start, place = found.span()
        if found[2] is None:
            place = _find_raw_end(data, found, values)
            values.place = place  # quotes in a script belong to no attribute
            continue
        name = _RENAMED.get(found[2].lower())
        if name is not None and not values.cover(start):
            parts += (data[done:start], b"<", found[1], name)
            done = place
    parts.append(data[done:])
    return b"".join(parts)


def _find_raw_end(data: bytes, found: re.Match[bytes], values: _AttributeValues) -> int:
    """Where tags begin again behind the start of a script, a comment and the like; at the last byte
    if it has no end.
    """
    tag = found[3]
    end = -1
    if tag is None:
        end = data.find(b"-->", found.start() + 2)
    elif values.cover(found.start()):
        return found.end()
    else:
        closing = _ENDS[tag.lower()].search(data, found.end())
        if closing:
            end = closing.start()
    if end < 0:
        return len(data)
    return max(end, found.end())


class _AttributeValues:
    """The quoted values of attributes, asked about places from left to right, so that nothing is
    looked at twice.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0
        self._ends = {b'="': 0, b"='": 0}  # where the last value in quotes of each kind ends

    def cover(self, place: int) -> bool:
        """Whether a place lies between the quotes of an attribute."""
        for opening in self._ends:
            quote = self._data.rfind(opening, self.place, place)
            if quote < 0:
                continue
            end = 0
            if self._is_in_tag(quote):
                end = self._data.find(opening[1:], quote + 2)
                if end < 0:
                    end = len(self._data)
            self._ends[opening] = end
        self.place = place
        return place < max(self._ends.values())

    def _is_in_tag(self, place: int) -> bool:
        """Whether the last opening bracket before a place begins a tag that is still open there."""
        tag = self._data.rfind(b"<", max(place - _FARTHEST, 0), place)
        if tag < 0 or not self._data[tag + 1 : tag + 2].isalpha():
            return False
        return self._data.find(b">", tag, place) < 0
