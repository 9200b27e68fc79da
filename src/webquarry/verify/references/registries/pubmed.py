"""PubMed: biomedical articles by their number, with the types that tell of retractions. A key
(NCBI_API_KEY) is optional.

API: GET https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esummary.fcgi?id=a,b (JSON); a title goes to
`esearch.fcgi` first, which gives numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import httpx2

from webquarry._search.replies.body import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    quote_words,
    rate_limit_failure,
    text_at,
    unknown_shape_failure,
)
from webquarry._search.scholarly.notices import Notice, combine_flags, parse_flag
from webquarry._search.scholarly.provider import build_author
from webquarry._search.scholarly.providers.pubmed import KEY, PubMed
from webquarry.errors import ProviderFailure
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import CANDIDATES, Registry, bare_words, build_record

_PATH = "/entrez/eutils/"
_WRITTEN = re.compile(r"(.+?)\s+([A-Z]{1,4})(?:\s+(?:Jr|Sr|2nd|3rd))?")


class PubMedRegistry(Registry):
    name = "pubmed"
    label = "PubMed"
    origin = "https://eutils.ncbi.nlm.nih.gov"
    credentials = PubMed.credentials
    sign_up = PubMed.sign_up
    topics = frozenset({"pmid", "title"})
    most_at_once: ClassVar[Mapping[str, int]] = {"pmid": 50}
    min_interval_seconds = 0.34

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        if questions[0].topic == "pmid":
            return self._summaries([question.value for question in questions])
        words = bare_words(questions[0].value)
        return self._request("esearch.fcgi", {"term": f"{words}[ti]", "retmax": str(CANDIDATES)})

    def next_request(
        self, questions: Sequence[WorkQuestion], reply: net.Reply
    ) -> httpx2.Request | None:
        if questions[0].topic != "title" or reply.status != 200:
            return None
        found = object_at(json_object(reply, self.label), "esearchresult").get("idlist")
        if not isinstance(found, list):
            return None
        ids = [one for one in found if isinstance(one, str) and one.isdigit()]
        return self._summaries(ids[:CANDIDATES]) if ids else None

    def _summaries(self, ids: Sequence[str]) -> httpx2.Request:
        return self._request("esummary.fcgi", {"id": ",".join(ids)})

    def _request(self, endpoint: str, parameters: dict[str, str]) -> httpx2.Request:
        parameters = {"db": "pubmed", "retmode": "json", **parameters, "tool": "webquarry"}
        if self.contact:
            parameters["email"] = self.contact
        key = self.optional(KEY)
        if key:
            parameters["api_key"] = key
        return self.get(_PATH + endpoint, parameters)

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        words = quote_words(answer.get("error"))
        if reply.status == 429 or "rate limit" in words.lower():
            raise rate_limit_failure(reply, self.label, words)
        if reply.status != 200 or words:
            raise failure(reply, self.label, words)
        if "esearchresult" in answer:
            return self._parse_empty(object_at(answer, "esearchresult"))
        result = object_at(answer, "result")
        listed = result.get("uids")
        if not isinstance(listed, list):
            raise unknown_shape_failure(self.label)
        records = []
        for pmid in listed:
            summary = object_at(result, str(pmid))
            if summary and "error" not in summary:
                records.append(self._record(str(pmid), summary))
        return records

    def _parse_empty(self, result: dict[str, Any]) -> list[Record]:
        """A search that led to no second request found nothing, or failed."""
        if result.get("ERROR") or not isinstance(result.get("idlist"), list):
            words = quote_words(result.get("ERROR"))
            raise ProviderFailure(f"PubMed failed: {words or 'no reason was given.'}")
        return []

    def _record(self, pmid: str, summary: dict[str, Any]) -> Record:
        numbers = objects(summary.get("articleids"))
        ids = {text_at(number, "idtype"): number.get("value") for number in numbers}
        authors = []
        for person in objects(summary.get("authors")):
            if person.get("authtype") not in ("Author", "CollectiveName", None):
                continue
            written = text_at(person, "name")
            parts = _WRITTEN.fullmatch(written)
            if parts and person.get("authtype") == "Author":
                authors.append(build_author(None, parts[1], " ".join(parts[2])))
            else:
                authors.append(build_author(written))
        return build_record(
            self.name,
            titles=[text_at(summary, "title").removesuffix(".")],
            authors=authors,
            years=[summary.get("pubdate"), summary.get("epubdate"), summary.get("sortpubdate")],
            venues=[summary.get("fulljournalname"), summary.get("source")],
            doi=ids.get("doi"),
            pmid=pmid,
            url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
            kind="article-journal",
            volume=text_at(summary, "volume"),
            issue=text_at(summary, "issue"),
            pages=text_at(summary, "pages"),
            notices=tuple(self._read_notices(summary)),
        )

    def _read_notices(self, summary: dict[str, Any]) -> list[Notice]:
        comments = []
        for comment in objects(summary.get("references")):
            source = text_at(comment, "refsource")
            comments.append(parse_flag(comment.get("reftype"), self.name, source))
        kinds = array_at(summary, "pubtype")
        return combine_flags(comments, [parse_flag(kind, self.name) for kind in kinds])
