"""Patents, patent queries, and the interface of the registers, which open no socket."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import httpx2

from webquarry._search.models import SearchAnswer
from webquarry._search.patents.numbers import PatentNumber, names_match
from webquarry._search.service import Service
from webquarry._search.text import normalize_letters
from webquarry.errors import BadInput
from webquarry.net.models import Reply

_CPC = re.compile(r"([A-HY][0-9]{2})(?:([A-Z])(?:([0-9]{1,4})(?:/([0-9]{2,6}))?)?)?")
_UNSAFE = re.compile(r"[^\w\s&'’.+-]|_")
_PARTS = re.compile(r'"([^"]*)"|([^\s"]+)')
_STOP_WORD_LIST = """
a an and are as at be by can for from has have how in into is it its not of on or that the their
this to using via was were what which with
"""
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())


@dataclass(frozen=True)
class Patent:
    """One publication. Dates are ISO 8601; unknown fields are None or empty."""

    number: PatentNumber
    title: str
    url: str
    abstract: str = ""
    assignees: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    filed: str | None = None
    published: str | None = None
    granted: str | None = None
    status: str | None = None  # legal status or, if unknown, the stage of the kind
    pdf: str | None = None
    cpc: tuple[str, ...] = ()
    snippet: str = ""  # of a page found by a web search
    provider: str = ""


_FIELDS = Patent.__dataclass_fields__.keys() - {"number", "provider"}


@dataclass(frozen=True)
class PatentQuery:
    """Text, names and filters of a search. `search_type` is prior_art, specific (words of the
    title) or landscape (as many patents as possible, to be counted).
    """

    text: str = ""
    assignee: str = ""
    inventor: str = ""
    count: int = 5
    search_type: str = "prior_art"
    office: str | None = None  # two letters
    cpc: str | None = None  # a result of `cpc_symbol`
    year_from: int | None = None  # of publication
    year_to: int | None = None

    def admits(self, patent: Patent) -> bool:
        """Return whether a patent passes the filters of office, year and class, if known."""
        if self.office and patent.number.office != self.office:
            return False
        if self.cpc and patent.cpc and not bears(patent.cpc, self.cpc):
            return False
        year = patent.number.published_year
        if patent.published:
            year = int(patent.published[:4])
        return year is None or (self.year_from or year) <= year <= (self.year_to or year)

    def has_names(self, patent: Patent) -> bool:
        """Return whether the assignee and the inventor match, if known."""
        pairs = ((self.assignee, patent.assignees), (self.inventor, patent.inventors))
        return all(names_match(name, names) for name, names in pairs if name and names)


@dataclass(frozen=True)
class FoundPatents(SearchAnswer[Patent]):
    """The patents of a search. `provider` has the names of registers, joined by a plus; for web
    pages (`discovered`) it is `google_patents` or a web provider.
    """

    discovered: bool = False


def bare(text: str) -> str:
    """Return a value on one line without quotation marks and operators."""
    return " ".join(_UNSAFE.sub(" ", normalize_letters("NFC", text)).split())


def terms(text: str) -> list[str]:
    """Return the distinct words and quoted phrases of a text without stop words."""
    found: dict[str, None] = {}
    for phrase, words in _PARTS.findall(text):
        candidates = [bare(phrase)] if phrase else bare(words).split()
        for candidate in candidates:
            is_word = any(map(str.isalnum, candidate)) and candidate.casefold() not in _STOP_WORDS
            if is_word:
                found.setdefault(candidate.strip("-'’.+&") or candidate)
    return list(found) or bare(text).split()


def cpc_symbol(value: str) -> str:
    """Return a CPC symbol without blanks in upper case: `H04`, `H04W`, `H04W4/00`, `H04W4/02`."""
    symbol = re.sub(r"\s+", "", value).upper()
    if not _CPC.fullmatch(symbol):
        raise BadInput(
            f"The cpc_code {value[:30]!r} is not a symbol of the CPC.",
            suggested_action="Give a class, subclass or group, such as H04, H04W or H04W4/02.",
        )
    return symbol


def bears(symbols: Iterable[str], wanted: str) -> bool:
    """Return whether a symbol is within the wanted one, or in the same main group; the hierarchy
    of subgroups does not follow from their numbers.
    """
    start = wanted.partition("/")[0]
    starts = [symbol.partition("/")[0] for symbol in symbols]
    if len(start) > 4:
        return start in starts
    return any(other.startswith(start) for other in starts)


def merge(lists: Iterable[Sequence[Patent]]) -> list[Patent]:
    """Return each publication once, completed from all records of it: the best ranked first, equal
    ranks by number. The result does not depend on the order of the lists.
    """
    records: dict[PatentNumber, list[Patent]] = {}
    ranks: dict[PatentNumber, int] = {}
    for patents in lists:
        for rank, patent in enumerate(patents):
            records.setdefault(patent.number, []).append(patent)
            ranks[patent.number] = min(rank, ranks.get(patent.number, rank))
    ordered = sorted(records, key=lambda number: (ranks[number], number))
    return [_merge_records(number, records[number]) for number in ordered]


def _merge_records(number: PatentNumber, records: Sequence[Patent]) -> Patent:
    """Return one patent with the longest value of each field."""
    placeholders = {number.google, number.stage}  # of titles and statuses
    values: dict[str, Any] = {}
    for name in _FIELDS:
        known = [getattr(record, name) for record in records if getattr(record, name)]
        values[name] = max(
            known or [getattr(records[0], name)],
            key=lambda value: (value not in placeholders, len(value or ""), str(value)),
        )
    providers = sorted({record.provider for record in records})
    return Patent(number, provider="+".join(providers), **values)


class PatentProvider(Service):
    """One register. A subclass in `providers/` is registered by its file."""

    package = "webquarry._search.patents.providers"
    plugins = "webquarry.patent_providers"
    most: ClassVar[int] = 100  # patents in one answer

    @abstractmethod
    def build_search(self, query: PatentQuery) -> httpx2.Request:
        """Return the request for the first `query.count` patents; values cannot add syntax."""

    @abstractmethod
    def build_lookup(self, number: PatentNumber) -> httpx2.Request:
        """Return the request for one publication."""

    @abstractmethod
    def parse_reply(self, reply: Reply) -> list[Patent]:
        """Return the patents or raise the error; none only if the register said so."""

    def must_repeat(self, reply: Reply) -> bool:
        """Return whether a reply is only about the login, so that the request is built again."""
        return False

    def notes_on(self, query: PatentQuery) -> tuple[str, ...]:
        """Return sentences on what of the query could not be sent."""
        return ()

    def parse_probe(self, reply: Reply) -> None:
        self.parse_reply(reply)
