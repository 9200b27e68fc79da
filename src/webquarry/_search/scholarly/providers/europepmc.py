"""Europe PMC: life sciences, with preprints and open full texts. Needs no key.

API: GET https://www.ebi.ac.uk/europepmc/webservices/rest/search; asked for `core` records, which
have abstracts (HTML) and the types that tell of retractions. A question it cannot read is answered
with HTTP 200 and `errMsg`.
"""

from __future__ import annotations

import re
from typing import Any

import httpx2

from webquarry._search.replies.body import (
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
)
from webquarry._search.scholarly.models import Author, Paper, PaperQuery
from webquarry._search.scholarly.notices import Notice, combine_flags, parse_flag
from webquarry._search.scholarly.provider import RECORDS, Scholarly, authors_of, build_author
from webquarry._search.scholarly.text import abstract_from_markup, from_markup
from webquarry.errors import BadInput
from webquarry.net.models import Reply

_OPERATORS = re.compile(r"[()\[\]{}:^~*?\\/!|&+]")  # of its query language


class EuropePMC(Scholarly):
    name = "europepmc"
    aliases = ("europe-pmc", "europe pmc", "europe_pmc", "epmc")
    label = "Europe PMC"
    origin = "https://www.ebi.ac.uk"
    domains = ("europepmc.org",)
    min_interval_seconds = 0.1

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        text = " ".join(_OPERATORS.sub(" ", query.text).split())
        if text.count('"') % 2 == 1:
            text = text.replace('"', " ").strip()
        if not text.replace('"', "").strip():
            raise BadInput("Europe PMC takes no query without a word in it.")
        parts = [f"({text})"]
        if query.year_from is not None or query.year_to is not None:
            parts.append(f"PUB_YEAR:[{query.year_from or 1000} TO {query.year_to or 3000}]")
        if query.open_access:
            parts.append("OPEN_ACCESS:y")
        if query.with_pdf:
            parts.append("HAS_PDF:y")
        parameters = {
            "query": " AND ".join(parts),
            "resultType": "core",
            "format": "json",
            "pageSize": str(RECORDS),
        }
        if query.newest_first:
            parameters["sort"] = "P_PDATE_D desc"
        return self._request(parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request(
            {"query": "test", "resultType": "idlist", "format": "json", "pageSize": "1"}
        )

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        """The search, with the contact if there is one."""
        if self.contact:
            parameters["email"] = self.contact
        url = self.endpoint("/europepmc/webservices/rest/search")
        return httpx2.Request("GET", url, params=parameters, headers=self.headers())

    def parse_reply(self, reply: Reply) -> list[Paper]:
        answer = json_object(reply, self.label)
        message = quote_words(answer.get("errMsg"))
        if reply.status != 200:
            raise failure(reply, self.label, message or quote_words(answer.get("error")))
        if answer.get("errMsg"):
            raise BadInput(f"Europe PMC did not accept the request: {message}")
        entries = object_at(answer, "resultList").get("result")
        return parse_hits(entries, self._paper, self.label)

    def _paper(self, entry: dict[str, Any]) -> Paper | None:
        """The record of one entry of the list."""
        issue = object_at(entry, "journalInfo")
        journal = object_at(issue, "journal")
        year = str(entry.get("pubYear") or "")
        pmid = str(entry.get("pmid") or "")
        url = None
        if entry.get("id"):
            url = f"https://europepmc.org/article/{entry.get('source')}/{entry.get('id')}"
        # The day of first publication, if it is of the year of the paper; that of a later
        # registration is not.
        published = str(entry.get("firstPublicationDate") or "")
        if not year or not published.startswith(year):
            published = year
        pdf_url = None  # of one that everybody may read
        places = object_at(entry, "fullTextUrlList").get("fullTextUrl")
        for place in objects(places):
            is_free = place.get("availabilityCode") in ("OA", "F")
            if is_free and place.get("documentStyle") == "pdf":
                pdf_url = place.get("url")
                break
        return self.record(
            from_markup(entry.get("title")).removesuffix("."),
            url,
            doi=entry.get("doi"),
            pmid=pmid if pmid.isdigit() else "",
            authors=_read_authors(entry),
            journal=from_markup(journal.get("title") or entry.get("journalTitle")),
            year=int(year) if year.isascii() and year.isdigit() else None,
            published=published,
            abstract=abstract_from_markup(entry.get("abstractText")),
            citation_count=entry.get("citedByCount"),
            open_access={"Y": True, "N": False}.get(str(entry.get("isOpenAccess"))),
            pdf_url=pdf_url,
            kind="article" if entry.get("source") == "PPR" else "article-journal",
            volume=issue.get("volume") or entry.get("journalVolume"),
            issue=issue.get("issue") or entry.get("issue"),
            pages=entry.get("pageInfo"),
            notices=self._read_notices(entry),
        )

    def _read_notices(self, entry: dict[str, Any]) -> list[Notice]:
        comments = []
        for comment in objects(object_at(entry, "commentCorrectionList").get("commentCorrection")):
            reference = str(comment.get("reference"))
            comments.append(parse_flag(comment.get("type"), self.name, reference))
        types = []
        kinds = object_at(entry, "pubTypeList").get("pubType")
        if isinstance(kinds, list):
            types = [parse_flag(kind, self.name) for kind in kinds]
        return combine_flags(comments, types)


def _read_authors(entry: dict[str, Any]) -> tuple[Author, ...]:
    """The authors by their parts; where there are none, out of one text ("Okafor A, Lindqvist
    PJ.").
    """
    authors: list[Author | None] = []
    for person in objects(object_at(entry, "authorList").get("author")):
        given = person.get("firstName") or person.get("initials")
        authors.append(build_author(person.get("collectiveName"), person.get("lastName"), given))
    if any(authors):
        return authors_of(authors)
    for name in str(entry.get("authorString") or "").rstrip(".").split(", "):
        family, _, initials = name.strip().rpartition(" ")
        if family:
            authors.append(build_author(None, family, initials))
        else:
            authors.append(build_author(name))
    return authors_of(authors)
