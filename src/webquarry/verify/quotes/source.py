"""Sources of quotes: their texts in the forms that the comparison needs, and how they are read.

Lanes of letters and the index of words are built on first use, once for all quotes. A source that
cannot be read has a problem, so that its quotes are unchecked and not absent.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple

from webquarry._read.plain.blocks import read_verbatim_words
from webquarry._read.plain.words import (
    PageWords,
    Range,
    build_words,
    describe_words,
    visible_ranges,
)
from webquarry._read.plain.writer import merge_ranges
from webquarry._search.identity import identity
from webquarry.errors import WebquarryError
from webquarry.pages.pages import Pages
from webquarry.progress import note
from webquarry.secret import redact
from webquarry.verify.quotes.fold import SYMBOLS, Lane, fold_typography, make_key

_TOKEN = re.compile(
    r"(?<![\w.,])[-−–]?\d+(?:[.,:'’\u202f/]\d+)*+"
    r"|\d+(?:[.,:'’\u202f/]\d+)*+"
    "|[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W\d_](?:[^\W\d_\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u00ad]"
    r"|[\u00ad\u200b-\u200d\u0300-\u036f]|['’\u2011-](?=[^\W\d_]))*+"
    "|[" + re.escape("".join(sorted(SYMBOLS))) + "]"
)


class WordToken(NamedTuple):
    """A folded word and its place."""

    key: str
    start: int
    end: int


def split_tokens(text: str, start: int = 0, end: int | None = None) -> list[WordToken]:
    """Return the words of a text: numbers with separators, symbols, single CJK characters."""
    tokens = []
    for found in _TOKEN.finditer(text, start, len(text) if end is None else end):
        word = found[0]
        key = "" if word[-1].isdigit() else make_key(word)
        tokens.append(WordToken(key or fold_typography(word).strip(), *found.span()))
    return [token for token in tokens if token.key]


# A line that is only the number of a page.
_PAGE_NUMBER = re.compile(
    r"^[ \t]*(?:[-–—•|][ \t]*)?(?:(?:page|seite|p\.|pág\.?|стр\.)[ \t]*)?(?:\d{1,4}|[ivxlc]{1,7})"
    r"(?:[ \t]*(?:/|of|von)[ \t]*\d{1,4})?(?:[ \t]*[-–—•|])?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_HEAD = 90  # characters of a running head or foot
_LINE_BEFORE = re.compile(rf"\n([^\n]{{1,{_MAX_HEAD}}}\s*)\Z")
_LINE_BEHIND = re.compile(rf"\s*([^\n]{{0,{_MAX_HEAD}}})\n")


LaneKind = Literal["words", "asides", "hidden", "furniture"]


class SourceLane(NamedTuple):
    """A lane of a source and its kind."""

    kind: LaneKind
    lane: Lane


@dataclass(frozen=True)
class SourceText:
    """A source and the words of its page."""

    url: str
    words: PageWords
    title: str = ""
    read_at: datetime | None = None
    problem: str | None = None  # why it cannot be read

    @classmethod
    def of_text(cls, url: str, text: str, read_at: datetime | None = None) -> SourceText:
        """Return the source of a plain text."""
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

    @property
    def lanes(self) -> Iterator[SourceLane]:
        """Yield the lanes, the plainest first: visible words, without note marks, with hidden
        words, without lines between pages. Each is built on first use.
        """
        for number, (kind, removed) in enumerate(self._removed):
            if number == len(self._built):
                self._built.append(SourceLane(kind, Lane(self.text, removed)))
            yield self._built[number]

    @cached_property
    def _built(self) -> list[SourceLane]:
        return []

    @cached_property
    def _removed(self) -> list[tuple[LaneKind, list[Range]]]:
        """The ranges that each lane leaves out."""
        hidden = self.words.hidden
        asides = self.words.asides
        removed: list[tuple[LaneKind, Sequence[Range]]] = [("words", hidden)]
        if asides:
            removed.append(("asides", [*hidden, *asides]))
        if hidden:
            removed += [("hidden", one) for one in dict.fromkeys([(), asides])]
        if self.words.may_have_furniture:
            for furniture in _list_furniture(self.text):
                for notes in dict.fromkeys([(), asides]):
                    removed.append(("furniture", [*hidden, *notes, *furniture]))
        return [(kind, list(merge_ranges(list(ranges)))) for kind, ranges in removed]

    @cached_property
    def tokens(self) -> list[WordToken]:
        """The visible words."""
        tokens = []
        for start, end in visible_ranges(0, len(self.text), self.words.hidden):
            tokens += split_tokens(self.text, start, end)
        return tokens

    @cached_property
    def token_places(self) -> dict[str, list[int]]:
        """The numbers of each word among the tokens."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, token in enumerate(self.tokens):
            places[token.key].append(number)
        return dict(places)


def _list_furniture(text: str) -> list[list[Range]]:
    """Return ranges that may separate pages: numbers, alone or with short lines around them."""
    numbers = [found.span() for found in _PAGE_NUMBER.finditer(text)]
    choices = [(False, False), (False, True), (True, False), (True, True)] if numbers else []
    return [
        [_widen(text, start, stop, before, behind) for start, stop in numbers]
        for before, behind in choices
    ]


def _widen(text: str, start: int, stop: int, before: bool, behind: bool) -> Range:
    """Return the range of a page number with the requested short lines around it."""
    head = _LINE_BEFORE.search(text, max(0, start - 2 * _MAX_HEAD), start) if before else None
    foot = _LINE_BEHIND.match(text, stop, stop + 2 * _MAX_HEAD) if behind else None
    return head.start(1) if head else start, foot.end(1) if foot else stop


_MAX_CONCURRENT = 8
MOST_SOURCES = 200


async def collect_sources(pages: Pages, urls: Iterable[str]) -> list[SourceText]:
    """Read the pages of some URLs, each once."""
    by_page: dict[str, str] = {}
    for url in urls:
        by_page.setdefault(identity(url), url)
    limit = asyncio.Semaphore(_MAX_CONCURRENT)

    async def read(url: str) -> SourceText:
        async with limit:
            note(f"reading {redact(url)}")
            try:
                read = await pages.get_words(url)
            except WebquarryError as error:
                return SourceText(url, PageWords(""), problem=redact(error.sentence))
        return SourceText(url, read.words, read.title, read.fetched_at)

    wanted = list(by_page.values())[:MOST_SOURCES]
    return await asyncio.gather(*map(read, wanted))


def find_source(url: str | None, sources: Sequence[SourceText]) -> str | None:
    """Return the URL under which a page is among the sources."""
    pages = {identity(source.url): source.url for source in reversed(sources)}
    return pages.get(identity(url)) if url else None


def describe_source(source: SourceText) -> dict[str, Any]:
    """Return a source without its text as JSON."""
    return {
        "url": source.url,
        "title": source.title,
        "read_at": source.read_at.isoformat() if source.read_at else None,
        "problem": source.problem,
        "words": describe_words(source.words),
        "bytes": len(source.text.encode("utf-8", "replace")),
    }


def build_source(fields: dict[str, Any], text: str) -> SourceText:
    """Return the source of a description and its text."""
    read_at = None
    if fields["read_at"]:
        read_at = datetime.fromisoformat(fields["read_at"])
    words = build_words(fields["words"], text)
    return SourceText(fields["url"], words, fields["title"], read_at, fields["problem"])
