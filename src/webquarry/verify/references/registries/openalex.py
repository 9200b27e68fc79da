"""OpenAlex: works of all fields, gathered from many places. A key (OPENALEX_API_KEY) raises the
limits; a work by its DOI costs nothing.

API: GET https://api.openalex.org/works/doi:{doi}, `/works/pmid:{pmid}`, `/works?search.title=`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._search.replies.body import (
    json_object,
    object_at,
    objects,
    parse_hits,
    text_at,
)
from webquarry._search.scholarly.providers.openalex import (
    KEY,
    OpenAlex,
    build_openalex_failure,
    drop_operators,
    read_authors,
    read_notices,
    read_pages,
    read_pmid,
)
from webquarry._search.scholarly.text import from_inverted_index
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import CANDIDATES, Registry, build_record

_FIELDS = (
    "id,doi,title,display_name,publication_year,publication_date,ids,primary_location,locations,"
    "type,authorships,is_retracted,abstract_inverted_index,biblio"
)
_KINDS = {"article": "article-journal", "preprint": "article", "book-chapter": "chapter"}


class OpenAlexRegistry(Registry):
    name = "openalex"
    label = "OpenAlex"
    origin = "https://api.openalex.org"
    credentials = OpenAlex.credentials
    sign_up = OpenAlex.sign_up
    topics = frozenset({"doi", "pmid", "title"})
    min_interval_seconds = 0.1

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        question = questions[0]
        if question.topic in ("doi", "pmid"):
            path = f"/works/{question.topic}:{quote(question.value, safe='/')}"
            return self._request(path, {"select": _FIELDS})
        title = drop_operators(question.value)
        parameters = {"search.title": title, "per_page": str(CANDIDATES), "select": _FIELDS}
        return self._request("/works", parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request("/works/W2741809807", {"select": "id"})

    def parse_probe(self, reply: net.Reply) -> None:
        if reply.status != 200:
            raise build_openalex_failure(self, json_object(reply, self.label), reply)

    def _request(self, path: str, parameters: dict[str, str]) -> httpx2.Request:
        request = self.get(path, parameters)
        key = self.optional(KEY)
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        return request

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        is_single = questions[0].topic != "title"
        if is_single and reply.status == 404:
            return []
        answer = json_object(reply, self.label)
        if reply.status != 200:
            raise build_openalex_failure(self, answer, reply)
        if is_single:
            return parse_hits([answer], self._record, self.label)
        return parse_hits(answer.get("results"), self._record, self.label)

    def _record(self, work: dict[str, Any]) -> Record | None:
        if not isinstance(work.get("id"), str):
            return None
        first = object_at(work, "primary_location")
        places = [first, *objects(work.get("locations"))]
        venues = []
        for place in places:
            venues.append(object_at(place, "source").get("display_name"))
            venues.append(place.get("raw_source_name"))
        biblio = object_at(work, "biblio")
        kind = text_at(work, "type")
        return build_record(
            self.name,
            titles=[work.get("title"), work.get("display_name")],
            authors=read_authors(work),
            years=[work.get("publication_year"), work.get("publication_date")],
            venues=venues,
            doi=work.get("doi"),
            pmid=read_pmid(work),
            url=str(work.get("doi") or work.get("id") or ""),
            kind=_KINDS.get(kind, kind),
            date=text_at(work, "publication_date"),
            is_preprint=kind == "preprint",
            abstract=from_inverted_index(work.get("abstract_inverted_index")),
            volume=text_at(biblio, "volume"),
            issue=text_at(biblio, "issue"),
            pages=read_pages(work),
            notices=tuple(read_notices(work)),
        )
