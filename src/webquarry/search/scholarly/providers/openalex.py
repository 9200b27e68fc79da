"""OpenAlex: open catalogue of works of all fields. Needs no key; a free one allows ten times as
many searches a day.

API: GET https://api.openalex.org/works. Since 2026 a search costs credits of a daily budget, and an
e-mail address counts for nothing, so none is sent. Abstracts come as an inverted index.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry.credentials import Credential
from webquarry.errors import BadInput, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.search.replies.body import (
    failure,
    json_object,
    objects,
    quote_words,
    rate_limit_failure,
)
from webquarry.search.scholarly.models import Author, Paper, PaperQuery
from webquarry.search.scholarly.notices import Notice
from webquarry.search.scholarly.provider import RECORDS, Scholarly, author, authors_of, part
from webquarry.search.scholarly.text import from_inverted_index, from_markup

KEY = "OPENALEX_API_KEY"
_ANY_WORK = "W2741809807"  # on open access; a probe asks for it
_FIELDS = (
    "id,doi,title,publication_year,publication_date,ids,primary_location,best_oa_location,type,open_access,authorships,"
    "cited_by_count,biblio,is_retracted,is_paratext,abstract_inverted_index"
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
        text = " ".join(
            query.text.translate({ord("!"): " ", ord("|"): " "}).split()
        )  # OpenAlex answers 400 to either
        parameters = {"search": text or query.text, "per_page": str(RECORDS), "select": _FIELDS}
        parameters |= {"filter": ",".join(filters)} if filters else {}
        parameters |= {"sort": "publication_date:desc"} if query.newest_first else {}
        return self._request("/works", parameters)

    def build_probe(self) -> httpx2.Request:
        """One work by its id: unlike a search, it costs nothing of the day's budget."""
        return self._request(f"/works/{_ANY_WORK}", {"select": "id"})

    def parse_probe(self, reply: Reply) -> None:
        found = json_object(reply, self.label)
        if reply.status != 200 or "error" in found:
            raise self._failure(found, reply)
        if not isinstance(found.get("id"), str):
            raise ProviderFailure("OpenAlex answered with JSON of an unknown shape (HTTP 200).")

    def _request(self, path: str, parameters: dict[str, str]) -> httpx2.Request:
        key = self.optional(KEY)
        headers = {"Accept": "application/json"} | (
            {"Authorization": f"Bearer {key}"} if key else {}
        )
        return httpx2.Request("GET", self.endpoint(path), params=parameters, headers=headers)

    def parse_reply(self, reply: Reply) -> list[Paper]:
        found = json_object(reply, self.label)
        if reply.status != 200 or "error" in found:
            raise self._failure(found, reply)
        if not isinstance(found.get("results"), list):
            raise ProviderFailure("OpenAlex answered with JSON of an unknown shape (HTTP 200).")
        return [paper for work in objects(found["results"]) if (paper := self._paper(work))]

    def _paper(self, work: dict[str, Any]) -> Paper | None:
        if work.get("is_paratext") is True:  # covers, tables of contents
            return None
        first, open_copy = part(work, "primary_location"), part(work, "best_oa_location")
        ids, access, biblio = part(work, "ids"), part(work, "open_access"), part(work, "biblio")
        venue = part(first, "source")
        pages = [
            page
            for page in (biblio.get("first_page"), biblio.get("last_page"))
            if isinstance(page, str)
        ]
        pmid = str(ids.get("pmid") or "").rstrip("/").rpartition("/")[2]
        return self.record(
            from_markup(work.get("title")),
            first.get("landing_page_url") or work.get("doi") or work.get("id"),
            doi=work.get("doi"),
            pmid=pmid if pmid.isdigit() else "",
            authors=authors_of(_author(one) for one in objects(work.get("authorships"))),
            journal=from_markup(venue.get("display_name") or first.get("raw_source_name")),
            year=work.get("publication_year"),
            published=work.get("publication_date"),
            abstract=from_inverted_index(work.get("abstract_inverted_index")),
            citation_count=work.get("cited_by_count"),
            open_access=access.get("is_oa") if isinstance(access.get("is_oa"), bool) else None,
            pdf_url=open_copy.get("pdf_url") or first.get("pdf_url"),
            kind=_KINDS.get(str(work.get("type")), ""),
            volume=biblio.get("volume"),
            issue=biblio.get("issue"),
            pages="-".join(dict.fromkeys(pages)),
            publisher=from_markup(venue.get("host_organization_name"))
            if venue.get("type") == "journal"
            else "",
            notices=[Notice("retraction", source=self.name)]
            if work.get("is_retracted") is True
            else [],
        )

    def _failure(self, found: dict[str, Any], reply: Reply) -> WebquarryError:
        problem, said = (
            str(found.get("error")),
            quote_words(found.get("message")) or quote_words(found.get("error")),
        )
        if reply.status == 401:
            return self.key_refused()
        if reply.status == 403 and "query parameters" in problem:
            return BadInput(f"OpenAlex did not accept the request: {said}")
        paused = (
            reply.status == 503 and "temporarily unavailable" in problem
        )  # searches without a key, under load
        if reply.status == 429 or paused:
            wait = found.get("retryAfter")
            error = rate_limit_failure(
                reply,
                self.label,
                said,
                at_least=float(wait) if isinstance(wait, int | float) else None,
            )
            if not self.sources():
                error.suggested_action = (
                    f"{error.suggested_action} A free key ({KEY}) raises the limit: {self.sign_up}."
                )
            return error
        return failure(reply, self.label, said)


def _author(authorship: dict[str, Any]) -> Author | None:
    return author(
        part(authorship, "author").get("display_name") or authorship.get("raw_author_name")
    )
