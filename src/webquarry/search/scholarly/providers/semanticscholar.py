"""Semantic Scholar: papers of all fields. Without a key one pool is shared by everybody, and often
says that it is full.

API: GET https://api.semanticscholar.org/graph/v1/paper/search; a key (SEMANTIC_SCHOLAR_API_KEY)
goes into a header. Papers come by relevance only, and are put in order of their dates on our side.
It knows nothing of retractions.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry.credentials import Credential
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.search.replies.body import (
    failure,
    json_object,
    objects,
    quote_words,
    rate_limit_failure,
)
from webquarry.search.scholarly.models import Paper, PaperQuery
from webquarry.search.scholarly.provider import RECORDS, Scholarly, author, authors_of, part
from webquarry.search.scholarly.text import LONGEST_ABSTRACT, from_markup

KEY = "SEMANTIC_SCHOLAR_API_KEY"
_FIELDS = (
    "title,abstract,venue,publicationVenue,journal,year,publicationDate,externalIds,url,citationCount,isOpenAccess,"
    "openAccessPdf,publicationTypes,authors"
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
        key = self.optional(KEY)
        headers = {"Accept": "application/json"} | ({"x-api-key": key} if key else {})
        url = self.endpoint("/graph/v1/paper/search")
        return httpx2.Request("GET", url, params=parameters, headers=headers)

    def parse_reply(self, reply: Reply) -> list[Paper]:
        found = json_object(reply, self.label)
        if reply.status != 200:
            raise self._failure(found, reply)
        if not isinstance(found.get("data"), list) and found.get("total") != 0:
            raise ProviderFailure(
                "Semantic Scholar answered with JSON of an unknown shape (HTTP 200)."
            )
        return [paper for one in objects(found.get("data")) if (paper := self._paper(one))]

    def _paper(self, one: dict[str, Any]) -> Paper | None:
        ids, journal, copy = (
            part(one, "externalIds"),
            part(one, "journal"),
            part(one, "openAccessPdf"),
        )
        kinds = one.get("publicationTypes") if isinstance(one.get("publicationTypes"), list) else []
        venue = journal.get("name") or part(one, "publicationVenue").get("name") or one.get("venue")
        is_open = one.get("isOpenAccess")
        return self.record(
            from_markup(one.get("title")),
            one.get("url"),
            doi=ids.get("DOI"),
            arxiv_id=ids.get("ArXiv"),
            pmid=str(ids.get("PubMed") or ""),
            authors=authors_of(
                author(person.get("name")) for person in objects(one.get("authors"))
            ),
            journal=from_markup(venue),
            year=one.get("year"),
            published=one.get("publicationDate"),
            abstract=from_markup(one.get("abstract"), LONGEST_ABSTRACT),
            citation_count=one.get("citationCount"),
            open_access=is_open if isinstance(is_open, bool) else None,
            pdf_url=copy.get("url"),
            kind=next((_KINDS[kind] for kind in kinds or [] if kind in _KINDS), ""),
            volume=journal.get("volume"),
            pages=" ".join(str(journal.get("pages") or "").split()),
        )

    def _failure(self, found: dict[str, Any], reply: Reply) -> WebquarryError:
        said = quote_words(found.get("error")) or quote_words(found.get("message"))
        if reply.status in (401, 403) and self.sources():
            return self.not_accepted()
        if reply.status != 429:
            return failure(reply, self.label, said)
        error = rate_limit_failure(reply, self.label, said)
        if not self.sources():
            error.suggested_action = (
                f"{error.suggested_action} A key ({KEY}) has a rate of its own: {self.sign_up}."
            )
        return error
