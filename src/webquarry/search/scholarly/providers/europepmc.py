"""Europe PMC: life sciences, with preprints and open full texts. Needs no key.

API: GET https://www.ebi.ac.uk/europepmc/webservices/rest/search; asked for `core` records, which
have abstracts (HTML) and the types that tell of retractions. A question it cannot read is answered
with HTTP 200 and `errMsg`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx2

from webquarry.errors import BadInput, ProviderFailure
from webquarry.net.models import Reply
from webquarry.search.replies.body import failure, json_object, objects, quote_words
from webquarry.search.scholarly.models import Author, Paper, PaperQuery
from webquarry.search.scholarly.notices import Notice, parse_flag
from webquarry.search.scholarly.provider import RECORDS, Scholarly, author, authors_of, part
from webquarry.search.scholarly.text import abstract_from_markup, from_markup

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
        if text.count('"') % 2 == 0:
            text = text
        else:
            text = text.replace('"', " ").strip()
        if not text.replace('"', "").strip():
            raise BadInput("Europe PMC takes no query without a word in it.")
        parts = [f"({text})"]
        if query.year_from is not None or query.year_to is not None:
            parts.append(f"PUB_YEAR:[{query.year_from or 1000} TO {query.year_to or 3000}]")
        parts += ["OPEN_ACCESS:y"] if query.open_access else []
        parts += ["HAS_PDF:y"] if query.with_pdf else []
        parameters = {
            "query": " AND ".join(parts),
            "resultType": "core",
            "format": "json",
            "pageSize": str(RECORDS),
        }
        parameters |= {"sort": "P_PDATE_D desc"} if query.newest_first else {}
        return self._request(parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request(
            {"query": "test", "resultType": "idlist", "format": "json", "pageSize": "1"}
        )

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        parameters |= {"email": self.contact} if self.contact else {}
        url = self.endpoint("/europepmc/webservices/rest/search")
        return httpx2.Request("GET", url, params=parameters, headers=self.headers())

    def parse_reply(self, reply: Reply) -> list[Paper]:
        found = json_object(reply, self.label)
        if reply.status != 200:
            raise failure(
                reply,
                self.label,
                quote_words(found.get("errMsg")) or quote_words(found.get("error")),
            )
        if found.get("errMsg"):
            raise BadInput(f"Europe PMC did not accept the request: {quote_words(found['errMsg'])}")
        listed = found.get("resultList")
        if not isinstance(listed, dict) or not isinstance(listed.get("result"), list):
            raise ProviderFailure("Europe PMC answered with JSON of an unknown shape (HTTP 200).")
        return [paper for one in objects(listed["result"]) if (paper := self._paper(one))]

    def _paper(self, one: dict[str, Any]) -> Paper | None:
        issue = part(one, "journalInfo")
        journal, year = part(issue, "journal"), str(one.get("pubYear") or "")
        pmid, is_preprint = str(one.get("pmid") or ""), one.get("source") == "PPR"
        return self.record(
            from_markup(one.get("title")).removesuffix("."),
            f"https://europepmc.org/article/{one.get('source')}/{one.get('id')}"
            if one.get("id")
            else None,
            doi=one.get("doi"),
            pmid=pmid if pmid.isdigit() else "",
            authors=tuple(_authors(one)),
            journal=from_markup(journal.get("title") or one.get("journalTitle")),
            year=int(year) if year.isascii() and year.isdigit() else None,
            published=_published(one, year),
            abstract=abstract_from_markup(one.get("abstractText")),
            citation_count=one.get("citedByCount"),
            open_access={"Y": True, "N": False}.get(str(one.get("isOpenAccess"))),
            pdf_url=_pdf(one),
            kind="article" if is_preprint else "article-journal",
            volume=issue.get("volume") or one.get("journalVolume"),
            issue=issue.get("issue") or one.get("issue"),
            pages=one.get("pageInfo"),
            notices=tuple(self._notices(one)),
        )

    def _notices(self, one: dict[str, Any]) -> Iterator[Notice]:
        """By the comments that name a notice; the type of publication alone where none does."""
        comments = objects(part(one, "commentCorrectionList").get("commentCorrection"))
        named = [
            parse_flag(each.get("type"), self.name, str(each.get("reference"))) for each in comments
        ]
        kinds = part(one, "pubTypeList").get("pubType")
        types = []
        if isinstance(kinds, list):
            types = [parse_flag(kind, self.name) for kind in kinds]
        yield from (notice for notice in named if notice)
        yield from (
            one
            for one in types
            if one and one.type not in {notice.type for notice in named if notice}
        )


def _authors(one: dict[str, Any]) -> Iterator[Author]:
    listed = objects(part(one, "authorList").get("author"))
    known = authors_of(
        author(
            each.get("collectiveName"),
            each.get("lastName"),
            each.get("firstName") or each.get("initials"),
        )
        for each in listed
    )
    yield from known
    if not known:  # "Okafor A, Lindqvist PJ."
        for name in str(one.get("authorString") or "").rstrip(".").split(", "):
            family, _, initials = name.strip().rpartition(" ")
            if found := author(None, family, initials) if family else author(name):
                yield found


def _published(one: dict[str, Any], year: str) -> object:
    """The day of first publication, if it is of the year of the paper; that of a later registration
    is not.
    """
    first = str(one.get("firstPublicationDate") or "")
    if first.startswith(year) and year:
        return first
    return year


def _pdf(one: dict[str, Any]) -> object:
    places = objects(part(one, "fullTextUrlList").get("fullTextUrl"))
    free = [each for each in places if each.get("availabilityCode") in ("OA", "F")]
    return next((each.get("url") for each in free if each.get("documentStyle") == "pdf"), None)
