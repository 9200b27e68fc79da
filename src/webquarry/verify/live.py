"""Read cited pages again: which changed, moved or are gone, and whether each quote is still there.

A server is sent the validators of the earlier response, so that it need not send the page again.
Pages are compared by their text, not by their bytes. Stored data is never replaced.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

from webquarry._search.identity import identity
from webquarry._search.scholarly.models import WorkQuestion
from webquarry.errors import NotFound, WebquarryError
from webquarry.net.models import Validators
from webquarry.pages.clean import clean_line, clean_url
from webquarry.pages.jobs import take_words
from webquarry.pages.words import unpack_words
from webquarry.progress import note
from webquarry.secret import MASK, redact
from webquarry.sessions.models import FOUND_TIERS, ResearchSession
from webquarry.sessions.views import format_time
from webquarry.verify.quotes.check import check_quotes
from webquarry.verify.quotes.findings import QuoteFinding
from webquarry.verify.quotes.source import SourceText
from webquarry.verify.wacz import PackContents

if TYPE_CHECKING:
    from webquarry._read.reader import Reader
    from webquarry.clock import Clock
    from webquarry.pages.pages import Pages
    from webquarry.verify.references.links import Ask

_QUOTE_STATES = {"near": "changed", "absent": "gone"}
_MAX_CONCURRENT = 4
_REFUSALS = frozenset({"rate_limited", "challenge", "login_wall", "blocked", "robots"})

Fields = dict[str, Any]  # of the JSON result


@dataclass(frozen=True)
class CitedPage:
    """A page that was read, and the data of that reading."""

    number: int
    url: str
    title: str
    read_at: datetime | None = None
    text_hash: str = ""
    etag: str = ""
    last_modified: str = ""
    quotes: tuple[str, ...] = ()  # that were found in it

    @property
    def validators(self) -> Validators:
        """The validators for a conditional request."""
        since = self.last_modified
        if not since and self.read_at is not None:
            since = format_datetime(self.read_at.astimezone(UTC), usegmt=True)
        return Validators(self.url, self.etag, since)


def list_session_pages(session: ResearchSession) -> list[CitedPage]:
    """Return the pages of a session that were read or quoted."""
    pages = []
    for recorded in session.sources:
        if recorded.stage == "found":
            continue
        found = [quote for quote in recorded.quotes if quote.is_found]
        hashed = [quote for quote in found if quote.text_hash]  # the latest check is the last
        accessed = (recorded.source.csl or {}).get("accessed")
        read_at = None
        if accessed:
            year, month, day = accessed["date-parts"][0]
            read_at = datetime(year, month, day, tzinfo=UTC)
        if hashed and hashed[-1].read_at:
            read_at = datetime.fromisoformat(hashed[-1].read_at)
        page = CitedPage(
            number=recorded.number,
            url=recorded.source.url,
            title=recorded.source.title,
            read_at=read_at,
            text_hash=hashed[-1].text_hash if hashed else "",
            quotes=tuple(dict.fromkeys(quote.text for quote in found)),
        )
        pages.append(page)
    return pages


def list_pack_pages(contents: PackContents) -> list[CitedPage]:
    """Return the pages of an evidence pack, with the validators of their responses."""
    pages = []
    for source in contents.evidence["sources"]:
        if "textHash" not in source:
            continue
        record = contents.records.get(source.get("responseRecord", ""))
        headers: Mapping[str, str] = record.http_headers if record is not None else {}
        quotes = [
            str(quote["quote"])
            for quote in contents.evidence["quotes"]
            if quote.get("source") == source["number"] and quote["inPack"]["tier"] in FOUND_TIERS
        ]
        page = CitedPage(
            number=int(source["number"]),
            url=str(source["url"]),
            title=str(source["title"]),
            read_at=datetime.fromisoformat(source["readAt"]),
            text_hash=str(source["textHash"]),
            etag=headers.get("etag", ""),
            last_modified=headers.get("last-modified", ""),
            quotes=tuple(quotes),
        )
        pages.append(page)
    return pages


class LiveChecker:
    """Reads cited pages again; `ask` looks up archived copies."""

    def __init__(self, reader: Reader, pages: Pages, ask: Ask, clock: Clock) -> None:
        self._reader = reader
        self._pages = pages
        self._ask = ask
        self._clock = clock

    async def check_all(self, cited: Sequence[CitedPage]) -> list[Fields]:
        """Check the pages, some concurrently, and return the results in their order."""
        slots = asyncio.Semaphore(_MAX_CONCURRENT)

        async def check(page: CitedPage) -> Fields:
            async with slots:
                note(f"reading {redact(page.url)}")
                fields = {
                    "number": page.number,
                    "url": clean_url(page.url),
                    "title": clean_line(page.title),
                    **await self._check(page),
                    "readAt": format_time(page.read_at) if page.read_at else None,
                    "checkedAt": format_time(self._clock.now()),
                    "textHashThen": page.text_hash or None,
                }
                return {name: value for name, value in fields.items() if value not in (None, [])}

        return list(await asyncio.gather(*map(check, cited)))

    async def _check(self, page: CitedPage) -> Fields:
        """Return the state of a page: `same` after a 304, `same_text` if only the bytes differ, by
        its quotes if the text differs, `readable` if nothing was stored to compare it with.
        """
        if MASK in page.url:
            return {"state": "unreachable", "reason": "Its address held a secret."}
        quotes = [{"quote": quote, "state": "there"} for quote in page.quotes]
        try:
            fetched = await self._reader.fetch(page.url, known=page.validators)
            if fetched.reply is not None and fetched.reply.is_unchanged:
                return {"state": "same", "quotes": quotes}
            packed = await self._reader.runner.run(fetched.to_job(take_words))
        except WebquarryError as error:
            return await self._describe_failure(page, error)
        read = unpack_words(packed, cached=False)
        source = SourceText(page.url, read.words, read.title, read.fetched_at)
        state = "same_text"
        if page.text_hash != source.text_hash:
            quotes = [_describe_quote(one) for one in check_quotes(page.quotes, [source])]
            states = {quote["state"] for quote in quotes}
            found = [f"quote_{one}" for one in ("gone", "changed", "there") if one in states]
            state = (*found, "text_changed" if page.text_hash else "readable")[0]
        has_moved = identity(read.url) != identity(page.url)
        return {
            "state": state,
            "quotes": quotes,
            "textHash": source.text_hash,
            "movedTo": clean_url(redact(read.url)) if has_moved else None,
        }

    async def _describe_failure(self, page: CitedPage, error: WebquarryError) -> Fields:
        """Describe a page that cannot be read; if it is gone, with an archived copy."""
        quotes: list[Fields] = [{"quote": quote, "state": "unchecked"} for quote in page.quotes]
        fields: Fields = {"reason": clean_line(redact(error.sentence)), "quotes": quotes}
        if isinstance(error, NotFound):
            archive = await self._find_copy(page, quotes)
            return {"state": "page_gone", **fields, "archive": archive}
        state = "blocked" if error.kind in _REFUSALS else "unreachable"
        return {"state": state, **fields}

    async def _find_copy(self, page: CitedPage, quotes: Sequence[Fields]) -> Fields | None:
        """Return the archived copy nearest to the reading, and look for the quotes in it."""
        near = f"{page.read_at:%Y%m%d%H%M%S}" if page.read_at else ""
        reply = await self._ask("wayback", WorkQuestion("archive", page.url, near))
        if not reply.records:
            return None
        copy = reply.records[0]
        # With `id_` the archive gives the page as received, without its additions.
        url = re.sub(r"/web/(\d+)/", r"/web/\1id_/", copy.url, count=1)
        try:
            read = await self._pages.get_words(url)
        except WebquarryError:
            return {"url": copy.url, "date": copy.date}
        findings = check_quotes(page.quotes, [SourceText(page.url, read.words)])
        for quote, finding in zip(quotes, findings, strict=True):
            quote["inArchive"] = finding.is_accepted
        return {"url": copy.url, "date": copy.date}


def _describe_quote(finding: QuoteFinding) -> Fields:
    other = "there" if finding.is_accepted else "unchecked"
    state = _QUOTE_STATES.get(finding.tier, other)
    fields: Fields = {"quote": finding.quote, "state": state, "tier": finding.tier}
    if finding.tier == "near":
        fields["now"] = list(finding.matched)
    if finding.changes:
        changes = [asdict(change) for change in finding.changes]
        fields["changes"] = [{"page": change.pop("source"), **change} for change in changes]
    return fields
