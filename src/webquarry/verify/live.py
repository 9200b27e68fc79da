"""Read cited pages again: which changed, moved or are gone, and whether each quote is still there.

A server is sent the validators of the earlier response, so that it need not send the page again.
Pages are compared by their text, not by their bytes. What is stored is never replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

from webquarry._search.identity import identity
from webquarry._search.scholarly.models import WorkQuestion
from webquarry.errors import NotFound, Refused, RobotsRefused, SiteRefused, WebquarryError
from webquarry.pages.clean import clean_line, clean_url
from webquarry.pages.jobs import take_words
from webquarry.pages.words import unpack_words
from webquarry.progress import note
from webquarry.secret import MASK, redact
from webquarry.sessions.models import FOUND_TIERS, RecordedSource, ResearchSession
from webquarry.sessions.views import format_time
from webquarry.verify.pack.wacz import PackContents
from webquarry.verify.quotes.check import check_quotes
from webquarry.verify.quotes.findings import QuoteFinding
from webquarry.verify.quotes.source import SourceText

if TYPE_CHECKING:
    from webquarry._read.reader import Reader
    from webquarry.clock import Clock
    from webquarry.pages.pages import Pages
    from webquarry.verify.references.asker import IndexAsker

# The server answered 304; the text is equal; the text differs and has the quotes or not; nothing
# was stored to compare it with; the page cannot be read.
STATES = (
    "same", "same_text", "quote_there", "quote_changed", "quote_gone", "text_changed", "readable",
    "page_gone", "blocked", "unreachable",
)  # fmt: skip
_QUOTE_STATES = {
    "near": "changed",
    "absent": "gone",
    "unchecked": "unchecked",
    "too_short": "unchecked",
}
_AT_ONCE = 4
_REFUSALS = (Refused, RobotsRefused, SiteRefused)
_REFUSAL_KINDS = frozenset({"rate_limited", "challenge", "login_wall", "blocked", "robots"})

Fields = dict[str, Any]  # of the JSON result


@dataclass(frozen=True)
class CitedPage:
    """A page that was read, and what is known of that reading."""

    number: int
    url: str
    title: str
    read_at: datetime | None = None
    text_hash: str = ""
    etag: str = ""
    last_modified: str = ""
    quotes: tuple[str, ...] = ()  # that were found in it

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request."""
        headers: dict[str, str] = {}
        if self.etag:
            headers["If-None-Match"] = self.etag
        if self.last_modified:
            headers["If-Modified-Since"] = self.last_modified
        elif self.read_at is not None:
            moment = self.read_at.astimezone(UTC)
            headers["If-Modified-Since"] = format_datetime(moment, usegmt=True)
        return headers


def list_session_pages(session: ResearchSession) -> list[CitedPage]:
    """Return the pages of a session that were read or quoted."""
    return [_from_session(recorded) for recorded in session.sources if recorded.stage != "found"]


def _from_session(recorded: RecordedSource) -> CitedPage:
    found = [quote for quote in recorded.quotes if quote.is_found]
    hashed = [quote for quote in found if quote.text_hash][-1:]  # the latest check
    read_at = _parse_time(hashed[0].read_at) if hashed else None
    return CitedPage(
        number=recorded.number,
        url=recorded.source.url,
        title=recorded.source.title,
        read_at=read_at or _read_accessed(recorded.source.csl),
        text_hash=hashed[0].text_hash if hashed else "",
        quotes=tuple(dict.fromkeys(quote.text for quote in found)),
    )


def list_pack_pages(contents: PackContents) -> list[CitedPage]:
    """Return the pages of an evidence pack, with the validators of their responses."""
    quotes: dict[int, list[str]] = {}
    for quote in contents.evidence["quotes"]:
        if "source" in quote and quote["inPack"]["tier"] in FOUND_TIERS:
            quotes.setdefault(int(quote["source"]), []).append(str(quote["quote"]))
    pages: list[CitedPage] = []
    for source in contents.evidence["sources"]:
        if "textHash" not in source:
            continue
        number = int(source["number"])
        record = contents.records.get(source.get("responseRecord", ""))
        headers: Mapping[str, str] = record.http_headers if record is not None else {}
        pages.append(
            CitedPage(
                number=number,
                url=str(source["url"]),
                title=str(source["title"]),
                read_at=_parse_time(source.get("readAt")),
                text_hash=str(source["textHash"]),
                etag=headers.get("etag", ""),
                last_modified=headers.get("last-modified", ""),
                quotes=tuple(quotes.get(number, ())),
            )
        )
    return pages


class LiveChecker:
    """Reads cited pages again."""

    def __init__(self, reader: Reader, pages: Pages, asker: IndexAsker, clock: Clock) -> None:
        self._reader = reader
        self._pages = pages
        self._asker = asker
        self._clock = clock

    async def check_all(self, cited: Sequence[CitedPage]) -> list[Fields]:
        """Check the pages, some concurrently, and return the results in their order."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def check(page: CitedPage) -> Fields:
            async with slots:
                note(f"reading {redact(page.url)}")
                return await self.check(page)

        return list(await asyncio.gather(*map(check, cited)))

    async def check(self, page: CitedPage) -> Fields:
        """Check one page."""
        if MASK in page.url:
            reason = "Its address held a secret, which was not stored."
            return self._describe(page, "unreachable", reason=reason)
        try:
            fetched = await self._reader.fetch_changed(page.url, page.conditions)
            if fetched is None:
                return self._describe(page, "same", quotes=_all_there(page))
            packed = await self._reader.runner.run(fetched.to_job(take_words))
        except WebquarryError as error:
            return await self._describe_failure(page, error)
        read = unpack_words(packed, cached=False)
        source = SourceText(page.url, read.words, read.title, read.fetched_at)
        state = "same_text"
        quotes = _all_there(page)
        if page.text_hash != source.text_hash:
            quotes = [_describe_quote(one) for one in check_quotes(page.quotes, [source])]
            state = _judge(page, quotes)
        moved_to = None
        if identity(read.url) != identity(page.url):
            moved_to = clean_url(redact(read.url))
        return self._describe(
            page, state, quotes=quotes, textHash=source.text_hash, movedTo=moved_to
        )

    async def _describe_failure(self, page: CitedPage, error: WebquarryError) -> Fields:
        """Describe a page that cannot be read; if it is gone, with an archived copy."""
        quotes: list[Fields] = [{"quote": quote, "state": "unchecked"} for quote in page.quotes]
        state = "unreachable"
        archive = None
        if isinstance(error, NotFound):
            state = "page_gone"
            archive = await self._find_copy(page, quotes)
        elif isinstance(error, _REFUSALS) or error.kind in _REFUSAL_KINDS:
            state = "blocked"
        reason = clean_line(redact(error.sentence))
        return self._describe(page, state, reason=reason, quotes=quotes, archive=archive)

    async def _find_copy(self, page: CitedPage, quotes: Sequence[Fields]) -> Fields | None:
        """Return the archived copy nearest to the reading, and look for the quotes in it."""
        near = f"{page.read_at:%Y%m%d%H%M%S}" if page.read_at else ""
        reply = await self._asker.ask("wayback", WorkQuestion("archive", page.url, near))
        if not reply.records:
            return None
        copy = reply.records[0]
        before, _, after = copy.url.partition("/web/")
        stamp, _, address = after.partition("/")
        try:  # `id_` is the page as received, without additions of the archive
            read = await self._pages.get_words(f"{before}/web/{stamp}id_/{address}")
        except WebquarryError:
            pass
        else:
            texts = [quote["quote"] for quote in quotes]
            findings = check_quotes(texts, [SourceText(page.url, read.words)])
            for quote, finding in zip(quotes, findings, strict=True):
                quote["inArchive"] = finding.is_accepted
        return {"url": copy.url, "date": copy.date}

    def _describe(self, page: CitedPage, state: str, **more: Any) -> Fields:
        fields = {
            "number": page.number,
            "url": clean_url(page.url),
            "title": clean_line(page.title),
            "state": state,
            "readAt": format_time(page.read_at) if page.read_at else None,
            "checkedAt": format_time(self._clock.now()),
            "textHashThen": page.text_hash or None,
            **more,
        }
        return {name: value for name, value in fields.items() if value not in (None, [])}


def _all_there(page: CitedPage) -> list[Fields]:
    return [{"quote": quote, "state": "there"} for quote in page.quotes]


def _describe_quote(finding: QuoteFinding) -> Fields:
    fields: Fields = {
        "quote": finding.quote,
        "state": _QUOTE_STATES.get(finding.tier, "there"),
        "tier": finding.tier,
    }
    if finding.tier == "near":
        fields["now"] = list(finding.matched)
    if finding.changes:
        fields["changes"] = [
            {"kind": change.kind, "quote": change.quote, "page": change.source}
            for change in finding.changes
        ]
    return fields


def _judge(page: CitedPage, quotes: Sequence[Fields]) -> str:
    """Return the state of a page whose text differs or is compared for the first time."""
    states = {quote["state"] for quote in quotes}
    for state in ("gone", "changed", "there"):
        if state in states:
            return f"quote_{state}"
    return "text_changed" if page.text_hash else "readable"


def _read_accessed(csl: Mapping[str, Any] | None) -> datetime | None:
    """Return the beginning of the day on which a page was read."""
    try:
        year, month, day = (csl or {})["accessed"]["date-parts"][0]
        return datetime(year, month, day, tzinfo=UTC)
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def _parse_time(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
