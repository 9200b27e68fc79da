"""Markdown -> its headings, with the places and the sizes of the sections below them; and one
section by name or number.

Places are those of the UTF-8 bytes of the text, so that they add up with the lengths in answers. A
section goes on to the next heading of the same or a higher level; what stands in fenced code, lists
and front matter is no heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from webquarry.errors import BadInput
from webquarry.read.text.words import Words

_FENCE = re.compile(rb"[ >\t]*(?:[-*+]\s+|\d{1,9}[.)]\s+)*(`{3,}|~{3,})")
_ATX = re.compile(rb" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(rb" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(rb"\s*$| {4}|\t| {0,3}(?:[#>|]|[-*+][ \t]|\d{1,9}[.)][ \t])")
_EMPHASIS = re.compile(r"(?<!\\)[*_`]+(?=\S)|(?<=[^\s\\])[*_`]+")
_LISTED = 20  # headings that an error names


@dataclass(frozen=True)
class Heading:
    """A heading and the section that it opens: bytes from `start` to `stop`."""

    number: int  # from 1, in the order of the page
    level: int
    title: str
    line: int  # from 1
    start: int
    stop: int


@dataclass(frozen=True)
class MarkdownLine:
    """One line with its place; `fenced` for code, its fences included."""

    number: int
    start: int
    text: bytes  # without its line feed
    fenced: bool


def lines_of(data: bytes) -> Iterator[MarkdownLine]:
    """The lines of a text, told apart from code."""
    fence = b""
    start = 0
    for number, text in enumerate(data.split(b"\n"), 1):
        found = _FENCE.match(text)
        if fence:
            closes = (
                found is not None and found[1].startswith(fence) and not text[found.end() :].strip()
            )
            yield MarkdownLine(number, start, text, True)
            fence = b"" if closes else fence
        else:
            opens = found is not None and not (found[1][:1] == b"`" and b"`" in text[found.end() :])
            fence = found[1] if found is not None and opens else b""
            yield MarkdownLine(number, start, text, opens)
        start += len(text) + 1


def headings_of(data: bytes) -> list[Heading]:
    """Every heading, with the end of its section."""
    found = [
        Heading(number, level, _plain(title), line, start, len(data))
        for number, (level, title, line, start) in enumerate(_headings(data), 1)
    ]
    return [replace(heading, stop=_stop(found, at, len(data))) for at, heading in enumerate(found)]


def find_section(headings: Sequence[Heading], wanted: str) -> Heading:
    """The section whose heading reads so, or begins so, or has these words in it, or has this
    number.
    """
    asked = _folded(wanted)
    titles = [_folded(heading.title) for heading in headings]
    for fits in (str.__eq__, str.startswith, str.__contains__):
        for heading, title in zip(headings, titles, strict=True):
            if asked and fits(title, asked):
                return heading
        if (
            fits is str.__eq__
            and asked.isascii()
            and asked.isdigit()
            and 1 <= int(asked[:9]) <= len(headings)
        ):
            return headings[int(asked[:9]) - 1]
    raise BadInput(f"The page has no section {wanted[:100]!r}.", suggested_action=_advice(headings))


def _headings(data: bytes) -> Iterator[tuple[int, bytes, int, int]]:
    """Level, title, line and place of each."""
    skipped = _front_matter_lines(data)
    before: MarkdownLine | None = None  # a line of a paragraph, which an underline makes a heading
    run = 0  # lines of that paragraph so far
    for line in lines_of(data):
        if line.number <= skipped or line.fenced:
            before, run = None, 0
            continue
        atx = _ATX.match(line.text)
        underline = _UNDERLINE.match(line.text)
        if atx:
            yield len(atx[1]), atx[2] or b"", line.number, line.start
            before, run = None, 0
        elif underline and before is not None and run == 1:
            yield 1 if underline[1][:1] == b"=" else 2, before.text, before.number, before.start
            before, run = None, 0
        elif _NO_PARAGRAPH.match(line.text):
            before, run = None, 0
        else:
            before, run = line, run + 1


def _front_matter_lines(data: bytes) -> int:
    if not data.startswith((b"---\n", b"---\r\n")):
        return 0
    end = re.compile(rb"\n(?:---|\.\.\.)[ \t\r]*(?:\n|$)").search(data, 3, 10_000)
    if end:
        return data.count(b"\n", 0, end.start()) + 2
    return 0


def _stop(headings: Sequence[Heading], at: int, end: int) -> int:
    level = headings[at].level
    return next((later.start for later in headings[at + 1 :] if later.level <= level), end)


def _plain(title: bytes) -> str:
    return " ".join(_EMPHASIS.sub("", Words(title.decode("utf-8", "replace")).text).split())


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip("#: ")


def _advice(headings: Sequence[Heading]) -> str:
    if not headings:
        return "The page has no headings: use find, or read it whole."
    shown = [f"{heading.number}. {heading.title[:80]}" for heading in headings[:_LISTED]]
    more = ""
    if len(headings) > _LISTED:
        more = f"; and {len(headings) - _LISTED} more (outline lists them)"
    return f"Use one of: {'; '.join(shown)}{more}."
