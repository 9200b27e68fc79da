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

# Asked of every index, however few are wanted: what several know is worth more, and some is
# filtered out.
RECORDS = 20
CANDIDATES = 5  # of each index for a title
_YEARS = range(1000, 2201)  # of papers
_RECORD_YEARS = range(1400, 2201)
_RECORD_FIELDS = frozenset(Record.__dataclass_fields__)
_NO_WORD = re.compile(r"[^\w]+")
_LONGEST_NAME = 300  # characters
_LONGEST_NAME_PART = 200
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_ARXIV = re.compile(
    r"(?:arxiv:)?([a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?", re.IGNORECASE
)
_ARXIV_PAGE = "https://arxiv.org/abs/"
_MOST_AUTHORS = 3000


class WorkIndex(Service):
    """An index that looks up works. A subclass in `providers/` is registered by its file.

    A lookup returns no record only if the index said that it has none; all else is an error.
    """

    topics: ClassVar[frozenset[str]] = frozenset()  # that it can look up; see `Topic`
    most_at_once: ClassVar[Mapping[str, int]] = {}  # identifiers of one request, by topic
    lanes: ClassVar[int] = 1  # concurrent requests
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

    def headers(self, accept: str = "application/json") -> dict[str, str]:
        """Return the headers of a request, with the contact address if there is one."""
        headers = {"Accept": accept}
        if self.contact:
            headers["User-Agent"] = f"{self.user_agent} (mailto:{self.contact})"
        return headers

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        accept: str = "application/json",
    ) -> httpx2.Request:
        """Return a GET request."""
        url = self.endpoint(path)
        return httpx2.Request("GET", url, params=parameters or None, headers=self.headers(accept))

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
        chosen = []
        for record in records:
            identifiers = {
                "doi": record.doi,
                "arxiv": record.arxiv_id,
                "pmid": record.pmid,
                "isbn": record.isbn,
            }
            if question.topic == "updates":
                if question.value in record.updates:
                    chosen.append(record)
            elif identifiers.get(question.topic, question.value) == question.value:
                chosen.append(record)
        return chosen

    def build_probe(self) -> httpx2.Request:
        return self.build_lookup([self._probe_question])

    def parse_probe(self, reply: Reply) -> None:
        self.parse_lookup([self._probe_question], reply)

    @property
    def _probe_question(self) -> WorkQuestion:
        return WorkQuestion("title", "test")


class Scholarly(WorkIndex):
    """An index that searches papers; one with `topics` is also used for lookups."""

    # Where its papers are read, for a web search in its place.
    domains: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def build_request(self, query: PaperQuery) -> httpx2.Request:
        """Return the first request of a search for `RECORDS` papers; the query is one line."""

    def next_request(self, reply: Reply) -> httpx2.Request | None:
        """Return the request that follows this reply, or None if it holds the papers."""
        return None

    @abstractmethod
    def parse_reply(self, reply: Reply) -> list[Paper]:
        """Return the papers of the last reply, best first; none only if the index said so."""

    def build_probe(self) -> httpx2.Request:
        """Return a small request that costs nothing."""
        return self.build_request(PaperQuery("test"))

    def parse_probe(self, reply: Reply) -> None:
        """Raise the error of a reply; one that leads to a second request is good."""
        if self.next_request(reply) is None:
            self.parse_reply(reply)

    def record(
        self,
        title: object,
        url: object,
        *,
        doi: object = None,
        authors: Iterable[Author | None] = (),
        year: object = None,
        published: object = None,
        citation_count: object = None,
        open_access: bool | None = None,
        pdf_url: object = None,
        notices: Iterable[Notice] = (),
        **texts: object,
    ) -> Paper | None:
        """Return the paper of a reply, or None if it has no title or no usable address."""
        clean_title = plain(title) if isinstance(title, str) else ""
        clean_doi = normal_doi(doi) or ""
        address = _clean_url(url)
        if not address and clean_doi:
            address = doi_url(clean_doi)
        if not clean_title or not address:
            return None
        number = parse_arxiv_id(texts.pop("arxiv_id", None))
        number = number or parse_arxiv_id(clean_doi.removeprefix(ARXIV_DOI))
        number = number or parse_arxiv_id(identity(address).removeprefix(_ARXIV_PAGE))
        date = _clean_date(published)
        clean_year = None
        if type(year) is int and year in _YEARS:
            clean_year = year
        elif date:
            clean_year = int(date[:4])
        clean_texts: dict[str, Any] = {}
        for name, value in texts.items():
            clean_texts[name] = plain(value) if isinstance(value, str) else ""
        paper = Paper(
            title=clean_title,
            url=address,
            source=self.name,
            doi=clean_doi,
            arxiv_id=number or "",
            authors=_keep_authors(authors),
            year=clean_year,
            published=date,
            citation_count=count_of(citation_count),
            open_access=open_access,
            pdf_url=_clean_url(pdf_url),
            notices=tuple(notices),
            **clean_texts,
        )
        return with_origins(paper, self.name)


def build_record(
    source: str,
    *,
    title: object = "",
    titles: Iterable[object] = (),
    authors: Iterable[Author | None] = (),
    year: object = None,
    published: object = "",
    years: Iterable[object] = (),
    journal: object = "",
    venues: Iterable[object] = (),
    doi: object = "",
    arxiv_id: object = "",
    date: str = "",
    notices: Iterable[Notice] = (),
    **others: object,
) -> Record:
    """Return the record of a lookup. Fields of a paper that a record does not have are ignored."""
    clean_doi = normal_doi(doi) or ""
    number = parse_arxiv_id(arxiv_id) or parse_arxiv_id(clean_doi.removeprefix(ARXIV_DOI)) or ""
    stated = {read_year(value) for value in (year, published, *years)}
    values = {}
    for name, value in others.items():
        if name in _RECORD_FIELDS and isinstance(value, str | bool | tuple):
            values[name] = value
    return Record(
        source=source,
        titles=_clean_texts((title, *titles)),
        authors=_keep_authors(authors),
        years=tuple(sorted(year for year in stated if year)),
        venues=_clean_texts((journal, *venues)),
        doi=clean_doi,
        arxiv_id=number,
        date=date or _clean_date(published),
        notices=tuple(notices),
        **values,  # type: ignore[arg-type]
    )


def bare_words(text: str) -> str:
    """Return the words of a title without punctuation, which query languages would interpret."""
    return " ".join(_NO_WORD.sub(" ", text).split())


def read_year(value: object) -> int | None:
    """Return a plausible year of a number or of a date that begins with it."""
    if isinstance(value, str) and value[:4].isascii() and value[:4].isdigit():
        value = int(value[:4])
    if isinstance(value, int) and not isinstance(value, bool) and value in _RECORD_YEARS:
        return value
    return None


def _clean_texts(values: Iterable[object]) -> tuple[str, ...]:
    """Return the strings among some values without markup and duplicates."""
    texts = [from_markup(value) for value in values if isinstance(value, str)]
    return tuple(dict.fromkeys(filter(None, texts)))


def with_origins(paper: Paper, origin: str) -> Paper:
    """Return the record with one origin for all known fields."""
    known = [name for name in FIELDS if getattr(paper, name) not in EMPTY]
    origins = dict.fromkeys(known, origin)
    return replace(paper, origins=origins)


def build_author(
    written: object = None, family: object = None, given: object = None
) -> Author | None:
    """Return an author of a whole name or its parts, or None."""
    family_name = from_markup(family, _LONGEST_NAME_PART)
    given_name = from_markup(given, _LONGEST_NAME_PART)
    whole = from_markup(written, _LONGEST_NAME)
    if not whole:
        whole = " ".join(filter(None, (given_name, family_name)))
    if whole:
        return Author(whole, family_name, given_name)
    return None


def _keep_authors(authors: Iterable[Author | None]) -> tuple[Author, ...]:
    found = [author for author in authors if author is not None]
    return tuple(found[:_MOST_AUTHORS])


def parse_arxiv_id(text: object) -> str | None:
    """Return an arXiv id without its version in lower case, or None."""
    if not isinstance(text, str):
        return None
    found = _ARXIV.fullmatch(text.strip())
    if found:
        return found[1].lower()
    return None


def count_of(value: object) -> int | None:
    """Return a number of citations, or None."""
    if type(value) is int and value >= 0:
        return value
    return None


def date_of(parts: object) -> str:
    """Return ISO 8601 of `[year, month, day]`, as far as stated."""
    if not isinstance(parts, list):
        return ""
    return join_date([number for number in parts[:3] if type(number) is int])


def _clean_date(value: object) -> str:
    """Return a plausible date, the day of a time."""
    if not isinstance(value, str):
        return ""
    found = _PARTIAL_DATE.fullmatch(value[:10])
    if not found or int(found[1]) not in _YEARS:
        return ""
    year, month, day = found.groups()
    if day and iso_date(f"{year}-{month}-{day}"):
        return f"{year}-{month}-{day}"
    if month and 1 <= int(month) <= 12:
        return f"{year}-{month}"
    return str(year)


def _clean_url(url: object) -> str:
    """Return an absolute URL, or an empty string."""
    if not isinstance(url, str):
        return ""
    text = url.strip()
    if text.startswith(("https://", "http://")) and host_of(text):
        return text
    return ""
