"""PubMed: biomedical literature. Needs no key; with one (NCBI_API_KEY) ten requests a second are
allowed instead of three.

API: GET https://eutils.ncbi.nlm.nih.gov/entrez/eutils: `esearch.fcgi` returns identifiers as JSON,
`efetch.fcgi` records as XML with abstracts (for searches), `esummary.fcgi` short records as JSON
(for lookups). Errors may come with HTTP 200.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import httpx2
from lxml import etree

from webquarry._search.replies import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    parse_each,
    quote_words,
    rate_limit_failure,
    text_at,
    text_of,
    unknown_shape_failure,
    xml_root,
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
    paper_of,
)
from webquarry._search.scholarly.text import join_sections
from webquarry._search.text import MONTH_NUMBERS, join_date
from webquarry.credentials import Credential
from webquarry.errors import BadInput, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.settings import Settings

KEY = "NCBI_API_KEY"
_PATH = "/entrez/eutils/"
_AUTHOR = re.compile(r"(.+?)\s+([A-Z]{1,4})(?:\s+(?:Jr|Sr|2nd|3rd))?")  # "Okafor AB"


class PubMed(Scholarly):
    name = "pubmed"
    label = "PubMed"
    origin = "https://eutils.ncbi.nlm.nih.gov"
    credentials = (Credential(KEY, "ncbi-api-key"),)
    sign_up = "https://account.ncbi.nlm.nih.gov/settings/"
    domains = ("pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov")
    topics = frozenset({"pmid", "title"})
    most_at_once: ClassVar[Mapping[str, int]] = {"pmid": 50}
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
            "retmax": str(query.records),
            "sort": "pub_date" if query.newest_first else "relevance",
        }
        # One without the other is ignored.
        if query.year_from is not None or query.year_to is not None:
            parameters |= {
                "datetype": "pdat",
                "mindate": str(query.year_from or 1000),
                "maxdate": str(query.year_to or 3000),
            }
        return self._request("esearch.fcgi", parameters)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        if questions[0].topic == "pmid":
            return self._request_summaries([question.value for question in questions])
        term = f"{bare_words(questions[0].value)}[ti]"
        parameters = {"retmode": "json", "term": term, "retmax": str(CANDIDATES)}
        return self._request("esearch.fcgi", parameters)

    def next_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> httpx2.Request | None:
        if "esearchresult" not in json_object(reply, self.label):
            return None
        ids = self._parse_ids(reply)
        return self._request_summaries(ids[:CANDIDATES]) if ids else None

    def _request_summaries(self, ids: Sequence[str]) -> httpx2.Request:
        return self._request("esummary.fcgi", {"retmode": "json", "id": ",".join(ids)})

    def next_request(self, reply: Reply) -> httpx2.Request | None:
        if not _is_json(reply):
            return None
        ids = self._parse_ids(reply)
        if ids:
            return self._request("efetch.fcgi", {"id": ",".join(ids), "retmode": "xml"})
        return None

    def parse_reply(self, reply: Reply) -> list[Paper]:
        if reply.status != 200 or _is_json(reply):
            self._parse_ids(reply)
            return []
        root = xml_root(reply, self.label)
        if root.tag != "PubmedArticleSet":
            words = quote_words(text_of(root)) or "the XML is of an unknown shape."
            raise ProviderFailure(f"PubMed failed: {words}")
        papers = parse_each(root.findall("PubmedArticle"), self._paper)
        if not papers and len(root) and root.find("PubmedBookArticle") is None:
            raise ProviderFailure("PubMed answered with XML of an unknown shape (HTTP 200).")
        # The request has the identifiers in the order of relevance; the records may come in
        # another.
        ids = str(httpx2.URL(reply.url).params.get("id", "")).split(",")
        places = {pmid: place for place, pmid in enumerate(ids)}
        return sorted(papers, key=lambda paper: places.get(paper.pmid, len(places)))

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        if reply.status != 200 or "error" in answer or "esearchresult" in answer:
            self._parse_ids(reply)
            return []
        result = object_at(answer, "result")
        listed = result.get("uids")
        if not isinstance(listed, list):
            raise unknown_shape_failure(self.label)
        summaries = [(str(pmid), object_at(result, str(pmid))) for pmid in listed]
        return [
            self._record(pmid, summary)
            for pmid, summary in summaries
            if summary and "error" not in summary
        ]

    def _request(self, endpoint: str, parameters: dict[str, str]) -> httpx2.Request:
        parameters = {"db": "pubmed", **parameters, "tool": "webquarry"}
        if self.contact:
            parameters["email"] = self.contact
        key = self.optional(KEY)
        if key:
            parameters["api_key"] = key
        return self.get(_PATH + endpoint, parameters, "*/*")

    def _parse_ids(self, reply: Reply) -> list[str]:
        """Return the identifiers of a search, the most relevant first."""
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
        return ids

    def _failure(self, words: str, is_of_search: bool, reply: Reply) -> WebquarryError:
        """Return the error of a reply; errors of the search are usually those of the query."""
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
        """Return the paper of one article, or None if the XML is not one."""
        article = entry.find("MedlineCitation/Article")
        if article is None:
            return None
        numbers = entry.iterfind("PubmedData/ArticleIdList/ArticleId")
        ids = {number.get("IdType"): text_of(number) for number in numbers}
        pmid = text_of(entry.find("MedlineCitation/PMID"))
        pmc = ids.get("pmc") or ""
        authors = [
            build_author(
                written=text_of(person.find("CollectiveName")),
                family=text_of(person.find("LastName")),
                given=text_of(person.find("ForeName")),
            )
            for person in article.iterfind("AuthorList/Author")
        ]
        sections = [
            (section.get("Label") or "", text_of(section))
            for section in article.iterfind("Abstract/AbstractText")
        ]
        comments = entry.iterfind("MedlineCitation/CommentsCorrectionsList/CommentsCorrections")
        types = article.iterfind("PublicationTypeList/PublicationType")
        record = self._build_record(
            pmid if pmid.isdigit() else "",
            titles=[text_of(article.find("ArticleTitle")).removesuffix(".")],
            doi=ids.get("doi") or text_of(article.find("ELocationID[@EIdType='doi']")),
            authors=authors,
            journal=text_of(article.find("Journal/Title")),
            published=_read_date(article),
            abstract=join_sections(sections),
            open_access=True if pmc else None,
            pdf_url=f"https://pmc.ncbi.nlm.nih.gov/articles/{pmc}/pdf/" if pmc.isalnum() else None,
            volume=text_of(article.find("Journal/JournalIssue/Volume")),
            issue=text_of(article.find("Journal/JournalIssue/Issue")),
            pages=text_of(article.find("Pagination/MedlinePgn")),
            notices=read_flags(
                self.name,
                [(one.get("RefType"), text_of(one.find("RefSource"))) for one in comments],
                map(text_of, types),
            ),
        )
        return paper_of(record)

    def _record(self, pmid: str, summary: dict[str, Any]) -> Record:
        numbers = objects(summary.get("articleids"))
        comments = objects(summary.get("references"))
        return self._build_record(
            pmid,
            titles=[text_at(summary, "title").removesuffix(".")],
            authors=[_read_author(person) for person in objects(summary.get("authors"))],
            years=[summary.get("pubdate"), summary.get("epubdate"), summary.get("sortpubdate")],
            venues=[summary.get("fulljournalname"), summary.get("source")],
            doi={text_at(one, "idtype"): one.get("value") for one in numbers}.get("doi"),
            volume=text_at(summary, "volume"),
            issue=text_at(summary, "issue"),
            pages=text_at(summary, "pages"),
            notices=read_flags(
                self.name,
                [(one.get("reftype"), text_at(one, "refsource")) for one in comments],
                array_at(summary, "pubtype"),
            ),
        )

    def _build_record(self, pmid: str, **fields: Any) -> Record:
        url = f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid else None
        return self.build_record(pmid=pmid, url=url, kind="article-journal", **fields)


def _read_author(person: dict[str, Any]) -> Author | None:
    """Return an author of a summary; None for editors and other contributors."""
    kind = person.get("authtype")
    if kind not in ("Author", "CollectiveName", None):
        return None
    written = text_at(person, "name")
    parts = _AUTHOR.fullmatch(written)
    if parts and kind == "Author":
        return build_author(None, parts[1], " ".join(parts[2]))
    return build_author(written)


def _is_json(reply: Reply) -> bool:
    """Return whether a reply is JSON; the content type is not reliable."""
    return reply.body.lstrip().startswith(b"{")


def _read_date(article: etree._Element) -> str:
    """Return the date of the issue or, if that is a range, of the first appearance."""
    issue = article.find("Journal/JournalIssue/PubDate")
    for place in (issue, article.find("ArticleDate")):
        if place is None:
            continue
        year, month, day = (text_of(place.find(name)) for name in ("Year", "Month", "Day"))
        number = int(month) if month.isdecimal() else MONTH_NUMBERS.get(month[:3].lower(), 0)
        if year.isdecimal():
            numbers = [int(year), number, int(day) if day.isdecimal() else 0]
            return join_date(numbers[: numbers.index(0)] if 0 in numbers else numbers)
    return "" if issue is None else text_of(issue.find("MedlineDate"))[:4]
