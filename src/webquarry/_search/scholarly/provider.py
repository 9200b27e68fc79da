"""What a scholarly index is: it builds requests and parses replies into records, and never opens a
socket.

Every one of ours works without a key; a key, where there is one, only raises the limits. An index
that is asked twice for one search (first for identifiers, then for records) says so by
`next_request`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

import httpx2

from webquarry._search.identity import identity
from webquarry._search.query.domains import host_of
from webquarry._search.replies.doi import doi_url, normal_doi
from webquarry._search.replies.text import iso_date, join_date, plain
from webquarry._search.scholarly.models import ARXIV_DOI, EMPTY, FIELDS, Author, Paper, PaperQuery
from webquarry._search.scholarly.notices import Notice
from webquarry._search.scholarly.text import from_markup
from webquarry._search.services.contacted import ContactedService
from webquarry.net.models import Reply

# Asked of every index, however few are wanted: what several know is worth more, and some is
# filtered out.
RECORDS = 20
_YEARS = range(1000, 2201)  # that a paper can be of
_LONGEST_NAME = 300  # characters
_LONGEST_NAME_PART = 200
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_ARXIV = re.compile(
    r"(?:arxiv:)?([a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?", re.IGNORECASE
)
_ARXIV_PAGE = "https://arxiv.org/abs/"
_MOST_AUTHORS = 3000


class Scholarly(ContactedService):
    """One index. A subclass in `providers/` is all that it takes to add one."""

    # Where its papers are read, for a web search in its place.
    domains: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def build_request(self, query: PaperQuery) -> httpx2.Request:
        """The first request of a search, for `RECORDS` records. The query's text is one line and
        not blank.
        """

    def next_request(self, reply: Reply) -> httpx2.Request | None:
        """The request that this reply leads to; None: it holds the records, or whatever else there
        is to say.
        """
        return None

    @abstractmethod
    def parse_reply(self, reply: Reply) -> list[Paper]:
        """The records of the last reply, best first, or the error of the right kind; none only if
        it said so.
        """

    def build_probe(self) -> httpx2.Request:
        """A search, unless the index knows something smaller; one of ours never costs anything."""
        return self.build_request(PaperQuery("test"))

    def parse_probe(self, reply: Reply) -> None:
        """One that leads to a second request has answered well enough."""
        if self.next_request(reply) is None:
            self.parse_reply(reply)

    def record(
        self,
        title: object,
        url: object,
        *,
        doi: object = None,
        authors: Iterable[Author] = (),
        year: object = None,
        published: object = None,
        citation_count: object = None,
        open_access: bool | None = None,
        pdf_url: object = None,
        notices: Iterable[Notice] = (),
        **texts: object,
    ) -> Paper | None:
        """A record in the common form, whatever came; None without a title or an address that leads
        somewhere.
        """
        clean_title = plain(title) if isinstance(title, str) else ""
        clean_doi = normal_doi(doi) or ""
        address = _clean_url(url)
        if not address and clean_doi:
            address = doi_url(clean_doi)
        if not clean_title or not address:
            return None
        number = arxiv_id(texts.pop("arxiv_id", None))
        number = number or arxiv_id(clean_doi.removeprefix(ARXIV_DOI))
        number = number or arxiv_id(identity(address).removeprefix(_ARXIV_PAGE))
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
            authors=tuple(authors)[:_MOST_AUTHORS],
            year=clean_year,
            published=date,
            citation_count=count_of(citation_count),
            open_access=open_access,
            pdf_url=_clean_url(pdf_url),
            notices=tuple(notices),
            **clean_texts,
        )
        return with_origins(paper, self.name)


def with_origins(paper: Paper, origin: str) -> Paper:
    """The record with one origin for everything that it knows."""
    known = [name for name in FIELDS if getattr(paper, name) not in EMPTY]
    origins = dict.fromkeys(known, origin)
    return replace(paper, origins=origins)


def build_author(
    written: object = None, family: object = None, given: object = None
) -> Author | None:
    """One author, of a whole name or of its parts; None for nobody."""
    family_name = from_markup(family, _LONGEST_NAME_PART)
    given_name = from_markup(given, _LONGEST_NAME_PART)
    whole = from_markup(written, _LONGEST_NAME)
    if not whole:
        whole = " ".join(filter(None, (given_name, family_name)))
    if whole:
        return Author(whole, family_name, given_name)
    return None


def authors_of(names: Iterable[Author | None]) -> tuple[Author, ...]:
    """Those that are somebody."""
    return tuple(name for name in names if name is not None)


def arxiv_id(text: object) -> str | None:
    """An arXiv id without its version, in lower case; None for what is none."""
    if not isinstance(text, str):
        return None
    found = _ARXIV.fullmatch(text.strip())
    if found:
        return found[1].lower()
    return None


def count_of(value: object) -> int | None:
    """A number of citations; nothing else is one."""
    if type(value) is int and value >= 0:
        return value
    return None


def date_of(parts: object) -> str:
    """ISO 8601 of `[year, month, day]`, as far as they are there."""
    if not isinstance(parts, list):
        return ""
    return join_date([number for number in parts[:3] if type(number) is int])


def _clean_date(value: object) -> str:
    """A date that can be right, as exact as it is; of a moment, the day."""
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
    """A URL that leads somewhere; "" for what is none."""
    if not isinstance(url, str):
        return ""
    text = url.strip()
    if text.startswith(("https://", "http://")) and host_of(text):
        return text
    return ""
