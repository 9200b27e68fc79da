"""Europe PMC: life sciences, with preprints and open full texts. Needs no key.

API: GET https://www.ebi.ac.uk/europepmc/webservices/rest/search for `core` records, which have
abstracts (HTML) and the publication types of retractions. `EXT_ID:{pmid} AND SRC:MED`,
`PMCID:{pmcid}`, `DOI:"..."` and `TITLE:"..."` look up. A query that it cannot parse is answered
with HTTP 200 and `errMsg`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

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
    Notice,
    Paper,
    PaperQuery,
    Record,
    WorkQuestion,
    combine_flags,
    parse_flag,
)
from webquarry._search.scholarly.provider import (
    CANDIDATES,
    RECORDS,
    Scholarly,
    bare_words,
    build_author,
    build_record,
)
from webquarry._search.scholarly.text import abstract_from_markup, from_markup
from webquarry.errors import BadInput
from webquarry.net.models import Reply

_OPERATORS = re.compile(r"[()\[\]{}:^~*?\\/!|&+]")  # of its query language

T = TypeVar("T")


class EuropePMC(Scholarly):
    name = "europepmc"
    aliases = ("europe-pmc", "europe pmc", "europe_pmc", "epmc")
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
        return self._request(" AND ".join(parts), RECORDS, **sort)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        value = questions[0].value
        queries = {
            "pmid": f"EXT_ID:{value} AND SRC:MED",
            "pmcid": f"PMCID:{value}",
            "doi": f'DOI:"{value}"',
            "title": f'TITLE:"{bare_words(value)}"',
        }
        return self._request(queries[questions[0].topic], CANDIDATES)

    def build_probe(self) -> httpx2.Request:
        return self._request("test", 1, resultType="idlist")

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
        return self._parse(reply, self._build_paper)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        return self._parse(reply, self._build_record)

    def select(self, question: WorkQuestion, records: Iterable[Record]) -> list[Record]:
        return list(records)

    def _parse(self, reply: Reply, parse: Callable[[dict[str, Any]], T | None]) -> list[T]:
        answer = json_object(reply, self.label)
        message = quote_words(answer.get("errMsg"))
        if reply.status != 200:
            raise failure(reply, self.label, message or quote_words(answer.get("error")))
        if answer.get("errMsg"):
            raise BadInput(f"Europe PMC did not accept the request: {message}")
        return parse_hits(object_at(answer, "resultList").get("result"), parse, self.label)

    def _read_fields(self, entry: dict[str, Any]) -> dict[str, Any]:
        issue = object_at(entry, "journalInfo")
        journal = object_at(issue, "journal")
        pmid = text_at(entry, "pmid")
        url = None
        if entry.get("id"):
            url = f"https://europepmc.org/article/{entry.get('source')}/{entry.get('id')}"
        return {
            "title": from_markup(entry.get("title")).removesuffix("."),
            "url": url,
            "doi": entry.get("doi"),
            "pmid": pmid if pmid.isdigit() else "",
            "authors": _read_authors(entry),
            "journal": from_markup(journal.get("title") or entry.get("journalTitle")),
            "published": text_at(entry, "firstPublicationDate"),
            "abstract": abstract_from_markup(entry.get("abstractText")),
            "kind": "article" if entry.get("source") == "PPR" else "article-journal",
            "volume": issue.get("volume") or entry.get("journalVolume"),
            "issue": issue.get("issue") or entry.get("issue"),
            "pages": entry.get("pageInfo"),
            "notices": self._read_notices(entry),
        }

    def _build_paper(self, entry: dict[str, Any]) -> Paper | None:
        fields = self._read_fields(entry)
        year = text_at(entry, "pubYear")
        if not year or not fields["published"].startswith(year):
            fields["published"] = year  # the other date is that of a later registration
        pdf_url = None
        for place in objects(object_at(entry, "fullTextUrlList").get("fullTextUrl")):
            is_free = place.get("availabilityCode") in ("OA", "F")
            if is_free and place.get("documentStyle") == "pdf":
                pdf_url = place.get("url")
                break
        return self.record(
            **fields,
            year=int(year) if year.isascii() and year.isdigit() else None,
            citation_count=entry.get("citedByCount"),
            open_access={"Y": True, "N": False}.get(str(entry.get("isOpenAccess"))),
            pdf_url=pdf_url,
        )

    def _build_record(self, entry: dict[str, Any]) -> Record | None:
        if not isinstance(entry.get("title"), str):
            return None
        journal = object_at(object_at(entry, "journalInfo"), "journal")
        return build_record(
            self.name,
            **self._read_fields(entry),
            year=entry.get("pubYear"),
            venues=[journal.get("medlineAbbreviation")],
            is_preprint=entry.get("source") == "PPR",
        )

    def _read_notices(self, entry: dict[str, Any]) -> list[Notice]:
        comments = []
        for comment in objects(object_at(entry, "commentCorrectionList").get("commentCorrection")):
            reference = text_at(comment, "reference")
            comments.append(parse_flag(comment.get("type"), self.name, reference))
        kinds = array_at(object_at(entry, "pubTypeList"), "pubType")
        return combine_flags(comments, [parse_flag(kind, self.name) for kind in kinds])


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
