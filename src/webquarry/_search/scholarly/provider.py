"""Interface of the scholarly indexes: they build requests and parse replies, and open no socket.

`WorkIndex` looks up works by identifier or title for the check of references, `Scholarly` also
searches. All indexes work without a key. An index that needs two requests (first for identifiers,
then for records) returns the second one from `next_request` or `next_lookup`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import httpx2

from webquarry._search.addresses import doi_url, normal_doi
from webquarry._search.domains import host_of
from webquarry._search.identity import identity
from webquarry._search.replies import parse_hits
from webquarry._search.scholarly.models import (
    ARXIV_DOI,
    EMPTY,
    FIELDS,
    Author,
    Notice,
    Paper,
    PaperQuery,
    Record,
    WorkQuestion,
)
from webquarry._search.scholarly.text import from_markup
from webquarry._search.service import Service
from webquarry._search.text import iso_date, join_date, plain
from webquarry.errors import AuthFailure
from webquarry.net.models import Reply
from webquarry.settings import Settings

CANDIDATES = 5  # of each index for a title
_YEARS = range(1000, 2201)
_RECORD_YEARS = range(1400, 2201)
_NO_WORD = re.compile(r"[^\w]+")
_LONGEST_NAME = 300  # characters
_LONGEST_NAME_PART = 200
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_ARXIV = re.compile(
    r"(?:arxiv:)?([a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?", re.IGNORECASE
)
_ARXIV_PAGE = "https://arxiv.org/abs/"
_MOST_AUTHORS = 3000
# Types of CSL; other kinds are those of an index.
_KINDS = frozenset(
    {
        "article",
        "article-journal",
        "book",
        "chapter",
        "dataset",
        "paper-conference",
        "report",
        "thesis",
    }
)
_SHARED = (Paper.__dataclass_fields__.keys() & Record.__dataclass_fields__) - {"url", "kind"}


class WorkIndex(Service):
    """An index that looks up works. A subclass in `providers/` is registered by its file.

    A lookup returns no record only if the index said that it has none; all else is an error.
    """

    package = "webquarry._search.scholarly.providers"
    topics: ClassVar[frozenset[str]] = frozenset()  # that it can look up; see `Topic`
    most_at_once: ClassVar[Mapping[str, int]] = {}  # identifiers of one request, by topic
    lanes: ClassVar[int] = 1  # concurrent requests
    takes_contact: ClassVar[bool] = True  # a contact address in the User-Agent has an effect
    contact: str | None = None
    user_agent: str = ""

    def apply_settings(self, settings: Settings) -> None:
        self.contact = settings.contact
        self.user_agent = settings.user_agent

    @property
    def missing(self) -> list[str]:
        """No variable: keys are optional."""
        return []

    def optional(self, variable: str) -> str | None:
        """Return a key if there is one; raise the error of an unusable one."""
        if variable in self.sources() or variable in self.unusable:
            return self.credential(variable)
        return None

    def key_refused(self) -> AuthFailure:
        """Return the error of an index that refused our key or requires one."""
        if self.sources():
            return self.not_accepted()
        cure = "Ask it later."
        if self.credentials:
            named = " or ".join(wanted.variable for wanted in self.credentials)
            cure = f"Set {named}; get one from {self.sign_up}."
        return self.auth_failure(f"{self.label} asks for a key.", cure)

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        accept: str = "application/json",
    ) -> httpx2.Request:
        """Return a GET request, with the contact address if there is one."""
        headers = {"Accept": accept}
        if self.contact and self.takes_contact:
            headers["User-Agent"] = f"{self.user_agent} (mailto:{self.contact})"
        url = self.endpoint(path)
        return httpx2.Request("GET", url, params=parameters or None, headers=headers)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        """Return the request for questions of one topic."""
        raise NotImplementedError

    def next_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> httpx2.Request | None:
        """Return the request that follows this reply, or None if it holds the records."""
        return None

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        """Return the records of the last reply, best first."""
        raise NotImplementedError

    def select(self, question: WorkQuestion, records: Iterable[Record]) -> list[Record]:
        """Return the records that answer one of several questions."""
        value = question.value
        if question.topic == "updates":
            return [record for record in records if value in record.updates]
        names = {"doi": "doi", "arxiv": "arxiv_id", "pmid": "pmid", "isbn": "isbn"}
        name = names.get(question.topic)
        return [record for record in records if not name or getattr(record, name) == value]

    def build_record(self, **fields: Any) -> Record:
        """Return the record of raw fields: see `build_record`."""
        return build_record(self.name, **fields)

    def build_probe(self) -> httpx2.Request:
        return self.build_lookup([WorkQuestion("title", "test")])

    def parse_probe(self, reply: Reply) -> None:
        self.parse_lookup([WorkQuestion("title", "test")], reply)


class Scholarly(WorkIndex):
    """An index that searches papers; one with `topics` is also used for lookups."""

    plugins = "webquarry.scholarly"
    domains: ClassVar[tuple[str, ...]] = ()  # of its papers, for a web search as the fallback

    @abstractmethod
    def build_request(self, query: PaperQuery) -> httpx2.Request:
        """Return the first request of a search; the query is one line."""

    def next_request(self, reply: Reply) -> httpx2.Request | None:
        """Return the request that follows this reply, or None if it holds the papers."""
        return None

    @abstractmethod
    def parse_reply(self, reply: Reply) -> list[Paper]:
        """Return the papers of the last reply, best first; none only if the index said so."""

    def parse_work(self, entry: dict[str, Any]) -> Record | None:
        """Return the record of a JSON object, or None if it is not one."""
        raise NotImplementedError

    def parse_papers(self, entries: object) -> list[Paper]:
        """Return the papers of a JSON array, or raise the error of an unknown shape."""
        return parse_hits(entries, lambda entry: paper_of(self.parse_work(entry)), self.label)

    def build_probe(self) -> httpx2.Request:
        """Return a small request that is free."""
        return self.build_request(PaperQuery("test", records=1))

    def parse_probe(self, reply: Reply) -> None:
        """Raise the error of a reply; one that leads to a second request is good."""
        if self.next_request(reply) is None:
            self.parse_reply(reply)


def build_record(
    source: str,
    *,
    titles: Iterable[object] = (),
    authors: Iterable[Author | None] = (),
    year: object = None,
    published: object = None,
    years: Iterable[object] = (),
    date: str = "",
    journal: object = None,
    venues: Iterable[object] = (),
    doi: object = None,
    arxiv_id: object = None,
    url: object = None,
    citation_count: object = None,
    open_access: object = None,
    pdf_url: object = None,
    is_preprint: bool = False,
    notices: Iterable[Notice] = (),
    updates: tuple[str, ...] = (),
    **texts: object,
) -> Record:
    """Return the record of raw fields. Without `venues`, the journal is the venue."""
    clean_doi = normal_doi(doi) or ""
    number = parse_arxiv_id(arxiv_id) or parse_arxiv_id(clean_doi.removeprefix(ARXIV_DOI))
    day = _clean_date(published)
    stated = {read_year(value) for value in (year, published, *years)}
    count = citation_count if type(citation_count) is int and citation_count >= 0 else None
    return Record(
        source=source,
        titles=_clean_texts(titles),
        authors=tuple(author for author in authors if author)[:_MOST_AUTHORS],
        year=year if type(year) is int and year in _YEARS else int(day[:4]) if day else None,
        published=day,
        years=tuple(sorted(year for year in stated if year)),
        date=date or day,
        journal=from_markup(journal),
        venues=_clean_texts(venues or [journal]),
        doi=clean_doi,
        arxiv_id=number or "",
        url=url if isinstance(url, str) else "",
        citation_count=count,
        open_access=open_access if isinstance(open_access, bool) else None,
        pdf_url=_clean_url(pdf_url),
        is_preprint=is_preprint,
        notices=tuple(notices),
        updates=updates,
        **{name: plain(value) for name, value in texts.items() if isinstance(value, str)},
    )


def paper_of(record: Record | None) -> Paper | None:
    """Return the paper of a record, or None if it has no title or no usable URL."""
    if record is None or not record.title:
        return None
    url = _clean_url(record.url) or (doi_url(record.doi) if record.doi else "")
    if not url:
        return None
    shared: dict[str, Any] = {name: getattr(record, name) for name in _SHARED}
    if not record.arxiv_id:
        shared["arxiv_id"] = parse_arxiv_id(identity(url).removeprefix(_ARXIV_PAGE)) or ""
    kind = record.kind if record.kind in _KINDS else ""
    paper = Paper(title=record.title, url=url, kind=kind, **shared)
    known = [name for name in FIELDS if getattr(paper, name) not in EMPTY]
    return replace(paper, origins=dict.fromkeys(known, record.source))


def bare_words(text: str) -> str:
    """Return the words of a title without punctuation, which query languages would interpret."""
    return " ".join(_NO_WORD.sub(" ", text).split())


def read_year(value: object) -> int | None:
    """Return a plausible year of a number or of a date that starts with it."""
    if isinstance(value, str) and value[:4].isascii() and value[:4].isdigit():
        value = int(value[:4])
    return value if type(value) is int and value in _RECORD_YEARS else None


def build_author(
    written: object = None, family: object = None, given: object = None
) -> Author | None:
    """Return an author of a whole name or its parts, or None."""
    family_name = from_markup(family, _LONGEST_NAME_PART)
    given_name = from_markup(given, _LONGEST_NAME_PART)
    whole = from_markup(written, _LONGEST_NAME)
    whole = whole or " ".join(filter(None, (given_name, family_name)))
    return Author(whole, family_name, given_name) if whole else None


def parse_arxiv_id(text: object) -> str | None:
    """Return an arXiv id without its version in lower case, or None."""
    found = _ARXIV.fullmatch(text.strip()) if isinstance(text, str) else None
    return found[1].lower() if found else None


def date_of(parts: object) -> str:
    """Return ISO 8601 of `[year, month, day]`, as far as stated."""
    if not isinstance(parts, list):
        return ""
    return join_date([number for number in parts[:3] if type(number) is int])


def _clean_texts(values: Iterable[object]) -> tuple[str, ...]:
    """Return the distinct strings among some values without markup."""
    return tuple(dict.fromkeys(filter(None, map(from_markup, values))))


def _clean_date(value: object) -> str:
    """Return a plausible date, the day of a time."""
    found = _PARTIAL_DATE.fullmatch(value[:10]) if isinstance(value, str) else None
    if not found or int(found[1]) not in _YEARS:
        return ""
    year, month, day = found.groups()
    if day and iso_date(f"{year}-{month}-{day}"):
        return f"{year}-{month}-{day}"
    return f"{year}-{month}" if month and 1 <= int(month) <= 12 else str(year)


def _clean_url(url: object) -> str:
    """Return an absolute URL, or an empty string."""
    text = url.strip() if isinstance(url, str) else ""
    return text if text.startswith(("https://", "http://")) and host_of(text) else ""
