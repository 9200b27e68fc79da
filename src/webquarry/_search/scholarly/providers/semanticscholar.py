"""Semantic Scholar: papers of all fields. Requests without a key share one rate limit, which is
often exceeded.

API: GET https://api.semanticscholar.org/graph/v1/paper/search; `DOI:{doi}`, `ARXIV:{id}`,
`PMID:{pmid}` and `search/match?query={title}` look up one paper (404 if there is none). A key
(SEMANTIC_SCHOLAR_API_KEY) goes into a header. Papers are sorted by relevance only; dates are
ordered on our side. It has no retractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._search.replies import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    rate_limit_failure,
    text_at,
)
from webquarry._search.scholarly.models import Paper, PaperQuery, Record, WorkQuestion
from webquarry._search.scholarly.provider import (
    Scholarly,
    build_author,
)
from webquarry._search.scholarly.text import LONGEST_ABSTRACT, from_markup
from webquarry.credentials import Credential
from webquarry.net.models import Reply

KEY = "SEMANTIC_SCHOLAR_API_KEY"
_SEARCH_FIELDS = (
    "title,abstract,venue,publicationVenue,journal,year,publicationDate,externalIds,url,"
    "citationCount,isOpenAccess,openAccessPdf,publicationTypes,authors"
)
_LOOKUP_FIELDS = (
    "title,abstract,venue,publicationVenue,journal,year,publicationDate,externalIds,url,authors"
)
_KINDS = {
    "JournalArticle": "article-journal",
    "Conference": "paper-conference",
    "Book": "book",
    "BookSection": "chapter",
}


class SemanticScholar(Scholarly):
    name = "semanticscholar"
    aliases = ("s2",)
    label = "Semantic Scholar"
    origin = "https://api.semanticscholar.org"
    credentials = (Credential(KEY, "semantic-scholar-api-key"),)
    sign_up = "https://www.semanticscholar.org/product/api"
    domains = ("semanticscholar.org",)
    topics = frozenset({"doi", "arxiv", "pmid", "title"})
    min_interval_seconds = 1.0
    takes_contact = False

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        parameters = {
            "query": query.text.replace("-", " "),
            "limit": str(query.records),
            "fields": _SEARCH_FIELDS,
        }
        if query.year_from is not None or query.year_to is not None:
            parameters["year"] = f"{query.year_from or ''}-{query.year_to or ''}"
        if query.with_pdf:
            parameters["openAccessPdf"] = ""  # that it is there is all it says
        return self._request(parameters)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        question = questions[0]
        if question.topic == "title":
            parameters = {"query": question.value.replace("-", " "), "fields": _LOOKUP_FIELDS}
            return self._request(parameters, "search/match")
        path = f"{question.topic.upper()}:{quote(question.value, safe='/')}"
        return self._request({"fields": _LOOKUP_FIELDS}, path)

    def _request(self, parameters: dict[str, str], path: str = "search") -> httpx2.Request:
        request = self.get(f"/graph/v1/paper/{path}", parameters)
        key = self.optional(KEY)
        if key:
            request.headers["x-api-key"] = key
        return request

    def parse_reply(self, reply: Reply) -> list[Paper]:
        answer = self._read_answer(reply)
        entries = answer.get("data")
        if entries is None and answer.get("total") == 0:
            return []
        return self.parse_papers(entries)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        if reply.status == 404:
            words = text_at(json_object(reply, self.label), "error")
            if "not found" in words.lower():
                return []
        answer = self._read_answer(reply)
        hits = answer.get("data") if questions[0].topic == "title" else [answer]
        records = parse_hits(hits, self.parse_work, self.label)
        return [replace(record, pages="") for record in records]  # often wrong

    def _read_answer(self, reply: Reply) -> dict[str, Any]:
        """Return the answer or raise its error, with advice if a key would help."""
        answer = json_object(reply, self.label)
        if reply.status == 200:
            return answer
        words = quote_words(answer.get("error")) or quote_words(answer.get("message"))
        if reply.status in (401, 403) and self.sources():
            raise self.not_accepted()
        if reply.status != 429:
            raise failure(reply, self.label, words)
        error = rate_limit_failure(reply, self.label, words)
        if not self.sources():
            error.suggested_action = (
                f"{error.action_template} A key ({KEY}) has its own rate limit: {self.sign_up}."
            )
        raise error

    def parse_work(self, entry: dict[str, Any]) -> Record | None:
        if not isinstance(entry.get("title"), str):
            return None
        ids = object_at(entry, "externalIds")
        journal = object_at(entry, "journal")
        venue = object_at(entry, "publicationVenue")
        names = [entry.get("venue"), venue.get("name"), journal.get("name")]
        kinds = [_KINDS.get(str(name), "") for name in array_at(entry, "publicationTypes")]
        return self.build_record(
            titles=[entry.get("title")],
            url=entry.get("url"),
            doi=ids.get("DOI"),
            arxiv_id=ids.get("ArXiv"),
            pmid=text_at(ids, "PubMed"),
            authors=[build_author(one.get("name")) for one in objects(entry.get("authors"))],
            journal=journal.get("name") or venue.get("name") or entry.get("venue"),
            venues=[*names, *array_at(venue, "alternate_names")],
            year=entry.get("year"),
            published=entry.get("publicationDate"),
            abstract=from_markup(entry.get("abstract"), LONGEST_ABSTRACT),
            kind=next(filter(None, kinds), ""),
            volume=journal.get("volume"),
            pages=text_at(journal, "pages"),
            citation_count=entry.get("citationCount"),
            open_access=entry.get("isOpenAccess"),
            pdf_url=object_at(entry, "openAccessPdf").get("url"),
        )
