"""What kind of source a page is: its address and what it states in, three words of the answer out.

    sourceType      the first that speaks: a well-known host, but for preprints, which no tag makes
                    peer-reviewed; scholarly tags (a journal, a conference, a DOI of their own); a
                    government's suffix, which is part of the host table; the JSON-LD type of what
                    the page is about; the software that made the page; names in the address
                    (`docs.`, `/blog/`, `forum.`). Else `unknown`.
    authorityTier   what others say counts for more than what a page says of itself. `high`:
                    governments, journals and documentation of known hosts, sites that Wikipedia's
                    editors find reliable. `low`: what those editors find unreliable, blogs, forums,
                    social media. `medium`: all others, also pages that only call themselves
                    scholarly.
    domainCategory  the subject a host is known for; else that of the JSON-LD type; papers are
                    academic, documentation is technical. Else `general`.

The same page always gets the same words. They are hints for weighing a source, not a verdict on the
page.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, cast

from webquarry.evidence.page.jsonld import Graph, Node, types_of
from webquarry.evidence.page.tags import Tags
from webquarry.evidence.page.titles import host_of_page, split_page
from webquarry.evidence.trust.known_hosts import PREPRINT, category_of_host, type_of_host
from webquarry.evidence.trust.reputation import Reputation

SourceType = Literal[
    "peer_reviewed",
    "official_docs",
    "government",
    "news_publication",
    "blog",
    "forum",
    "wiki",
    "social_media",
    "unknown",
]
AuthorityTier = Literal["high", "medium", "low"]
DomainCategory = Literal["academic", "legal", "medical", "financial", "technical", "general"]

_SCHOLARLY_TAGS = (
    "citation_journal_title",
    "citation_conference_title",
    "citation_doi",
    "prism.doi",
)
_TYPE_OF: dict[str, SourceType] = {
    "scholarlyarticle": "peer_reviewed",
    "medicalscholarlyarticle": "peer_reviewed",
    "discussionforumposting": "forum",
    "qapage": "forum",
    "question": "forum",
    "socialmediaposting": "social_media",
    "techarticle": "official_docs",
    "apireference": "official_docs",
    "blogposting": "blog",
    "liveblogposting": "news_publication",
    "newsarticle": "news_publication",
    "reportagenewsarticle": "news_publication",
    "backgroundnewsarticle": "news_publication",
    "opinionnewsarticle": "news_publication",
    "analysisnewsarticle": "news_publication",
    "reviewnewsarticle": "news_publication",
}
_CATEGORY_OF: dict[str, DomainCategory] = {
    "medicalscholarlyarticle": "medical",
    "medicalwebpage": "medical",
    "medicalcondition": "medical",
    "legislation": "legal",
    "scholarlyarticle": "academic",
    "apireference": "technical",
    "techarticle": "technical",
    "softwaresourcecode": "technical",
}
_GENERATORS: tuple[tuple[re.Pattern[str], SourceType], ...] = (
    (re.compile(r"mediawiki|dokuwiki|xwiki|bookstack", re.IGNORECASE), "wiki"),
    (re.compile(r"discourse|phpbb|vbulletin|flarum|xenforo|mybb|nodebb", re.IGNORECASE), "forum"),
    (
        re.compile(
            r"sphinx|mkdocs|docusaurus|docfx|antora|mdbook|vitepress|gitbook", re.IGNORECASE
        ),
        "official_docs",
    ),
)
_HOST_LABELS: dict[str, SourceType] = {
    **dict.fromkeys(
        ("docs", "doc", "developer", "developers", "devdocs", "documentation"), "official_docs"
    ),
    **dict.fromkeys(("blog", "blogs"), "blog"),
    **dict.fromkeys(("forum", "forums", "discuss", "discourse", "community"), "forum"),
    "wiki": "wiki",
}
_PATH_PARTS: dict[str, SourceType] = {
    **dict.fromkeys(
        ("docs", "documentation", "reference", "api-reference", "manual"), "official_docs"
    ),
    **dict.fromkeys(("blog", "blogs"), "blog"),
    **dict.fromkeys(("forum", "forums"), "forum"),
    "wiki": "wiki",
}
_LOW: frozenset[SourceType] = frozenset({"blog", "forum", "social_media"})
_HIGH_IF_KNOWN: frozenset[SourceType] = frozenset({"peer_reviewed", "government", "official_docs"})


class Classification(NamedTuple):
    """The three words, and what they do not tell apart."""

    source_type: SourceType
    authority_tier: AuthorityTier
    domain_category: DomainCategory
    is_preprint: bool  # at a server for papers that nobody has reviewed yet


def classify(
    page_url: str, tags: Tags, graph: Graph, main: Node | None, reputation: Reputation | None
) -> Classification:
    """The words for a page; the same for the same page."""
    host = host_of_page(page_url)
    known = type_of_host(host)
    types = types_of(main)
    source_type = _source_type(page_url, host, known, tags, graph, main)
    is_known = source_type == known
    # what others say of the site, else what such sources usually deserve
    authority_tier: AuthorityTier = "medium"
    if reputation is not None and reputation.tier != "mixed":
        authority_tier = "low"
        if reputation.tier == "high":
            authority_tier = "high"
    elif source_type in _LOW:
        authority_tier = "low"
    elif is_known and source_type in _HIGH_IF_KNOWN:
        authority_tier = "high"
    domain_category = _domain_category(host, source_type, known, types)
    return Classification(source_type, authority_tier, domain_category, known == PREPRINT)


def _source_type(
    page_url: str, host: str, known: str | None, tags: Tags, graph: Graph, main: Node | None
) -> SourceType:
    """The first that speaks, in the order that is given at the head of this module."""
    if known == PREPRINT:
        return "unknown"
    if known and known != "government":
        return cast(SourceType, known)
    if not tags.by_name.keys().isdisjoint(_SCHOLARLY_TAGS):
        return "peer_reviewed"
    if known:
        return "government"
    by_node = _type_by_nodes(graph, main)
    if by_node:
        return by_node
    if "generator" in tags.by_name:
        generators = " ".join(tags.get_all("generator"))
        for pattern, source_type in _GENERATORS:
            if pattern.search(generators):
                return source_type
    return _type_by_address(page_url, host) or "unknown"


def _type_by_nodes(graph: Graph, main: Node | None) -> SourceType | None:
    """What the thing that the page is about says it is, else a page of a question."""
    for name in sorted(types_of(main)):
        if name in _TYPE_OF:
            return _TYPE_OF[name]
    for node in graph.nodes:
        if node is main:
            continue  # it has said nothing
        types = types_of(node)
        if "qapage" in types:
            return _TYPE_OF[min(types & _TYPE_OF.keys())]
    return None


def _type_by_address(page_url: str, host: str) -> SourceType | None:
    """What the first label of the host or the first folders of the path are called."""
    label = host.partition(".")[0]
    if host.count(".") > 1 and label in _HOST_LABELS:
        return _HOST_LABELS[label]
    try:
        path = split_page(page_url).path.lower()
    except ValueError:
        return None
    first_parts = path.split("/")[1:4]
    folders = first_parts[:-1]  # behind the last slash stands the page
    for folder in folders:
        if folder in _PATH_PARTS:
            return _PATH_PARTS[folder]
    return None


def _domain_category(
    host: str, source_type: SourceType, known: str | None, types: frozenset[str]
) -> DomainCategory:
    """The subject of the host, else of the page, else of such sources."""
    by_host = category_of_host(host)
    if by_host:
        return cast(DomainCategory, by_host)
    for name in sorted(types):
        if name in _CATEGORY_OF:
            return _CATEGORY_OF[name]
    if source_type == "peer_reviewed" or known == PREPRINT:
        return "academic"
    if source_type == "official_docs":
        return "technical"
    return "general"
