"""Europe PMC: life sciences, by PMID or PMCID, with the notices about an article. Needs no key.

API: GET https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=EXT_ID:{pmid} AND SRC:MED,
`PMCID:{pmcid}` or `TITLE:"..."`, as `core` records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2

from webquarry._search.replies.body import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    text_at,
)
from webquarry._search.scholarly.notices import Notice, combine_flags, parse_flag
from webquarry._search.scholarly.provider import build_author
from webquarry.errors import BadInput
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import CANDIDATES, Registry, bare_words, build_record


class EuropePmcRegistry(Registry):
    name = "europepmc"
    label = "Europe PMC"
    origin = "https://www.ebi.ac.uk"
    topics = frozenset({"pmid", "pmcid", "doi", "title"})
    min_interval_seconds = 0.1

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        question = questions[0]
        words = bare_words(question.value)
        queries = {
            "pmid": f"EXT_ID:{question.value} AND SRC:MED",
            "pmcid": f"PMCID:{question.value}",
            "doi": f'DOI:"{question.value}"',
            "title": f'TITLE:"{words}"',
        }
        parameters = {
            "query": queries[question.topic],
            "resultType": "core",
            "format": "json",
            "pageSize": str(CANDIDATES),
        }
        if self.contact:
            parameters["email"] = self.contact
        return self.get("/europepmc/webservices/rest/search", parameters)

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        words = quote_words(answer.get("errMsg"))
        if reply.status != 200:
            raise failure(reply, self.label, words)
        if words:
            raise BadInput(f"Europe PMC did not accept the request: {words}")
        found = object_at(answer, "resultList").get("result")
        return parse_hits(found, self._record, self.label)

    def select(self, question: WorkQuestion, records: Any) -> list[Record]:
        return list(records)

    def _record(self, entry: dict[str, Any]) -> Record | None:
        if not isinstance(entry.get("title"), str):
            return None
        issue = object_at(entry, "journalInfo")
        journal = object_at(issue, "journal")
        authors = []
        for person in objects(object_at(entry, "authorList").get("author")):
            name = person.get("collectiveName") or person.get("fullName")
            family = person.get("lastName")
            given = person.get("firstName")
            authors.append(build_author(None if family else name, family, given))
        kind = text_at(entry, "source")
        return build_record(
            self.name,
            titles=[entry["title"].removesuffix(".")],
            authors=authors,
            years=[entry.get("pubYear"), entry.get("firstPublicationDate")],
            venues=[journal.get("title"), journal.get("medlineAbbreviation")],
            doi=entry.get("doi"),
            pmid=text_at(entry, "pmid"),
            url=f"https://europepmc.org/article/{kind}/{entry.get('id')}",
            kind="article" if kind == "PPR" else "article-journal",
            date=text_at(entry, "firstPublicationDate"),
            is_preprint=kind == "PPR",
            abstract=text_at(entry, "abstractText")[:10_000],
            volume=text_at(issue, "volume"),
            issue=text_at(issue, "issue"),
            pages=text_at(entry, "pageInfo"),
            notices=tuple(self._read_notices(entry)),
        )

    def _read_notices(self, entry: dict[str, Any]) -> list[Notice]:
        comments = []
        corrections = object_at(entry, "commentCorrectionList")
        for comment in objects(corrections.get("commentCorrection")):
            reference = text_at(comment, "reference")
            comments.append(parse_flag(comment.get("type"), self.name, reference))
        kinds = array_at(object_at(entry, "pubTypeList"), "pubType")
        return combine_flags(comments, [parse_flag(kind, self.name) for kind in kinds])
