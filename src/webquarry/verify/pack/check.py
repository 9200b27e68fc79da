"""The bytes of an evidence pack in, whether everything in it still fits together out.

Nothing is fetched and nothing of this machine is asked. First every byte: the ZIP file, the hashes
of its members, the digests of its records. Then what it says: each text by its hash, each quote
where its span is, and anew by comparing it with the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from webquarry._read.plain.words import PageWords, build_words
from webquarry.verify.pack.build import FORMAT, describe_finding
from webquarry.verify.pack.problem import DamagedPack
from webquarry.verify.pack.wacz import PackContents, read_wacz
from webquarry.verify.pack.warc import ReadRecord
from webquarry.verify.quotes.check import QuoteChecker
from webquarry.verify.quotes.source import SourceText

_MOST_QUOTES = 10_000
_LONGEST_QUOTE = 20_000  # characters; sessions keep fewer
_MOST_COMPARED = 4_000_000_000  # characters of texts, times quotes; beyond it spans are compared


@dataclass
class PackReport:
    """What was found in a pack. `problems` is empty where everything fits."""

    session: str = ""
    created: str = ""
    software: str = ""
    scope: str = ""
    sources: int = 0
    texts: int = 0
    remade: int = 0  # texts that were made once more from their bytes, and are the same
    records: int = 0
    quotes: Counter[str] = field(default_factory=Counter)  # by how they stand in the pack
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_intact(self) -> bool:
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """The report for a program."""
        return {
            "intact": self.is_intact,
            "sessionId": self.session,
            "created": self.created,
            "software": self.software,
            "scope": self.scope,
            "sources": self.sources,
            "texts": self.texts,
            "remade": self.remade,
            "records": self.records,
            "quotes": dict(sorted(self.quotes.items())),
            "problems": self.problems,
            "notes": self.notes,
        }


def check_pack(data: bytes, software: str) -> PackReport:
    """What is in a pack and whether it fits together; `software` is who checks it."""
    return check_contents(read_wacz(data), software)


def check_contents(contents: PackContents, software: str) -> PackReport:
    """The same for a pack whose bytes were checked."""
    evidence = contents.evidence
    if evidence.get("format") != FORMAT:
        raise DamagedPack("evidence.json is of a form that this release does not know.")
    try:
        return _PackCheck(contents, software).run()
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise DamagedPack("evidence.json is not as this release writes it.") from None


def list_texts(contents: PackContents) -> list[SourceText]:
    """The sources of a pack whose texts are in it, to compare quotes with."""
    texts: list[SourceText] = []
    for source in contents.evidence["sources"]:
        record = contents.records.get(source.get("textRecord", ""))
        if record is not None:
            texts.append(_as_text(source, record))
    return texts


class _PackCheck:
    """Goes through the evidence of a pack."""

    def __init__(self, contents: PackContents, software: str) -> None:
        self._contents = contents
        self._evidence = contents.evidence
        self._software = software
        self._texts: dict[int, SourceText] = {}
        self._by_url: dict[str, SourceText] = {}
        self._compared: list[SourceText] = []  # these, and those that could not be read
        self.report = PackReport(
            session=str(self._evidence["session"]["sessionId"]),
            created=str(self._evidence["created"]),
            software=str(self._evidence["software"]),
            scope=str(self._evidence["scope"]),
            records=len(contents.records),
        )

    def run(self) -> PackReport:
        for source in self._evidence["sources"]:
            self._check_source(source)
        self._check_quotes(self._evidence["quotes"])
        report = self.report
        if report.software != self._software:
            report.notes.append(
                f"The pack was made by {report.software} and checked by {self._software}."
            )
        if report.scope == "hashes":
            report.notes.append(
                "The pack holds hashes and spans alone: no text is in it to compare quotes with."
            )
        return report

    def _check_source(self, source: Mapping[str, Any]) -> None:
        """A source: its text by its hash, its bytes by theirs."""
        number = int(source["number"])
        self.report.sources += 1
        name = f"Source {number} ({source['url']})"
        problem = source.get("problem")
        if problem is not None:
            message = str(problem["message"])
            self.report.notes.append(f"{name} is not in the pack: {message}")
            unread = SourceText(str(source["url"]), PageWords(""), problem=message)
            self._compared.append(unread)
        if "textRecord" not in source:
            return
        record = self._contents.records.get(source["textRecord"])
        if record is None or record.kind != "conversion":
            self.report.problems.append(f"{name}: its text is not in the pack.")
            return
        if sha256(record.block).hexdigest() != source["textHash"]:
            self.report.problems.append(f"{name}: its text does not fit its hash.")
            return
        self._check_response(source, record, name)
        self.report.texts += 1
        text = _as_text(source, record)
        self._texts[number] = text
        self._by_url.setdefault(text.url, text)
        self._compared.append(text)

    def _check_response(self, source: Mapping[str, Any], text: ReadRecord, name: str) -> None:
        if "responseRecord" not in source:
            self.report.notes.append(
                f"{name}: its text was put together by a reader of its site; the answers it was "
                "made of are in the pack as they came."
            )
            return
        response = self._contents.records.get(source["responseRecord"])
        if response is None or response.kind != "response":
            self.report.problems.append(f"{name}: what the server sent is not in the pack.")
        elif sha256(response.payload).hexdigest() != source["bytesHash"]:
            self.report.problems.append(f"{name}: what the server sent does not fit its hash.")
        elif text.headers.get("warc-refers-to") != response.id:
            self.report.problems.append(f"{name}: its text refers to another answer.")

    def _check_quotes(self, quotes: list[Mapping[str, Any]]) -> None:
        if len(quotes) > _MOST_QUOTES:
            raise DamagedPack(f"The pack has more than {_MOST_QUOTES} quotes.")
        lengths = [len(text.text) for text in self._texts.values()]
        compared = len(quotes) * sum(lengths)
        checker = None
        if compared <= _MOST_COMPARED:
            checker = QuoteChecker(self._compared)
        else:
            self.report.notes.append("The texts are so long that only spans were compared.")
        for number, quote in enumerate(quotes, 1):
            if len(quote["quote"]) > _LONGEST_QUOTE:
                raise DamagedPack(f"Quote {number} is longer than a quote may be.")
            found = quote["inPack"]
            self.report.quotes[str(found["tier"])] += 1
            self._check_span(number, quote)
            if checker is not None and self._texts:
                self._compare_anew(number, quote, checker)

    def _check_span(self, number: int, quote: Mapping[str, Any]) -> None:
        """The words that are said to stand at a span, at that span."""
        found = quote["inPack"]
        text = self._find_text(found)
        if text is None:
            return
        words = [text.text[start:end] for start, end in found.get("spans", [])]
        if words != found.get("matched", []):
            self.report.problems.append(f"Quote {number}: other words stand at its span.")
        if found.get("textHash", text.text_hash) != text.text_hash:
            self.report.problems.append(f"Quote {number}: its text has another hash.")

    def _compare_anew(self, number: int, quote: Mapping[str, Any], checker: QuoteChecker) -> None:
        """The same comparison once more. Another release may judge a quote in another way, which
        is no damage.
        """
        stated = quote["inPack"]
        if stated["tier"] == "unchecked":
            return
        expected = None
        if "source" in quote:
            own = self._texts.get(int(quote["source"]))
            if own is None:
                return
            expected = own.url
        finding = checker.check(str(quote["quote"]), expected)
        if describe_finding(finding, with_words=True) == stated:
            return
        words = f"Quote {number}: compared anew, it is {finding.tier}, and not {stated['tier']}"
        if self.report.software == self._software:
            self.report.problems.append(f"{words} in the same way.")
        elif finding.tier != stated["tier"]:
            self.report.notes.append(f"{words}; another release made the pack.")

    def _find_text(self, found: Mapping[str, Any]) -> SourceText | None:
        return self._by_url.get(str(found.get("url")))


def _as_text(source: Mapping[str, Any], record: ReadRecord) -> SourceText:
    words = build_words(source["words"], record.block.decode("utf-8"))
    read_at = datetime.fromisoformat(source["readAt"])
    return SourceText(str(source["url"]), words, str(source["title"]), read_at)
