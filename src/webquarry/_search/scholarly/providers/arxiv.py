"""arXiv: preprints of physics, mathematics, computer science and related fields. Needs no key.

API: GET https://export.arxiv.org/api/query, one request in three seconds, Atom. `search_query`
searches, `id_list` looks up identifiers; an unknown one is absent from the feed. A rate limit may
be HTTP 200 with the text `Rate exceeded.`; an error is a feed with one entry `Error`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import httpx2
from lxml import etree

from webquarry._search.addresses import normal_doi
from webquarry._search.replies import (
    failure,
    parse_each,
    quote_words,
    rate_limit_failure,
    text_of,
    xml_root,
)
from webquarry._search.scholarly.models import (
    ARXIV_DOI,
    Notice,
    Paper,
    PaperQuery,
    Record,
    WorkQuestion,
)
from webquarry._search.scholarly.provider import (
    CANDIDATES,
    Scholarly,
    bare_words,
    build_author,
    paper_of,
    parse_arxiv_id,
)
from webquarry._search.scholarly.text import join_sections
from webquarry.errors import BadInput, ProviderFailure
from webquarry.net.models import Reply

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_WORD = re.compile(r'"([^"]+)"|([^\s"]+)')
_NO_WORD = re.compile(r"[^\w.+#']+")  # characters that the query language would interpret
_STOP_WORDS = "a an and andnot are as at be by for from in is not of on or the to with"
_STOPWORDS = frozenset(_STOP_WORDS.split())
_SUMMARY_START = 200  # characters of an abstract that may state a withdrawal
_WITHDRAWN = re.compile(
    r"\b(?:paper|article|submission|manuscript|preprint) (?:has been|was|is) withdrawn\b",
    re.IGNORECASE,
)


class Arxiv(Scholarly):
    name = "arxiv"
    label = "arXiv"
    origin = "https://export.arxiv.org"
    domains = ("arxiv.org",)
    topics = frozenset({"arxiv", "title"})
    most_at_once: ClassVar[Mapping[str, int]] = {"arxiv": 50}
    min_interval_seconds = 3.0

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        terms = _build_terms(query.text)
        if query.year_from is not None or query.year_to is not None:
            first = query.year_from or 1900
            last = query.year_to or 2199
            terms = f"{terms} AND submittedDate:[{first:04}01010000 TO {last:04}12312359]"
        parameters = {
            "search_query": terms,
            "start": "0",
            "max_results": str(query.records),
            "sortBy": "submittedDate" if query.newest_first else "relevance",
            "sortOrder": "descending",
        }
        return self._request(parameters)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        values = [question.value for question in questions]
        if questions[0].topic == "arxiv":
            return self._request({"id_list": ",".join(values), "max_results": str(len(values))})
        title = bare_words(values[0])
        return self._request({"search_query": f'ti:"{title}"', "max_results": str(CANDIDATES)})

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        return self.get("/api/query", parameters, "application/atom+xml")

    def parse_reply(self, reply: Reply) -> list[Paper]:
        entries = self._read_entries(reply)
        papers = parse_each(entries, lambda entry: paper_of(self._read_paper(entry)))
        if entries and not papers:
            raise ProviderFailure("arXiv answered with entries that are no papers.")
        return papers

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        try:
            entries = self._read_entries(reply)
        except BadInput as error:
            if "incorrect id format" in error.message:  # an identifier that cannot exist
                return []
            raise
        records = map(self._read_record, entries)
        return [record for record in records if record.titles]

    def _read_entries(self, reply: Reply) -> list[etree._Element]:
        """Return the entries of the feed; raise the error of any other reply."""
        if reply.status == 429 or reply.body.lstrip()[:13].lower() == b"rate exceeded":
            raise rate_limit_failure(reply, self.label)
        if reply.status not in (200, 400):
            raise failure(reply, self.label)
        feed = xml_root(reply, self.label)
        if feed.tag != f"{_ATOM}feed":
            raise ProviderFailure(
                f"arXiv answered with XML of an unknown shape (HTTP {reply.status})."
            )
        entries = feed.findall(f"{_ATOM}entry")
        for entry in entries:
            address = text_of(entry.find(f"{_ATOM}id"))
            if text_of(entry.find(f"{_ATOM}title")) == "Error" and "/api/errors" in address:
                words = quote_words(text_of(entry.find(f"{_ATOM}summary")))
                raise BadInput(f"arXiv did not accept the request: {words}")
        if not entries and text_of(feed.find(f"{_SEARCH}totalResults")) != "0":
            raise ProviderFailure("arXiv answered with an empty page although it has results.")
        return entries

    def _read_paper(self, entry: etree._Element) -> Record:
        """Return a record with the DOI of the journal, if there is one."""
        record = self._read_record(entry)
        return replace(record, doi=record.published_doi or record.doi, publisher="arXiv")

    def _read_record(self, entry: etree._Element) -> Record:
        address = text_of(entry.find(f"{_ATOM}id")).replace("http://", "https://", 1)
        number = parse_arxiv_id(address.partition("/abs/")[2]) or ""
        doi = normal_doi(text_of(entry.find(f"{_ARXIV}doi")).partition(" ")[0]) or ""
        names = [author.find(f"{_ATOM}name") for author in entry.findall(f"{_ATOM}author")]
        links = entry.findall(f"{_ATOM}link")
        summary = text_of(entry.find(f"{_ATOM}summary"))
        comment = text_of(entry.find(f"{_ARXIV}comment"))
        journal = text_of(entry.find(f"{_ARXIV}journal_ref"))
        is_withdrawn = _WITHDRAWN.search(comment) or _WITHDRAWN.search(summary[:_SUMMARY_START])
        withdrawal = Notice("withdrawal", source=self.name, preprint=True)
        return self.build_record(
            titles=[text_of(entry.find(f"{_ATOM}title"))],
            url=address,
            doi=ARXIV_DOI + number,
            published_doi="" if doi.startswith(ARXIV_DOI) else doi,
            arxiv_id=number,
            authors=[build_author(text_of(name)) for name in names],
            journal=journal,
            venues=["arXiv"],
            published=text_of(entry.find(f"{_ATOM}published")),
            years=[text_of(entry.find(f"{_ATOM}updated"))],
            abstract=join_sections([("", summary)]),
            open_access=True,
            pdf_url=next((one.get("href") for one in links if one.get("title") == "pdf"), None),
            kind="article",
            notices=[withdrawal] if is_withdrawn else [],
            is_preprint=True,
            remarks=f"{comment} {journal}".strip()[:500],
        )


def _build_terms(text: str) -> str:
    """Return a query in which each word or phrase but stop words has to occur."""
    spaced = [(phrase or word).replace("_", " ") for phrase, word in _WORD.findall(text)]
    terms = dict.fromkeys(" ".join(_NO_WORD.sub(" ", term).split()) for term in spaced)
    terms.pop("", None)
    if not terms:
        raise BadInput("arXiv takes no query without a word in it.")
    telling = [term for term in terms if term.lower() not in _STOPWORDS]
    quoted = [f'"{term}"' if " " in term else term for term in telling or terms]
    return " AND ".join(f"all:{term}" for term in quoted)
