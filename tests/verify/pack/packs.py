"""Sessions and packs made for tests, without any network."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from tests.sessions.kits import sessions_in
from webquarry._read.plain.words import PageWords, WordSection
from webquarry.errors import NotFound
from webquarry.sessions.models import KeptQuote, ResearchSession, Source, StepDraft
from webquarry.verify.pack import PackReport, PackScope, build_pack, check_contents, read_sources
from webquarry.verify.wacz import WarcRecord, read_wacz

A, B, C = "https://a.org/tides", "https://b.org/found", "https://c.org/gone"
READ_AT = datetime(2026, 9, 14, 6, 0, tzinfo=UTC)
TEXT = (
    "Storing the tide\nThe lagoon keeps 320 megawatt hours for a night, and its gates are not "
    "closed before the ebb.\nThe engineers call it a slow battery."
)
WORDS = PageWords(TEXT, (WordSection(0, 1, "Storing the tide"),))
BODY = f"<title>Storing the tide</title><p>{TEXT}".encode()
MESSAGE = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "v1"\r\n\r\n' + BODY
SOFTWARE = "webquarry 0.0"
CSL = {"title": "Storing the tide", "accessed": {"date-parts": [[2026, 9, 14]]}}


@dataclass(frozen=True)
class Page:
    """A page as a reader gives it."""

    url: str = A
    title: str = "Storing the tide"
    words: PageWords = WORDS
    fetched_at: datetime = READ_AT


def make_exchanges(message: bytes = MESSAGE) -> list[WarcRecord]:
    kind = "application/http; msgtype="
    date = "2026-09-14T06:00:00Z"
    response = WarcRecord("response", date, f"{kind}response", message, A)
    asked = b"GET /tides HTTP/1.1\r\nHost: a.org\r\n\r\n"
    more = {"WARC-Concurrent-To": response.id}
    request = WarcRecord("request", date, f"{kind}request", asked, A, more)
    return [response, request]


def make_session() -> ResearchSession:
    """A session with a page that was quoted, one that was found, and one that is gone."""
    quotes = [
        KeptQuote("its gates are not closed before the ebb", "exact", A, text_hash=WORDS.digest),
        KeptQuote("its gates are closed before the ebb", "near", A, text_hash=WORDS.digest),
        KeptQuote("nobody has ever written these words", "absent"),
        KeptQuote("a page that is not there any more", "exact", C, text_hash="cc"),
    ]

    async def work() -> ResearchSession:
        async with sessions_in(None) as sessions:
            session = await sessions.begin(StepDraft(1, "How are tides stored?", goal="Tides"))
            found = [Source(A, "Storing the tide", csl=CSL), Source(B, "Found"), Source(C, "Gone")]
            await sessions.record(session, "web_search", found)
            await sessions.record_quotes(session, "check_quotes", quotes)
            return await sessions.read(session.id)

    session = asyncio.run(work())
    return replace(session, id="6f1c9a52-0d0e-4a5e-9a3b-6c1f6f0f7a11")


def check_pack(data: bytes, software: str) -> PackReport:
    return check_contents(read_wacz(data), software)


def make_pack(
    scope: PackScope = "read", page: Any = None, exchanges: list[WarcRecord] | None = None
) -> bytes:
    session = make_session()

    async def read(url: str) -> Any:
        if url != A:
            raise NotFound(f"There is nothing at {url}.")
        return page or Page()

    sources = asyncio.run(read_sources(session, scope, read))
    return build_pack(session, sources, exchanges or make_exchanges(), scope, SOFTWARE)
