"""PubMed: biomedical literature. Needs no key; with one (NCBI_API_KEY) ten requests a second are
allowed instead of three.

API: GET https://eutils.ncbi.nlm.nih.gov/entrez/eutils: `esearch.fcgi` gives identifiers as JSON,
`efetch.fcgi` their records as XML, with abstracts and types of publication. Errors may come with
HTTP 200.
"""

from __future__ import annotations

import httpx2
from lxml import etree

from webquarry._search.replies.body import (
    failure,
    json_object,
    object_at,
    parse_each,
    quote_words,
    rate_limit_failure,
    unknown_shape_failure,
)
from webquarry._search.scholarly.models import Paper, PaperQuery
from webquarry._search.scholarly.notices import Notice, combine_flags, parse_flag
from webquarry._search.scholarly.provider import RECORDS, Scholarly, authors_of, build_author
from webquarry._search.scholarly.text import join_sections
from webquarry._search.scholarly.xml import text_of, xml_root
from webquarry.credentials import Credential
from webquarry.errors import BadInput, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
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

    def apply_settings(self, settings: Settings) -> None:
        super().apply_settings(settings)
        if self.sources():
            self.min_interval_seconds = 0.1

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        term = query.text
        if query.open_access or query.with_pdf:
            term = f"({query.text}) AND free full text[sb]"
        parameters = {
            "term": term,
            "retmode": "json",
            "retmax": str(RECORDS),
            "sort": "pub_date" if query.newest_first else "relevance",
        }
        # One without the other is not heeded.
        if query.year_from is not None or query.year_to is not None:
            parameters |= {
                "datetype": "pdat",
                "mindate": str(query.year_from or 1000),
                "maxdate": str(query.year_to or 3000),
            }
        return self._request("esearch.fcgi", parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request("esearch.fcgi", {"term": "test", "retmode": "json", "retmax": "1"})

    def next_request(self, reply: Reply) -> httpx2.Request | None:
        if not _is_json(reply):
            return None
        ids = self._parse_ids(reply)
        if ids:
            return self._request("efetch.fcgi", {"id": ",".join(ids), "retmode": "xml"})
        return None

    def parse_reply(self, reply: Reply) -> list[Paper]:
        if reply.status != 200 or _is_json(reply):
            if self._parse_ids(reply):
                raise ProviderFailure("PubMed answered with identifiers where records were due.")
            return []
        root = xml_root(reply, self.label)
        if root.tag != "PubmedArticleSet":
            words = quote_words(text_of(root)) or "the XML is of an unknown shape."
            raise ProviderFailure(f"PubMed failed: {words}")
        papers = parse_each(root.findall("PubmedArticle"), self._paper)
        if not papers and len(root):  # books alone are no articles, and nothing was found then
            is_of_books = all(part.tag == "PubmedBookArticle" for part in root)
            if not is_of_books:
                raise ProviderFailure("PubMed answered with XML of an unknown shape (HTTP 200).")
        # The request has the identifiers in the order of relevance; the records may come in
        # another.
        ids = str(httpx2.URL(reply.url).params.get("id", "")).split(",")
        places = {pmid: place for place, pmid in enumerate(ids)}
        return sorted(papers, key=lambda paper: places.get(paper.pmid, len(places)))

    def _request(self, endpoint: str, parameters: dict[str, str]) -> httpx2.Request:
        """A request to one of the utilities, with the contact and the key if there are any."""
        parameters = {"db": "pubmed", **parameters, "tool": "webquarry"}
        if self.contact:
            parameters["email"] = self.contact
        key = self.optional(KEY)
        if key:
            parameters["api_key"] = key
        return httpx2.Request(
            "GET",
            self.endpoint(_PATH + endpoint),
            params=parameters,
            headers=self.headers("*/*"),
        )

    def _parse_ids(self, reply: Reply) -> list[str]:
        """The identifiers in the reply to a search, the most relevant first."""
        answer = json_object(reply, self.label)
        result = object_at(answer, "esearchresult")
        problem = result.get("ERROR")
        if reply.status != 200 or "error" in answer or problem:
            words = quote_words(problem) or quote_words(answer.get("error"))
            raise self._failure(words, bool(problem), reply)
        listed = result.get("idlist")
        if not isinstance(listed, list):
            raise unknown_shape_failure(self.label)
        texts = [entry for entry in listed if isinstance(entry, str)]
        ids = [text for text in texts if text.isascii() and text.isdigit()]
        if listed and not ids:
            raise unknown_shape_failure(self.label)
        return ids[:RECORDS]

    def _failure(self, words: str, is_of_search: bool, reply: Reply) -> WebquarryError:
        """The error that these words mean; one of the search is the query's fault, unless they say
        otherwise.
        """
        lowered = words.lower()
        if "api key" in lowered:
            return self.key_refused()
        if reply.status == 429 or "rate limit" in lowered:
            return rate_limit_failure(reply, self.label, words)
        if is_of_search and "backend" not in lowered:
            return BadInput(f"PubMed did not accept the request: {words}")
        if reply.status != 200:
            return failure(reply, self.label, words)
        return ProviderFailure(f"PubMed failed: {words}")

    def _paper(self, entry: etree._Element) -> Paper | None:
        """The record of one article; None when it is not in the form of one."""
        citation = entry.find("MedlineCitation")
        if citation is None:
            return None
        article = citation.find("Article")
        if article is None:
            return None
        ids = {}
        for number in entry.iterfind("PubmedData/ArticleIdList/ArticleId"):
            ids[number.get("IdType")] = text_of(number)
        pmid = text_of(citation.find("PMID"))
        url = None
        if pmid.isdigit():
            url = f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/"
        pmc = ids.get("pmc") or ""
        pdf_url = None
        if pmc.isalnum():
            pdf_url = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/pdf/"
        authors = []
        for person in article.iterfind("AuthorList/Author"):
            author = build_author(
                written=text_of(person.find("CollectiveName")),
                family=text_of(person.find("LastName")),
                given=text_of(person.find("ForeName")),
            )
            authors.append(author)
        sections = []
        for section in article.iterfind("Abstract/AbstractText"):
            sections.append((section.get("Label") or "", text_of(section)))
        return self.record(
            text_of(article.find("ArticleTitle")).removesuffix("."),
            url,
            doi=ids.get("doi") or text_of(article.find("ELocationID[@EIdType='doi']")),
            pmid=pmid if url else "",
            authors=authors_of(authors),
            journal=text_of(article.find("Journal/Title")),
            published=_read_date(article),
            abstract=join_sections(sections),
            open_access=True if pmc else None,
            pdf_url=pdf_url,
            kind="article-journal",
            volume=text_of(article.find("Journal/JournalIssue/Volume")),
            issue=text_of(article.find("Journal/JournalIssue/Issue")),
            pages=text_of(article.find("Pagination/MedlinePgn")),
            notices=self._read_notices(citation),
        )

    def _read_notices(self, citation: etree._Element) -> list[Notice]:
        comments = []
        for comment in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
            reference = text_of(comment.find("RefSource"))
            comments.append(parse_flag(comment.get("RefType"), self.name, reference))
        types = []
        for kind in citation.iterfind("Article/PublicationTypeList/PublicationType"):
            types.append(parse_flag(text_of(kind), self.name))
        return combine_flags(comments, types)


def _is_json(reply: Reply) -> bool:
    """Identifiers and errors come as JSON, records as XML; the content type is not to be relied
    on.
    """
    return reply.body.lstrip().startswith(b"{")


def _read_date(article: etree._Element) -> str:
    """The date of the issue, or of the first appearance where that is no plain date (`2018
    Jan-Feb`): ISO 8601, as far as its parts can be read.
    """
    issue = article.find("Journal/JournalIssue/PubDate")
    for place in (issue, article.find("ArticleDate")):
        if place is None:
            continue
        year = text_of(place.find("Year"))
        if not year:
            continue
        month = text_of(place.find("Month"))  # a name or a number
        day = text_of(place.find("Day"))
        number = _MONTHS.get(month[:3].lower(), 0)
        if not number and month.isdecimal():
            number = int(month)
        if not number:
            return year
        if not day.isdecimal():
            return f"{year}-{number:02}"
        return f"{year}-{number:02}-{int(day):02}"
    if issue is not None:
        return text_of(issue.find("MedlineDate"))[:4]
    return ""
