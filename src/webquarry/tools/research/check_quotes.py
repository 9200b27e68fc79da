"""The `check_quotes` tool: compare quotes, and the quotes and numbers of a draft, with the sources
that they are attributed to.

Words are compared with words: no answer says whether a statement is true.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from webquarry._read.workers.job import Job, job
from webquarry.errors import BadInput
from webquarry.evidence.models import TRUST, AnswerPart, fixed
from webquarry.pages.outgoing import PageText
from webquarry.sessions.models import KeptQuote, Source
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.verify.drafts import DraftClaims, DraftQuote, find_claims
from webquarry.verify.quotes.check import QuoteChecker
from webquarry.verify.quotes.findings import (
    ChangeKind,
    QuoteFinding,
    QuoteSpan,
    Tier,
    WordChange,
)
from webquarry.verify.quotes.numbers import NumberChecker, NumberFinding, NumberVerdict
from webquarry.verify.quotes.source import (
    MOST_SOURCES,
    SourceText,
    build_source,
    collect_sources,
    describe_source,
    find_source,
)

_MOST_QUOTES = 500
_LONGEST_TEXT = 500_000  # characters of a draft
_COMPARED = (
    "Words of the quotes with all words of the pages, as read at the time given; not whether a "
    "statement is true."
)


class CheckedSpan(AnswerPart, kw_only=True):
    """Characters of the source's text, from 0."""

    start: int
    end: int
    page: int | None = None


class DifferingWords(AnswerPart, kw_only=True):
    """Words of the quote, and those of the source in their place."""

    kind: ChangeKind
    quote: str
    source: PageText


class CheckedQuote(AnswerPart, kw_only=True):
    """A quote and how it agrees with the sources."""

    quote: str
    tier: Tier
    line: int | None = None
    url: str | None = None
    title: PageText | None = None
    section: PageText | None = None
    matched: list[PageText] | None = None
    spans: list[CheckedSpan] | None = None
    text_hash: str | None = None
    read_at: str | None = None
    occurrences: int | None = None
    left_out: list[PageText] | None = None
    inserted: list[str] | None = None
    differs: list[DifferingWords] | None = None
    warnings: list[str] | None = None
    reason: str | None = None


class CheckedNumber(AnswerPart, kw_only=True):
    """A number and how it agrees with the source that is cited with it."""

    number: str
    verdict: NumberVerdict
    line: int | None = None
    url: str | None = None
    matched: PageText | None = None
    spans: list[CheckedSpan] | None = None
    text_hash: str | None = None
    reason: str | None = None


class ReadSource(AnswerPart, kw_only=True):
    """A source that quotes were compared with, or why it could not be read."""

    url: str
    state: Literal["read", "unreadable"]
    title: PageText | None = None
    text_hash: str | None = None
    read_at: str | None = None
    reason: str | None = None

    @classmethod
    def of(cls, source: SourceText) -> ReadSource:
        if source.problem is not None:
            return cls(url=source.url, state="unreadable", reason=source.problem)
        return cls(
            url=source.url,
            state="read",
            title=source.title or None,
            text_hash=source.text_hash,
            read_at=source.read_at.isoformat() if source.read_at else None,
        )


class QuotesOutput(Answer, kw_only=True):
    """Quotes and the sources they were compared with."""

    compared: str = fixed(_COMPARED)
    summary: dict[str, int]
    quotes: list[CheckedQuote]
    numbers: list[CheckedNumber] | None = None
    short_quotes: int | None = None
    read: list[ReadSource] = field(name="sources")
    trust: str = fixed(TRUST)

    def sources(self) -> list[Source]:
        read = [one for one in self.read if one.state == "read"]
        return [Source(one.url, one.title or "") for one in read]

    def quotes_to_keep(self) -> list[KeptQuote]:
        return [
            KeptQuote(
                text=one.quote,
                tier=one.tier,
                url=one.url or "",
                title=one.title or "",
                text_hash=one.text_hash or "",
                read_at=one.read_at,
                section=one.section,
                spans=tuple((span.start, span.end) for span in one.spans or ()),
                matched=tuple(one.matched or ()),
                reason=one.reason,
            )
            for one in self.quotes
        ]

    def how_to_read_on(self) -> str:
        return "Call check_quotes with fewer quotes at a time."


@tool
async def check_quotes(
    kit: Toolkit,
    text: Annotated[
        str | None,
        Meta(description="Draft whose quotes, and numbers beside links, are checked."),
    ] = None,
    quotes: Annotated[
        list[str] | None, Meta(description="Quotes to check, instead of a draft.")
    ] = None,
    sources: Annotated[
        list[str] | None, Meta(description="URLs of the pages that are quoted.")
    ] = None,
    sessionId: Annotated[
        str | None, Meta(description="Session with the sources, instead of a list.")
    ] = None,
) -> QuotesOutput:
    """Check quotes against the full text of their sources before you publish them. A quote is found
    (exact to elided), near, with the words that differ, elsewhere (in another source), or absent.
    Example: {"quotes": ["the tide is a clock"], "sources": ["https://example.org/tides"]}
    """
    claims = _read_claims(text, quotes)
    urls = list(sources or ())
    if sessionId:
        session = await kit.sessions.read(sessionId)
        urls += [recorded.source.url for recorded in session.sources]
    if not urls and text:
        urls = list_cited(claims)
    if not urls:
        raise BadInput(
            "There are no sources to compare the quotes with.",
            suggested_action="Give sources (URLs), or the sessionId of a session that has some.",
        )
    if len(urls) > MOST_SOURCES:
        raise BadInput(
            f"There are {len(urls)} sources; {MOST_SOURCES} are compared at once.",
            suggested_action="Give the sources that the quotes are said to come from.",
        )
    read = await collect_sources(kit.pages, urls)
    arguments = {"text": text, "quotes": quotes, "sources": [describe_source(one) for one in read]}
    texts = tuple(one.text.encode("utf-8", "replace") for one in read)
    job = Job(check_in_job, arguments, texts, "The draft", ahead=True)
    packed = await kit.reader.runner.run(job)
    return QuotesOutput.from_json(json.loads(packed))


@job("check quotes")
def check_in_job(job: Job) -> bytes:
    """Check quotes in a worker: a draft or quotes, and the texts of the sources."""
    arguments = job.arguments
    sources = []
    place = 0
    for fields in arguments["sources"]:
        sources.append(build_source(fields, job.body[place : place + fields["bytes"]].decode()))
        place += fields["bytes"]
    text = arguments["text"]
    claims = _read_claims(text, arguments["quotes"])
    answer = build_output(claims, sources, with_lines=text is not None)
    return answer.write().encode("utf-8", "replace")


def _read_claims(text: str | None, quotes: Sequence[str] | None) -> DraftClaims:
    """Return the claims of a draft, or those of a list of quotes."""
    if (text is None) == (quotes is None):
        raise BadInput(
            "Exactly one of text and quotes is needed.",
            suggested_action="Give a draft as text, or a list of quotes.",
        )
    if text is not None and len(text) > _LONGEST_TEXT:
        raise BadInput(
            f"The draft has {len(text):,} characters; {_LONGEST_TEXT:,} are checked at once.",
            suggested_action="Check it chapter by chapter.",
        )
    claims = DraftClaims(tuple(DraftQuote(one, 0) for one in quotes or ()))
    if text is not None:
        claims = find_claims(text)
    if len(claims.quotes) > _MOST_QUOTES:
        raise BadInput(
            f"There are {len(claims.quotes)} quotes; {_MOST_QUOTES} are checked at once.",
            suggested_action="Check some of them at a time.",
        )
    return claims


def list_cited(claims: DraftClaims) -> list[str]:
    """Return the URLs that are cited with quotes and numbers, each once."""
    cited = [quote.source for quote in claims.quotes if quote.source]
    cited += [number.source for number in claims.numbers]
    return list(dict.fromkeys(cited))


def build_output(
    claims: DraftClaims, sources: Sequence[SourceText], *, with_lines: bool
) -> QuotesOutput:
    """Compare the claims with the sources. A claim is expected in the page that is cited with it,
    if that is among them.
    """
    checker = QuoteChecker(sources)
    checked = []
    for quote in claims.quotes:
        finding = checker.check(quote.text, find_source(quote.source, sources))
        line = quote.line if with_lines else None
        checked.append(CheckedQuote(**_show_values(finding), quote=finding.quote, line=line))
    numbers = NumberChecker(sources)
    found = []
    for number in claims.numbers:
        expected = find_source(number.source, sources)
        if expected is not None:
            compared = numbers.check(number.mention, expected)
            found.append(CheckedNumber(**_show_values(compared), line=number.line))
    summary: dict[str, Any] = dict(Counter(one.tier for one in checked))
    for verdict, count in Counter(one.verdict for one in found).items():
        summary[f"numbers {verdict}"] = count
    return QuotesOutput(
        summary=summary,
        quotes=checked,
        numbers=found or None,
        short_quotes=claims.short_quotes or None,
        read=[ReadSource.of(source) for source in sources],
    )


def _show_values(finding: QuoteFinding | NumberFinding) -> dict[str, Any]:
    """Return the values of a finding as fields of the answer; empty ones are left out."""
    fields: dict[str, Any] = {}
    for name, value in vars(finding).items():
        if isinstance(value, tuple):
            value = [_show_part(part) for part in value]
        elif isinstance(value, datetime):
            value = value.isoformat()
        if value and name != "quote":
            fields["differs" if name == "changes" else name] = value
    return fields


def _show_part(part: object) -> object:
    if isinstance(part, QuoteSpan):
        return CheckedSpan(**vars(part))
    return DifferingWords(**vars(part)) if isinstance(part, WordChange) else part
