"""What a scholarly index is: it builds requests and parses replies into records, and never opens a
socket.

Every one of ours works without a key; a key, where there is one, only raises the limits. An index
that is asked twice for one search (first for identifiers, then for records) says so by
`next_request`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import httpx2

from webquarry.clock import Clock
from webquarry.errors import AuthFailure
from webquarry.net.models import Reply
from webquarry.search.identity import identity
from webquarry.search.query.domains import host_of
from webquarry.search.replies.doi import doi_url, normal_doi
from webquarry.search.replies.text import iso_date, plain
from webquarry.search.scholarly.models import ARXIV_DOI, FIELDS, Author, Paper, PaperQuery
from webquarry.search.scholarly.text import from_markup
from webquarry.search.services.service import Service
from webquarry.settings import Settings

# asked of every index, however few are wanted: what several know is worth more, and some is
# filtered out
RECORDS = 20
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_ARXIV = re.compile(
    r"(?:arxiv:)?([a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?", re.IGNORECASE
)
_ARXIV_PAGE = "https://arxiv.org/abs/"
_MOST_AUTHORS = 3000


class Scholarly(Service):
    """One index. A subclass in `providers/` is all that it takes to add one."""

    domains: ClassVar[
        tuple[str, ...]
    ] = ()  # where its papers are read, for a web search in its place
    contact: str | None = (
        None  # an e-mail address for those that serve better whom they can write to
    )
    user_agent: str = ""

    @classmethod
    def configure(
        cls,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """The same as of every member, with the contact address."""
        provider = super().configure(settings, environ, clock)
        provider.contact, provider.user_agent = settings.contact, settings.user_agent
        return provider

    @property
    def missing(self) -> list[str]:
        """Nothing: its keys are optional. One that cannot be right is told when it is used."""
        return []

    def optional(self, variable: str) -> str | None:
        """A key if there is one; one that was found and cannot be right is an error."""
        if variable in self.sources() or variable in self.unusable:
            return self.credential(variable)
        return None

    def key_refused(self) -> AuthFailure:
        """The index speaks of a key: ours is not good, or it wants one where it did without before."""
        if self.sources():
            return self.not_accepted()
        named = " or ".join(wanted.variable for wanted in self.credentials)
        return self.credentials_failure(
            f"{self.label} asks for a key.", f"Set {named}; get one from {self.sign_up}."
        )

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

    def headers(self, accept: str = "application/json") -> dict[str, str]:
        """What a request carries: whom to write to, where the user said so."""
        return {"Accept": accept} | (
            {"User-Agent": f"{self.user_agent} (mailto:{self.contact})"} if self.contact else {}
        )

    def record(self, title: object, url: object, **fields: Any) -> Paper | None:
        """A record in the common form, whatever came; None without a title or an address that leads
        somewhere.
        """
        named, address = plain(title) if isinstance(title, str) else "", _address(url)
        doi = normal_doi(fields.pop("doi", None)) or ""
        if not address and doi:
            address = doi_url(doi)
        if not named or not address:
            return None
        numbers = (
            fields.pop("arxiv_id", None),
            doi.removeprefix(ARXIV_DOI),
            identity(address).removeprefix(_ARXIV_PAGE),
        )
        arxiv = next((number for one in numbers if (number := arxiv_id(one))), "")
        published = _date(fields.pop("published", None))
        year = fields.pop("year", None)
        known = {
            "year": year
            if type(year) is int and 1000 <= year <= 2200
            else int(published[:4])
            if published
            else None,
            "citation_count": count_of(fields.pop("citation_count", None)),
            "pdf_url": _address(fields.pop("pdf_url", None)),
            "authors": tuple(fields.pop("authors", ()))[:_MOST_AUTHORS],
            "notices": tuple(fields.pop("notices", ())),
            "open_access": fields.pop("open_access", None),
        }
        texts: Any = {
            name: plain(value) if isinstance(value, str) else "" for name, value in fields.items()
        }
        paper = Paper(
            named,
            address,
            self.name,
            doi=doi,
            arxiv_id=arxiv,
            published=published,
            **known,
            **texts,
        )
        return with_origins(paper, self.name)


def with_origins(paper: Paper, origin: str) -> Paper:
    """The record with one origin for everything that it knows."""
    return replace(
        paper,
        origins={name: origin for name in FIELDS if getattr(paper, name) not in (None, "", ())},
    )


def author(written: object = None, family: object = None, given: object = None) -> Author | None:
    """One author, of a whole name or of its parts; None for nobody."""
    parts = from_markup(family, 200), from_markup(given, 200)
    whole = from_markup(written, 300) or " ".join(filter(None, (parts[1], parts[0])))
    if whole:
        return Author(whole, *parts)
    return None


def authors_of(names: Iterable[Author | None]) -> tuple[Author, ...]:
    """Those that are somebody."""
    return tuple(name for name in names if name is not None)


def arxiv_id(text: object) -> str | None:
    """An arXiv id without its version, in lower case; None for what is none."""
    found = None
    if isinstance(text, str):
        found = _ARXIV.fullmatch(text.strip())
    if found:
        return found[1].lower()
    return None


def part(of: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object inside another; empty where there is none."""
    value = of.get(name)
    if isinstance(value, dict):
        return value
    return {}


def count_of(value: object) -> int | None:
    """A number of citations; nothing else is one."""
    if type(value) is int and value >= 0:
        return value
    return None


def date_of(parts: object) -> str:
    """ISO 8601 of `[year, month, day]`, as far as they are there."""
    numbers = parts if isinstance(parts, list) else []
    whole = [number for number in numbers[:3] if type(number) is int]
    return "-".join(f"{number:0{width}}" for number, width in zip(whole, (4, 2, 2), strict=False))


def _date(value: object) -> str:
    """A date that can be right, as exact as it is; of a moment, the day."""
    found = None
    if isinstance(value, str):
        found = _PARTIAL_DATE.fullmatch(value[:10])
    if not found or not 1000 <= int(found[1]) <= 2200:
        return ""
    year, month, day = found.groups()
    if day and iso_date(f"{year}-{month}-{day}"):
        return f"{year}-{month}-{day}"
    if month and 1 <= int(month) <= 12:
        return f"{year}-{month}"
    return str(year)


def _address(url: object) -> str:
    text = url.strip() if isinstance(url, str) else ""
    if text.startswith(("https://", "http://")) and host_of(text):
        return text
    return ""
