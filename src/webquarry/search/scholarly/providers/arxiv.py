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

from webquarry.errors import BadInput, ProviderFailure
from webquarry.net.models import Reply
from webquarry.search.replies.body import failure, quote_words, rate_limit_failure
from webquarry.search.scholarly.models import ARXIV_DOI, Paper, PaperQuery
from webquarry.search.scholarly.notices import Notice
from webquarry.search.scholarly.provider import RECORDS, Scholarly, arxiv_id, author, authors_of
from webquarry.search.scholarly.text import join_sections
from webquarry.search.scholarly.xml import text_of, xml_root

_ATOM, _ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_WORD = re.compile(r'"([^"]+)"|([^\s"]+)')
_NO_WORD = re.compile(r"[^\w.+#']+")  # what the query language would take for its own
_STOPWORDS = frozenset({
    "a", "an", "and", "andnot", "are", "as", "at", "by", "for", "from", "in", "is", "not", "of", "on", "or", "the", "to", "with",
})  # fmt: skip
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
        asked = _terms(query.text)
        if query.year_from is not None or query.year_to is not None:
            first, last = query.year_from or 1900, query.year_to or 2199
            asked = f"{asked} AND submittedDate:[{first:04}01010000 TO {last:04}12312359]"
        parameters = {
            "search_query": asked,
            "start": "0",
            "max_results": str(RECORDS),
            "sortBy": "submittedDate" if query.newest_first else "relevance",
            "sortOrder": "descending",
        }
        headers = self.headers("application/atom+xml")
        return httpx2.Request(
            "GET", self.endpoint("/api/query"), params=parameters, headers=headers
        )

    def build_probe(self) -> httpx2.Request:
        parameters = {"search_query": "all:electron", "start": "0", "max_results": "1"}
        headers = self.headers("application/atom+xml")
        return httpx2.Request(
            "GET", self.endpoint("/api/query"), params=parameters, headers=headers
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
            if text_of(entry.find(f"{_ATOM}title")) == "Error" and "/api/errors" in text_of(
                entry.find(f"{_ATOM}id")
            ):
                raise BadInput(
                    "arXiv did not accept the request: "
                    f"{quote_words(text_of(entry.find(f'{_ATOM}summary')))}"
                )
        if not entries and text_of(feed.find(f"{_SEARCH}totalResults")) != "0":
            raise ProviderFailure("arXiv answered with an empty page although it has results.")
        return [paper for entry in entries if (paper := self._paper(entry))]

    def _paper(self, entry: etree._Element) -> Paper | None:
        address = text_of(entry.find(f"{_ATOM}id")).replace("http://", "https://", 1)
        number = arxiv_id(address.partition("/abs/")[2]) or ""
        links = entry.findall(f"{_ATOM}link")
        pdf = next((one.get("href") for one in links if one.get("title") == "pdf"), None)
        summary = text_of(entry.find(f"{_ATOM}summary"))
        comment = text_of(entry.find(f"{_ARXIV}comment"))
        withdrawn = _WITHDRAWN.search(comment) or _WITHDRAWN.search(summary[:200])
        return self.record(
            text_of(entry.find(f"{_ATOM}title")),
            address,
            doi=text_of(entry.find(f"{_ARXIV}doi")).partition(" ")[0]
            or (ARXIV_DOI + number if number else None),
            arxiv_id=number,
            authors=authors_of(
                author(text_of(one.find(f"{_ATOM}name"))) for one in entry.findall(f"{_ATOM}author")
            ),
            journal=text_of(entry.find(f"{_ARXIV}journal_ref")),
            published=text_of(entry.find(f"{_ATOM}published")),
            abstract=join_sections([("", summary)]),
            open_access=True,
            pdf_url=pdf,
            kind="article",
            publisher="arXiv",
            notices=[Notice("withdrawal", source=self.name, preprint=True)] if withdrawn else [],
        )


def _terms(text: str) -> str:
    """Every word or phrase has to occur somewhere; what joins words in a sentence need not."""
    found = [phrase or word for phrase, word in _WORD.findall(text)]
    terms = [" ".join(_NO_WORD.sub(" ", one.replace("_", " ")).split()) for one in found]
    telling = [term for term in terms if term and term.lower() not in _STOPWORDS] or [
        term for term in terms if term
    ]
    if not telling:
        raise BadInput("arXiv takes no query without a word in it.")
    return " AND ".join(
        f'all:"{term}"' if " " in term else f"all:{term}" for term in dict.fromkeys(telling)
    )
