"""A page that was read in, all that can be said for quoting and weighing it out. No network, no
clock, no guess.

    tags, JSON-LD -> facts -> classification -> DOI -> the work -> citation

A page without markup (PDF, text) is judged by its address and by what the file says of itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from webquarry._read.html.parse import Document
from webquarry._read.models import Dated, Page
from webquarry.evidence.citation import describe_source, format_all
from webquarry.evidence.doi import detect_doi
from webquarry.evidence.language.text import clean_html_line, clean_line
from webquarry.evidence.models import DomainReputation, ForumSignals, FullCitation
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.jsonld import JsonLdBlock, Node, find_main_node, read_graph, types_of
from webquarry.evidence.page.metadata import PageFacts, read_facts
from webquarry.evidence.page.structured import read_structured_data
from webquarry.evidence.page.tags import Tags
from webquarry.evidence.page.titles import host_of_page, title_from_url
from webquarry.evidence.styles.work import Work
from webquarry.evidence.trust.classify import (
    AuthorityTier,
    DomainCategory,
    SourceType,
    classify,
)
from webquarry.evidence.trust.forum import read_forum_signals
from webquarry.evidence.trust.reputation import reputation_of

_KIND_OF_TYPE: dict[SourceType, str] = {
    "news_publication": "article-newspaper",
    "blog": "post-weblog",
    "forum": "post",
    "social_media": "post",
}
_KIND_OF_NODE = {
    "dataset": "dataset",
    "softwaresourcecode": "software",
    "report": "report",
    "videoobject": "motion_picture",
}
_VIDEO_HOSTS = ("youtube.com", "youtu.be", "vimeo.com")
_VIDEO_HOST_ENDS = tuple(f".{host}" for host in _VIDEO_HOSTS)
_CONTAINER_TAGS = ("citation_journal_title", "citation_conference_title", "prism.publicationname")
_LONGEST_CHAIN = 4  # an article, its issue, its volume, the journal
_LONGEST_TAG = 300  # characters


class Evidence(NamedTuple):
    """What the answer says of a page beside its text. What every page has comes as JSON has it,
    under the names of `models.py`: it is written and not looked at.
    """

    work: Work
    cited: dict[str, Any]  # a `CitedSource`
    metadata: dict[str, Any] | None  # a `Metadata`, only where a title was stated
    structured_data: dict[str, Any] | None  # a `StructuredData`
    forum_signals: ForumSignals | None
    source_type: SourceType
    authority_tier: AuthorityTier
    domain_category: DomainCategory
    source_reputation: DomainReputation | None
    detected_doi: str | None  # of peer-reviewed pages only; ask Crossref about it (`retraction.py`)
    published: Dated | None
    modified: Dated | None

    @property
    def citation(self) -> FullCitation:
        """The citation in every form."""
        formatted = format_all(self.work)
        return FullCitation.from_json({**self.cited, "formatted": formatted})


def evidence_of(
    page_url: str, document: Document | None, page: Page, accessed: datetime
) -> Evidence:
    """All the evidence for one page."""
    tags = Tags(document)
    blocks = [JsonLdBlock(text) for text in tags.scripts]
    graph = read_graph(blocks)
    main = find_main_node(graph, _iterate_addresses(page_url, tags))
    facts = read_facts(page_url, tags, graph, main, page, accessed)
    reputation = reputation_of(page_url)
    classification = classify(page_url, tags, graph, main, reputation)
    source_type = classification.source_type
    doi = detect_doi(page_url, tags, main, page.markdown)
    peer_reviewed_doi = doi if source_type == "peer_reviewed" else None
    container = _find_container(tags, main)
    if classification.is_preprint:
        kind, cited_doi = "article", doi
    else:
        kind = _csl_kind(page_url, tags, main, source_type, container)
        cited_doi = peer_reviewed_doi
    work = _build_work(
        page_url, tags, facts, accessed, kind=kind, container=container, doi=cited_doi
    )
    domain_reputation = None
    if reputation:
        domain_reputation = DomainReputation(tier=reputation.tier, basis=reputation.basis)
    author = facts.author
    return Evidence(
        work=work,
        cited=describe_source(work, author, accessed, facts.published_value),
        metadata=_describe_facts(facts, author),
        structured_data=read_structured_data(tags, blocks),
        forum_signals=read_forum_signals(page_url, graph),
        source_type=source_type,
        authority_tier=classification.authority_tier,
        domain_category=classification.domain_category,
        source_reputation=domain_reputation,
        detected_doi=peer_reviewed_doi,
        published=facts.published,
        modified=facts.modified,
    )


def _iterate_addresses(page_url: str, tags: Tags) -> Iterator[str]:
    """The addresses of a page: where it was found, and what it calls its own."""
    yield page_url
    yield tags.canonical
    yield from tags.get_all("og:url")


def _describe_facts(facts: PageFacts, author: str) -> dict[str, Any] | None:
    """What a page says of itself, as a `Metadata` has it; None where no title was stated."""
    if facts.title is None:
        return None
    metadata: dict[str, Any] = {"title": facts.title.value, "author": author}
    if facts.site is not None:
        metadata["siteName"] = facts.site.value
    for name, date in (("published", facts.published), ("modified", facts.modified)):
        if date is not None:
            metadata[name] = {"value": date.value, "field": date.field}
    return metadata


def _build_work(
    page_url: str,
    tags: Tags,
    facts: PageFacts,
    accessed: datetime,
    *,
    kind: str,
    container: str,
    doi: str | None,
) -> Work:
    """The page as a work that can be cited."""
    site = facts.site.value if facts.site else host_of_page(page_url)
    if facts.title:
        title = facts.title.value
    else:
        title = clean_line(title_from_url(page_url))
    number = ""
    if kind == "report":
        number = _get_tag(tags, "citation_technical_report_number")
    elif kind == "article":
        number = _get_tag(tags, "citation_arxiv_id").lower().removeprefix("arxiv:")
        number = f"arXiv:{number}" if number else ""
    language = tags.language or _get_tag(tags, "citation_language")
    work = Work(
        kind=kind,
        title=title,
        authors=facts.authors,
        container=site,
        number=number,
        doi=doi or "",
        url=page_url,
        issued=date_parts(facts.published_value),
        accessed=(accessed.year, accessed.month, accessed.day),
        language=language or _get_tag(tags, "og:locale").replace("_", "-"),
    )
    if kind == "article":  # a preprint, which its server publishes
        return replace(work, container="", publisher=site)
    if kind not in ("article-journal", "paper-conference"):
        return work
    pages = _get_tag(tags, "citation_firstpage")
    last_page = _get_tag(tags, "citation_lastpage")
    if last_page and last_page != pages:
        pages = f"{pages}-{last_page}"
    return replace(
        work,
        container=container or site,
        publisher=_get_tag(tags, "citation_publisher"),
        volume=_get_tag(tags, "citation_volume"),
        issue=_get_tag(tags, "citation_issue"),
        pages=pages,
        issn=_get_tag(tags, "citation_issn"),
    )


def _csl_kind(
    page_url: str, tags: Tags, main: Node | None, source_type: SourceType, container: str
) -> str:
    """The type of CSL: by what it was published in, where it stands, or what it says it is."""
    if source_type == "peer_reviewed":
        if _get_tag(tags, "citation_conference_title"):
            return "paper-conference"
        if container:
            return "article-journal"
        return "webpage"
    host = host_of_page(page_url)
    if host in _VIDEO_HOSTS or host.endswith(_VIDEO_HOST_ENDS):
        return "motion_picture"
    if source_type in _KIND_OF_TYPE:
        return _KIND_OF_TYPE[source_type]
    for name in sorted(types_of(main)):
        if name in _KIND_OF_NODE:
            return _KIND_OF_NODE[name]
    return "webpage"


def _find_container(tags: Tags, main: Node | None) -> str:
    """The journal or the proceedings, by its tags or up the chain of `isPartOf`."""
    for _, content in tags.list_metas(_CONTAINER_TAGS):
        stated = clean_html_line(content, _LONGEST_TAG)
        if stated:
            return stated
    part: Any = main
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(part, dict) or "isPartOf" not in part:
            break
        part = part["isPartOf"]
        if isinstance(part, list) and part:
            part = part[0]
        if "periodical" in types_of(part):
            return clean_html_line(part.get("name"), _LONGEST_TAG)
    return ""


def _get_tag(tags: Tags, name: str) -> str:
    """The first content of a meta tag that says something."""
    for content in tags.get_all(name):
        value = clean_html_line(content, _LONGEST_TAG)
        if value:
            return value
    return ""
