"""arXiv: preprints of physics, mathematics, computer science and neighbours. Needs no key, and
wants to be asked slowly.

API: GET https://export.arxiv.org/api/query, one request in three seconds; the answer is Atom. A
limit that was reached may come with HTTP 200, as the plain text `Rate exceeded.`; an error in the
question as a feed with one entry `Error`.
"""

from __future__ import annotations

import re

import httpx2
from lxml import etree

from webquarry._search.replies.body import failure, parse_each, quote_words, rate_limit_failure
from webquarry._search.scholarly.models import ARXIV_DOI, Paper, PaperQuery
from webquarry._search.scholarly.notices import Notice
from webquarry._search.scholarly.provider import (
    RECORDS,
    Scholarly,
    arxiv_id,
    authors_of,
    build_author,
)
from webquarry._search.scholarly.text import join_sections
from webquarry._search.scholarly.xml import text_of, xml_root
from webquarry.errors import BadInput, ProviderFailure
from webquarry.net.models import Reply

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_WORD = re.compile(r'"([^"]+)"|([^\s"]+)')
_NO_WORD = re.compile(r"[^\w.+#']+")  # what the query language would take for its own
_STOPWORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "andnot",
        "are",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "not",
        "of",
        "on",
        "or",
        "the",
        "to",
        "with",
    ]
)
_SUMMARY_START = 200  # characters of an abstract in which a withdrawal is told
_WITHDRAWN = re.compile(
    r"\b(?:paper|article|submission|manuscript|preprint) (?:has been|was|is) withdrawn\b",
    re.IGNORECASE,
)


class Arxiv(Scholarly):
    name = "arxiv"
    label = "arXiv"
    origin = "https://export.arxiv.org"
    domains = ("arxiv.org",)
    min_interval_seconds = 3.0

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        terms = _build_terms(query.text)
        if query.year_from is not None or query.year_to is not None:
            first = query.year_from or 1900
            last = query.year_to or 2199
            terms = f"{terms} AND submittedDate:[{first:04}01010000 TO {last:04}12312359]"
        order = "relevance"
        if query.newest_first:
            order = "submittedDate"
        parameters = {
            "search_query": terms,
            "start": "0",
            "max_results": str(RECORDS),
            "sortBy": order,
            "sortOrder": "descending",
        }
        return self._request(parameters)

    def build_probe(self) -> httpx2.Request:
        parameters = {"search_query": "all:electron", "start": "0", "max_results": "1"}
        return self._request(parameters)

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        return httpx2.Request(
            "GET",
            self.endpoint("/api/query"),
            params=parameters,
            headers=self.headers("application/atom+xml"),
        )

    def parse_reply(self, reply: Reply) -> list[Paper]:
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
            title = text_of(entry.find(f"{_ATOM}title"))
            address = text_of(entry.find(f"{_ATOM}id"))
            if title == "Error" and "/api/errors" in address:
                words = quote_words(text_of(entry.find(f"{_ATOM}summary")))
                raise BadInput(f"arXiv did not accept the request: {words}")
        if not entries and text_of(feed.find(f"{_SEARCH}totalResults")) != "0":
            raise ProviderFailure("arXiv answered with an empty page although it has results.")
        papers = parse_each(entries, self._paper)
        if entries and not papers:
            raise ProviderFailure("arXiv answered with entries that are no papers.")
        return papers

    def _paper(self, entry: etree._Element) -> Paper | None:
        """The record of one entry of the feed."""
        address = text_of(entry.find(f"{_ATOM}id")).replace("http://", "https://", 1)
        number = arxiv_id(address.partition("/abs/")[2]) or ""
        doi = text_of(entry.find(f"{_ARXIV}doi")).partition(" ")[0]
        if not doi and number:
            doi = ARXIV_DOI + number
        names = [author.find(f"{_ATOM}name") for author in entry.findall(f"{_ATOM}author")]
        links = entry.findall(f"{_ATOM}link")
        pdf = next((link.get("href") for link in links if link.get("title") == "pdf"), None)
        summary = text_of(entry.find(f"{_ATOM}summary"))
        comment = text_of(entry.find(f"{_ARXIV}comment"))
        notices = []
        if _WITHDRAWN.search(comment) or _WITHDRAWN.search(summary[:_SUMMARY_START]):
            notices.append(Notice("withdrawal", source=self.name, preprint=True))
        return self.record(
            text_of(entry.find(f"{_ATOM}title")),
            address,
            doi=doi,
            arxiv_id=number,
            authors=authors_of(build_author(text_of(name)) for name in names),
            journal=text_of(entry.find(f"{_ARXIV}journal_ref")),
            published=text_of(entry.find(f"{_ATOM}published")),
            abstract=join_sections([("", summary)]),
            open_access=True,
            pdf_url=pdf,
            kind="article",
            publisher="arXiv",
            notices=notices,
        )


def _build_terms(text: str) -> str:
    """Every word or phrase has to occur somewhere; what joins words in a sentence need not."""
    terms: dict[str, None] = {}  # each once, in their order
    for phrase, word in _WORD.findall(text):
        spaced = (phrase or word).replace("_", " ")
        term = " ".join(_NO_WORD.sub(" ", spaced).split())
        if term:
            terms[term] = None
    telling = [term for term in terms if term.lower() not in _STOPWORDS]
    if not terms:
        raise BadInput("arXiv takes no query without a word in it.")
    conditions = []
    for term in telling or terms:
        conditions.append(f'all:"{term}"' if " " in term else f"all:{term}")
    return " AND ".join(conditions)
