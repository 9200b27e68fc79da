"""Evidence packs: a session and its sources, read again now, as one file that others can check.

Sessions do not store the bytes of pages, so each page is read once more and the pack says when.
Each quote of the session is compared with the text read now, beside the finding when it was
checked. Sources that could not be read are listed with the reason.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, Protocol

from webquarry._read.plain.words import PageWords, describe_words
from webquarry._search.identity import identity
from webquarry.errors import TooLarge, WebquarryError
from webquarry.progress import note
from webquarry.secret import get_masker, redact
from webquarry.sessions.export import export_session
from webquarry.sessions.models import KeptQuote, RecordedSource, ResearchSession
from webquarry.sessions.views import format_time
from webquarry.verify.pack.archive import WarcRecord, find_response
from webquarry.verify.pack.wacz import write_wacz
from webquarry.verify.quotes.check import QuoteChecker
from webquarry.verify.quotes.findings import QuoteFinding
from webquarry.verify.quotes.source import SourceText

FORMAT = "webquarry-evidence-1"
STATEMENT = (
    "This pack shows what its maker received from these addresses at these times, and how quotes "
    "stand in the texts made of it. It does not show that a site said so to anybody else, nor that "
    "a statement is true."
)
_MAX_RECORD_BYTES = 400 * 1024 * 1024  # of all records

_NO_WORDS = PageWords("")

# All pages that were read, only those that were quoted, or no page.
PackScope = Literal["read", "quoted", "hashes"]


class ReadWords(Protocol):
    """The text of a page."""

    @property
    def url(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def words(self) -> PageWords: ...

    @property
    def fetched_at(self) -> datetime: ...


@dataclass(frozen=True)
class PackedSource:
    """A source with the page read for the pack, or the error."""

    recorded: RecordedSource
    page: ReadWords | None = None
    words: PageWords = _NO_WORDS  # of the page, without secrets
    problem: WebquarryError | None = None


async def read_sources(
    session: ResearchSession, scope: PackScope, read: Callable[[str], Awaitable[ReadWords]]
) -> list[PackedSource]:
    """Read the sources of a session that the scope includes, one after the other."""
    packed: list[PackedSource] = []
    for recorded in session.sources:
        wanted = ("quoted",) if scope == "quoted" else ("quoted", "read")
        if recorded.stage not in wanted:
            packed.append(PackedSource(recorded))
            continue
        note(f"reading {redact(recorded.source.url)}")
        try:
            page = await read(recorded.source.url)
            packed.append(PackedSource(recorded, page, mask_words(page.words)))
        except WebquarryError as error:
            packed.append(PackedSource(recorded, problem=error))
    return packed


def mask_words(words: PageWords) -> PageWords:
    """Return the words without our secrets; offsets are dropped if any was masked."""
    text = words.text.encode("utf-8", "replace").decode()
    masked = get_masker().mask_text(text)
    if masked != text:
        return PageWords(masked)
    return replace(words, text=text)


def mask_texts(value: Any) -> Any:
    """Return a JSON value with secrets in its strings masked."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: mask_texts(member) for name, member in value.items()}
    if isinstance(value, list):
        return [mask_texts(member) for member in value]
    return value


def build_pack(
    session: ResearchSession,
    sources: Sequence[PackedSource],
    exchanges: Sequence[WarcRecord],
    scope: PackScope,
    software: str,
) -> bytes:
    """Return the bytes of the pack, which depend on the arguments alone."""
    dates = [record.date for record in exchanges]
    created = max([format_time(session.touched_at), *dates])
    texts = [_convert(source, exchanges) for source in sources if source.page is not None]
    records: list[WarcRecord] = []
    if scope != "hashes":
        information = f"software: {software}\r\nformat: WARC File Format 1.1\r\n".encode()
        info = WarcRecord("warcinfo", created, "application/warc-fields", information)
        # Equal records have equal ids: the same response may come twice within a second.
        by_id = {record.id: record for record in (info, *exchanges, *texts)}
        records = list(by_id.values())
    _check_size(records)
    evidence = {
        "format": FORMAT,
        "software": software,
        "created": created,
        "scope": scope,
        "statement": STATEMENT,
        "session": _describe_session(session),
        "sources": [_describe_source(source, exchanges, scope) for source in sources],
        "quotes": _describe_quotes(session, sources, scope),
    }
    package = {
        "title": redact(session.goal or session.steps[0].text),
        "description": STATEMENT,
        "created": created,
        "software": software,
    }
    return write_wacz(records, _list_pages(sources, scope), evidence, package)


def _convert(source: PackedSource, exchanges: Sequence[WarcRecord]) -> WarcRecord:
    """Return the record of the text of a page."""
    assert source.page is not None
    response = find_response(exchanges, redact(source.page.url))
    more = {}
    if response is not None:
        more["WARC-Refers-To"] = response.id
    return WarcRecord(
        kind="conversion",
        date=format_time(source.page.fetched_at),
        content_type="text/plain; charset=utf-8",
        block=source.words.text.encode(),
        url=redact(source.recorded.source.url),
        more=more,
    )


def _check_size(records: Sequence[WarcRecord]) -> None:
    size = sum(len(record.block) for record in records)
    if size > _MAX_RECORD_BYTES:
        raise TooLarge(
            f"The pages of the session have {size:,} bytes; a pack holds {_MAX_RECORD_BYTES:,}.",
            suggested_action="Pack only the quoted pages (--scope quoted), or hashes and spans "
            "alone (--scope hashes).",
        )


def _describe_session(session: ResearchSession) -> dict[str, Any]:
    """Return the session as exported, without quotes and secrets."""
    export = export_session(session, format_time(session.touched_at))
    described: dict[str, Any] = {
        "sessionId": export.id,
        "status": export.status,
        "researchGoal": export.goal,
        "sessionSummary": export.summary,
        "startedAt": export.began_at,
        "updatedAt": export.exported_at,
        "steps": [step.as_dict() for step in export.steps],
        "sources": [source.as_dict() for source in export.sources],
    }
    for source in described["sources"]:
        source.pop("quotes", None)
    masked: dict[str, Any] = mask_texts(described)
    return masked


def _describe_source(
    source: PackedSource, exchanges: Sequence[WarcRecord], scope: PackScope
) -> dict[str, Any]:
    recorded = source.recorded
    described: dict[str, Any] = {
        "number": recorded.number,
        "url": redact(recorded.source.url),
        "title": redact(recorded.source.title),
        "stage": recorded.stage,
    }
    if source.problem is not None:
        described["problem"] = {
            "kind": source.problem.kind,
            "message": redact(source.problem.sentence),
        }
    page = source.page
    if page is None:
        return described
    response = find_response(exchanges, redact(page.url))
    described |= {
        "readAt": format_time(page.fetched_at),
        "finalUrl": redact(page.url),
        "textHash": source.words.digest,
        "textLength": len(source.words.text),
    }
    if response is not None:
        described["bytesHash"] = sha256(response.payload).hexdigest()
    if scope != "hashes":
        described["textRecord"] = _convert(source, exchanges).id
        described["words"] = describe_words(source.words)
        if response is not None:
            described["responseRecord"] = response.id
    return described


def _describe_quotes(
    session: ResearchSession, sources: Sequence[PackedSource], scope: PackScope
) -> list[dict[str, Any]]:
    """Return each quote with its finding when it was checked and its finding in the pack."""
    numbers = {identity(one.recorded.source.url): one.recorded.number for one in sources}
    asked = [one for one in sources if one.page is not None or one.problem is not None]
    checker = QuoteChecker([_as_text(source) for source in asked])
    described: list[dict[str, Any]] = []
    for quote in session.quotes:
        number = numbers.get(identity(quote.url)) if quote.url else None
        expected = None
        if number is not None:
            expected = redact(sources[number - 1].recorded.source.url)
        finding = checker.check(quote.text, expected)
        entry: dict[str, Any] = {
            "quote": quote.text,
            "whenChecked": _describe_kept(quote, scope),
            "inPack": describe_finding(finding, with_words=scope != "hashes"),
        }
        if number is not None:
            entry["source"] = number
        if quote.text_hash and finding.text_hash:
            entry["sameText"] = quote.text_hash == finding.text_hash
        described.append(entry)
    return described


def _as_text(source: PackedSource) -> SourceText:
    """Return the source in the form the quote check uses."""
    url = redact(source.recorded.source.url)
    if source.page is None:
        problem = "It was not read for the pack."
        if source.problem is not None:
            problem = redact(source.problem.sentence)
        return SourceText(url, PageWords(""), problem=problem)
    page = source.page
    return SourceText(url, source.words, page.title, page.fetched_at)


def _describe_kept(quote: KeptQuote, scope: PackScope) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "tier": quote.tier,
        "url": quote.url,
        "textHash": quote.text_hash,
        "spans": [list(span) for span in quote.spans],
        "section": quote.section,
        "readAt": quote.read_at,
        "checkedAt": quote.checked_at,
        "reason": quote.reason,
    }
    if scope != "hashes":
        fields["matched"] = list(quote.matched)
    return {name: value for name, value in fields.items() if value}


def describe_finding(finding: QuoteFinding, *, with_words: bool) -> dict[str, Any]:
    """Return a finding as JSON, without empty fields."""
    fields: dict[str, Any] = {
        "tier": finding.tier,
        "url": finding.url,
        "textHash": finding.text_hash,
        "spans": [[span.start, span.end] for span in finding.spans],
        "section": finding.section,
        "warnings": list(finding.warnings),
        "reason": finding.reason,
    }
    if with_words:
        fields["matched"] = list(finding.matched)
        fields["changes"] = [
            {"kind": change.kind, "quote": change.quote, "source": change.source}
            for change in finding.changes
        ]
    return {name: value for name, value in fields.items() if value}


def _list_pages(sources: Sequence[PackedSource], scope: PackScope) -> list[dict[str, Any]]:
    """Return the entries of pages.jsonl."""
    pages: list[dict[str, Any]] = []
    if scope == "hashes":
        return pages
    for source in sources:
        if source.page is not None:
            page = source.page
            moment = format_time(page.fetched_at)
            name = f"{source.recorded.number}"
            pages.append(
                {"id": name, "url": redact(page.url), "ts": moment, "title": redact(page.title)}
            )
    return pages
