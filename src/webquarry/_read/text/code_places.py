"""Code in Markdown: write fenced blocks, and find them and code inside a line.

Backticks that are never closed are no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MAX_FENCE = 20  # backticks; a longer fence is no code, so that few lengths are searched for
_TICKS = re.compile("`+")
_FENCE = re.compile(rf"^[ \t>+*:\d.)\-]{{0,80}}(`{{3,{_MAX_FENCE}}})[^`\n]*\n", re.MULTILINE)


def fence(text: str, language: str) -> str:
    """Return a fenced block of Markdown that nothing in the text can close."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    ticks = "`" * max(longest + 1, 3)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def find_code(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each piece of code, in order."""
    if "`" not in text:
        return
    done = 0
    for start, end in [*_find_blocks(text), (len(text), len(text))]:
        yield from _find_spans(text, done, start)
        if start < end:
            yield start, end
        done = end


def _find_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the fenced blocks. A length of backticks that nothing closes is searched for once."""
    place = 0
    unclosed = _MAX_FENCE + 1  # no fence of so many backticks is closed
    while (opening := _FENCE.search(text, place)) is not None:
        place = opening.end()
        length = len(opening[1])
        if length >= unclosed:
            continue
        closing = re.compile(rf"^[ >]*+`{{{length},}}[ \t]*+$", re.MULTILINE).search(text, place)
        if closing is None:
            unclosed = length
            continue
        yield opening.start(), closing.end()
        place = closing.end()


def _find_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the code inside of lines: between equal runs of backticks."""
    runs = list(_TICKS.finditer(text, start, end))
    following: dict[int, int] = {}  # the next run by its length
    closings: list[int | None] = []
    for number in range(len(runs) - 1, -1, -1):
        length = len(runs[number][0])
        closings.append(following.get(length))
        following[length] = number
    closings.reverse()
    number = 0
    while number < len(runs):
        opening, closing = runs[number].start(), closings[number]
        number += 1
        if closing is None or text[opening - 1 : opening] == "\\":
            continue
        code_end = runs[closing].end()
        if text.find("\n", opening, code_end) < 0:
            yield opening, code_end
            number = closing + 1
