"""A session or an evidence pack -> the pages it cites, with what was known of each when it was
read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from webquarry.sessions.models import FOUND_TIERS, RecordedSource, ResearchSession
from webquarry.verify.pack.wacz import PackContents
from webquarry.verify.pack.warc import ReadRecord


@dataclass(frozen=True)
class EarlierReading:
    """A page that was read, and what is known of it from then."""

    number: int
    url: str
    title: str
    read_at: datetime | None = None
    text_hash: str = ""
    etag: str = ""
    last_modified: str = ""
    quotes: tuple[str, ...] = ()  # whose words stood there

    @property
    def conditions(self) -> dict[str, str]:
        """The headers under which a server need not send the page again."""
        headers: dict[str, str] = {}
        if self.etag:
            headers["If-None-Match"] = self.etag
        if self.last_modified:
            headers["If-Modified-Since"] = self.last_modified
        elif self.read_at is not None:
            moment = self.read_at.astimezone(UTC)
            headers["If-Modified-Since"] = format_datetime(moment, usegmt=True)
        return headers


def list_cited_pages(session: ResearchSession) -> list[EarlierReading]:
    """The pages of a session that were read or quoted."""
    return [_describe(recorded) for recorded in session.sources if recorded.stage != "found"]


def list_packed_pages(contents: PackContents) -> list[EarlierReading]:
    """The pages of an evidence pack, which also knows what the servers said of them."""
    quotes: dict[int, list[str]] = {}
    for quote in contents.evidence["quotes"]:
        if "source" in quote and quote["inPack"]["tier"] in FOUND_TIERS:
            quotes.setdefault(int(quote["source"]), []).append(str(quote["quote"]))
    pages: list[EarlierReading] = []
    for source in contents.evidence["sources"]:
        if "textHash" not in source:
            continue
        number = int(source["number"])
        headers = _read_headers(contents.records.get(source.get("responseRecord", "")))
        pages.append(
            EarlierReading(
                number=number,
                url=str(source["url"]),
                title=str(source["title"]),
                read_at=_parse_moment(source.get("readAt")),
                text_hash=str(source["textHash"]),
                etag=headers.get("etag", ""),
                last_modified=headers.get("last-modified", ""),
                quotes=tuple(quotes.get(number, ())),
            )
        )
    return pages


def _describe(recorded: RecordedSource) -> EarlierReading:
    """A source of a session. The latest check of a quote tells the text it was compared with."""
    found = [quote for quote in recorded.quotes if quote.is_found]
    read_at = _read_accessed(recorded.source.csl)
    text_hash = ""
    for quote in found:
        if quote.text_hash:
            text_hash = quote.text_hash
            read_at = _parse_moment(quote.read_at) or read_at
    return EarlierReading(
        number=recorded.number,
        url=recorded.source.url,
        title=recorded.source.title,
        read_at=read_at,
        text_hash=text_hash,
        quotes=tuple(dict.fromkeys(quote.text for quote in found)),
    )


def _read_accessed(csl: Mapping[str, Any] | None) -> datetime | None:
    """The day on which a page was read, from its beginning: what was changed later that day is
    looked at again.
    """
    try:
        year, month, day = (csl or {})["accessed"]["date-parts"][0]
        return datetime(year, month, day, tzinfo=UTC)
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def _read_headers(record: ReadRecord | None) -> dict[str, str]:
    """The headers of a response, by their names in lower case."""
    if record is None:
        return {}
    headers: dict[str, str] = {}
    head = record.block.partition(b"\r\n\r\n")[0].decode("latin-1")
    for line in head.split("\r\n")[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers


def _parse_moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment


def count_quotes(pages: Sequence[EarlierReading]) -> int:
    """How many quotes the pages have."""
    return sum(len(page.quotes) for page in pages)
