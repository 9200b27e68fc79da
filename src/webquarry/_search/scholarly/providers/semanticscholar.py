"""Semantic Scholar: papers of all fields. Without a key one pool is shared by everybody, and often
says that it is full.

API: GET https://api.semanticscholar.org/graph/v1/paper/search; a key (SEMANTIC_SCHOLAR_API_KEY)
goes into a header. Papers come by relevance only, and are put in order of their dates on our side.
It knows nothing of retractions.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.replies.body import (
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    rate_limit_failure,
)
from webquarry._search.scholarly.models import Paper, PaperQuery
from webquarry._search.scholarly.provider import RECORDS, Scholarly, authors_of, build_author
from webquarry._search.scholarly.text import LONGEST_ABSTRACT, from_markup
from webquarry._search.services.contacted import ContactedService
from webquarry.credentials import Credential
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply

KEY = "SEMANTIC_SCHOLAR_API_KEY"
_FIELDS = (
    "title,abstract,venue,publicationVenue,journal,year,publicationDate,externalIds,url,"
    "citationCount,isOpenAccess,openAccessPdf,publicationTypes,authors"
)
_KINDS = {
    "JournalArticle": "article-journal",
    "Conference": "paper-conference",
    "Book": "book",
    "BookSection": "chapter",
}


class SemanticScholar(Scholarly):
    name = "semanticscholar"
    aliases = ("semantic-scholar", "semantic scholar", "semantic_scholar", "s2")
    label = "Semantic Scholar"
    origin = "https://api.semanticscholar.org"
    credentials = (Credential(KEY, "semantic-scholar-api-key"),)
    sign_up = "https://www.semanticscholar.org/product/api"
    domains = ("semanticscholar.org",)
    min_interval_seconds = 1.0

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        parameters = {
            "query": query.text.replace("-", " "),
            "limit": str(RECORDS),
            "fields": _FIELDS,
        }
        if query.year_from is not None or query.year_to is not None:
            parameters["year"] = f"{query.year_from or ''}-{query.year_to or ''}"
        if query.with_pdf:
            parameters["openAccessPdf"] = ""  # that it is there is all it says
        return self._request(parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request({"query": "test", "limit": "1", "fields": "title"})

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        """The search, with the key if there is one."""
        headers = {"Accept": "application/json"}
        key = self.optional(KEY)
        if key:
            headers["x-api-key"] = key
        return httpx2.Request(
            "GET",
            self.endpoint("/graph/v1/paper/search"),
            params=parameters,
            headers=headers,
        )

    def parse_reply(self, reply: Reply) -> list[Paper]:
        answer = json_object(reply, self.label)
        if reply.status != 200:
            raise build_semanticscholar_failure(self, answer, reply)
        entries = answer.get("data")
        if entries is None and answer.get("total") == 0:
            return []
        return parse_hits(entries, self._paper, self.label)

    def _paper(self, entry: dict[str, Any]) -> Paper | None:
        """The record of one entry of the list."""
        ids = object_at(entry, "externalIds")
        journal = object_at(entry, "journal")
        venue = object_at(entry, "publicationVenue")
        people = objects(entry.get("authors"))
        types = entry.get("publicationTypes")
        kind = ""
        if isinstance(types, list):
            names = [name for name in types if isinstance(name, str)]
            kind = next((_KINDS[name] for name in names if name in _KINDS), "")
        is_open = entry.get("isOpenAccess")
        return self.record(
            from_markup(entry.get("title")),
            entry.get("url"),
            doi=ids.get("DOI"),
            arxiv_id=ids.get("ArXiv"),
            pmid=str(ids.get("PubMed") or ""),
            authors=authors_of(build_author(person.get("name")) for person in people),
            journal=from_markup(journal.get("name") or venue.get("name") or entry.get("venue")),
            year=entry.get("year"),
            published=entry.get("publicationDate"),
            abstract=from_markup(entry.get("abstract"), LONGEST_ABSTRACT),
            citation_count=entry.get("citationCount"),
            open_access=is_open if isinstance(is_open, bool) else None,
            pdf_url=object_at(entry, "openAccessPdf").get("url"),
            kind=kind,
            volume=journal.get("volume"),
            pages=" ".join(str(journal.get("pages") or "").split()),
        )


def build_semanticscholar_failure(
    service: ContactedService, answer: dict[str, Any], reply: Reply
) -> WebquarryError:
    """The error that the status stands for; what a key would help against says so."""
    words = quote_words(answer.get("error")) or quote_words(answer.get("message"))
    if reply.status in (401, 403) and service.sources():
        return service.not_accepted()
    if reply.status != 429:
        return failure(reply, service.label, words)
    error = rate_limit_failure(reply, service.label, words)
    if not service.sources():
        error.suggested_action = (
            f"{error.action_template} A key ({KEY}) has a rate of its own: {service.sign_up}."
        )
    return error
