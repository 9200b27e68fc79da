"""Crossref: what publishers register about their DOIs, with notices of retraction. Needs no key.

API: GET https://api.crossref.org/works. Whoever gives an e-mail address (WEBQUARRY_CONTACT) is
served from a better pool. A word of the question is enough for a match, so the newest matches are
seldom meant: papers come by relevance, and are put in order of their dates on our side. Abstracts
are JATS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import httpx2

from webquarry.clock import Clock
from webquarry.errors import BadInput, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.search.replies.body import (
    failure,
    json_object,
    objects,
    quote_words,
    unreadable_failure,
)
from webquarry.search.scholarly.models import Author, Paper, PaperQuery
from webquarry.search.scholarly.notices import crossref_notices
from webquarry.search.scholarly.provider import RECORDS, Scholarly, author, authors_of, date_of
from webquarry.search.scholarly.text import abstract_from_markup, from_markup
from webquarry.settings import Settings

_FIELDS = (
    "DOI,URL,title,author,container-title,issued,published,published-print,published-online,posted,created,abstract,type,"
    "volume,issue,page,publisher,license,link,is-referenced-by-count,updated-by"
)
_DATES = (
    "issued",
    "published",
    "published-online",
    "published-print",
    "posted",
    "created",
)  # the best first
_KINDS = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "posted-content": "article",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "reference-entry": "chapter",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
}
_NO_PAPERS = frozenset({
    "component", "grant", "journal", "journal-issue", "journal-volume", "peer-review", "book-series", "book-set",
    "report-series", "database",
})  # fmt: skip


class Crossref(Scholarly):
    name = "crossref"
    label = "Crossref"
    origin = "https://api.crossref.org"
    min_interval_seconds = 1.0  # one list a second

    @classmethod
    def configure(
        cls,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> Self:
        provider = super().configure(settings, environ, clock)
        if provider.contact:
            provider.min_interval_seconds = 1 / 3
        else:
            provider.min_interval_seconds = cls.min_interval_seconds
        return provider

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        filters = []
        if query.year_from is not None:
            filters.append(f"from-pub-date:{query.year_from:04}")
        if query.year_to is not None:
            filters.append(f"until-pub-date:{query.year_to:04}")
        parameters = {"query": query.text, "rows": str(RECORDS), "select": _FIELDS}
        parameters |= {"filter": ",".join(filters)} if filters else {}
        parameters |= {"mailto": self.contact} if self.contact else {}
        return httpx2.Request(
            "GET", self.endpoint("/works"), params=parameters, headers=self.headers()
        )

    def build_probe(self) -> httpx2.Request:
        parameters = {"query": "test", "rows": "0"} | (
            {"mailto": self.contact} if self.contact else {}
        )
        return httpx2.Request(
            "GET", self.endpoint("/works"), params=parameters, headers=self.headers()
        )

    def parse_reply(self, reply: Reply) -> list[Paper]:
        if reply.status != 200:
            raise self._failure(reply)
        message = json_object(reply, self.label).get("message")
        if not isinstance(message, dict) or not isinstance(message.get("items"), list):
            raise ProviderFailure("Crossref answered with JSON of an unknown shape (HTTP 200).")
        return [paper for work in objects(message["items"]) if (paper := self._paper(work))]

    def _paper(self, work: dict[str, Any]) -> Paper | None:
        if work.get("type") in _NO_PAPERS:
            return None
        is_open = any(
            "creativecommons.org" in str(one.get("URL")) for one in objects(work.get("license"))
        )
        return self.record(
            from_markup(_first(work.get("title"))),
            work.get("URL"),
            doi=work.get("DOI"),
            authors=authors_of(_author(one) for one in objects(work.get("author"))),
            journal=from_markup(_first(work.get("container-title"))),
            published=next((date for name in _DATES if (date := _date(work.get(name)))), ""),
            abstract=abstract_from_markup(work.get("abstract")),
            citation_count=work.get("is-referenced-by-count"),
            open_access=True
            if is_open
            else None,  # no such licence may only mean that none was registered
            pdf_url=_pdf(work) if is_open else None,  # others are for miners with a contract
            kind=_KINDS.get(str(work.get("type")), ""),
            volume=work.get("volume"),
            issue=work.get("issue"),
            pages=work.get("page"),
            publisher=from_markup(work.get("publisher")),
            notices=crossref_notices(work.get("updated-by")),
        )

    def _failure(self, reply: Reply) -> WebquarryError:
        if reply.content_type != "application/json":
            return unreadable_failure(reply, self.label)
        problems = objects(json_object(reply, self.label).get("message"))
        said = quote_words(problems[0].get("message")) if problems else ""
        if problems:
            return BadInput(f"Crossref did not accept the request: {said}")
        return failure(reply, self.label)


def _first(values: object) -> object:
    if isinstance(values, list) and values:
        return values[0]
    return None


def _author(one: dict[str, Any]) -> Author | None:
    return author(one.get("name"), one.get("family"), one.get("given"))


def _date(value: object) -> str:
    parts = None
    if isinstance(value, dict):
        parts = value.get("date-parts")
    return date_of(_first(parts))


def _pdf(work: dict[str, Any]) -> object:
    links = objects(work.get("link"))
    return next(
        (one.get("URL") for one in links if one.get("content-type") == "application/pdf"), None
    )
