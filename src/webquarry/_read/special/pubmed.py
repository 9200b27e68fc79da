"""PubMed by E-utilities: the record with its labelled abstract; PubMed Central by BioC: the full
text of what is open. The pages of PubMed Central ask programs to prove that they are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.special._parts.json_fields import get_fields, get_objects, get_text, get_texts
from webquarry._read.special._parts.site_markdown import join_blocks, join_facts
from webquarry._read.special._parts.site_request import (
    SiteRequest,
    SiteWriter,
    check_status,
    load_json,
)
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry._search.scholarly.xml import parse_xml, text_of
from webquarry.errors import NotFound, ProviderFailure

if TYPE_CHECKING:
    from lxml import etree

EUTILS = "https://eutils.ncbi.nlm.nih.gov"
BIOC = "https://www.ncbi.nlm.nih.gov"
_PMID = re.compile(r"/(?:pubmed/)?([0-9]{1,9})/?")
_PMC = re.compile(r"/(?:pmc/)?articles/(PMC[0-9]{1,9})(?:/.{0,200})?")
_PMC_HOSTS = frozenset({"pmc.ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"})
_PUBMED_HOSTS = frozenset({"pubmed.ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"})
_NAME = re.compile(r"surname:([^;]{0,100})(?:;given-names:(.{0,100}))?")
# How PubMed tells what became of a paper.
_NOTICES = {
    "RetractionIn": "Retracted",
    "PartialRetractionIn": "Retracted in part",
    "ExpressionOfConcernIn": "Expression of concern",
    "ErratumIn": "Corrected",
    "CorrectedandRepublishedIn": "Corrected and published again",
}


class PubMedReader(SpecialReader):
    name = "pubmed"

    def knows_host(self, host: str) -> bool:
        return host in _PMC_HOSTS or host in _PUBMED_HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        return bool(find_pmc(url) or find_pmid(url))

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        address = httpx2.URL(url)
        request = SiteRequest(self.name, url, context)
        number = find_pmc(address)
        if number:
            path = f"/research/bionlp/RESTful/pmcoa.cgi/BioC_json/{number}/unicode"
            reply = await request.send(context.url("pubmed_bioc", BIOC, path))
            check_status(reply, f"PubMed Central has no open text of {number}.")
            if not reply.body.lstrip().startswith((b"[{", b"{", b"[\n")):
                raise ProviderFailure(f"The text of {number} is not open to programs.")
            return request.build_reply({"number": number}, reply.body)
        pmid = find_pmid(address)
        base = context.url("pubmed", EUTILS, "/entrez/eutils/efetch.fcgi")
        reply = await request.send(f"{base}?db=pubmed&id={pmid}&retmode=xml&tool=webquarry")
        check_status(reply, f"PubMed has no record {pmid}.")
        if b"<PubmedArticle" not in reply.body:
            raise NotFound(f"PubMed has no record {pmid}.")
        return request.build_reply({"pmid": pmid}, reply.body)

    def write(self, reply: SiteReply, url: str) -> Page:
        if "number" in reply.data:
            return _write_article(reply, SiteWriter(reply, url))
        return _write_record(reply, SiteWriter(reply, url))


def find_pmc(url: httpx2.URL) -> str:
    """The number of an article of PubMed Central."""
    found = _PMC.fullmatch(url.path)
    if found and url.host in _PMC_HOSTS:
        return found[1]
    return ""


def find_pmid(url: httpx2.URL) -> str:
    """The number of a record of PubMed."""
    found = _PMID.fullmatch(url.path)
    is_short = url.host == "pubmed.ncbi.nlm.nih.gov"
    if found and url.host in _PUBMED_HOSTS and (is_short or url.path.startswith("/pubmed/")):
        return found[1]
    return ""


def _write_record(reply: SiteReply, writer: SiteWriter) -> Page:
    """A record: what became of the paper first, then the abstract with its labels."""
    from lxml import etree

    composer = writer.composer
    article = parse_xml(reply.body).find(".//PubmedArticle")
    if article is None:
        article = etree.Element("none")
    title = text_of(article.find(".//ArticleTitle"))
    authors = [_write_name(author) for author in article.iterfind(".//AuthorList/Author")]
    pmid = get_text(reply.data, "pmid")
    warnings = []
    for notice in article.iterfind(".//CommentsCorrections"):
        kind = _NOTICES.get(notice.get("RefType") or "")
        if kind:
            source = text_of(notice.find("RefSource"))
            warnings.append(f"**{kind}: {composer.name(source)}**")
    terms = [text_of(term) for term in article.iterfind(".//MeshHeading/DescriptorName")]
    types = [text_of(kind) for kind in article.iterfind(".//PublicationType")]
    sections = []
    for part in article.iterfind(".//Abstract/AbstractText"):
        label = composer.name(part.get("Label") or "")
        text = composer.paragraphs(text_of(part))
        sections.append(f"**{label}:** {text}" if label else text)
    blocks = [
        f"# {composer.name(title)}",
        *warnings,
        _write_record_facts(article, authors, pmid, types, composer),
        "## Abstract" if sections else "",
        *sections,
        f"MeSH: {composer.name(', '.join(terms))}" if terms else "",
    ]
    return writer.build_page(
        join_blocks(blocks),
        title,
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        author=", ".join(authors),
        published=text_of(article.find(".//ArticleDate/Year")),
    )


def _write_name(author: etree._Element) -> str:
    collective = text_of(author.find("CollectiveName"))
    if collective:
        return collective
    names = [text_of(author.find("ForeName")), text_of(author.find("LastName"))]
    return " ".join(filter(None, names))


def _write_record_facts(
    article: etree._Element,
    authors: Sequence[str],
    pmid: str,
    types: Sequence[str],
    composer: Composer,
) -> str:
    journal = text_of(article.find(".//Journal/Title"))
    volume = text_of(article.find(".//JournalIssue/Volume"))
    pages = text_of(article.find(".//MedlinePgn"))
    year = text_of(article.find(".//JournalIssue/PubDate"))
    place = " ".join(filter(None, [journal, year]))
    if volume:
        place = f"{place}; {volume}:{pages}".rstrip(":")
    identities = [f"PMID {pmid}"]
    for identity in article.iterfind("PubmedData/ArticleIdList/ArticleId"):
        if identity.get("IdType") == "doi":
            identities.append(f"doi:{text_of(identity)}")
        elif identity.get("IdType") == "pmc":
            identities.append(text_of(identity))
    facts = [", ".join(authors), place, *identities, ", ".join(types)]
    return join_facts(composer.name(fact) for fact in facts)


def _write_article(reply: SiteReply, writer: SiteWriter) -> Page:
    """The full text of an article of PubMed Central."""
    composer = writer.composer
    answer = load_json(reply.body)
    collections = get_objects({"all": answer}, "all") or [get_fields(answer)]
    documents = get_objects(collections[0], "documents")
    passages = get_objects(documents[0], "passages") if documents else []
    front = get_fields(passages[0], "infons") if passages else {}
    title = get_text(passages[0], "text") if passages else ""
    number = get_text(reply.data, "number")
    authors = _list_authors(front)
    blocks = [f"# {composer.name(title)}", _write_front(front, authors, number, composer)]
    references = []
    heading = ""
    for passage in passages[1:]:
        section = get_text(passage, "infons", "section_type")
        if section == "REF":
            references.append(_write_reference(passage, composer))
            continue
        if section == "ABSTRACT" and heading != section:
            blocks.append("## Abstract")
        heading = section
        blocks.append(_write_passage(passage, composer))
    listed = [reference for reference in references if reference]
    if listed:
        numbered = [f"{place}. {text}" for place, text in enumerate(listed, 1)]
        blocks += ["## References", "\n".join(numbered)]
    return writer.build_page(
        join_blocks(blocks),
        title,
        url=f"https://pmc.ncbi.nlm.nih.gov/articles/{number}/",
        author=", ".join(authors),
        published=get_text(front, "year"),
        lost=get_texts(reply.data, "lost"),
    )


def _list_authors(infons: Mapping[str, Any]) -> list[str]:
    """The authors, which are fields called `name_0`, `name_1` and so on."""
    authors = []
    for number in range(len(infons)):
        found = _NAME.match(get_text(infons, f"name_{number}"))
        if found is None:
            break
        authors.append(" ".join(filter(None, [found[2], found[1]])))
    return authors


def _write_front(
    front: Mapping[str, Any], authors: Sequence[str], number: str, composer: Composer
) -> str:
    doi = get_text(front, "article-id_doi")
    pmid = get_text(front, "article-id_pmid")
    facts = [
        ", ".join(authors),
        " ".join(filter(None, [get_text(front, "journal-title"), get_text(front, "year")])),
        number,
        f"PMID {pmid}" if pmid else "",
        f"doi:{doi}" if doi else "",
        get_text(front, "license"),
    ]
    return join_facts(composer.name(fact) for fact in facts)


def _write_passage(passage: Mapping[str, Any], composer: Composer) -> str:
    """A heading, a paragraph, a caption or a table."""
    kind = get_text(passage, "infons", "type")
    text = get_text(passage, "text")
    if kind.startswith("abstract_title"):
        return f"### {composer.name(text)}"
    level = re.fullmatch(r"title_([1-4])", kind)
    if level:
        return f"{'#' * (int(level[1]) + 1)} {composer.name(text)}"
    if kind == "table":
        table = get_text(passage, "infons", "xml")
        return composer.fragment(table) or composer.paragraphs(text)
    return composer.paragraphs(text)


def _write_reference(passage: Mapping[str, Any], composer: Composer) -> str:
    infons = get_fields(passage, "infons")
    parts = [
        ", ".join(_list_authors(infons)),
        get_text(passage, "text"),
        get_text(infons, "source"),
        get_text(infons, "year"),
    ]
    return composer.name(". ".join(filter(None, parts)))
