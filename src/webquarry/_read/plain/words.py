"""The words of a whole page as one plain text, and what is known of places in it.

This text is what quotes are compared with, what is kept and hashed, and what offsets count in:
characters from 0. It begins with the page's title. A line is a block of the page. Marks that only
Markdown has (`#`, `>`, `|`, link targets) are not in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

Range = tuple[int, int]  # characters from, up to


@dataclass(frozen=True)
class WordSection:
    """A heading, and where it stands in the text."""

    start: int
    level: int
    title: str


@dataclass(frozen=True)
class PageWords:
    """The words of a page."""

    text: str
    sections: tuple[WordSection, ...] = ()
    # What whoever quotes may leave out: note marks, list numbers, readings of characters.
    asides: tuple[Range, ...] = ()
    # What a person does not see, and nobody is to be shown: it is only looked for quotes in.
    hidden: tuple[Range, ...] = ()
    pages: tuple[tuple[int, int], ...] = ()  # where each page of a document starts, and its number
    # Whether lines may be a page's number, head or foot, as in text made of printed pages.
    may_have_furniture: bool = False

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in UTF-8: tells it from any other."""
        return hash_text(self.text)

    def section_at(self, place: int) -> str | None:
        """The title of the section that a place is in."""
        index = bisect_right(self.sections, place, key=lambda section: section.start)
        if not index:
            return None
        return self.sections[index - 1].title

    def page_at(self, place: int) -> int | None:
        """The number of the page that a place is on, where the document has pages."""
        index = bisect_right(self.pages, place, key=lambda page: page[0])
        if not index:
            return None
        return self.pages[index - 1][1]


def hash_text(text: str) -> str:
    """The SHA-256 of a text in UTF-8, in hexadecimal digits."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def describe_words(words: PageWords) -> dict[str, Any]:
    """All but the text, as JSON has it."""
    return {
        "sections": [(part.start, part.level, part.title) for part in words.sections],
        "asides": words.asides,
        "hidden": words.hidden,
        "pages": words.pages,
        "furniture": words.may_have_furniture,
    }


def build_words(fields: dict[str, Any], text: str) -> PageWords:
    """The words that were described."""
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
