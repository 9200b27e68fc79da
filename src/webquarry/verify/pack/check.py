"""Check of an evidence pack: each hash, each span, each quote. Nothing is fetched.

First every byte (`read_wacz`: ZIP file, hashes of its members, ids of its records), then the
evidence: each text against its hash, each quote at its span and compared again with the text, and
each text made again from the bytes of its page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from webquarry._read.plain.words import PageWords, build_words
from webquarry._read.reader import FetchedPage
from webquarry.errors import TooLarge, WebquarryError
from webquarry.net.body import decoder_for
from webquarry.net.models import Reply
from webquarry.pages.jobs import take_words
from webquarry.pages.words import unpack_words
from webquarry.verify.pack.archive import DamagedPack, WarcRecord
from webquarry.verify.pack.build import FORMAT, describe_finding, mask_words
from webquarry.verify.pack.wacz import PackContents, read_wacz
from webquarry.verify.quotes.check import QuoteChecker
from webquarry.verify.quotes.source import SourceText

if TYPE_CHECKING:
    from webquarry._read.workers.job import JobRunner

_MAX_QUOTES = 10_000
_MAX_QUOTE_LENGTH = 20_000  # sessions store shorter ones


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

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        fields = asdict(self)
        session = fields.pop("session")
        fields["quotes"] = dict(sorted(self.quotes.items()))
        return {"intact": self.is_intact, "sessionId": session, **fields}


def check_pack(data: bytes, software: str) -> PackReport:
    """Check the bytes of a pack; `software` is the name and version of this release."""
    return check_contents(read_wacz(data), software)


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


def list_texts(contents: PackContents) -> list[SourceText]:
    """Return the sources of a pack whose texts are in it."""
    texts: list[SourceText] = []
    for source in contents.evidence["sources"]:
        record = contents.records.get(source.get("textRecord", ""))
        if record is not None:
            texts.append(_as_text(source, record))
    return texts


def _as_text(source: Mapping[str, Any], record: WarcRecord) -> SourceText:
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
            texts[number] = SourceText(str(source["url"]), PageWords(""), problem=message)
        if "textRecord" not in source:
            continue
        record = contents.records.get(source["textRecord"])
        if record is None or record.kind != "conversion":
            report.problems.append(f"{name}: its text is not in the pack.")
        elif sha256(record.block).hexdigest() != source["textHash"]:
            report.problems.append(f"{name}: its text does not fit its hash.")
        else:
            report.texts += 1
            texts[number] = _as_text(source, record)
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
        report.problems.append(f"{name}: the response does not fit its hash.")
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
        if len(quote["quote"]) > _MAX_QUOTE_LENGTH:
            raise DamagedPack(f"Quote {number} is longer than {_MAX_QUOTE_LENGTH:,} characters.")
        stated = quote["inPack"]
        report.quotes[str(stated["tier"])] += 1
        text = readable.get(str(stated.get("url")))
        if text is not None:
            words = [text.text[start:end] for start, end in stated.get("spans", [])]
            if words != stated.get("matched", []):
                report.problems.append(f"Quote {number}: other words are at its span.")
            if stated.get("textHash", text.text_hash) != text.text_hash:
                report.problems.append(f"Quote {number}: its text has another hash.")
        if stated["tier"] == "unchecked" or not readable:
            continue
        expected = None
        if "source" in quote:
            own = texts.get(int(quote["source"]))
            if own is None or own.problem is not None:
                continue
            expected = own.url
        finding = checker.check(str(quote["quote"]), expected)
        if describe_finding(finding, with_words=True) == stated:
            continue
        words_of_change = (
            f"Quote {number}: compared again, it is {finding.tier}, and not {stated['tier']}"
        )
        if report.software == software:
            report.problems.append(f"{words_of_change} in the same way.")
        elif finding.tier != stated["tier"]:
            report.notes.append(f"{words_of_change}; another release made the pack.")


async def remake_texts(
    contents: PackContents, report: PackReport, runner: JobRunner, most_bytes: int, software: str
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
            reply = _read_reply(record, datetime.fromisoformat(source["readAt"]), most_bytes)
            job = FetchedPage(str(source["url"]), reply).to_job(take_words)
            words = unpack_words(await runner.run(job), cached=False)
        except (WebquarryError, ValueError) as error:
            reason = getattr(error, "sentence", type(error).__name__)
            report.notes.append(f"{name}: its text could not be made again: {reason}")
            continue
        if mask_words(words.words).digest == source["textHash"]:
            report.remade += 1
        elif report.software == software:
            report.problems.append(f"{name}: its bytes do not come to the text that is stated.")
        else:
            report.notes.append(f"{name}: this release makes another text of its bytes.")


def _read_reply(record: WarcRecord, moment: datetime, most_bytes: int) -> Reply:
    """Return the HTTP response of a record with its body decoded."""
    headers = record.http_headers
    decoder = decoder_for(headers)
    body = bytearray()
    for piece in decoder.feed(record.payload):
        body += piece
        if len(body) > most_bytes:
            raise TooLarge(f"The body has more than {most_bytes} bytes.")
    decoder.finish()
    return Reply(record.url, record.status, headers, bytes(body), moment)


def _name(source: Mapping[str, Any]) -> str:
    return f"Source {source['number']} ({source['url']})"
