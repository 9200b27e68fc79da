"""A page that was read in, all that can be said for quoting and weighing it out. No network, no
clock, no guess.

    tags, JSON-LD -> facts -> classification -> DOI -> the work -> citation

A page without markup (PDF, text) is judged by its address and by what the file says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webquarry.evidence.citation import build_citation
from webquarry.evidence.doi import detect_doi
from webquarry.evidence.language.size import SizeCategory, estimate_tokens, size_category
from webquarry.evidence.language.text import line, line_from_html
from webquarry.evidence.models import (
    Citation,
    DomainReputation,
    ForumSignals,
    Metadata,
    StatedDate,
    StructuredData,
)
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.forum import forum_signals
from webquarry.evidence.page.jsonld import Node, main_node, read_graph, types_of
from webquarry.evidence.page.metadata import PageFacts, read_facts
from webquarry.evidence.page.structured import structured_data
from webquarry.evidence.page.tags import Tags, read_tags
from webquarry.evidence.page.titles import host_of_page, title_from_url
from webquarry.evidence.styles.work import Work
from webquarry.evidence.trust.classify import (
    AuthorityTier,
    DomainCategory,
    SourceType,
    classify,
    is_preprint,
)
from webquarry.evidence.trust.reputation import reputation_of
from webquarry.read.html.parse import Document
from webquarry.read.models import Dated, Page

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


@dataclass(frozen=True)
class Evidence:
    """What the answer says of a page beside its text. `size` and `tokens` are those of the whole
    Markdown.
    """

    citation: Citation
    metadata: Metadata | None  # only where a title was stated
    structured_data: StructuredData | None
    forum_signals: ForumSignals | None
    source_type: SourceType
    authority_tier: AuthorityTier
    domain_category: DomainCategory
    source_reputation: DomainReputation | None
    detected_doi: str | None  # of peer-reviewed pages only; ask Crossref about it (`retraction.py`)
    published: Dated | None
    modified: Dated | None
    estimated_tokens: int
    size_category: SizeCategory


def evidence_of(
    page_url: str, document: Document | None, page: Page, accessed: datetime
) -> Evidence:
    """All the evidence for one page."""
    tags = read_tags(document)
    graph = read_graph(tags.scripts)
    main = main_node(graph, (page_url, tags.canonical, *tags.all("og:url")))
    facts = read_facts(page_url, tags, graph, main, page, accessed)
    reputation = reputation_of(page_url)
    kind = classify(page_url, tags, graph, main, reputation)
    doi = detect_doi(page_url, tags, main, page.markdown)
    detected = None
    if kind.source_type == "peer_reviewed":
        detected = doi
    preprint = is_preprint(page_url)
    work = _work(
        page_url,
        tags,
        main,
        facts,
        kind.source_type,
        preprint,
        accessed,
        doi if preprint else detected,
    )
    length = len(page.markdown.encode())
    return Evidence(
        citation=build_citation(
            work, page_url, accessed, facts.published.value if facts.published else None
        ),
        metadata=_metadata(facts),
        structured_data=structured_data(tags),
        forum_signals=forum_signals(page_url, graph),
        source_type=kind.source_type,
        authority_tier=kind.authority_tier,
        domain_category=kind.domain_category,
        source_reputation=DomainReputation.model_validate(vars(reputation)) if reputation else None,
        detected_doi=detected,
        published=facts.published,
        modified=facts.modified,
        estimated_tokens=estimate_tokens(length),
        size_category=size_category(length),
    )


def _metadata(facts: PageFacts) -> Metadata | None:
    if facts.title is None:
        return None
    return Metadata(
        title=facts.title.value,
        author=facts.author,
        site_name=facts.site.value if facts.site else None,
        published=_stated(facts.published),
        modified=_stated(facts.modified),
    )


def _stated(date: Dated | None) -> StatedDate | None:
    if date:
        return StatedDate(value=date.value, field=date.field)
    return None


def _work(
    page_url: str,
    tags: Tags,
    main: Node | None,
    facts: PageFacts,
    source_type: SourceType,
    preprint: bool,
    accessed: datetime,
    doi: str | None,
) -> Work:
    kind = _kind(page_url, tags, main, source_type, preprint)
    first, last = _tag(tags, "citation_firstpage"), _tag(tags, "citation_lastpage")
    scholarly = kind in ("article-journal", "paper-conference")
    if facts.site:
        site = facts.site.value
    else:
        site = host_of_page(page_url)
    return Work(
        kind=kind,
        title=facts.title.value if facts.title else line(title_from_url(page_url)),
        authors=facts.authors,
        container=_container(tags, main) or site
        if scholarly
        else ""
        if kind == "article"
        else site,
        publisher=_tag(tags, "citation_publisher")
        if scholarly
        else site
        if kind == "article"
        else "",
        volume=_tag(tags, "citation_volume") if scholarly else "",
        issue=_tag(tags, "citation_issue") if scholarly else "",
        pages=(f"{first}-{last}" if last and last != first else first) if scholarly else "",
        number=_number(tags, kind),
        doi=doi or "",
        url=page_url,
        issued=date_parts(facts.published.value if facts.published else None),
        accessed=(accessed.year, accessed.month, accessed.day),
        issn=_tag(tags, "citation_issn") if scholarly else "",
        language=tags.language
        or _tag(tags, "citation_language")
        or _tag(tags, "og:locale").replace("_", "-"),
    )


def _kind(
    page_url: str, tags: Tags, main: Node | None, source_type: SourceType, preprint: bool
) -> str:
    """The type of CSL: by what it was published in, where it stands, or what it says it is."""
    if preprint:
        return "article"
    if source_type == "peer_reviewed":
        if _tag(tags, "citation_conference_title"):
            return "paper-conference"
        if _container(tags, main):
            return "article-journal"
        return "webpage"
    host = host_of_page(page_url)
    if any(host == video or host.endswith(f".{video}") for video in _VIDEO_HOSTS):
        return "motion_picture"
    stated = [_KIND_OF_NODE[name] for name in sorted(types_of(main)) if name in _KIND_OF_NODE]
    return _KIND_OF_TYPE.get(source_type) or (stated[0] if stated else "webpage")


def _container(tags: Tags, main: Node | None) -> str:
    """The journal or the proceedings, by its tags or up the chain of `isPartOf`."""
    for name in ("citation_journal_title", "citation_conference_title", "prism.publicationname"):
        if stated := _tag(tags, name):
            return stated
    part: Any = main
    for _ in range(4):
        if isinstance(part, Mapping):
            part = part.get("isPartOf")
        else:
            part = None
        part = part[0] if isinstance(part, list) and part else part
        if "periodical" in types_of(part):
            return line_from_html(part.get("name"), 300)
    return ""


def _number(tags: Tags, kind: str) -> str:
    if kind == "report":
        return _tag(tags, "citation_technical_report_number")
    arxiv = ""
    if kind == "article":
        arxiv = _tag(tags, "citation_arxiv_id").lower().removeprefix("arxiv:")
    if arxiv:
        return f"arXiv:{arxiv}"
    return ""


def _tag(tags: Tags, name: str) -> str:
    return next(
        (stated for content in tags.all(name) if (stated := line_from_html(content, 300))), ""
    )
