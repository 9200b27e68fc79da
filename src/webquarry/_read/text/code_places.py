"""Code in Markdown: write fenced blocks, and find them and code inside a line.

Backticks that are never closed are no code. All backticks and closing fences are found in one pass,
so that no text is searched twice.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

_LONGEST_SPAN = 4_000  # characters of code inside a line
_LONGEST_LEAD = 80  # characters before a fence: the marks of lists and quotations
_LEAD = re.compile(r"[ \t>+*:\d.)\-]*")
_TICKS = re.compile("`+")
_CLOSING = re.compile(r"^[ >]*+(`{3,})[ \t]*+$", re.MULTILINE)


def fence(text: str, language: str) -> str:
    """Return a fenced block of Markdown that nothing in the text can close."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    ticks = "`" * max(longest + 1, 3)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def find_code(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each piece of code, in order."""
    if "`" not in text:
        return
    places = _CodePlaces(text)
    done = 0
    for ticks in _TICKS.finditer(text):
        start = ticks.start()
        if start < done:
            continue
        found = places.find_block(ticks, done) or places.find_span(ticks)
        if found:
            yield found
            done = found[1]


class _CodePlaces:
    """The positions of fences and backticks in a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs: dict[int, list[int]] = defaultdict(list)  # of backticks, by length
        for ticks in _TICKS.finditer(text):
            self._runs[len(ticks[0])].append(ticks.start())
        closings = list(_CLOSING.finditer(text)) if "```" in text else []
        self._closing_starts = [closing.start() for closing in closings]
        self._closing_ends = [closing.end() for closing in closings]
        self._lengths = [len(closing[1]) for closing in closings]
        longest = list(accumulate(reversed(self._lengths), max))
        self._longest = longest[::-1]  # of the fences from each on

    def find_block(self, ticks: re.Match[str], done: int) -> tuple[int, int] | None:
        """Return the block that these backticks open at the start of a line after `done`."""
        length = len(ticks[0])
        if length < 3:
            return None
        text, at = self._text, ticks.start()
        first = max(0, at - _LONGEST_LEAD - 1)
        start = text.rfind("\n", first, at) + 1
        if start == 0 and at > _LONGEST_LEAD:
            return None
        if start < done or not _LEAD.fullmatch(text, start, at):
            return None
        line_end = text.find("\n", ticks.end())
        if line_end < 0 or text.find("`", ticks.end(), line_end) >= 0:
            return None
        number = bisect_right(self._closing_starts, line_end)
        if number == len(self._lengths) or self._longest[number] < length:
            return None
        while self._lengths[number] < length:
            number += 1
        return start, self._closing_ends[number]

    def find_span(self, ticks: re.Match[str]) -> tuple[int, int] | None:
        """Return the code inside a line that these backticks open."""
        text, end = self._text, ticks.end()
        if text[ticks.start() - 1 : ticks.start()] == "\\":
            return None
        length = len(ticks[0])
        runs = self._runs[length]
        number = bisect_right(runs, ticks.start())
        if number == len(runs):
            return None
        closing = runs[number]
        if closing - end > _LONGEST_SPAN or text.find("\n", end, closing) >= 0:
            return None
        return ticks.start(), closing + length
