"""Pages that were cited -> what became of each: read again politely, compared with what was known.

A server is told what is known already, so that it need not send the page again. What it sends is
compared as words, not as bytes: a page that changed around a quote still has the quote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from webquarry._search.identity import identity
from webquarry.errors import NotFound, Refused, RobotsRefused, SiteRefused, WebquarryError
from webquarry.pages.clean import clean_line, clean_url
from webquarry.pages.jobs import take_words
from webquarry.pages.words import KeptWords, unpack_words
from webquarry.progress import note
from webquarry.secret import MASK, redact
from webquarry.sessions.views import format_time
from webquarry.verify.drift.archive import find_copy, original_address
from webquarry.verify.drift.cited import EarlierReading
from webquarry.verify.drift.models import (
    ChangedWords,
    PageDrift,
    PageState,
    QuoteDrift,
    QuoteState,
)
from webquarry.verify.quotes.check import check_quotes
from webquarry.verify.quotes.findings import QuoteFinding
from webquarry.verify.quotes.source import SourceText

if TYPE_CHECKING:
    from webquarry._read.reader import FetchedPage, Reader
    from webquarry.clock import Clock
    from webquarry.net.client import Client
    from webquarry.pages.pages import Pages
    from webquarry.settings import Settings

_AT_ONCE = 4
_REFUSALS = (Refused, RobotsRefused, SiteRefused)
_REFUSAL_KINDS = frozenset({"rate_limited", "challenge", "login_wall", "blocked", "robots"})


class DriftChecker:
    """Reads cited pages again."""

    def __init__(
        self, client: Client, reader: Reader, pages: Pages, settings: Settings, clock: Clock
    ) -> None:
        self._client = client
        self._reader = reader
        self._pages = pages
        self._settings = settings
        self._clock = clock

    async def check_all(self, cited: Sequence[EarlierReading]) -> list[PageDrift]:
        """What became of each page, in their order; a few are read at once."""
        slots = asyncio.Semaphore(_AT_ONCE)
        done = 0

        async def check(page: EarlierReading) -> PageDrift:
            nonlocal done
            async with slots:
                drift = await self.check(page)
            done += 1
            note(f"{done} of {len(cited)} pages read again")
            return drift

        return list(await asyncio.gather(*map(check, cited)))

    async def check(self, page: EarlierReading) -> PageDrift:
        """What became of one page."""
        if MASK in page.url:
            reason = "Its address held a secret, which was not kept."
            return self._describe(page, "unreachable", reason=reason)
        try:
            fetched = await self._reader.fetch_changed(page.url, page.conditions)
            if fetched is None:
                return self._describe(page, "same", quotes=_keep_quotes(page) or None)
            words = await self._read_words(fetched)
        except WebquarryError as error:
            return await self._describe_failure(page, error)
        return self._compare(page, words)

    async def _read_words(self, fetched: FetchedPage) -> KeptWords:
        packed = await self._reader.runner.run(fetched.to_job(take_words))
        return unpack_words(packed, cached=False)

    def _compare(self, page: EarlierReading, words: KeptWords) -> PageDrift:
        """A page that was read, against its text and its quotes from before."""
        source = SourceText(page.url, words.words, words.title, words.fetched_at)
        if page.text_hash == source.text_hash:
            quotes = _keep_quotes(page)
        else:
            quotes = [_describe_quote(one) for one in check_quotes(page.quotes, [source])]
        state = _judge(page, source, quotes)
        drift = self._describe(page, state, quotes=quotes or None, text_hash=source.text_hash)
        if identity(words.url) != identity(page.url):
            drift.moved_to = clean_url(redact(words.url))
        return drift

    async def _describe_failure(self, page: EarlierReading, error: WebquarryError) -> PageDrift:
        """A page that cannot be read any more; where it is gone, a copy of it, and whether the
        quotes stand there.
        """
        reason = clean_line(redact(error.sentence))
        state: PageState = "unreachable"
        if isinstance(error, NotFound):
            state = "page_gone"
        elif isinstance(error, _REFUSALS) or error.kind in _REFUSAL_KINDS:
            state = "blocked"
        quotes = [QuoteDrift(quote=quote, state="unchecked") for quote in page.quotes]
        drift = self._describe(page, state, reason=reason, quotes=quotes or None)
        if state != "page_gone":
            return drift
        drift.archive = await find_copy(self._client, self._settings, page.url, page.read_at)
        if drift.archive is not None and quotes:
            await self._look_into_archive(drift, quotes)
        return drift

    async def _look_into_archive(self, drift: PageDrift, quotes: Sequence[QuoteDrift]) -> None:
        """See whether the quotes stand in the copy: a copy may be one of an error, too."""
        assert drift.archive is not None
        try:
            copy = await self._pages.get_words(original_address(drift.archive))
        except WebquarryError:
            return
        source = SourceText(drift.url, copy.words)
        findings = check_quotes([quote.quote for quote in quotes], [source])
        for quote, finding in zip(quotes, findings, strict=True):
            quote.in_archive = finding.is_accepted

    def _describe(self, page: EarlierReading, state: PageState, **more: Any) -> PageDrift:
        read_at = None
        if page.read_at is not None:
            read_at = format_time(page.read_at)
        return PageDrift(
            number=page.number,
            url=clean_url(page.url),
            title=clean_line(page.title),
            state=state,
            read_at=read_at,
            checked_at=format_time(self._clock.now()),
            text_hash_then=page.text_hash or None,
            **more,
        )


def _keep_quotes(page: EarlierReading) -> list[QuoteDrift]:
    """The quotes of a page that is as it was."""
    return [QuoteDrift(quote=quote, state="there") for quote in page.quotes]


def _describe_quote(finding: QuoteFinding) -> QuoteDrift:
    states: Mapping[str, QuoteState] = {
        "near": "changed",
        "absent": "gone",
        "unchecked": "unchecked",
        "too_short": "unchecked",
    }
    changes = [
        ChangedWords(kind=change.kind, quote=change.quote, page=change.source)
        for change in finding.changes
    ]
    now = None
    if finding.tier == "near":
        now = list(finding.matched)
    return QuoteDrift(
        quote=finding.quote,
        state=states.get(finding.tier, "there"),
        tier=finding.tier,
        now=now,
        changes=changes or None,
    )


def _judge(page: EarlierReading, source: SourceText, quotes: Sequence[QuoteDrift]) -> PageState:
    """The state of a page that could be read."""
    if page.text_hash and page.text_hash == source.text_hash:
        return "same_text"
    states = {quote.state for quote in quotes}
    if "gone" in states:
        return "quote_gone"
    if "changed" in states:
        return "quote_changed"
    if "there" in states:
        return "quote_there"
    return "text_changed" if page.text_hash else "readable"
