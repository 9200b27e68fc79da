"""Source type, authority tier and domain category of a page, by its URL and what it states.

    sourceType      the first of: a well-known host, except for preprints, which no tag makes
                    peer-reviewed; scholarly tags (a journal, a conference, a DOI); the suffix of a
                    government, which is part of the host table; the JSON-LD type of the page; the
                    software that generated it; names in the URL (`docs.`, `/blog/`, `forum.`).
                    Otherwise `unknown`.
    authorityTier   `high`: governments, journals and documentation of known hosts, sites that the
                    editors of Wikipedia rate reliable. `low`: what those editors rate unreliable,
                    blogs, forums, social media. `medium`: all others, also pages that only call
                    themselves scholarly.
    domainCategory  the subject of a known host; otherwise of the JSON-LD type; papers are academic,
                    documentation is technical. Otherwise `general`.

These are deterministic hints, not a judgement of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from webquarry.evidence.page.jsonld import types_of
from webquarry.evidence.page.markup import Markup
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


def _by_name(table: dict[str, str]) -> dict[str, str]:
    """Return the key of each name in a table of names."""
    return {name: key for key, names in table.items() for name in names.split()}


_TYPE_OF_NODE = _by_name(
    {
        "peer_reviewed": "scholarlyarticle medicalscholarlyarticle",
        "forum": "discussionforumposting qapage question",
        "social_media": "socialmediaposting",
        "official_docs": "techarticle apireference",
        "blog": "blogposting",
        "news_publication": """
            liveblogposting newsarticle reportagenewsarticle backgroundnewsarticle
            opinionnewsarticle analysisnewsarticle reviewnewsarticle
        """,
    }
)
_CATEGORY_OF_NODE = _by_name(
    {
        "medical": "medicalscholarlyarticle medicalwebpage medicalcondition",
        "legal": "legislation",
        "academic": "scholarlyarticle",
        "technical": "apireference techarticle softwaresourcecode",
    }
)
_CATEGORY_OF_TYPE = {
    "peer_reviewed": "academic",
    PREPRINT: "academic",
    "official_docs": "technical",
}
_GENERATORS = {
    "wiki": re.compile(r"mediawiki|dokuwiki|xwiki|bookstack", re.IGNORECASE),
    "forum": re.compile(r"discourse|phpbb|vbulletin|flarum|xenforo|mybb|nodebb", re.IGNORECASE),
    "official_docs": re.compile(
        r"sphinx|mkdocs|docusaurus|docfx|antora|mdbook|vitepress|gitbook", re.IGNORECASE
    ),
}
_TYPE_OF_LABEL = _by_name(
    {
        "official_docs": "docs doc developer developers devdocs documentation",
        "blog": "blog blogs",
        "forum": "forum forums discuss discourse community",
        "wiki": "wiki",
    }
)
_TYPE_OF_FOLDER = _by_name(
    {
        "official_docs": "docs documentation reference api-reference manual",
        "blog": "blog blogs",
        "forum": "forum forums",
        "wiki": "wiki",
    }
)
_LOW = ("blog", "forum", "social_media")
_HIGH_IF_KNOWN = ("peer_reviewed", "government", "official_docs")


class Classification(NamedTuple):
    """The classification of a page."""

    source_type: SourceType
    authority_tier: AuthorityTier
    domain_category: DomainCategory
    is_preprint: bool  # from a server of papers that are not reviewed


def classify(markup: Markup, reputation: Reputation | None) -> Classification:
    """Return the classification of a page."""
    host = host_of_page(markup.url)
    known = type_of_host(host)
    source_type = next(_list_types(markup, host, known))
    tier: AuthorityTier = "medium"
    if reputation is not None and reputation.tier != "mixed":
        tier = reputation.tier
    elif source_type in _LOW:
        tier = "low"
    elif source_type == known and source_type in _HIGH_IF_KNOWN:
        tier = "high"
    by_node = (_CATEGORY_OF_NODE.get(name) for name in sorted(types_of(markup.main)))
    category = (
        category_of_host(host)
        or next(filter(None, by_node), None)
        or _CATEGORY_OF_TYPE.get(PREPRINT if known == PREPRINT else source_type, "general")
    )
    return Classification(
        cast(SourceType, source_type), tier, cast(DomainCategory, category), known == PREPRINT
    )


def _list_types(markup: Markup, host: str, known: str | None) -> Iterator[str]:
    """Yield source types, the most reliable first."""
    if known == PREPRINT:
        yield "unknown"
    if known and known != "government":
        yield known
    if any(markup.list_metas(*_SCHOLARLY_TAGS)):
        yield "peer_reviewed"
    if known:
        yield known
    for name in sorted(types_of(markup.main) & _TYPE_OF_NODE.keys()):
        yield _TYPE_OF_NODE[name]
    for node in markup.graph.nodes:
        types = types_of(node)
        if node is not markup.main and "qapage" in types:
            yield _TYPE_OF_NODE[min(types & _TYPE_OF_NODE.keys())]
    generators = " ".join(markup.by_name.get("generator", ()))
    for source_type, pattern in _GENERATORS.items():
        if pattern.search(generators):
            yield source_type
    label = host.partition(".")[0]
    if host.count(".") > 1 and label in _TYPE_OF_LABEL:
        yield _TYPE_OF_LABEL[label]
    try:
        folders = split_page(markup.url).path.lower().split("/")[1:4][:-1]
    except ValueError:
        folders = []
    for folder in folders:
        if folder in _TYPE_OF_FOLDER:
            yield _TYPE_OF_FOLDER[folder]
    yield "unknown"
