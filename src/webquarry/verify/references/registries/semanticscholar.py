"""Semantic Scholar: works of all fields. Without a key one pool is shared by everybody and often
full, so that it is asked last.

API: GET https://api.semanticscholar.org/graph/v1/paper/DOI:{doi}, `ARXIV:{id}`, `PMID:{pmid}`, and
`/paper/search/match?query=` for the one work of a title (404 where there is none).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._search.replies.body import (
    array_at,
    json_object,
    object_at,
    objects,
    parse_hits,
    text_at,
)
from webquarry._search.scholarly.provider import build_author
from webquarry._search.scholarly.providers.semanticscholar import (
    KEY,
    SemanticScholar,
    build_semanticscholar_failure,
)
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import Registry, build_record

_FIELDS = (
    "title,abstract,venue,publicationVenue,journal,year,publicationDate,externalIds,url,authors"
)
_PREFIXES = {"doi": "DOI", "arxiv": "ARXIV", "pmid": "PMID"}


class SemanticScholarRegistry(Registry):
    name = "semanticscholar"
    label = "Semantic Scholar"
    origin = "https://api.semanticscholar.org"
    credentials = SemanticScholar.credentials
    sign_up = SemanticScholar.sign_up
    topics = frozenset({"doi", "arxiv", "pmid", "title"})
    min_interval_seconds = 1.0

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        question = questions[0]
        prefix = _PREFIXES.get(question.topic)
        if prefix:
            number = quote(question.value, safe="/")
            path = f"/graph/v1/paper/{prefix}:{number}"
            parameters = {"fields": _FIELDS}
        else:
            path = "/graph/v1/paper/search/match"
            words = question.value.replace("-", " ")
            parameters = {"query": words, "fields": _FIELDS}
        request = self.get(path, parameters)
        key = self.optional(KEY)
        if key:
            request.headers["x-api-key"] = key
        return request

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        if reply.status == 404 and "not found" in text_at(answer, "error").lower():
            return []
        if reply.status != 200:
            raise build_semanticscholar_failure(self, answer, reply)
        if questions[0].topic == "title":
            return parse_hits(answer.get("data"), self._record, self.label)
        return parse_hits([answer], self._record, self.label)

    def _record(self, paper: dict[str, Any]) -> Record | None:
        if not isinstance(paper.get("title"), str):
            return None
        ids = object_at(paper, "externalIds")
        journal = object_at(paper, "journal")
        venue = object_at(paper, "publicationVenue")
        others = array_at(venue, "alternate_names")
        people = objects(paper.get("authors"))
        return build_record(
            self.name,
            titles=[paper.get("title")],
            authors=[build_author(person.get("name")) for person in people],
            years=[paper.get("year"), paper.get("publicationDate")],
            venues=[paper.get("venue"), venue.get("name"), journal.get("name"), *others],
            doi=ids.get("DOI"),
            arxiv=ids.get("ArXiv"),
            pmid=text_at(ids, "PubMed"),
            url=text_at(paper, "url"),
            date=text_at(paper, "publicationDate"),
            abstract=text_at(paper, "abstract")[:10_000],
            volume=text_at(journal, "volume"),
        )
