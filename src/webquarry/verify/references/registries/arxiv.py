"""arXiv: preprints by their number or title. Needs no key, and wants to be asked slowly.

API: GET https://export.arxiv.org/api/query with `id_list` (many numbers at once) or
`search_query=ti:"..."`; the answer is Atom. A number that arXiv does not have is simply not in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

import httpx2
from lxml import etree

from webquarry._search.replies.body import failure, quote_words, rate_limit_failure
from webquarry._search.replies.doi import normal_doi
from webquarry._search.scholarly.models import ARXIV_DOI
from webquarry._search.scholarly.notices import Notice
from webquarry._search.scholarly.provider import arxiv_id, build_author
from webquarry._search.scholarly.xml import text_of, xml_root
from webquarry.errors import BadInput, ProviderFailure
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import CANDIDATES, Registry, bare_words, build_record

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_SUMMARY_START = 200
_WITHDRAWN = re.compile(
    r"\b(?:paper|article|submission|manuscript|preprint) (?:has been|was|is) withdrawn\b", re.I
)


class ArxivRegistry(Registry):
    name = "arxiv"
    label = "arXiv"
    origin = "https://export.arxiv.org"
    topics = frozenset({"arxiv", "title"})
    most_at_once: ClassVar[Mapping[str, int]] = {"arxiv": 50}
    min_interval_seconds = 3.0

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        values = [question.value for question in questions]
        if questions[0].topic == "arxiv":
            parameters = {"id_list": ",".join(values), "max_results": str(len(values))}
        else:
            words = bare_words(values[0])
            parameters = {"search_query": f'ti:"{words}"', "max_results": str(CANDIDATES)}
        return self.get("/api/query", parameters, "application/atom+xml")

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        if reply.status == 429 or reply.body.lstrip()[:13].lower() == b"rate exceeded":
            raise rate_limit_failure(reply, self.label)
        if reply.status not in (200, 400):
            raise failure(reply, self.label)
        feed = xml_root(reply, self.label)
        if feed.tag != f"{_ATOM}feed":
            raise ProviderFailure("arXiv answered with XML of an unknown shape.")
        entries = feed.findall(f"{_ATOM}entry")
        for entry in entries:
            address = text_of(entry.find(f"{_ATOM}id"))
            if text_of(entry.find(f"{_ATOM}title")) == "Error" and "/api/errors" in address:
                words = quote_words(text_of(entry.find(f"{_ATOM}summary")))
                if "incorrect id format" in words:  # no number of arXiv's: it has no such work
                    return []
                raise BadInput(f"arXiv did not accept the request: {words}")
        if not entries and text_of(feed.find(f"{_SEARCH}totalResults")) not in ("0", ""):
            raise ProviderFailure("arXiv answered with an empty page although it has results.")
        records = [self._record(entry) for entry in entries]
        return [record for record in records if record.titles]

    def _record(self, entry: etree._Element) -> Record:
        address = text_of(entry.find(f"{_ATOM}id")).replace("http://", "https://", 1)
        number = arxiv_id(address.partition("/abs/")[2]) or ""
        people = entry.findall(f"{_ATOM}author")
        names = [text_of(person.find(f"{_ATOM}name")) for person in people]
        posted = text_of(entry.find(f"{_ATOM}published"))
        changed = text_of(entry.find(f"{_ATOM}updated"))
        comment = text_of(entry.find(f"{_ARXIV}comment"))
        journal = text_of(entry.find(f"{_ARXIV}journal_ref"))
        summary = text_of(entry.find(f"{_ATOM}summary"))
        notices = []
        if _WITHDRAWN.search(comment) or _WITHDRAWN.search(summary[:_SUMMARY_START]):
            notices.append(Notice("withdrawal", source=self.name, preprint=True))
        return build_record(
            self.name,
            titles=[text_of(entry.find(f"{_ATOM}title"))],
            authors=[build_author(name) for name in names],
            years=[posted, changed],
            venues=["arXiv"],
            doi=ARXIV_DOI + number,
            arxiv=number,
            url=address,
            kind="article",
            date=posted[:10],
            is_preprint=True,
            published_doi=normal_doi(text_of(entry.find(f"{_ARXIV}doi")).partition(" ")[0]) or "",
            remarks=f"{comment} {journal}".strip()[:500],
            abstract=summary[:10_000],
            notices=tuple(notices),
        )
