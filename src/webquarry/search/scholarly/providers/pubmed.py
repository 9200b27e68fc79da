"""PubMed: biomedical literature. Needs no key; with one (NCBI_API_KEY) ten requests a second are
allowed instead of three.

API: GET https://eutils.ncbi.nlm.nih.gov/entrez/eutils: `esearch.fcgi` gives identifiers as JSON,
`efetch.fcgi` their records as XML, with abstracts and types of publication. Errors may come with
HTTP 200.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import httpx2
from lxml import etree

from webquarry.clock import Clock
from webquarry.credentials import Credential
from webquarry.errors import BadInput, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.search.replies.body import failure, json_object, quote_words, rate_limit_failure
from webquarry.search.scholarly.models import Author, Paper, PaperQuery
from webquarry.search.scholarly.notices import Notice, parse_flag
from webquarry.search.scholarly.provider import RECORDS, Scholarly, author, authors_of
from webquarry.search.scholarly.text import join_sections
from webquarry.search.scholarly.xml import text_of, xml_root
from webquarry.settings import Settings

KEY = "NCBI_API_KEY"
_PATH = "/entrez/eutils/"
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}


class PubMed(Scholarly):
    name = "pubmed"
    label = "PubMed"
    origin = "https://eutils.ncbi.nlm.nih.gov"
    credentials = (Credential(KEY, "ncbi-api-key"),)
    sign_up = "https://account.ncbi.nlm.nih.gov/settings/"
    domains = ("pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov")
    min_interval_seconds = 0.34

    @classmethod
    def configure(
        cls,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> Self:
        provider = super().configure(settings, environ, clock)
        if provider.sources():
            provider.min_interval_seconds = 0.1
        else:
            provider.min_interval_seconds = cls.min_interval_seconds
        return provider

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        if query.open_access or query.with_pdf:
            term = f"({query.text}) AND free full text[sb]"
        else:
            term = query.text
        parameters = {"term": term, "retmode": "json", "retmax": str(RECORDS)}
        if query.newest_first:
            parameters["sort"] = "pub_date"
        else:
            parameters["sort"] = "relevance"
        if (
            query.year_from is not None or query.year_to is not None
        ):  # one without the other is not heeded
            parameters |= {
                "datetype": "pdat",
                "mindate": str(query.year_from or 1000),
                "maxdate": str(query.year_to or 3000),
            }
        return self._request("esearch.fcgi", parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request("esearch.fcgi", {"term": "test", "retmode": "json", "retmax": "1"})

    def next_request(self, reply: Reply) -> httpx2.Request | None:
        ids = self._ids(reply) if _is_json(reply) else []
        if ids:
            return self._request("efetch.fcgi", {"id": ",".join(ids), "retmode": "xml"})
        return None

    def parse_reply(self, reply: Reply) -> list[Paper]:
        if reply.status != 200 or _is_json(reply):
            if self._ids(reply):
                raise ProviderFailure("PubMed answered with identifiers where records were due.")
            return []
        root = xml_root(reply, self.label)
        if root.tag != "PubmedArticleSet":
            raise ProviderFailure(
                f"PubMed failed: {quote_words(text_of(root)) or 'the XML is of an unknown shape.'}"
            )
        papers = [paper for one in root.findall("PubmedArticle") if (paper := self._paper(one))]
        places = {number: place for place, number in enumerate(_asked_for(reply))}
        return sorted(papers, key=lambda paper: places.get(paper.pmid, len(places)))

    def _request(self, endpoint: str, parameters: dict[str, str]) -> httpx2.Request:
        key = self.optional(KEY)
        known = {"db": "pubmed", **parameters, "tool": "webquarry"}
        known |= {"email": self.contact} if self.contact else {}
        known |= {"api_key": key} if key else {}
        return httpx2.Request(
            "GET", self.endpoint(_PATH + endpoint), params=known, headers=self.headers("*/*")
        )

    def _ids(self, reply: Reply) -> list[str]:
        found = json_object(reply, self.label)
        result = found.get("esearchresult")
        problem = None
        if isinstance(result, dict):
            problem = result.get("ERROR")
        if reply.status != 200 or "error" in found or problem:
            raise self._failure(found, problem, reply)
        ids = None
        if isinstance(result, dict):
            ids = result.get("idlist")
        if not isinstance(ids, list):
            raise ProviderFailure("PubMed answered with JSON of an unknown shape (HTTP 200).")
        return [one for one in ids if isinstance(one, str) and one.isascii() and one.isdigit()][
            :RECORDS
        ]

    def _failure(self, found: dict[str, Any], problem: object, reply: Reply) -> WebquarryError:
        said_so = quote_words(problem) or quote_words(found.get("error"))
        if "api key" in said_so.lower():
            return self.key_refused()
        if reply.status == 429 or "rate limit" in said_so.lower():
            return rate_limit_failure(reply, self.label, said_so)
        if "backend" in said_so.lower() or not problem:
            if reply.status != 200:
                return failure(reply, self.label, said_so)
            return ProviderFailure(f"PubMed failed: {said_so}")
        return BadInput(f"PubMed did not accept the request: {said_so}")

    def _paper(self, one: etree._Element) -> Paper | None:
        citation, ids = one.find("MedlineCitation"), {}
        article = None
        if citation is not None:
            article = citation.find("Article")
        if citation is None or article is None:
            return None
        for number in one.iterfind("PubmedData/ArticleIdList/ArticleId"):
            ids[number.get("IdType")] = text_of(number)
        pmid, pmc = text_of(citation.find("PMID")), ids.get("pmc") or ""
        issue = article.find("Journal/JournalIssue")
        return self.record(
            text_of(article.find("ArticleTitle")).removesuffix("."),
            f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid.isdigit() else None,
            doi=ids.get("doi") or text_of(article.find("ELocationID[@EIdType='doi']")),
            pmid=pmid if pmid.isdigit() else "",
            authors=authors_of(map(_author, article.iterfind("AuthorList/Author"))),
            journal=text_of(article.find("Journal/Title")),
            published=_published(article),
            abstract=join_sections(
                [
                    (part.get("Label") or "", text_of(part))
                    for part in article.iterfind("Abstract/AbstractText")
                ]
            ),
            open_access=True if pmc else None,
            pdf_url=f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/pdf/" if pmc.isalnum() else None,
            kind="article-journal",
            volume=text_of(issue.find("Volume")) if issue is not None else "",
            issue=text_of(issue.find("Issue")) if issue is not None else "",
            pages=text_of(article.find("Pagination/MedlinePgn")),
            notices=tuple(self._notices(citation)),
        )

    def _notices(self, citation: etree._Element) -> Iterator[Notice]:
        """By the comments that name a notice; the type of publication alone where none does."""
        comments = [
            parse_flag(one.get("RefType"), self.name, text_of(one.find("RefSource")))
            for one in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
        ]
        types = [
            parse_flag(text_of(one), self.name)
            for one in citation.iterfind("Article/PublicationTypeList/PublicationType")
        ]
        named = [notice for notice in comments if notice]
        yield from named
        yield from (
            one for one in types if one and one.type not in {notice.type for notice in named}
        )


def _is_json(reply: Reply) -> bool:
    """Identifiers and errors come as JSON, records as XML; the content type is not to be relied on."""
    return reply.body.lstrip().startswith(b"{")


def _asked_for(reply: Reply) -> list[str]:
    """The identifiers of the request, in the order of relevance; the records may come in another."""
    return str(httpx2.URL(reply.url).params.get("id", "")).split(",")


def _author(one: etree._Element) -> Author | None:
    return author(
        text_of(one.find("CollectiveName")),
        text_of(one.find("LastName")),
        text_of(one.find("ForeName")),
    )


def _published(article: etree._Element) -> str:
    """The date of the issue, or of the first appearance where that is no plain date (`2018
    Jan-Feb`).
    """
    issue, first = article.find("Journal/JournalIssue/PubDate"), article.find("ArticleDate")
    for place in (issue, first):
        if place is not None and (year := text_of(place.find("Year"))):
            month, day = text_of(place.find("Month")), text_of(place.find("Day"))
            number = _MONTHS.get(month[:3].lower()) or (int(month) if month.isdecimal() else 0)
            return (
                year
                + (f"-{number:02}" if number else "")
                + (f"-{int(day):02}" if number and day.isdecimal() else "")
            )
    if issue is not None:
        return text_of(issue.find("MedlineDate"))[:4]
    return ""
