"""What is asked about patents, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass

from webquarry._search.models import Attempt
from webquarry._search.patents.numbers import PatentNumber


@dataclass(frozen=True)
class PatentQuery:
    """One question. At least one of text, assignee and inventor is there."""

    text: str = ""
    assignee: str = ""
    inventor: str = ""
    count: int = 5
    # Or specific: the words are those of a title; or landscape: many, to be counted.
    search_type: str = "prior_art"
    office: str | None = None  # two letters
    cpc: str | None = None  # as `cpc_symbol` gives it
    year_from: int | None = None  # of publication
    year_to: int | None = None


@dataclass(frozen=True)
class Patent:
    """One publication. Dates are ISO 8601; what is not known is None or empty."""

    number: PatentNumber
    title: str
    url: str
    abstract: str = ""
    assignees: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    filed: str | None = None
    published: str | None = None
    granted: str | None = None
    # The legal status where somebody tells, else the stage that the kind stands for.
    status: str | None = None
    pdf: str | None = None
    cpc: tuple[str, ...] = ()
    snippet: str = ""  # of the page that was found, where nobody gave an abstract
    provider: str = ""


@dataclass(frozen=True)
class PatentBatch:
    """One service's answer; `total` is how many it knows of, where it says so."""

    patents: tuple[Patent, ...]
    total: int | None = None


@dataclass(frozen=True)
class FoundPatents:
    """What a search came to, and how it came to it."""

    patents: tuple[Patent, ...]
    provider: str  # who answered, several joined by a plus; "web" for pages found by a web search
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    unapplied: tuple[str, ...] = ()  # the filters that nobody applied
    order: tuple[str, ...] = ()
    because: str = ""
    total: int | None = None
    partial: bool = False  # somebody who was asked did not answer
    discovered: bool = False  # by a web search, not by a register of patents
