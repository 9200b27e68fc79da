"""OpenAlex: open catalogue of works of all fields. Needs no key; a free one allows ten times as
many searches a day.

API: GET https://api.openalex.org/works. A search costs credits of a daily budget, a lookup of
`/works/doi:{doi}` or `/works/pmid:{pmid}` is free. Abstracts are inverted indexes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    rate_limit_failure,
    string_at,
    text_at,
    unknown_shape_failure,
)
from webquarry._search.scholarly.models import (
    Author,
    Notice,
    Paper,
    PaperQuery,
    Record,
    WorkQuestion,
)
from webquarry._search.scholarly.provider import (
    CANDIDATES,
    Scholarly,
    build_author,
)
from webquarry._search.scholarly.text import from_inverted_index, from_markup
from webquarry.credentials import Credential
from webquarry.errors import BadInput, WebquarryError
from webquarry.net.models import Reply

KEY = "OPENALEX_API_KEY"
_ANY_WORK = "W2741809807"  # on open access; a probe asks for it
_SEARCH_FIELDS = (
    "id,doi,title,publication_year,publication_date,ids,primary_location,best_oa_location,type,"
    "open_access,authorships,cited_by_count,biblio,is_retracted,is_paratext,abstract_inverted_index"
)
_LOOKUP_FIELDS = (
    "id,doi,title,display_name,publication_year,publication_date,ids,primary_location,locations,"
    "type,authorships,is_retracted,abstract_inverted_index,biblio"
)
_KINDS = {
    "article": "article-journal",
    "review": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "preprint": "article",
    "book-chapter": "chapter",
    "book": "book",
    "dissertation": "thesis",
    "dataset": "dataset",
    "report": "report",
}


class OpenAlex(Scholarly):
    name = "openalex"
    label = "OpenAlex"
    origin = "https://api.openalex.org"
    credentials = (Credential(KEY, "openalex-api-key"),)
    sign_up = "https://openalex.org/settings/api"
    domains = ("openalex.org",)
    topics = frozenset({"doi", "pmid", "title"})
    min_interval_seconds = 0.1  # ten a second
    takes_contact = False

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        filters = []
        if query.year_from is not None:
            filters.append(f"from_publication_date:{query.year_from:04}-01-01")
        if query.year_to is not None:
            filters.append(f"to_publication_date:{query.year_to:04}-12-31")
        if query.open_access or query.with_pdf:
            filters.append("open_access.is_oa:true")
        text = _drop_operators(query.text)
        parameters = {
            "search": text or query.text,
            "per_page": str(query.records),
            "select": _SEARCH_FIELDS,
        }
        if filters:
            parameters["filter"] = ",".join(filters)
        if query.newest_first:
            parameters["sort"] = "publication_date:desc"
        return self._request("/works", parameters)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        question = questions[0]
        if question.topic == "title":
            parameters = {
                "search.title": _drop_operators(question.value),
                "per_page": str(CANDIDATES),
                "select": _LOOKUP_FIELDS,
            }
            return self._request("/works", parameters)
        path = f"/works/{question.topic}:{quote(question.value, safe='/')}"
        return self._request(path, {"select": _LOOKUP_FIELDS})

    def build_probe(self) -> httpx2.Request:
        """Return the lookup of one work, which is free, unlike a search."""
        return self._request(f"/works/{_ANY_WORK}", {"select": "id"})

    def parse_probe(self, reply: Reply) -> None:
        if not isinstance(self._read_answer(reply).get("id"), str):
            raise unknown_shape_failure(self.label)

    def _request(self, path: str, parameters: dict[str, str]) -> httpx2.Request:
        request = self.get(path, parameters)
        key = self.optional(KEY)
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        return request

    def parse_reply(self, reply: Reply) -> list[Paper]:
        return self.parse_papers(self._read_answer(reply).get("results"))

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        is_title = questions[0].topic == "title"
        if not is_title and reply.status == 404:
            return []
        answer = self._read_answer(reply)
        works = answer.get("results") if is_title else [answer]
        return parse_hits(works, self.parse_work, self.label)

    def _read_answer(self, reply: Reply) -> dict[str, Any]:
        answer = json_object(reply, self.label)
        if reply.status != 200 or "error" in answer:
            raise self._read_failure(answer, reply)
        return answer

    def parse_work(self, work: dict[str, Any]) -> Record | None:
        if not isinstance(work.get("id"), str) or work.get("is_paratext") is True:
            return None
        place = object_at(work, "primary_location")
        source = object_at(place, "source")
        venues = []
        for one in (place, *objects(work.get("locations"))):
            venues += [object_at(one, "source").get("display_name"), one.get("raw_source_name")]
        biblio = object_at(work, "biblio")
        pages = [string_at(biblio, name) for name in ("first_page", "last_page")]
        pmid = text_at(object_at(work, "ids"), "pmid").rstrip("/").rpartition("/")[2]
        kind = text_at(work, "type")
        retraction = Notice("retraction", source=self.name)
        open_copy = object_at(work, "best_oa_location")
        return self.build_record(
            titles=[work.get("title"), work.get("display_name")],
            url=work.get("doi") or place.get("landing_page_url") or work["id"],
            doi=work.get("doi"),
            pmid=pmid if pmid.isdigit() else "",
            authors=_read_authors(work),
            journal=source.get("display_name") or place.get("raw_source_name"),
            venues=venues,
            year=work.get("publication_year"),
            published=work.get("publication_date"),
            abstract=from_inverted_index(work.get("abstract_inverted_index")),
            kind=_KINDS.get(kind, kind),
            volume=biblio.get("volume"),
            issue=biblio.get("issue"),
            pages="-".join(dict.fromkeys(filter(None, pages))),
            publisher=from_markup(source.get("host_organization_name"))
            if source.get("type") == "journal"
            else "",
            citation_count=work.get("cited_by_count"),
            open_access=object_at(work, "open_access").get("is_oa"),
            pdf_url=open_copy.get("pdf_url") or place.get("pdf_url"),
            is_preprint=kind == "preprint",
            notices=[retraction] if work.get("is_retracted") is True else [],
        )

    def _read_failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        """Return the error of a reply; if a free key would help, it says so."""
        problem = str(answer.get("error"))
        words = quote_words(answer.get("message")) or quote_words(answer.get("error"))
        if reply.status == 401:
            return self.key_refused()
        if reply.status == 403 and "query parameters" in problem:
            return BadInput(f"OpenAlex did not accept the request: {words}")
        # Searches without a key, under load.
        is_paused = reply.status == 503 and "temporarily unavailable" in problem
        if reply.status != 429 and not is_paused:
            return failure(reply, self.label, words)
        wait = answer.get("retryAfter")
        at_least = float(wait) if isinstance(wait, int | float) else None
        error = rate_limit_failure(reply, self.label, words, at_least=at_least)
        if not self.sources():
            error.suggested_action = (
                f"{error.action_template} A free key ({KEY}) raises the limit: {self.sign_up}."
            )
        return error


def _drop_operators(text: str) -> str:
    """Return the words of a search without characters that OpenAlex answers with 400."""
    return " ".join(text.replace("!", " ").replace("|", " ").split())


def _read_authors(work: dict[str, Any]) -> list[Author | None]:
    """Return the authors by their name in OpenAlex or, if unknown there, as printed."""
    authors = []
    for authorship in objects(work.get("authorships")):
        person = object_at(authorship, "author")
        name = person.get("display_name") or authorship.get("raw_author_name")
        authors.append(build_author(name))
    return authors
