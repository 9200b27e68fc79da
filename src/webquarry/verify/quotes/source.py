"""The text of one source, ready to be searched: lanes of its letters and an index of its words,
each made when it is first needed and once for all quotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal, NamedTuple

from webquarry._read.plain.blocks import read_verbatim_words
from webquarry._read.plain.words import PageWords, Range
from webquarry._read.plain.writer import merge_ranges
from webquarry.verify.quotes.fold import Lane
from webquarry.verify.quotes.tokens import TokenIndex

# A line that is the number of a page and nothing else.
_PAGE_NUMBER = re.compile(
    r"^[ \t]*(?:[-–—•|][ \t]*)?(?:(?:page|seite|p\.|pág\.?|стр\.)[ \t]*)?(?:\d{1,4}|[ivxlc]{1,7})"
    r"(?:[ \t]*(?:/|of|von)[ \t]*\d{1,4})?(?:[ \t]*[-–—•|])?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_HEAD = 90  # characters of a running head or foot


LaneKind = Literal["words", "asides", "hidden", "furniture"]


class SourceLane(NamedTuple):
    """A lane of a source, and what is special about it: `asides` are left out, what is `hidden` is
    in, or `furniture` of pages is left out.
    """

    kind: LaneKind
    lane: Lane


class _LazyLanes(Sequence[SourceLane]):
    """The lanes of a text, made one by one."""

    def __init__(self, text: str, words: PageWords) -> None:
        self._text = text
        hidden = list(words.hidden)
        asides = list(words.asides)
        self._removed: list[tuple[LaneKind, list[Range]]] = [("words", hidden)]
        if asides:
            self._removed.append(("asides", _merge([*hidden, *asides])))
        if hidden:
            self._removed.append(("hidden", []))
        if hidden and asides:
            self._removed.append(("hidden", asides))
        if words.may_have_furniture:
            for furniture in _find_furniture(text):
                self._removed.append(("furniture", _merge([*hidden, *furniture])))
                if asides:
                    self._removed.append(("furniture", _merge([*hidden, *asides, *furniture])))
        self._made: dict[int, SourceLane] = {}

    def __len__(self) -> int:
        return len(self._removed)

    def __getitem__(self, number: int) -> SourceLane:  # type: ignore[override]
        if number not in self._made:
            kind, removed = self._removed[number]
            self._made[number] = SourceLane(kind, Lane(self._text, removed))
        return self._made[number]


def _find_furniture(text: str) -> list[list[Range]]:
    """What may stand between the pages of a text: their numbers alone, with the short line behind,
    with the one before, and with both.
    """
    numbers = [found.span() for found in _PAGE_NUMBER.finditer(text)]
    if not numbers:
        return []
    choices = ((False, False), (False, True), (True, False), (True, True))
    furniture = []
    for before, behind in choices:
        furniture.append([_widen(text, number, before, behind) for number in numbers])
    return furniture


@dataclass(frozen=True)
class SourceText:
    """A source whose words are known: all of its page."""

    url: str
    words: PageWords
    title: str = ""
    read_at: datetime | None = None
    # why nothing can be compared with it, where that is so
    problem: str | None = field(default=None)

    @classmethod
    def of_text(cls, url: str, text: str, read_at: datetime | None = None) -> SourceText:
        """A source that is a plain text, such as one kept in an evidence pack."""
        words = read_verbatim_words(text)
        return cls(url, words, read_at=read_at)

    @property
    def text(self) -> str:
        """The text that offsets count in."""
        return self.words.text

    @cached_property
    def text_hash(self) -> str:
        """The SHA-256 of the text."""
        return self.words.digest

    @cached_property
    def lanes(self) -> Sequence[SourceLane]:
        """The ways to read the words, the plainest first: all that is seen; without note marks;
        with what is not seen; and over the lines between pages. Each is made when it is tried.
        """
        return _LazyLanes(self.text, self.words)

    @cached_property
    def tokens(self) -> TokenIndex:
        """The words that are seen, by their places."""
        return TokenIndex(self.text, self.words.hidden)


def _widen(text: str, number: Range, before: bool, behind: bool) -> Range:
    """The range of a page's number, with the short lines around it that are asked for."""
    start, stop = number
    if before:
        end = len(text[max(0, start - 2 * _LONGEST_HEAD) : start].rstrip())
        window = text[max(0, start - 2 * _LONGEST_HEAD) : start][:end]
        line_start = window.rfind("\n") + 1
        if line_start and len(window) - line_start <= _LONGEST_HEAD:
            start = start - min(start, 2 * _LONGEST_HEAD) + line_start
    if behind:
        window = text[stop : stop + 2 * _LONGEST_HEAD]
        skipped = len(window) - len(window.lstrip())
        line_end = window.find("\n", skipped)
        if line_end >= 0 and line_end - skipped <= _LONGEST_HEAD:
            stop += line_end
    return start, stop


def _merge(ranges: list[Range]) -> list[Range]:
    """The ranges in order, those that overlap as one."""
    return list(merge_ranges(ranges))
