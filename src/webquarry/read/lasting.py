"""Bytes of a page -> the same page with other names for the marks that libxml2 ends where a paragraph starts.

Browsers let them go on, so that a hidden `<u>` hides the paragraphs in it and a `<b>` makes them bold. Where the same
letters are no tag they stay as they are: in scripts, titles and comments and in the values of attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LASTING = {
    b"b": b"strong", b"u": b"ins", b"s": b"del", b"strike": b"del", b"tt": b"samp", b"big": b"span", b"small": b"span",
}  # fmt: skip
_FLEETING = re.compile(rb"<(/?)([bBuUsStT](?i:trike|t|ig|mall)?)(?=[\s/>])")
_OPENING = re.compile(rb"<[bBuUsStT](?i:trike|t|ig|mall)?[\s/>]")
_RAW = re.compile(rb"<(?:((?i:script|style|textarea|title|xmp))(?=[\s/>])|!--)")
_ENDS = {
    name: re.compile(rb"</" + name + rb"[\s/>]", re.IGNORECASE)
    for name in (b"script", b"style", b"textarea", b"title", b"xmp")
}
_FARTHEST = 16_384  # bytes; a tag that began further back is not looked for


def with_lasting_marks(data: bytes) -> bytes:
    """The page with `<b>` as `<strong>` and the like."""
    if _OPENING.search(data) is None:
        return data
    stretches = _stretches(data)
    values = _Values(data)
    start, end = next(stretches, (len(data), len(data)))

    def renamed(found: re.Match[bytes]) -> bytes:
        nonlocal start, end
        while end <= found.start():
            start, end = next(stretches, (len(data), len(data)))
        name = _LASTING.get(found[2].lower())
        if name is None or start <= found.start() or values.hold(found.start()):
            return found[0]
        return b"<" + found[1] + name

    return _FLEETING.sub(renamed, data)


def _stretches(data: bytes) -> Iterator[tuple[int, int]]:
    """From where to where there are no tags: scripts and the like, comments. One without an end goes on to the last byte."""
    values = _Values(data)
    place = 0
    while (found := _RAW.search(data, place)) is not None:
        if found[1] is None:
            end = data.find(b"-->", found.start() + 2)
        elif values.hold(found.start()):
            place = found.end()
            continue
        else:
            closing = _ENDS[found[1].lower()].search(data, found.end())
            end = closing.start() if closing else -1
        place = len(data) if end < 0 else max(end, found.end())
        yield found.start(), place


class _Values:
    """The quoted values of attributes, asked about places from left to right, so that nothing is looked at twice."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0
        self._ends = {b'="': 0, b"='": 0}  # where the last value in quotes of each kind ends

    def hold(self, place: int) -> bool:
        """Whether a place lies between the quotes of an attribute."""
        for opening in self._ends:
            quote = self._data.rfind(opening, self._place, place)
            if quote >= 0:
                end = self._data.find(opening[1:], quote + 2)
                self._ends[opening] = (len(self._data) if end < 0 else end) if self._is_in_tag(quote) else 0
        self._place = place
        return place < max(self._ends.values())

    def _is_in_tag(self, place: int) -> bool:
        tag = self._data.rfind(b"<", max(place - _FARTHEST, 0), place)
        return tag >= 0 and self._data[tag + 1 : tag + 2].isalpha() and self._data.find(b">", tag, place) < 0
