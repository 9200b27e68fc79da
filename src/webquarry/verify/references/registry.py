"""What an index of works is for checking references: it builds requests and parses replies, and
never opens a socket.

It is asked for a work by a number or by its title; several numbers go into one request where the
index takes that. "None" is only what it said was none: anything else is an error of its kind.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import httpx2

from webquarry._search.replies.doi import normal_doi
from webquarry._search.scholarly.models import ARXIV_DOI, Author
from webquarry._search.scholarly.provider import arxiv_id
from webquarry._search.scholarly.text import from_markup
from webquarry._search.services.contacted import ContactedService
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion

CANDIDATES = 5  # of each index for a title
_NO_WORD = re.compile(r"[^\w]+")
_YEARS = range(1400, 2201)
_MOST_AUTHORS = 3000


class Registry(ContactedService):
    """One index. A subclass in `registries/` is all that it takes to add one."""

    topics: ClassVar[frozenset[str]]  # what it can be asked for
    most_at_once: ClassVar[Mapping[str, int]] = {}  # numbers in one request, by topic
    lanes: ClassVar[int] = 1  # requests under way at once

    @abstractmethod
    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        """The request for these questions, which are of one topic."""

    def next_request(
        self, questions: Sequence[WorkQuestion], reply: net.Reply
    ) -> httpx2.Request | None:
        """The request that this reply leads to; None where it holds the records."""
        return None

    @abstractmethod
    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        """The records of the last reply, best first; none only if it said so."""

    def select(self, question: WorkQuestion, records: Iterable[Record]) -> list[Record]:
        """Of the records that answer several questions, those that answer this one."""
        chosen = []
        for record in records:
            numbers = {
                "doi": record.doi,
                "arxiv": record.arxiv_id,
                "pmid": record.pmid,
                "isbn": record.isbn,
            }
            if question.topic == "updates":
                if question.value in record.updates:
                    chosen.append(record)
            elif question.topic not in numbers or numbers[question.topic] == question.value:
                chosen.append(record)
        return chosen

    def build_probe(self) -> httpx2.Request:
        topic = "title" if "title" in self.topics else next(iter(sorted(self.topics)))
        return self.build_request([WorkQuestion(topic, "test")])  # type: ignore[arg-type]

    def parse_probe(self, reply: net.Reply) -> None:
        self.parse_reply([WorkQuestion("title", "test")], reply)


def build_record(
    source: str,
    *,
    titles: Iterable[object] = (),
    authors: Iterable[Author | None] = (),
    years: Iterable[object] = (),
    venues: Iterable[object] = (),
    doi: object = "",
    arxiv: object = "",
    **others: object,
) -> Record:
    """A record in the common form, whatever came."""
    clean_doi = normal_doi(doi) or ""
    number = arxiv_id(arxiv) or arxiv_id(clean_doi.removeprefix(ARXIV_DOI)) or ""
    stated = sorted({year for year in map(read_year, years) if year})
    texts = {name: value for name, value in others.items() if value}
    return Record(
        source=source,
        titles=_clean_texts(titles),
        authors=tuple(author for author in authors if author is not None)[:_MOST_AUTHORS],
        years=tuple(stated),
        venues=_clean_texts(venues),
        doi=clean_doi,
        arxiv_id=number,
        **texts,  # type: ignore[arg-type]
    )


def bare_words(text: str) -> str:
    """The words of a title without the marks that a query language would take for its own."""
    return " ".join(_NO_WORD.sub(" ", text).split())


def read_year(value: object) -> int | None:
    """A year that can be right, of a number or of a date that begins with it."""
    if isinstance(value, str) and value[:4].isascii() and value[:4].isdigit():
        value = int(value[:4])
    if isinstance(value, int) and not isinstance(value, bool) and value in _YEARS:
        return value
    return None


def _clean_texts(values: Iterable[object]) -> tuple[str, ...]:
    """The texts among some values without markup, each once."""
    texts = [from_markup(value) for value in values if isinstance(value, str)]
    return tuple(dict.fromkeys(filter(None, texts)))
