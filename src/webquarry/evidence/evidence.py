"""Evidence for a page: metadata, classification, DOI, citation. Deterministic and without network.

Pages without markup (PDF, text) are judged by their URL and by what the file states.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from webquarry._read.html.parse import Document
from webquarry._read.models import Dated, Page
from webquarry.evidence.citation import describe_source, format_all
from webquarry.evidence.doi import detect_doi
from webquarry.evidence.models import DomainReputation, ForumSignals, FullCitation
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.jsonld import types_of
from webquarry.evidence.page.markup import Markup
from webquarry.evidence.page.metadata import PageFacts, read_facts
from webquarry.evidence.page.structured import read_structured_data
from webquarry.evidence.page.text import clean_html_line, clean_line
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

_KIND_OF_TYPE = {
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
_CONTAINER_TAGS = ("citation_journal_title", "citation_conference_title", "prism.publicationname")
_MAX_CHAIN = 4  # an article, its issue, its volume, the journal
_MAX_TAG = 300  # characters


class Evidence(NamedTuple):
    """Evidence for a page. Dictionaries have the JSON form of the models in `models.py`."""

    work: Work
    cited: dict[str, Any]  # a `CitedSource`
    metadata: dict[str, Any] | None  # a `Metadata`, if a title is stated
    structured_data: dict[str, Any] | None  # a `StructuredData`
    forum_signals: ForumSignals | None
    source_type: SourceType
    authority_tier: AuthorityTier
    domain_category: DomainCategory
    source_reputation: DomainReputation | None
    detected_doi: str | None  # of peer-reviewed pages
    published: Dated | None
    modified: Dated | None

    @property
    def citation(self) -> FullCitation:
        """The citation in every style."""
        return FullCitation.from_json({**self.cited, "formatted": format_all(self.work)})


def evidence_of(
    page_url: str, document: Document | None, page: Page, accessed: datetime
) -> Evidence:
    """Return the evidence for one page."""
    markup = Markup(page_url, document)
    facts = read_facts(markup, page, accessed)
    reputation = reputation_of(page_url)
    classification = classify(markup, reputation)
    source_type = classification.source_type
    doi = detect_doi(markup, page.markdown)
    peer_reviewed_doi = doi if source_type == "peer_reviewed" else None
    container = _find_container(markup)
    if classification.is_preprint:
        work = _build_work(markup, facts, accessed, "article", container, doi)
    else:
        kind = _find_kind(markup, source_type, container)
        work = _build_work(markup, facts, accessed, kind, container, peer_reviewed_doi)
    domain_reputation = None
    if reputation:
        domain_reputation = DomainReputation(tier=reputation.tier, basis=reputation.basis)
    return Evidence(
        work=work,
        cited=describe_source(work, facts.author, accessed, facts.published_value),
        metadata=_describe_facts(facts),
        structured_data=read_structured_data(markup),
        forum_signals=read_forum_signals(markup),
        source_type=source_type,
        authority_tier=classification.authority_tier,
        domain_category=classification.domain_category,
        source_reputation=domain_reputation,
        detected_doi=peer_reviewed_doi,
        published=facts.published,
        modified=facts.modified,
    )


def _describe_facts(facts: PageFacts) -> dict[str, Any] | None:
    """Return the fields of a `Metadata`; None if no title is stated."""
    if facts.title is None:
        return None
    metadata: dict[str, Any] = {"title": facts.title.value, "author": facts.author}
    if facts.site is not None:
        metadata["siteName"] = facts.site.value
    for name, date in (("published", facts.published), ("modified", facts.modified)):
        if date is not None:
            metadata[name] = {"value": date.value, "field": date.field}
    return metadata


def _build_work(
    markup: Markup,
    facts: PageFacts,
    accessed: datetime,
    kind: str,
    container: str,
    doi: str | None,
) -> Work:
    """Return the page as a work that can be cited."""
    site = facts.site.value if facts.site else host_of_page(markup.url)
    title = facts.title.value if facts.title else clean_line(title_from_url(markup.url))
    language = markup.language or _get_meta(markup, "citation_language")
    work = Work(
        kind=kind,
        title=title,
        authors=facts.authors,
        container=site,
        doi=doi or "",
        url=markup.url,
        issued=date_parts(facts.published_value),
        accessed=(accessed.year, accessed.month, accessed.day),
        language=language or _get_meta(markup, "og:locale").replace("_", "-"),
    )
    if kind == "report":
        return replace(work, number=_get_meta(markup, "citation_technical_report_number"))
    if kind == "article":  # a preprint, published by its server
        number = _get_meta(markup, "citation_arxiv_id").lower().removeprefix("arxiv:")
        return replace(
            work, container="", publisher=site, number=f"arXiv:{number}" if number else ""
        )
    if kind not in ("article-journal", "paper-conference"):
        return work
    first, last, publisher, volume, issue, issn = (
        _get_meta(markup, f"citation_{name}")
        for name in ("firstpage", "lastpage", "publisher", "volume", "issue", "issn")
    )
    return replace(
        work,
        container=container or site,
        publisher=publisher,
        volume=volume,
        issue=issue,
        pages=f"{first}-{last}" if last and last != first else first,
        issn=issn,
    )


def _find_kind(markup: Markup, source_type: SourceType, container: str) -> str:
    """Return the CSL type: by the container, the host, the source type or the JSON-LD type."""
    if source_type == "peer_reviewed":
        if _get_meta(markup, "citation_conference_title"):
            return "paper-conference"
        return "article-journal" if container else "webpage"
    host = f".{host_of_page(markup.url)}"
    if host.endswith(tuple(f".{video}" for video in _VIDEO_HOSTS)):
        return "motion_picture"
    kinds = [_KIND_OF_TYPE.get(source_type), *map(_KIND_OF_NODE.get, sorted(types_of(markup.main)))]
    return next(filter(None, kinds), "webpage")


def _find_container(markup: Markup) -> str:
    """Return the journal or the proceedings, from tags or along `isPartOf`."""
    stated = _get_meta(markup, *_CONTAINER_TAGS)
    part: Any = markup.main
    for _ in range(_MAX_CHAIN):
        if stated or not isinstance(part, dict) or "isPartOf" not in part:
            break
        part = part["isPartOf"]
        if isinstance(part, list) and part:
            part = part[0]
        if "periodical" in types_of(part):
            return clean_html_line(part.get("name"), _MAX_TAG)
    return stated


def _get_meta(markup: Markup, *names: str) -> str:
    """Return the first content of meta tags that is not blank."""
    contents = (clean_html_line(content, _MAX_TAG) for _, content in markup.list_metas(*names))
    return next(filter(None, contents), "")
