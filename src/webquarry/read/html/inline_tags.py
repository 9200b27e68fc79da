"""Bytes of a page -> the same page with other names for the marks that libxml2 ends where a
paragraph starts.

Browsers let them go on, so that a hidden `<u>` hides the paragraphs in it and a `<b>` makes them
bold. Where the same letters are no tag they stay as they are: in scripts, titles and comments and
in the values of attributes.
"""

from __future__ import annotations

import re

_LASTING = {
    b"b": b"strong", b"u": b"ins", b"s": b"del", b"strike": b"del", b"tt": b"samp",
    b"big": b"span", b"small": b"span",
}  # fmt: skip
_OPENING = re.compile(rb"<[bBuUsStT](?i:trike|t|ig|mall)?[\s/>]")
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
_ENDS = {
    name: re.compile(
        rb"</(?i:" + name + rb")[\s/>]"
    )  # case matters for the first two, so they are quickly found
    for name in (b"script", b"style", b"textarea", b"title", b"xmp")
}
_FARTHEST = 16_384  # bytes; a tag that began further back is not looked for


def rename_inline_tags(data: bytes) -> bytes:
    """The page with `<b>` as `<strong>` and the like, if one of them holds a paragraph."""
    if all(_CLOSED.match(data, mark.start()) is not None for mark in _OPENING.finditer(data)):
        return data
    parts: list[bytes] = []
    values = _Values(data)
    done = place = 0
    while (found := _FOUND.search(data, place)) is not None:
        start, place = found.span()
        if found[2] is None:
            place = values.place = _end_of_raw(
                data, found, values
            )  # quotes in a script belong to no attribute
        elif (name := _LASTING.get(found[2].lower())) is not None and not values.hold(start):
            parts += (data[done:start], b"<", found[1], name)
            done = place
    return b"".join((*parts, data[done:]))


def _end_of_raw(data: bytes, found: re.Match[bytes], values: _Values) -> int:
    """Where tags begin again behind the start of a script, a comment and the like; at the last byte
    if it has no end.
    """
    if found[3] is None:
        end = data.find(b"-->", found.start() + 2)
    elif values.hold(found.start()):
        return found.end()
    else:
        closing = _ENDS[found[3].lower()].search(data, found.end())
        end = closing.start() if closing else -1
    if end < 0:
        return len(data)
    return max(end, found.end())


class _Values:
    """The quoted values of attributes, asked about places from left to right, so that nothing is
    looked at twice.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0
        self._ends = {b'="': 0, b"='": 0}  # where the last value in quotes of each kind ends

    def hold(self, place: int) -> bool:
        """Whether a place lies between the quotes of an attribute."""
        for opening in self._ends:
            quote = self._data.rfind(opening, self.place, place)
            if quote >= 0:
                end = self._data.find(opening[1:], quote + 2)
                if self._is_in_tag(quote):
                    if end < 0:
                        self._ends[opening] = len(self._data)
                    else:
                        self._ends[opening] = end
                else:
                    self._ends[opening] = 0
        self.place = place
        return place < max(self._ends.values())

    def _is_in_tag(self, place: int) -> bool:
        tag = self._data.rfind(b"<", max(place - _FARTHEST, 0), place)
        return (
            tag >= 0
            and self._data[tag + 1 : tag + 2].isalpha()
            and self._data.find(b">", tag, place) < 0
        )
