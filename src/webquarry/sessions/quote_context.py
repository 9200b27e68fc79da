"""The quotes of a session -> what stands around each of them in its source.

The text is the one that is kept, or the page as it is now; a context is only given where the text
has the hash that the quote was compared with, or holds the same words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from webquarry._read.plain.words import PageWords
from webquarry.errors import WebquarryError
from webquarry.pages.clean import clean_line, clean_text
from webquarry.pages.pages import Pages
from webquarry.pages.words import KeptWords
from webquarry.sessions.models import KeptQuote, ResearchSession

_AROUND = 160  # characters at each side
_MOST_PAGES = 100
_AT_ONCE = 8

QuoteKey = tuple[str, str]  # hash of the source's text, words of the quote


@dataclass(frozen=True)
class QuoteContext:
    """A quote as it stands in its source, with what stands around it."""

    before: str
    words: str
    behind: str


async def collect_contexts(
    pages: Pages, session: ResearchSession, seconds: float
) -> dict[QuoteKey, QuoteContext]:
    """The contexts of a session's quotes, as far as they can be had in so many seconds."""
    urls = [quote.url for quote in session.quotes if quote.url and quote.matched]
    texts: dict[str, KeptWords] = {}
    places = asyncio.Semaphore(_AT_ONCE)

    async def read(url: str) -> None:
        async with places:
            try:
                texts[url] = await pages.get_words(url)
            except WebquarryError:
                return  # then the quote stands alone

    wanted = list(dict.fromkeys(urls))[:_MOST_PAGES]
    reading = [asyncio.ensure_future(read(url)) for url in wanted]
    if reading:
        _, late = await asyncio.wait(reading, timeout=seconds)
        for task in late:
            task.cancel()
    return _cut_contexts(session, texts)


def _cut_contexts(
    session: ResearchSession, texts: Mapping[str, KeptWords]
) -> dict[QuoteKey, QuoteContext]:
    contexts = {}
    for quote in session.quotes:
        kept = texts.get(quote.url)
        context = kept and cut_context(kept.words, quote)
        if context:
            contexts[quote.text_hash, clean_text(quote.text)] = context
    return contexts


def cut_context(words: PageWords, quote: KeptQuote) -> QuoteContext | None:
    """A quote with what stands around it in a text; None where its words do not stand there. What a
    person does not see on the page is not shown.
    """
    text = words.text
    if quote.spans and quote.text_hash == words.digest:
        start = quote.spans[0][0]
        end = quote.spans[-1][1]
    elif quote.matched and quote.matched[0] in text:
        start = text.index(quote.matched[0])
        end = start + len(quote.matched[0])
    else:
        return None
    # A line is a block of the page: a paragraph, an item, a heading.
    block_end = text.find("\n", end)
    first = max(start - _AROUND, text.rfind("\n", 0, start) + 1)
    last = min(end + _AROUND, len(text) if block_end < 0 else block_end)
    for hidden_start, hidden_end in words.hidden:
        if hidden_start < end and start < hidden_end:
            return None
        if hidden_end <= start:
            first = max(first, hidden_end)
        elif hidden_start >= end:
            last = min(last, hidden_start)
    before = text[first:start]
    behind = text[end:last]
    if first and text[first - 1].isalnum():
        before = before.partition(" ")[2]
    if last < len(text) and text[last].isalnum():
        behind = behind.rpartition(" ")[0]
    leading = "… " if first and text[first - 1] != "\n" else ""
    trailing = " …" if last < len(text) and text[last] != "\n" else ""
    return QuoteContext(
        leading + _keep_edge(before, at_end=True),
        clean_line(text[start:end]),
        _keep_edge(behind, at_end=False) + trailing,
    )


def _keep_edge(text: str, *, at_end: bool) -> str:
    """The text in one line, with the space that divides it from the quote."""
    line = clean_line(text)
    if at_end and text[-1:].isspace():
        return f"{line} "
    if not at_end and text[:1].isspace():
        return f" {line}"
    return line
