"""Europe PMC: life sciences, with preprints and open full texts. Needs no key.

API: GET https://www.ebi.ac.uk/europepmc/webservices/rest/search for `core` records, which have
abstracts (HTML) and the publication types of retractions. `EXT_ID:{pmid} AND SRC:MED`,
`PMCID:{pmcid}`, `DOI:"..."` and `TITLE:"..."` look up. A query that it cannot parse is answered
with HTTP 200 and `errMsg`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import httpx2

from webquarry._search.replies import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    text_at,
)
from webquarry._search.scholarly.models import (
    Author,
    Paper,
    PaperQuery,
    Record,
    WorkQuestion,
    read_flags,
)
from webquarry._search.scholarly.provider import (
    CANDIDATES,
    Scholarly,
    bare_words,
    build_author,
)
from webquarry._search.scholarly.text import abstract_from_markup
from webquarry.errors import BadInput
from webquarry.net.models import Reply

_OPERATORS = re.compile(r"[()\[\]{}:^~*?\\/!|&+]")  # of its query language


class EuropePMC(Scholarly):
    name = "europepmc"
    aliases = ("epmc",)
    label = "Europe PMC"
    origin = "https://www.ebi.ac.uk"
    domains = ("europepmc.org",)
    topics = frozenset({"pmid", "pmcid", "doi", "title"})
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
        sort = {"sort": "P_PDATE_D desc"} if query.newest_first else {}
        return self._request(" AND ".join(parts), query.records, **sort)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        value = questions[0].value
        queries = {
            "pmid": f"EXT_ID:{value} AND SRC:MED",
            "pmcid": f"PMCID:{value}",
            "doi": f'DOI:"{value}"',
            "title": f'TITLE:"{bare_words(value)}"',
        }
        return self._request(queries[questions[0].topic], CANDIDATES)

    def _request(self, query: str, count: int, **more: str) -> httpx2.Request:
        parameters = {
            "query": query,
            "resultType": "core",
            "format": "json",
            "pageSize": str(count),
            **more,
        }
        if self.contact:
            parameters["email"] = self.contact
        return self.get("/europepmc/webservices/rest/search", parameters)

    def parse_reply(self, reply: Reply) -> list[Paper]:
        return self.parse_papers(self._read_results(reply))

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        return parse_hits(self._read_results(reply), self.parse_work, self.label)

    def select(self, question: WorkQuestion, records: Iterable[Record]) -> list[Record]:
        return list(records)

    def _read_results(self, reply: Reply) -> object:
        answer = json_object(reply, self.label)
        message = quote_words(answer.get("errMsg"))
        if reply.status != 200:
            raise failure(reply, self.label, message or quote_words(answer.get("error")))
        if answer.get("errMsg"):
            raise BadInput(f"Europe PMC did not accept the request: {message}")
        return object_at(answer, "resultList").get("result")

    def parse_work(self, entry: dict[str, Any]) -> Record | None:
        if not isinstance(entry.get("title"), str):
            return None
        issue = object_at(entry, "journalInfo")
        journal = object_at(issue, "journal")
        journal_title = journal.get("title") or entry.get("journalTitle")
        pmid = text_at(entry, "pmid")
        year = text_at(entry, "pubYear")
        day = text_at(entry, "firstPublicationDate")
        copies = objects(object_at(entry, "fullTextUrlList").get("fullTextUrl"))
        pdf_urls = [
            copy.get("url")
            for copy in copies
            if copy.get("availabilityCode") in ("OA", "F") and copy.get("documentStyle") == "pdf"
        ]
        is_preprint = entry.get("source") == "PPR"
        comments = object_at(entry, "commentCorrectionList").get("commentCorrection")
        return self.build_record(
            titles=[entry["title"].strip().removesuffix(".")],
            url=f"https://europepmc.org/article/{entry.get('source')}/{entry.get('id')}"
            if entry.get("id")
            else None,
            doi=entry.get("doi"),
            pmid=pmid if pmid.isdigit() else "",
            authors=_read_authors(entry),
            journal=journal_title,
            venues=[journal_title, journal.get("medlineAbbreviation")],
            # Another date is that of a later registration.
            published=day if year and day.startswith(year) else year,
            date=day[:10],
            years=[day],
            abstract=abstract_from_markup(entry.get("abstractText")),
            kind="article" if is_preprint else "article-journal",
            volume=issue.get("volume") or entry.get("journalVolume"),
            issue=issue.get("issue") or entry.get("issue"),
            pages=entry.get("pageInfo"),
            citation_count=entry.get("citedByCount"),
            open_access={"Y": True, "N": False}.get(text_at(entry, "isOpenAccess")),
            pdf_url=next(iter(pdf_urls), None),
            is_preprint=is_preprint,
            notices=read_flags(
                self.name,
                [(one.get("type"), text_at(one, "reference")) for one in objects(comments)],
                array_at(object_at(entry, "pubTypeList"), "pubType"),
            ),
        )


def _read_authors(entry: dict[str, Any]) -> list[Author | None]:
    """Return the authors; if they are not listed, those of the text ("Okafor A, Lindqvist PJ.")."""
    authors: list[Author | None] = []
    for person in objects(object_at(entry, "authorList").get("author")):
        family = person.get("lastName")
        whole = person.get("collectiveName") or (None if family else person.get("fullName"))
        given = person.get("firstName") or person.get("initials")
        authors.append(build_author(whole, family, given))
    if any(authors):
        return authors
    for name in text_at(entry, "authorString").rstrip(".").split(", "):
        family, _, initials = name.strip().rpartition(" ")
        if family:
            authors.append(build_author(None, family, initials))
        else:
            authors.append(build_author(name))
    return authors
