"""PubMed: records through E-utilities; PubMed Central: open full texts through BioC, because its
pages are behind a bot check.

API: https://www.ncbi.nlm.nih.gov/books/NBK25499/ and https://www.ncbi.nlm.nih.gov/research/bionlp/
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Composer, Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry._search.replies import parse_xml, text_of
from webquarry.errors import NotFound, ProviderFailure

if TYPE_CHECKING:
    from lxml import etree

_EUTILS = "https://eutils.ncbi.nlm.nih.gov"
_BIOC = "https://www.ncbi.nlm.nih.gov"
_NOTICES = {
    "RetractionIn": "Retracted",
    "PartialRetractionIn": "Retracted in part",
    "ExpressionOfConcernIn": "Expression of concern",
    "ErratumIn": "Corrected",
    "CorrectedandRepublishedIn": "Corrected and republished",
}


class PubMedReader(SiteReader):
    name = "pubmed"
    hosts = "pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov ncbi.nlm.nih.gov"

    def match(self, url: httpx2.URL) -> str:
        """Return the PMC id or the PMID."""
        pmid, pmc = r"([0-9]{1,9})/?", r"articles/(PMC[0-9]{1,9})(?:/.{0,200})?"
        patterns = {"pubmed.ncbi.nlm.nih.gov": f"/{pmid}", "pmc.ncbi.nlm.nih.gov": f"/{pmc}"}
        pattern = patterns.get(url.host, f"/pubmed/{pmid}|/pmc/{pmc}")
        found = re.fullmatch(pattern, url.path)
        return next(filter(None, found.groups())) if found else ""

    async def fetch(self, request: SiteRequest) -> SiteReply:
        number = request.target
        if number.startswith("PMC"):
            path = f"/research/bionlp/RESTful/pmcoa.cgi/BioC_json/{number}/unicode"
            url = request.at("pubmed_bioc", _BIOC, path)
            reply = await request.get(url, f"PubMed Central has no open text of {number}.")
            if not reply.body.lstrip().startswith((b"[{", b"{", b"[\n")):  # also with HTTP 200
                raise ProviderFailure(f"The text of {number} is not open access.")
        else:
            url = request.at("pubmed", _EUTILS, "/entrez/eutils/efetch.fcgi")
            query = f"?db=pubmed&id={number}&retmode=xml&tool=webquarry"
            reply = await request.get(url + query, f"PubMed has no record {number}.")
            if b"<PubmedArticle" not in reply.body:
                raise NotFound(f"PubMed has no record {number}.")
        return request.build_reply({"number": number}, reply.body)

    def write(self, reply: SiteReply, url: str) -> Page:
        page, number = SiteWriter(reply, url), reply.data["number"]
        if number.startswith("PMC"):
            return _write_article(JsonData.parse(reply.body), number, page)
        return _write_record(parse_xml(reply.body), number, page)


def _write_record(root: etree._Element, pmid: str, page: SiteWriter) -> Page:
    """Write a record: notices (retractions) first, then facts and the labelled abstract."""
    article = root.find(".//PubmedArticle")
    article = root if article is None else article

    def read(path: str) -> str:
        return text_of(article.find(path))

    def read_all(path: str) -> str:
        return ", ".join(text_of(one) for one in article.iterfind(path))

    title = read(".//ArticleTitle")
    authors = ", ".join(_read_name(one) for one in article.iterfind(".//AuthorList/Author"))
    volume = read(".//JournalIssue/Volume")
    place = f"{read('.//Journal/Title')} {read('.//JournalIssue/PubDate')}".strip()
    if volume:
        place = f"{place}; {volume}:{read('.//MedlinePgn')}".rstrip(":")
    ids = "PubmedData/ArticleIdList/ArticleId[@IdType='{}']"
    facts = [
        authors,
        place,
        f"PMID {pmid}",
        page.label("doi:", read_all(ids.format("doi"))),
        read_all(ids.format("pmc")),
        read_all(".//PublicationType"),
    ]
    blocks: list[Content] = []
    for kind, words in _NOTICES.items():
        for notice in article.iterfind(f".//CommentsCorrections[@RefType='{kind}']/RefSource"):
            blocks.append(page.strong(f"{words}: {page.name(text_of(notice))}"))
    blocks.append(page.facts(page.name(fact) for fact in facts))
    abstract = []
    for part in article.iterfind(".//Abstract/AbstractText"):
        label = page.name(part.get("Label") or "")
        text = page.paragraphs(text_of(part))
        abstract.append(f"{page.strong(f'{label}:')} {text}" if label else text)
    blocks.append(page.section(2, "Abstract", page.join(abstract)))
    return page.build_page(
        blocks,
        title,
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        author=authors,
        published=read(".//ArticleDate/Year"),
    )


def _read_name(author: etree._Element) -> str:
    collective = text_of(author.find("CollectiveName"))
    names = [text_of(author.find("ForeName")), text_of(author.find("LastName"))]
    return collective or " ".join(filter(None, names))


def _write_article(answer: JsonData, number: str, page: SiteWriter) -> Page:
    """Write the full text of an article: a flat list of passages."""
    collections = answer.objects() or [answer]
    documents = collections[0].objects("documents")
    passages = documents[0].objects("passages") if documents else []
    first = passages[0] if passages else JsonData({})
    front, title, authors = first.object("infons"), first.text("text"), _list_authors(first)
    facts = [
        authors,
        f"{front.text('journal-title')} {front.text('year')}".strip(),
        number,
        page.label("PMID ", front.text("article-id_pmid")),
        page.label("doi:", front.text("article-id_doi")),
        front.text("license"),
    ]
    blocks: list[Content] = [page.facts(page.name(fact) for fact in facts)]
    references = []
    previous = ""
    for passage in passages[1:]:
        section = passage.text("infons", "section_type")
        if section == "REF":
            texts = [passage.text("text"), passage.text("infons", "source")]
            parts = [_list_authors(passage), *texts, passage.text("infons", "year")]
            references.append(page.name(". ".join(filter(None, parts))))
            continue
        if section == "ABSTRACT" != previous:
            blocks.append(page.heading(2, "Abstract"))
        previous = section
        blocks.append(_write_passage(passage, page))
    listed = page.numbered_items(filter(None, references))
    blocks.append(page.section(2, "References", listed))
    return page.build_page(
        blocks,
        title,
        url=f"https://pmc.ncbi.nlm.nih.gov/articles/{number}/",
        author=authors,
        published=front.text("year"),
    )


def _list_authors(passage: JsonData) -> str:
    """Return the authors, which are fields `name_0`, `name_1` and so on."""
    authors: list[str] = []
    while name := passage.text("infons", f"name_{len(authors)}"):
        found = re.match(r"surname:([^;]{0,100})(?:;given-names:(.{0,100}))?", name)
        if found is None:
            break
        authors.append(" ".join(filter(None, [found[2], found[1]])))
    return ", ".join(authors)


def _write_passage(passage: JsonData, page: Composer) -> Content:
    """Write a heading, a paragraph, a caption or a table."""
    kind, text = passage.text("infons", "type"), passage.text("text")
    level = re.fullmatch(r"title_([1-4])", kind)
    if level or kind.startswith("abstract_title"):
        return page.heading(int(level[1]) + 1 if level else 3, page.name(text))
    table = page.fragment(passage.text("infons", "xml")) if kind == "table" else ""
    return table or page.paragraphs(text)
