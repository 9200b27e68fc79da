"""OpenAlex: open catalogue of works of all fields. Needs no key; a free one allows ten times as
many searches a day.

API: GET https://api.openalex.org/works. Since 2026 a search costs credits of a daily budget, and an
e-mail address counts for nothing, so none is sent. Abstracts come as an inverted index.
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
from webquarry._search.scholarly.models import Author, Paper, PaperQuery
from webquarry._search.scholarly.notices import Notice
from webquarry._search.scholarly.provider import RECORDS, Scholarly, authors_of, build_author
from webquarry._search.scholarly.text import from_inverted_index, from_markup
from webquarry._search.services.contacted import ContactedService
from webquarry.credentials import Credential
from webquarry.errors import BadInput, ProviderFailure, WebquarryError
from webquarry.net.models import Reply

KEY = "OPENALEX_API_KEY"
_ANY_WORK = "W2741809807"  # on open access; a probe asks for it
_FIELDS = (
    "id,doi,title,publication_year,publication_date,ids,primary_location,best_oa_location,type,"
    "open_access,authorships,cited_by_count,biblio,is_retracted,is_paratext,abstract_inverted_index"
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
    min_interval_seconds = 0.1  # ten a second

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        filters = []
        if query.year_from is not None:
            filters.append(f"from_publication_date:{query.year_from:04}-01-01")
        if query.year_to is not None:
            filters.append(f"to_publication_date:{query.year_to:04}-12-31")
        if query.open_access or query.with_pdf:
            filters.append("open_access.is_oa:true")
        text = drop_operators(query.text)
        parameters = {"search": text or query.text, "per_page": str(RECORDS), "select": _FIELDS}
        if filters:
            parameters["filter"] = ",".join(filters)
        if query.newest_first:
            parameters["sort"] = "publication_date:desc"
        return self._request("/works", parameters)

    def build_probe(self) -> httpx2.Request:
        """One work by its id: unlike a search, it costs nothing of the day's budget."""
        return self._request(f"/works/{_ANY_WORK}", {"select": "id"})

    def parse_probe(self, reply: Reply) -> None:
        answer = json_object(reply, self.label)
        if reply.status != 200 or "error" in answer:
            raise build_openalex_failure(self, answer, reply)
        if not isinstance(answer.get("id"), str):
            raise ProviderFailure("OpenAlex answered with JSON of an unknown shape (HTTP 200).")

    def _request(self, path: str, parameters: dict[str, str]) -> httpx2.Request:
        """A request with the key, if there is one."""
        headers = {"Accept": "application/json"}
        key = self.optional(KEY)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return httpx2.Request(
            "GET",
            self.endpoint(path),
            params=parameters,
            headers=headers,
        )

    def parse_reply(self, reply: Reply) -> list[Paper]:
        answer = json_object(reply, self.label)
        if reply.status != 200 or "error" in answer:
            raise build_openalex_failure(self, answer, reply)
        return parse_hits(answer.get("results"), self._paper, self.label)

    def _paper(self, work: dict[str, Any]) -> Paper | None:
        """The record of one work; None for what is no paper."""
        if work.get("is_paratext") is True:  # covers, tables of contents
            return None
        first = object_at(work, "primary_location")
        open_copy = object_at(work, "best_oa_location")
        venue = object_at(first, "source")
        biblio = object_at(work, "biblio")
        is_open = object_at(work, "open_access").get("is_oa")
        publisher = ""
        if venue.get("type") == "journal":
            publisher = from_markup(venue.get("host_organization_name"))
        return self.record(
            from_markup(work.get("title")),
            first.get("landing_page_url") or work.get("doi") or work.get("id"),
            doi=work.get("doi"),
            pmid=read_pmid(work),
            authors=authors_of(read_authors(work)),
            journal=from_markup(venue.get("display_name") or first.get("raw_source_name")),
            year=work.get("publication_year"),
            published=work.get("publication_date"),
            abstract=from_inverted_index(work.get("abstract_inverted_index")),
            citation_count=work.get("cited_by_count"),
            open_access=is_open if isinstance(is_open, bool) else None,
            pdf_url=open_copy.get("pdf_url") or first.get("pdf_url"),
            kind=_KINDS.get(str(work.get("type")), ""),
            volume=biblio.get("volume"),
            issue=biblio.get("issue"),
            pages=read_pages(work),
            publisher=publisher,
            notices=read_notices(work),
        )


def drop_operators(text: str) -> str:
    """The words of a search without the marks to which OpenAlex answers 400."""
    return " ".join(text.replace("!", " ").replace("|", " ").split())


def read_authors(work: dict[str, Any]) -> list[Author | None]:
    """Who wrote a work; as printed where OpenAlex knows nobody of that name."""
    authors = []
    for authorship in objects(work.get("authorships")):
        person = object_at(authorship, "author")
        name = person.get("display_name") or authorship.get("raw_author_name")
        authors.append(build_author(name))
    return authors


def read_pmid(work: dict[str, Any]) -> str:
    """The number of a work in PubMed, which comes as an address; empty where there is none."""
    url = str(object_at(work, "ids").get("pmid") or "")
    number = url.rstrip("/").rpartition("/")[2]
    return number if number.isdigit() else ""


def read_pages(work: dict[str, Any]) -> str:
    """The first and the last page of a work, or the one it has."""
    biblio = object_at(work, "biblio")
    ends = (biblio.get("first_page"), biblio.get("last_page"))
    pages = [page for page in ends if isinstance(page, str)]
    return "-".join(dict.fromkeys(pages))


def read_notices(work: dict[str, Any]) -> list[Notice]:
    """That a work was retracted, if it was."""
    if work.get("is_retracted") is True:
        return [Notice("retraction", source=OpenAlex.name)]
    return []


def build_openalex_failure(
    service: ContactedService, answer: dict[str, Any], reply: Reply
) -> WebquarryError:
    """The error that the words and the status stand for; what a free key would help against says
    so.
    """
    problem = str(answer.get("error"))
    words = quote_words(answer.get("message")) or quote_words(answer.get("error"))
    if reply.status == 401:
        return service.key_refused()
    if reply.status == 403 and "query parameters" in problem:
        return BadInput(f"OpenAlex did not accept the request: {words}")
    # Searches without a key, under load.
    is_paused = reply.status == 503 and "temporarily unavailable" in problem
    if reply.status != 429 and not is_paused:
        return failure(reply, service.label, words)
    wait = answer.get("retryAfter")
    at_least = float(wait) if isinstance(wait, int | float) else None
    error = rate_limit_failure(reply, service.label, words, at_least=at_least)
    if not service.sources():
        error.suggested_action = (
            f"{error.action_template} A free key ({KEY}) raises the limit: {service.sign_up}."
        )
    return error
