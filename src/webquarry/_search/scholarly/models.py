"""Queries and results of the scholarly indexes: papers of a search, records of a lookup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from webquarry._search.models import Attempt
from webquarry._search.scholarly.notices import Notice

Topic = Literal[
    "doi", "arxiv", "pmid", "pmcid", "isbn", "title", "text", "updates", "archive", "rfc"
]

ARXIV_DOI = "10.48550/arxiv."  # every arXiv paper has one of these besides that of its journal


@dataclass(frozen=True)
class Author:
    """An author as written, given name first, with parts if the index has them."""

    written: str
    family: str = ""
    given: str = ""


@dataclass(frozen=True)
class Paper:
    """One record of an index, or several merged. Unknown fields are empty or None; `origins` names
    the source of each known field, `rank` is the place in the list of the index.
    """

    title: str
    url: str
    source: str  # the index; of several, the one with the richest record
    rank: int = 0
    doi: str = ""  # bare, in lower case
    arxiv_id: str = ""  # without version
    pmid: str = ""
    authors: tuple[Author, ...] = ()
    journal: str = ""
    year: int | None = None
    published: str = ""  # ISO 8601, as exactly as it is known
    abstract: str = ""
    citation_count: int | None = None
    open_access: bool | None = None
    pdf_url: str = ""
    kind: str = ""  # a type of CSL
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    notices: tuple[Notice, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def journal_doi(self) -> str:
        """The DOI, unless it is that of arXiv's copy."""
        if self.doi.startswith(ARXIV_DOI):
            return ""
        return self.doi


# Of Paper: what says something of the record, not of the paper.
NOT_FIELDS = frozenset({"source", "rank", "origins"})
EMPTY = (None, "", ())  # values of a field that is not known
FIELDS = tuple(name for name in Paper.__dataclass_fields__ if name not in NOT_FIELDS)


@dataclass(frozen=True)
class PaperQuery:
    """A query. Filters are sent to indexes that have them, and always applied to results."""

    text: str
    count: int = 5
    year_from: int | None = None
    year_to: int | None = None
    newest_first: bool = False
    open_access: bool = False
    with_pdf: bool = False

    def admits(self, paper: Paper) -> bool:
        """Return whether a paper passes the filters; unknown values do not."""
        if self.year_from is not None and (paper.year is None or paper.year < self.year_from):
            return False
        if self.year_to is not None and (paper.year is None or paper.year > self.year_to):
            return False
        if self.open_access and paper.open_access is not True:
            return False
        return bool(paper.pdf_url) or not self.with_pdf


@dataclass(frozen=True)
class PapersFound:
    """The result of a search and how it was found."""

    papers: tuple[Paper, ...]
    providers: tuple[str, ...]  # whose papers these are
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    order: tuple[str, ...] = ()  # who was to be asked, all at once
    because: str = ""
    fallback: bool = False  # the web was searched because no index answered
    partial: bool = False  # an index did not answer
    cached: bool = False
    age_seconds: float = 0.0
    max_age_seconds: float = 0.0


@dataclass(frozen=True)
class Record:
    """The record of one work in one index, as the check of references needs it."""

    source: str  # the index
    titles: tuple[str, ...] = ()  # the full title first, then other titles
    authors: tuple[Author, ...] = ()
    years: tuple[int, ...] = ()  # all stated ones: posted, online, in print
    venues: tuple[str, ...] = ()
    doi: str = ""
    arxiv_id: str = ""
    pmid: str = ""
    isbn: str = ""
    url: str = ""
    kind: str = ""  # a type of CSL
    date: str = ""  # the earliest stated
    is_preprint: bool = False
    published_doi: str = ""  # of the article that a preprint became
    remarks: str = ""  # of a preprint's authors, on where it appeared
    abstract: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    notices: tuple[Notice, ...] = ()
    updates: tuple[str, ...] = ()  # DOIs of the works that this one is a notice about

    @property
    def title(self) -> str:
        """The full title."""
        if self.titles:
            return self.titles[0]
        return ""


@dataclass(frozen=True)
class WorkQuestion:
    """A lookup: an identifier or a title."""

    topic: Topic
    value: str
    near: str = ""  # of an archive: the wanted date of the copy
