"""Words of a whole page as plain text, with its sections, asides, hidden ranges and pages.

Quotes are compared with this text; it is stored and hashed, and offsets count its characters from
0. It starts with the title of the page. A line is a block. It has no Markdown syntax.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

Range = tuple[int, int]  # start and end, in characters


@dataclass(frozen=True)
class WordSection:
    """A heading with its position in the text."""

    start: int
    level: int
    title: str


@dataclass(frozen=True)
class PageWords:
    """The words of a page."""

    text: str
    sections: tuple[WordSection, ...] = ()
    # Quotes may omit these: note marks, list numbers, readings of characters.
    asides: tuple[Range, ...] = ()
    # Not visible on the page: searched for quotes, never shown.
    hidden: tuple[Range, ...] = ()
    pages: tuple[tuple[int, int], ...] = ()  # start and number of each page of a document
    # Whether lines may be page numbers, headers or footers, as in printed pages.
    may_have_furniture: bool = False

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in UTF-8."""
        return hash_text(self.text)

    def section_at(self, place: int) -> str | None:
        """Return the title of the section at a position."""
        index = bisect_right(self.sections, place, key=lambda section: section.start)
        return self.sections[index - 1].title if index else None

    def page_at(self, place: int) -> int | None:
        """Return the number of the page at a position, if the document has pages."""
        index = bisect_right(self.pages, place, key=lambda page: page[0])
        return self.pages[index - 1][1] if index else None


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal digits."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def describe_words(words: PageWords) -> dict[str, Any]:
    """Return everything but the text as JSON values."""
    return {
        "sections": [(part.start, part.level, part.title) for part in words.sections],
        "asides": words.asides,
        "hidden": words.hidden,
        "pages": words.pages,
        "furniture": words.may_have_furniture,
    }


def build_words(fields: dict[str, Any], text: str) -> PageWords:
    """Inverse of `describe_words`."""
    return PageWords(
        text,
        tuple(WordSection(*section) for section in fields["sections"]),
        _as_ranges(fields["asides"]),
        _as_ranges(fields["hidden"]),
        _as_ranges(fields["pages"]),
        fields["furniture"],
    )


def _as_ranges(pairs: Sequence[Sequence[int]]) -> tuple[Range, ...]:
    return tuple((first, last) for first, last in pairs)


def visible_ranges(start: int, stop: int, removed: Sequence[Range]) -> list[Range]:
    """Return the ranges between two places that are not removed."""
    ranges = []
    for first, last in ranges_inside(removed, start, stop):
        if start < first:
            ranges.append((start, first))
        start = max(start, last)
    if start < stop:
        ranges.append((start, stop))
    return ranges


def cut_out(text: str, start: int, stop: int, removed: Sequence[Range]) -> str:
    """Return the text between two places without removed ranges."""
    return "".join(text[first:last] for first, last in visible_ranges(start, stop, removed))


def ranges_inside(removed: Sequence[Range], start: int, stop: int) -> Sequence[Range]:
    """Return the ranges that start between two places."""
    first = bisect_left(removed, start, key=lambda one: one[0])
    return removed[first : bisect_left(removed, stop, key=lambda one: one[0])]
