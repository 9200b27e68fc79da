"""Evidence packs: a session and its sources, read again now, as one file that others can check.

Sessions do not store the bytes of pages, so each page is read once more and the pack says when.
Each quote of the session is compared with the text read now, next to the finding when it was
checked. Sources that could not be read are listed with the reason.

A check reads nothing from the web: first every byte (`read_wacz`), then each text against its hash,
each quote at its span and compared again, and each text made again from the bytes of its page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from webquarry._read.plain.words import PageWords, build_words, describe_words
from webquarry._read.reader import FetchedPage
from webquarry._search.identity import identity
from webquarry.errors import TooLarge, WebquarryError
from webquarry.net.body import decoder_for
from webquarry.net.models import Reply
from webquarry.pages.jobs import take_words
from webquarry.pages.words import KeptWords, unpack_words
from webquarry.progress import note
from webquarry.secret import get_masker, redact
from webquarry.sessions.models import KeptQuote, RecordedSource, ResearchSession
from webquarry.sessions.views import export_session, format_time
from webquarry.verify.quotes.check import QuoteChecker
from webquarry.verify.quotes.findings import QuoteFinding
from webquarry.verify.quotes.source import SourceText
from webquarry.verify.wacz import (
    DamagedPack,
    PackContents,
    WarcRecord,
    find_response,
    write_wacz,
)

if TYPE_CHECKING:
    from webquarry._read.workers.job import JobRunner

FORMAT = "webquarry-evidence-1"
STATEMENT = (
    "This pack shows what its maker received from these addresses at these times, and how quotes "
    "match the texts made of it. It does not show that a site said so to anyone else, nor that "
    "a statement is true."
)
_MAX_RECORD_BYTES = 400 * 1024 * 1024  # of all records
_MAX_QUOTES = 10_000

_NO_WORDS = PageWords("")

# All pages that were read, only those that were quoted, or no page.
PackScope = Literal["read", "quoted", "hashes"]
Fields = dict[str, Any]


@dataclass(frozen=True)
class PackedSource:
    """A source with the page read for the pack, or the error."""

    recorded: RecordedSource
    page: KeptWords | None = None
    words: PageWords = _NO_WORDS  # of the page, without secrets
    problem: WebquarryError | None = None

    @property
    def url(self) -> str:
        return redact(self.recorded.source.url)


async def read_sources(
    session: ResearchSession, scope: PackScope, read: Callable[[str], Awaitable[KeptWords]]
) -> list[PackedSource]:
    """Read the sources of a session that the scope includes, one after the other."""
    packed: list[PackedSource] = []
    for recorded in session.sources:
        source = PackedSource(recorded)
        if recorded.stage == "quoted" or (recorded.stage == "read" and scope != "quoted"):
            note(f"reading {source.url}")
            try:
                page = await read(recorded.source.url)
                source = PackedSource(recorded, page, _mask_words(page.words))
            except WebquarryError as error:
                source = PackedSource(recorded, problem=error)
        packed.append(source)
    return packed


def _mask_words(words: PageWords) -> PageWords:
    """Return the words without our secrets; offsets are dropped if any was masked."""
    text = words.text.encode("utf-8", "replace").decode()
    masked = get_masker().mask_text(text)
    return replace(words, text=text) if masked == text else PageWords(masked)


def _mask_texts(value: Any) -> Any:
    """Return a JSON value with secrets in its strings masked."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _mask_texts(member) for name, member in value.items()}
    return [_mask_texts(member) for member in value] if isinstance(value, list) else value


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
    pages: list[Fields] = []
    if scope != "hashes":
        information = f"software: {software}\r\nformat: WARC File Format 1.1\r\n".encode()
        info = WarcRecord("warcinfo", created, "application/warc-fields", information)
        # Equal records have equal ids: the same response may come twice within a second.
        records = list({record.id: record for record in (info, *exchanges, *texts)}.values())
        pages = [_describe_page(source) for source in sources if source.page is not None]
    size = sum(len(record.block) for record in records)
    if size > _MAX_RECORD_BYTES:
        raise TooLarge(
            f"The pages of the session have {size:,} bytes; a pack holds {_MAX_RECORD_BYTES:,}.",
            suggested_action="Pack only the quoted pages (--scope quoted), or hashes and spans "
            "alone (--scope hashes).",
        )
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
    return write_wacz(records, pages, evidence, package)


def _describe_page(source: PackedSource) -> Fields:
    """Return the entry of a page in pages.jsonl."""
    assert source.page is not None
    return {
        "id": f"{source.recorded.number}",
        "url": redact(source.page.url),
        "ts": format_time(source.page.fetched_at),
        "title": redact(source.page.title),
    }


def _convert(source: PackedSource, exchanges: Sequence[WarcRecord]) -> WarcRecord:
    """Return the record of the text of a page."""
    assert source.page is not None
    response = find_response(exchanges, redact(source.page.url))
    return WarcRecord(
        kind="conversion",
        date=format_time(source.page.fetched_at),
        content_type="text/plain; charset=utf-8",
        block=source.words.text.encode(),
        url=source.url,
        more={"WARC-Refers-To": response.id} if response is not None else {},
    )


def _describe_session(session: ResearchSession) -> Fields:
    """Return the session as exported, without quotes and secrets."""
    export = export_session(session, format_time(session.touched_at))
    described: Fields = {
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
    masked: Fields = _mask_texts(described)
    return masked


def _describe_source(
    source: PackedSource, exchanges: Sequence[WarcRecord], scope: PackScope
) -> Fields:
    recorded, page, problem = source.recorded, source.page, source.problem
    described: Fields = {
        "number": recorded.number,
        "url": source.url,
        "title": redact(recorded.source.title),
        "stage": recorded.stage,
    }
    if problem is not None:
        described["problem"] = {"kind": problem.kind, "message": redact(problem.sentence)}
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
) -> list[Fields]:
    """Return each quote with its finding when it was checked and its finding in the pack."""
    numbers = {identity(one.recorded.source.url): one.recorded.number for one in sources}
    texts = []
    for source in sources:
        if source.page is not None:
            page = source.page
            texts.append(SourceText(source.url, source.words, page.title, page.fetched_at))
        elif source.problem is not None:
            problem = redact(source.problem.sentence)
            texts.append(SourceText(source.url, _NO_WORDS, problem=problem))
    checker = QuoteChecker(texts)
    described: list[Fields] = []
    for quote in session.quotes:
        number = numbers.get(identity(quote.url)) if quote.url else None
        expected = sources[number - 1].url if number is not None else None
        finding = checker.check(quote.text, expected)
        entry: Fields = {
            "quote": quote.text,
            "whenChecked": _describe_kept(quote, scope),
            "inPack": _describe_finding(finding, with_words=scope != "hashes"),
        }
        if number is not None:
            entry["source"] = number
        if quote.text_hash and finding.text_hash:
            entry["sameText"] = quote.text_hash == finding.text_hash
        described.append(entry)
    return described


def _describe_kept(quote: KeptQuote, scope: PackScope) -> Fields:
    fields: Fields = {
        "tier": quote.tier,
        "url": quote.url,
        "textHash": quote.text_hash,
        "spans": [list(span) for span in quote.spans],
        "section": quote.section,
        "readAt": quote.read_at,
        "checkedAt": quote.checked_at,
        "reason": quote.reason,
        "matched": list(quote.matched) if scope != "hashes" else [],
    }
    return {name: value for name, value in fields.items() if value}


def _describe_finding(finding: QuoteFinding, *, with_words: bool) -> Fields:
    """Return a finding as JSON, without empty fields."""
    fields: Fields = {
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
        fields["changes"] = [asdict(change) for change in finding.changes]
    return {name: value for name, value in fields.items() if value}


@dataclass
class PackReport:
    """The result of a check; `problems` is empty if the pack is intact."""

    session: str = ""
    created: str = ""
    software: str = ""
    scope: str = ""
    sources: int = 0
    texts: int = 0
    remade: int = 0  # texts made again from their bytes that are equal
    records: int = 0
    quotes: Counter[str] = field(default_factory=Counter)  # by tier
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_intact(self) -> bool:
        return not self.problems

    def as_dict(self) -> Fields:
        """Return the report as JSON."""
        fields = asdict(self)
        session = fields.pop("session")
        fields["quotes"] = dict(sorted(self.quotes.items()))
        return {"intact": self.is_intact, "sessionId": session, **fields}


def check_contents(contents: PackContents, software: str) -> PackReport:
    """Check the evidence of a pack whose bytes were checked by `read_wacz`."""
    evidence = contents.evidence
    if evidence.get("format") != FORMAT:
        raise DamagedPack(f"evidence.json does not have the format {FORMAT}.")
    try:
        report = PackReport(
            session=str(evidence["session"]["sessionId"]),
            created=str(evidence["created"]),
            software=str(evidence["software"]),
            scope=str(evidence["scope"]),
            records=len(contents.records),
        )
        texts = _check_sources(contents, report)
        _check_quotes(evidence["quotes"], texts, report, software)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise DamagedPack("evidence.json does not have the fields of an evidence pack.") from None
    if report.software != software:
        report.notes.append(f"The pack was made by {report.software} and checked by {software}.")
    if report.scope == "hashes":
        report.notes.append(
            "The pack holds hashes and spans alone: no text is in it to compare quotes with."
        )
    return report


def _read_text(source: Mapping[str, Any], record: WarcRecord) -> SourceText:
    words = build_words(source["words"], record.block.decode("utf-8"))
    read_at = datetime.fromisoformat(source["readAt"])
    return SourceText(str(source["url"]), words, str(source["title"]), read_at)


def _check_sources(contents: PackContents, report: PackReport) -> dict[int, SourceText]:
    """Return the sources by number, each with its text or the reason why it has none."""
    texts: dict[int, SourceText] = {}
    for source in contents.evidence["sources"]:
        number = int(source["number"])
        name = _name(source)
        report.sources += 1
        if source.get("problem") is not None:
            message = str(source["problem"]["message"])
            report.notes.append(f"{name} is not in the pack: {message}")
            texts[number] = SourceText(str(source["url"]), _NO_WORDS, problem=message)
        if "textRecord" not in source:
            continue
        record = contents.records.get(source["textRecord"])
        if record is None or record.kind != "conversion":
            report.problems.append(f"{name}: its text is not in the pack.")
        elif sha256(record.block).hexdigest() != source["textHash"]:
            report.problems.append(f"{name}: its text does not match its hash.")
        else:
            report.texts += 1
            texts[number] = _read_text(source, record)
            _check_response(contents, source, record, report)
    return texts


def _check_response(
    contents: PackContents, source: Mapping[str, Any], text: WarcRecord, report: PackReport
) -> None:
    """Check the response that a text was made of."""
    name = _name(source)
    if "responseRecord" not in source:
        report.notes.append(
            f"{name}: its text was composed by a site reader; the responses that it used are in "
            "the pack."
        )
        return
    response = contents.records.get(source["responseRecord"])
    if response is None or response.kind != "response":
        report.problems.append(f"{name}: the response is not in the pack.")
    elif sha256(response.payload).hexdigest() != source["bytesHash"]:
        report.problems.append(f"{name}: the response does not match its hash.")
    elif text.more.get("WARC-Refers-To") != response.id:
        report.problems.append(f"{name}: its text refers to another response.")


def _check_quotes(
    quotes: list[Mapping[str, Any]],
    texts: Mapping[int, SourceText],
    report: PackReport,
    software: str,
) -> None:
    """Check each quote at its span, and compare it with the texts again."""
    if len(quotes) > _MAX_QUOTES:
        raise DamagedPack(f"The pack has more than {_MAX_QUOTES} quotes.")
    checker = QuoteChecker(list(texts.values()))
    readable = {text.url: text for text in texts.values() if text.problem is None}
    for number, quote in enumerate(quotes, 1):
        stated = quote["inPack"]
        report.quotes[str(stated["tier"])] += 1
        text = readable.get(str(stated.get("url")))
        if text is not None:
            words = [text.text[start:end] for start, end in stated.get("spans", [])]
            if words != stated.get("matched", []):
                report.problems.append(f"Quote {number}: other words are at its span.")
            if stated.get("textHash", text.text_hash) != text.text_hash:
                report.problems.append(f"Quote {number}: its text has another hash.")
        own = texts.get(int(quote["source"])) if "source" in quote else None
        is_unread = "source" in quote and (own is None or own.problem is not None)
        if stated["tier"] == "unchecked" or not readable or is_unread:
            continue
        finding = checker.check(str(quote["quote"]), own.url if own else None)
        if _describe_finding(finding, with_words=True) == stated:
            continue
        change = f"Quote {number}: compared again, it is {finding.tier}, and not {stated['tier']}"
        if report.software == software:
            report.problems.append(f"{change} in the same way.")
        elif finding.tier != stated["tier"]:
            report.notes.append(f"{change}; another release made the pack.")


async def remake_texts(
    contents: PackContents, report: PackReport, runner: JobRunner, max_bytes: int, software: str
) -> None:
    """Make each text again from the bytes of its page and add the result to the report.

    A different text is a problem only if the same release made the pack.
    """
    for source in contents.evidence["sources"]:
        record = contents.records.get(source.get("responseRecord", ""))
        if record is None:
            continue
        name = _name(source)
        try:
            reply = _read_reply(record, datetime.fromisoformat(source["readAt"]), max_bytes)
            job = FetchedPage(str(source["url"]), reply).to_job(take_words)
            words = unpack_words(await runner.run(job), cached=False)
        except (WebquarryError, ValueError) as error:
            reason = getattr(error, "sentence", type(error).__name__)
            report.notes.append(f"{name}: its text could not be made again: {reason}")
            continue
        if _mask_words(words.words).digest == source["textHash"]:
            report.remade += 1
        elif report.software == software:
            report.problems.append(f"{name}: its bytes do not give the stated text.")
        else:
            report.notes.append(f"{name}: this release makes another text of its bytes.")


def _read_reply(record: WarcRecord, moment: datetime, max_bytes: int) -> Reply:
    """Return the HTTP response of a record with its body decoded."""
    headers = record.http_headers
    decoder = decoder_for(headers)
    body = bytearray()
    for piece in decoder.feed(record.payload):
        body += piece
        if len(body) > max_bytes:
            raise TooLarge(f"The body has more than {max_bytes} bytes.")
    decoder.finish()
    return Reply(record.url, record.status, headers, bytes(body), moment)


def _name(source: Mapping[str, Any]) -> str:
    return f"Source {source['number']} ({source['url']})"
