"""Headings of a text with the positions and sizes of their sections, and one section by name.

A section extends to the next heading of the same or a higher level. Headings inside of quotes and
list items are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webquarry._read.slices.text import WrittenText
from webquarry.errors import BadInput

_MAX_LISTED = 20  # headings that an error names


@dataclass(frozen=True)
class Heading:
    """A heading and its section: bytes from `start` to `stop`."""

    number: int  # from 1, in the order of the page
    level: int
    title: str
    line: int  # from 1
    start: int
    stop: int


def headings_of(text: WrittenText) -> list[Heading]:
    """Return every heading, with the end of its section."""
    data = text.data
    headings: list[Heading] = []
    open_sections: list[int] = []  # indexes of headings whose end is not yet known
    line, counted = 1, 0
    for unit in text.units:
        if not unit.level:
            continue
        while open_sections and headings[open_sections[-1]].level >= unit.level:
            ended = open_sections.pop()
            headings[ended] = replace(headings[ended], stop=unit.start)
        open_sections.append(len(headings))
        line += data.count(b"\n", counted, unit.start)
        counted = unit.start
        title = text.read_title(unit.start)
        headings.append(Heading(len(headings) + 1, unit.level, title, line, unit.start, len(data)))
    return headings


def find_section(headings: Sequence[Heading], wanted: str) -> Heading:
    """Return the section with this title, a title that starts with it or contains it, or with this
    number. Raises `BadInput` if there is none.
    """
    asked = _fold(wanted)
    titles = [_fold(heading.title) for heading in headings]
    for fits in (str.__eq__, str.startswith, str.__contains__):
        for heading, title in zip(headings, titles, strict=True):
            if asked and fits(title, asked):
                return heading
        # a number counts if no title is equal to it
        if fits is str.__eq__ and asked.isascii() and asked.isdigit():
            number = int(asked[:9])
            if 1 <= number <= len(headings):
                return headings[number - 1]

    advice = "The page has no headings: use find, or read it whole."
    if headings:
        names = [f"{heading.number}. {heading.title[:80]}" for heading in headings[:_MAX_LISTED]]
        more = ""
        if len(headings) > _MAX_LISTED:
            more = f"; and {len(headings) - _MAX_LISTED} more (outline lists them)"
        advice = f"Use one of: {'; '.join(names)}{more}."
    raise BadInput(f"The page has no section {wanted[:100]!r}.", suggested_action=advice)


def _fold(text: str) -> str:
    """Return a title for comparison: case, whitespace and signs at its ends do not count."""
    words = text.casefold().split()
    return " ".join(words).strip("#: ")
