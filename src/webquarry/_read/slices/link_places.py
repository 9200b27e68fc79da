"""Where the links and the images of a Markdown text stand, outside of its code. `_link_places.pyx`
is the same, compiled.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from webquarry._read.slices.outline import lines_of

# Where a link begins, where its text begins and ends, and where the link ends.
LinkPlace = tuple[int, int, int, int]

_DEEPEST_PARENTHESES = 8


def _build_address_pattern() -> bytes:
    """An address without blanks, in which parentheses are closed again."""
    plain = rb"[^\s()\\<>]++|\\\S"
    inside = rb"(?:" + plain + rb")*+"
    for _ in range(_DEEPEST_PARENTHESES):
        inside = rb"(?:" + plain + rb"|\(" + inside + rb"\))*+"
    return inside


_ADDRESS = _build_address_pattern()
_TITLE = rb"(?:[ \t]+(?:\"[^\"\n]{0,500}+\"|'[^'\n]{0,500}+'))?+"
_TARGET = re.compile(rb"\((?:<[^<>\n]{0,5000}+>|" + _ADDRESS + rb")" + _TITLE + rb"\)")
_TICKS = re.compile(rb"`+")
_GAP = re.compile(rb"\n[ \t]*+\n")


def find_links(data: bytes) -> list[LinkPlace]:
    """Every link and image outside code, in the order in which they end."""
    if b"](" not in data:
        return []
    links: list[LinkPlace] = []
    for start, stop in _stretches_outside_code(data):
        links.extend(_find_links_between(data, start, stop))
    return links


def read_plain_target(piece: bytes) -> bytes | None:
    """The address in a piece that was taken out, where it stands there as nearly all do: empty
    where there is none, None for any other.
    """
    if b"](" not in piece:
        return b""
    is_plain = piece.startswith(b"](") and piece.endswith(b")")
    if is_plain and not piece.startswith(b"](<") and len(piece.split()) == 1:
        return piece[2:-1]
    return None


def _stretches_outside_code(data: bytes) -> Iterator[tuple[int, int]]:
    """Where text stands between blocks of fenced code."""
    if b"```" not in data and b"~~~" not in data:
        yield 0, len(data)
        return
    start: int | None = None
    for line in lines_of(data):
        if line.fenced:
            if start is not None:
                yield start, line.start
            start = None
        elif start is None:
            start = line.start
    if start is not None:
        yield start, len(data)


def _find_links_between(data: bytes, start: int, stop: int) -> Iterator[LinkPlace]:
    """The links of a stretch without fenced code."""
    paragraphs = _Paragraphs(data, start, stop)
    opened: list[int] = []  # brackets that may be the beginning of a link
    place = start
    # where each sign stands next: to look for one is several times faster than for any of four
    escape = tick = opening = closing = start - 1
    while True:
        if escape < place:
            escape = _find_sign(data, b"\\", place, stop)
        if tick < place:
            tick = _find_sign(data, b"`", place, stop)
        if opening < place:
            opening = _find_sign(data, b"[", place, stop)
        if closing < place:
            closing = _find_sign(data, b"]", place, stop)
        at = min(escape, tick, opening, closing)
        if at == stop:
            return
        place = at + 1
        if at == escape:
            place += 1  # whatever is escaped
        elif at == tick:
            place = paragraphs.find_code_end(at)
        elif at == opening:
            opened.append(at)
        elif opened:
            bracket = opened.pop()
            target = _TARGET.match(data, place, stop)
            if target is None or paragraphs.ends_between(bracket, at):
                continue
            place = target.end()
            link_start = bracket
            if data[bracket - 1 : bracket] == b"!" and bracket > start:
                link_start -= 1
            else:
                opened.clear()  # a link stands in no other link
            yield link_start, bracket + 1, at, place


def _find_sign(data: bytes, sign: bytes, start: int, stop: int) -> int:
    """Where a sign stands next; the end of the stretch where it does not."""
    at = data.find(sign, start, stop)
    if at < 0:
        return stop
    return at


class _Paragraphs:
    """Where paragraphs end, which no link and no code crosses; and where code in them does."""

    def __init__(self, data: bytes, start: int, stop: int) -> None:
        self._data = data
        self._gaps = [found.start() for found in _GAP.finditer(data, start, stop)]
        self._gaps.append(stop)
        self._runs: dict[int, list[int]] = defaultdict(list)  # of ticks, by how many they are
        if b"`" not in data:
            return
        for found in _TICKS.finditer(data, start, stop):
            self._runs[len(found[0])].append(found.start())

    def ends_between(self, start: int, stop: int) -> bool:
        """Whether a paragraph ends between two places."""
        return self._gaps[bisect_left(self._gaps, start)] < stop

    def find_code_end(self, start: int) -> int:
        """Behind the code that the ticks here open, or behind them where they open none."""
        ticks = _TICKS.match(self._data, start)
        assert ticks is not None
        length = len(ticks[0])
        runs = self._runs[length]
        at = bisect_left(runs, ticks.end())
        if at < len(runs) and not self.ends_between(start, runs[at]):
            return runs[at] + length
        return ticks.end()
