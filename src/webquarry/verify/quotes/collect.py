"""Addresses -> the sources behind them, read side by side; one that cannot be read is a source with
its problem, so that its quotes are unchecked and not absent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from webquarry._read.plain.words import PageWords, build_words, describe_words
from webquarry._search.identity import identity
from webquarry.errors import WebquarryError
from webquarry.pages.pages import Pages
from webquarry.progress import note
from webquarry.secret import redact
from webquarry.verify.quotes.source import SourceText

_AT_ONCE = 8
MOST_SOURCES = 200


async def collect_sources(pages: Pages, urls: Iterable[str]) -> list[SourceText]:
    """The sources at some addresses, each page once."""
    by_page: dict[str, str] = {}
    for url in urls:
        by_page.setdefault(identity(url), url)
    limit = asyncio.Semaphore(_AT_ONCE)

    async def read(url: str) -> SourceText:
        async with limit:
            note(f"reading {redact(url)}")
            try:
                kept = await pages.get_words(url)
            except WebquarryError as error:
                return SourceText(url, PageWords(""), problem=redact(error.sentence))
        return SourceText(url, kept.words, kept.title, kept.fetched_at)

    wanted = list(by_page.values())[:MOST_SOURCES]
    return await asyncio.gather(*map(read, wanted))


def find_source(url: str | None, sources: Sequence[SourceText]) -> str | None:
    """The address under which a page is among the sources, however it is written."""
    if url is None:
        return None
    wanted = identity(url)
    for source in sources:
        if identity(source.url) == wanted:
            return source.url
    return None


def describe_source(source: SourceText) -> dict[str, Any]:
    """A source but for its text, as JSON has it."""
    return {
        "url": source.url,
        "title": source.title,
        "read_at": source.read_at.isoformat() if source.read_at else None,
        "problem": source.problem,
        "words": describe_words(source.words),
        "bytes": len(source.text.encode("utf-8", "replace")),
    }


def build_source(fields: dict[str, Any], text: str) -> SourceText:
    """The source that was described."""
    read_at = None
    if fields["read_at"]:
        read_at = datetime.fromisoformat(fields["read_at"])
    words = build_words(fields["words"], text)
    return SourceText(fields["url"], words, fields["title"], read_at, fields["problem"])
