"""Queries and results of the scholarly indexes: papers of a search, records of a lookup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from webquarry._search.addresses import DOI, normal_doi, trim_doi
from webquarry._search.models import SearchAnswer
from webquarry._search.replies import array_at, object_at, objects, text_at
from webquarry._search.text import join_date

Topic = Literal[
    "doi", "arxiv", "pmid", "pmcid", "isbn", "title", "text", "updates", "archive", "rfc"
]

ARXIV_DOI = "10.48550/arxiv."  # every arXiv paper has one of these besides that of its journal
# Types of notices in PubMed and Europe PMC, as lower-case letters.
_TYPES = {
    "retractedpublication": "retraction",
    "retractionin": "retraction",
    "partialretractionin": "partial_retraction",
    "expressionofconcernin": "expression_of_concern",
    "erratumin": "erratum",
    "correctedandrepublishedin": "correction",
}


@dataclass(frozen=True, order=True)
class Notice:
    """A retraction, concern or correction. `type` is Crossref's term; `source` is the index."""

    type: str
    date: str = ""  # YYYY-MM-DD, as far as it was supplied
    doi: str | None = None
    source: str = ""
    preprint: bool = False  # about the preprint only, not about a paper published since


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
        return "" if self.doi.startswith(ARXIV_DOI) else self.doi


# Fields of Paper about the record, not about the paper.
NOT_FIELDS = frozenset({"source", "rank", "origins"})
EMPTY = (None, "", ())  # values of unknown fields
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
    records: int = 20  # of each index, more than wanted: they are merged and filtered

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
class FoundPapers(SearchAnswer[Paper]):
    """The papers of a search, from the indexes in `provider` (joined by commas), or from the web if
    no index answered.
    """

    from_web: bool = False

    @property
    def is_fallback(self) -> bool:
        return self.from_web


@dataclass(frozen=True)
class Record:
    """The record of one work in one index, as the index states it."""

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
    kind: str = ""  # a type of CSL, or of the index
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
    # For searches:
    journal: str = ""
    year: int | None = None
    published: str = ""  # the best date
    citation_count: int | None = None
    open_access: bool | None = None
    pdf_url: str = ""

    @property
    def title(self) -> str:
        """The full title."""
        return self.titles[0] if self.titles else ""


@dataclass(frozen=True)
class WorkQuestion:
    """A lookup: an identifier or a title."""

    topic: Topic
    value: str
    near: str = ""  # of an archive: the wanted date of the copy


def crossref_notices(entries: Any) -> list[Notice]:
    """Return the notices of Crossref's `updated-by`."""
    notices = []
    for entry in objects(entries):
        kind = text_at(entry, "type").strip().lower()
        dates = array_at(object_at(entry, "updated"), "date-parts")  # [[year, month, day]]
        first = dates[0] if dates and isinstance(dates[0], list) else []
        numbers = [part for part in first[:3] if isinstance(part, int) and 0 < part < 10_000]
        notice = Notice(
            type=kind.replace("-", "_").replace(" ", "_"),
            date=join_date(numbers),
            doi=normal_doi(entry.get("DOI")),
            source=text_at(entry, "source"),
        )
        notices.append(notice)
    return notices


def read_flags(
    source: str, comments: Iterable[tuple[object, str]], types: Iterable[object]
) -> list[Notice]:
    """Return the notices of comments (a type and a reference with a DOI) and of publication types
    that no comment has.
    """
    notices: dict[Notice, None] = {}
    named = set()
    for kind, reference in (*comments, *((kind, "") for kind in types)):
        name = _TYPES.get(re.sub(r"[^a-z]", "", str(kind).lower()))
        found = DOI.search(reference)
        doi = trim_doi(found[0]).lower() if found else None
        if name and (doi or name not in named):
            notices[Notice(name, doi=doi, source=source)] = None
            named.add(name)
    return list(notices)
