"""Semantic Scholar: papers of all fields. Requests without a key share one rate limit, which is
often exceeded.

API: GET https://api.semanticscholar.org/graph/v1/paper/search; `DOI:{doi}`, `ARXIV:{id}`,
`PMID:{pmid}` and `search/match?query={title}` look up one paper (404 if there is none). A key
(SEMANTIC_SCHOLAR_API_KEY) goes into a header. Papers are sorted by relevance only; dates are
ordered on our side. It has no retractions.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    RECORDS,
    Scholarly,
    build_author,
    build_record,
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
    aliases = ("semantic-scholar", "semantic scholar", "semantic_scholar", "s2")
    label = "Semantic Scholar"
    origin = "https://api.semanticscholar.org"
    credentials = (Credential(KEY, "semantic-scholar-api-key"),)
    sign_up = "https://www.semanticscholar.org/product/api"
    domains = ("semanticscholar.org",)
    topics = frozenset({"doi", "arxiv", "pmid", "title"})
    min_interval_seconds = 1.0

    def headers(self, accept: str = "application/json") -> dict[str, str]:
        return {"Accept": accept}  # a contact address has no effect here

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        parameters = {
            "query": query.text.replace("-", " "),
            "limit": str(RECORDS),
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

    def build_probe(self) -> httpx2.Request:
        return self._request({"query": "test", "limit": "1", "fields": "title"})

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
        return parse_hits(entries, self._build_paper, self.label)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        if reply.status == 404:
            words = text_at(json_object(reply, self.label), "error")
            if "not found" in words.lower():
                return []
        answer = self._read_answer(reply)
        hits = answer.get("data") if questions[0].topic == "title" else [answer]
        return parse_hits(hits, self._build_record, self.label)

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

    def _read_fields(self, entry: dict[str, Any]) -> dict[str, Any]:
        ids = object_at(entry, "externalIds")
        journal = object_at(entry, "journal")
        venue = object_at(entry, "publicationVenue")
        types = [name for name in array_at(entry, "publicationTypes") if isinstance(name, str)]
        return {
            "title": from_markup(entry.get("title")),
            "url": entry.get("url"),
            "doi": ids.get("DOI"),
            "arxiv_id": ids.get("ArXiv"),
            "pmid": text_at(ids, "PubMed"),
            "authors": [build_author(one.get("name")) for one in objects(entry.get("authors"))],
            "journal": from_markup(journal.get("name") or venue.get("name") or entry.get("venue")),
            "year": entry.get("year"),
            "published": entry.get("publicationDate"),
            "abstract": from_markup(entry.get("abstract"), LONGEST_ABSTRACT),
            "kind": next((_KINDS[name] for name in types if name in _KINDS), ""),
            "volume": journal.get("volume"),
            "pages": " ".join(text_at(journal, "pages").split()),
        }

    def _build_paper(self, entry: dict[str, Any]) -> Paper | None:
        is_open = entry.get("isOpenAccess")
        return self.record(
            **self._read_fields(entry),
            citation_count=entry.get("citationCount"),
            open_access=is_open if isinstance(is_open, bool) else None,
            pdf_url=object_at(entry, "openAccessPdf").get("url"),
        )

    def _build_record(self, entry: dict[str, Any]) -> Record | None:
        if not isinstance(entry.get("title"), str):
            return None
        fields = self._read_fields(entry)
        fields["journal"] = ""
        fields["pages"] = ""
        venue = object_at(entry, "publicationVenue")
        names = [entry.get("venue"), venue.get("name"), object_at(entry, "journal").get("name")]
        names += array_at(venue, "alternate_names")
        return build_record(self.name, **fields, venues=names)
