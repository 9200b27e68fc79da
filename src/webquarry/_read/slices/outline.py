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
from typing import NamedTuple

from webquarry._read.text.words import Words
from webquarry.errors import BadInput

_FENCE = re.compile(rb"[ >\t]*(?:[-*+]\s+|\d{1,9}[.)]\s+)*(`{3,}|~{3,})")
_ATX = re.compile(rb" {0,3}(#{1,6})(?=[ \t]|\Z)")
_UNDERLINE = re.compile(rb" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(rb"\s*$| {4}|\t| {0,3}(?:[#>|]|[-*+][ \t]|\d{1,9}[.)][ \t])")
_EMPHASIS = re.compile(r"(?<!\\)[*_`]+(?=\S)|(?<=[^\s\\])[*_`]+")
_FRONT_MATTER_END = re.compile(rb"\n(?:---|\.\.\.)[ \t\r]*(?:\n|$)")
_LONGEST_FRONT_MATTER = 10_000  # bytes
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


class MarkdownLine(NamedTuple):
    """One line with its place; `fenced` for code, its fences included."""

    number: int
    start: int
    text: bytes  # without its line feed
    fenced: bool


def lines_of(data: bytes) -> Iterator[MarkdownLine]:
    """The lines of a text in UTF-8, told apart from code.

    A fence ends code only if it is as long as the one that began it, and alone in its line.
    """
    open_fence = b""
    start = 0
    for number, text in enumerate(data.split(b"\n"), 1):
        fence = _FENCE.match(text)
        is_fenced = bool(open_fence)
        if fence is not None:
            ticks = fence[1]
            behind = text[fence.end() :]
            if not open_fence:
                # ticks with others behind them in the same line are code inside a paragraph
                if ticks[:1] != b"`" or b"`" not in behind:
                    open_fence = ticks
                    is_fenced = True
            elif ticks.startswith(open_fence) and not behind.strip():
                open_fence = b""
        yield MarkdownLine(number, start, text, is_fenced)
        start += len(text) + 1


def headings_of(data: bytes) -> list[Heading]:
    """Every heading, with the end of its section."""
    headings: list[Heading] = []
    open_sections: list[int] = []  # indexes of headings whose end is not yet known
    for level, title, line, start in _find_headings(data):
        while open_sections and headings[open_sections[-1]].level >= level:
            ended = open_sections.pop()
            headings[ended] = replace(headings[ended], stop=start)
        open_sections.append(len(headings))
        number = len(headings) + 1
        headings.append(Heading(number, level, read_title(title), line, start, len(data)))
    return headings


def read_title(markdown: bytes) -> str:
    """What a person reads in a heading."""
    text = _EMPHASIS.sub("", Words(markdown.decode("utf-8", "replace")).text)
    return " ".join(text.split())


def find_section(headings: Sequence[Heading], wanted: str) -> Heading:
    """The section whose heading reads so, or begins so, or has these words in it, or has this
    number.
    """
    asked = _fold(wanted)
    titles = [_fold(heading.title) for heading in headings]
    for fits in (str.__eq__, str.startswith, str.__contains__):
        for heading, title in zip(headings, titles, strict=True):
            if asked and fits(title, asked):
                return heading
        # a number is looked for once no title reads just so
        if fits is str.__eq__ and asked.isascii() and asked.isdigit():
            number = int(asked[:9])
            if 1 <= number <= len(headings):
                return headings[number - 1]

    advice = "The page has no headings: use find, or read it whole."
    if headings:
        names = [f"{heading.number}. {heading.title[:80]}" for heading in headings[:_LISTED]]
        more = ""
        if len(headings) > _LISTED:
            more = f"; and {len(headings) - _LISTED} more (outline lists them)"
        advice = f"Use one of: {'; '.join(names)}{more}."
    raise BadInput(f"The page has no section {wanted[:100]!r}.", suggested_action=advice)


def _find_headings(data: bytes) -> Iterator[tuple[int, bytes, int, int]]:
    """Level, title, line and place of each heading."""
    front_matter_lines = 0
    if data.startswith((b"---\n", b"---\r\n")):
        end = _FRONT_MATTER_END.search(data, 3, _LONGEST_FRONT_MATTER)
        if end:
            front_matter_lines = data.count(b"\n", 0, end.start()) + 2
    paragraph: list[MarkdownLine] = []  # a single line becomes a heading if it is underlined
    for line in lines_of(data):
        if line.number <= front_matter_lines or line.fenced:
            paragraph = []
            continue
        atx = _ATX.match(line.text)
        underline = _UNDERLINE.match(line.text)
        if atx:
            title = _strip_closing(line.text[atx.end() :])
            yield len(atx[1]), title, line.number, line.start
            paragraph = []
        elif underline and len(paragraph) == 1:
            level = 2
            if underline[1][:1] == b"=":
                level = 1
            text = paragraph[0]
            yield level, text.text, text.number, text.start
            paragraph = []
        elif _NO_PARAGRAPH.match(line.text):
            paragraph = []
        else:
            paragraph.append(line)


def _strip_closing(heading: bytes) -> bytes:
    """What stands behind the signs of a heading, without blanks and without signs that close it."""
    title = heading.strip(b" \t")
    text = title.rstrip(b"#")
    if text.endswith((b" ", b"\t")) or not text:
        return text.rstrip(b" \t")
    return title


def _fold(text: str) -> str:
    """A title for comparing: case, white space and signs at its ends say nothing."""
    words = text.casefold().split()
    return " ".join(words).strip("#: ")
