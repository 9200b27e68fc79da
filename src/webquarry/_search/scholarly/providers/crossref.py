"""Crossref: what publishers register about their DOIs, with notices of retraction. Needs no key.

A word of the question is enough for a match, so the newest matches are seldom meant: papers come by
relevance, and are put in order of their dates on our side. Abstracts are JATS.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.replies.body import (
    json_object,
    object_at,
    objects,
    parse_hits,
)
from webquarry._search.scholarly.crossref_service import KINDS, CrossrefService, list_people
from webquarry._search.scholarly.models import Paper, PaperQuery
from webquarry._search.scholarly.notices import crossref_notices
from webquarry._search.scholarly.provider import (
    RECORDS,
    Scholarly,
    authors_of,
    date_of,
)
from webquarry._search.scholarly.text import abstract_from_markup, from_markup
from webquarry.net.models import Reply

_FIELDS = (
    "DOI,URL,title,author,container-title,issued,published,published-print,published-online,posted,"
    "created,abstract,type,volume,issue,page,publisher,license,link,is-referenced-by-count,"
    "updated-by"
)
# The best first.
_DATES = ("issued", "published", "published-online", "published-print", "posted", "created")
_NO_PAPERS = frozenset(
    [
        "component",
        "grant",
        "journal",
        "journal-issue",
        "journal-volume",
        "peer-review",
        "book-series",
        "book-set",
        "report-series",
        "database",
    ]
)


class Crossref(CrossrefService, Scholarly):
    def build_request(self, query: PaperQuery) -> httpx2.Request:
        filters = []
        if query.year_from is not None:
            filters.append(f"from-pub-date:{query.year_from:04}")
        if query.year_to is not None:
            filters.append(f"until-pub-date:{query.year_to:04}")
        parameters = {"query": query.text, "rows": str(RECORDS), "select": _FIELDS}
        if filters:
            parameters["filter"] = ",".join(filters)
        return self.build_works_request(parameters)

    def parse_reply(self, reply: Reply) -> list[Paper]:
        if reply.status != 200:
            raise self.read_failure(reply)
        answer = json_object(reply, self.label)
        items = object_at(answer, "message").get("items")
        return parse_hits(items, self._paper, self.label)

    def _paper(self, work: dict[str, Any]) -> Paper | None:
        """The record of one work; None for what is no paper."""
        kind = work.get("type")
        if isinstance(kind, str) and kind in _NO_PAPERS:
            return None
        licences = [str(licence.get("URL")) for licence in objects(work.get("license"))]
        # No such licence may only mean that none was registered.
        is_open = any("creativecommons.org" in url for url in licences) or None
        pdf_url = None
        if is_open:  # others are for miners with a contract
            links = objects(work.get("link"))
            pdfs = [link for link in links if link.get("content-type") == "application/pdf"]
            pdf_url = pdfs[0].get("URL") if pdfs else None
        published = ""
        for name in _DATES:
            parts = object_at(work, name).get("date-parts")
            published = published or date_of(_first(parts))
        authors = list_people(objects(work.get("author")))
        return self.record(
            from_markup(_first(work.get("title"))),
            work.get("URL"),
            doi=work.get("DOI"),
            authors=authors_of(authors),
            journal=from_markup(_first(work.get("container-title"))),
            published=published,
            abstract=abstract_from_markup(work.get("abstract")),
            citation_count=work.get("is-referenced-by-count"),
            open_access=is_open,
            pdf_url=pdf_url,
            kind=KINDS.get(str(work.get("type")), ""),
            volume=work.get("volume"),
            issue=work.get("issue"),
            pages=work.get("page"),
            publisher=from_markup(work.get("publisher")),
            notices=crossref_notices(work.get("updated-by")),
        )


def _first(values: object) -> object:
    """The first value of a list; None where there is none."""
    if isinstance(values, list) and values:
        return values[0]
    return None
