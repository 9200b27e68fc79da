"""Queries and results of patent searches, and the filters of a query."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from webquarry._search.models import Attempt
from webquarry._search.patents.names import names_match
from webquarry._search.patents.numbers import PatentNumber
from webquarry.errors import BadInput

_CPC = re.compile(r"([A-HY][0-9]{2})(?:([A-Z])(?:([0-9]{1,4})(?:/([0-9]{2,6}))?)?)?")


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


@dataclass(frozen=True)
class PatentQuery:
    """A query with text, assignee or inventor."""

    text: str = ""
    assignee: str = ""
    inventor: str = ""
    count: int = 5
    # Or specific: words of the title; or landscape: as many as possible, to be counted.
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
        if year is None:
            return True
        return (self.year_from or year) <= year <= (self.year_to or year)

    def has_names(self, patent: Patent) -> bool:
        """Return whether the assignee and the inventor match, if known."""
        pairs = ((self.assignee, patent.assignees), (self.inventor, patent.inventors))
        return all(names_match(name, names) for name, names in pairs if name and names)


@dataclass(frozen=True)
class PatentBatch:
    """The answer of one service, with the number of all results if it states it."""

    patents: tuple[Patent, ...]
    total: int | None = None


@dataclass(frozen=True)
class FoundPatents:
    """The result of a search and how it was found."""

    patents: tuple[Patent, ...]
    provider: str  # names joined by a plus; `google_patents` or a web provider for pages
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    unapplied: tuple[str, ...] = ()  # filters that were not applied
    order: tuple[str, ...] = ()
    because: str = ""
    total: int | None = None
    partial: bool = False  # a service did not answer
    discovered: bool = False  # on web pages, not in a register


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
    """Return whether a symbol is within the wanted one, or in the same main group.

    The hierarchy of subgroups does not follow from their numbers; providers apply it.
    """
    start = wanted.partition("/")[0]
    starts = [symbol.partition("/")[0] for symbol in symbols]
    if len(start) > 4:
        return start in starts
    return any(other.startswith(start) for other in starts)
