"""Structured data of a page for answers: unchanged, and shortened to the most useful part.

JSON-LD blocks are given as their values, with long texts shortened. Invalid blocks and what exceeds
the limits are omitted and counted. The contents of repeated tags are joined by `; `.

The short form takes at most 240 bytes of JSON: whole values under their names, the most useful
first (prices, ratings, dates of events, times, amounts), without URLs, images, descriptions and
what the metadata says. `more` marks that something is omitted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from webquarry._read.text.characters import without_surrogates
from webquarry._search.text import shorten_text
from webquarry.evidence.page.text import clean_line

if TYPE_CHECKING:
    from webquarry.evidence.page.markup import Markup

MOST_BYTES = 240  # of the short form
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
_MAX_READ = 200_000  # characters of all JSON-LD blocks
_MAX_GIVEN = 50_000
_MAX_TEXT = 2_000  # of a block, and of a tag
_MAX_TAGS = 20_000  # characters of all tags of a kind
_SPARE = 4  # bytes that stay free
_MAX_SHORT_TEXT = 120  # a longer text is in the content
_MAX_DEPTH = 6
_MAX_MEMBERS = 200  # of one object or list that are examined

_USEFUL = """
    @type name offers price lowPrice highPrice priceCurrency availability priceValidUntil
    aggregateRating ratingValue reviewRating bestRating reviewCount ratingCount
    brand sku mpn gtin gtin13 model color size weight itemCondition
    startDate endDate eventStatus eventAttendanceMode location validThrough
    recipeYield totalTime prepTime cookTime recipeIngredient nutrition calories
    duration uploadDate baseSalary value minValue maxValue unitText currency employmentType
    hiringOrganization address streetAddress postalCode addressLocality addressCountry telephone
    openingHours openingHoursSpecification dayOfWeek opens closes
    isAccessibleForFree license version softwareVersion operatingSystem
    applicationCategory upvoteCount answerCount commentCount interactionStatistic
    userInteractionCount interactionType
    episodeNumber numberOfPages isbn datasetTimeInterval temporalCoverage spatialCoverage
""".split()  # noqa: SIM905
_RANK = {name: rank for rank, name in enumerate(_USEFUL)}
_NEVER = frozenset(
    """
    @context @id url mainEntityOfPage sameAs image images logo thumbnail thumbnailUrl contentUrl
    embedUrl description articleBody text inLanguage isPartOf hasPart potentialAction breadcrumb
    speakable
    """.split()  # noqa: SIM905
)
_SKIPPED_TYPES = frozenset({"BreadcrumbList", "WebSite", "SearchAction", "ImageObject", "WebPage"})
_SKIPPED_TAGS = frozenset(
    """
    og:title og:site_name og:url og:description og:locale og:type article:author article:publisher
    citation_title citation_author citation_doi citation_journal_title citation_volume
    citation_issue citation_firstpage citation_lastpage citation_publisher citation_language
    citation_abstract citation_keywords citation_abstract_html_url citation_fulltext_html_url
    """.split()  # noqa: SIM905
)
_MEDIA_TAGS = ("og:image", "og:video", "og:audio")
_AUTHORS = ("author", "creator", "contributor", "publisher", "copyrightHolder", "editor")
_PUBLISHED = (
    "datePublished", "dateCreated", "article:published_time", "citation_publication_date",
    "citation_date", "citation_online_date", "citation_year",
)  # fmt: skip
_MODIFIED = ("dateModified", "article:modified_time", "og:updated_time")


def read_structured_data(markup: Markup) -> dict[str, Any] | None:
    """Return the fields of a `StructuredData`; None if the page has none."""
    json_ld: list[Any] = []
    left, room = _MAX_READ, _MAX_GIVEN
    for block in markup.blocks:
        if len(block.text) > left or not block.is_json:
            continue
        left -= len(block.text)
        value = _shorten_texts(block.values[0])
        size = len(_ENCODER.encode(value))
        if size <= room:
            room -= size
            json_ld.append(value)
    open_graph, skipped_graph = _collect_tags(markup, ("og:", "article:"))
    citation, skipped_citation = _collect_tags(markup, ("citation_",))
    parts = {"jsonLd": json_ld, "openGraph": open_graph, "citation": citation}
    structured: dict[str, Any] = {name: part for name, part in parts.items() if part}
    skipped = len(markup.blocks) - len(json_ld) + skipped_graph + skipped_citation
    if structured and skipped:
        structured["skipped"] = skipped
    return structured or None


def _shorten_texts(value: Any) -> Any:
    """Return a value of JSON with long texts shortened and without lone surrogates."""
    if isinstance(value, str):
        return shorten_text(without_surrogates(value), _MAX_TEXT)
    if isinstance(value, list):
        return [_shorten_texts(member) for member in value]
    if isinstance(value, dict):
        return {
            without_surrogates(name)[:_MAX_TEXT]: _shorten_texts(member)
            for name, member in value.items()
        }
    return value


def _collect_tags(markup: Markup, prefixes: tuple[str, ...]) -> tuple[dict[str, str], int]:
    """Return the meta tags with a prefix, and the number of omitted ones."""
    found: dict[str, str] = {}
    left = _MAX_TAGS
    skipped = 0
    for name, content in markup.metas:
        value = clean_line(content, _MAX_TEXT) if name.startswith(prefixes) else ""
        size = len(name) + len(value)
        if value and size <= left:
            left -= size
            found[name] = f"{found[name]}; {value}" if name in found else value
        elif value:
            skipped += 1
    return found, skipped


def shorten_structured_data(
    whole: Mapping[str, Any], metadata: Mapping[str, Any], cited: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the short form of structured data, without what metadata and citation say."""
    known = _Known(metadata, cited)
    short: dict[str, Any] = {}
    json_ld: list[Any] = []
    for node in _iterate_nodes(whole.get("jsonLd", ())):
        size = _size({"jsonLd": json_ld, "more": True})
        kept = _fit(node, known, MOST_BYTES - size - 2)
        if kept:
            json_ld.append(kept)
    if json_ld:
        short["jsonLd"] = json_ld
    for part in ("openGraph", "citation"):
        tags: dict[str, str] = {}
        for name, value in whole.get(part, {}).items():
            is_media = name.startswith(_MEDIA_TAGS)
            if name in _SKIPPED_TAGS or is_media or known.includes(name, value):
                continue
            size = _size({**short, part: {**tags, name: value}, "more": True})
            if len(value) <= _MAX_SHORT_TEXT and size + _SPARE <= MOST_BYTES:
                tags[name] = value
        if tags:
            short[part] = tags
    if short != whole:
        short["more"] = True
    return short


class _Known:
    """What the answer says elsewhere."""

    def __init__(self, metadata: Mapping[str, Any], cited: Mapping[str, Any]) -> None:
        facts = cited.get("metadata", {})
        texts = [
            *(metadata.get(name) for name in ("title", "author", "siteName")),
            *(facts.get(name) for name in ("title", "author", "site")),
            cited.get("url"),
        ]
        self._texts = set(map(_fold, filter(None, texts)))
        self._names = {
            *(_AUTHORS if facts.get("author") else ()),
            *(_PUBLISHED if "published" in metadata else ()),
            *(_MODIFIED if "modified" in metadata else ()),
        }

    def includes(self, name: str, value: Any) -> bool:
        """Return whether the answer has this value."""
        return name in self._names or (isinstance(value, str) and _fold(value) in self._texts)


def _iterate_nodes(blocks: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield the JSON-LD objects about the page, from lists and graphs."""
    waiting = list(reversed(blocks[:_MAX_MEMBERS]))
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict) and isinstance(node.get("@graph"), list):
            node = node["@graph"]
        if isinstance(node, list):
            waiting += reversed(node[:_MAX_MEMBERS])
        elif isinstance(node, dict) and str(node.get("@type")) not in _SKIPPED_TYPES:
            yield node


def _fit(value: Any, known: _Known, room: int, depth: int = 0) -> Any:
    """Return as much of a value as fits into `room` bytes, of a list the first items; None if
    nothing fits.
    """
    if isinstance(value, dict):
        value = _fit_members(value, known, room, depth)
    elif isinstance(value, list):
        items: list[Any] = []
        for item in value[:_MAX_MEMBERS]:
            part = _fit(item, known, room - _size(items) - len(","), depth + 1)
            if part is None:
                break
            items.append(part)
        value = items or None
    elif isinstance(value, str) and not 0 < len(value) <= _MAX_SHORT_TEXT:
        return None
    return value if value is not None and _size(value) <= room else None


def _fit_members(
    node: Mapping[str, Any], known: _Known, room: int, depth: int
) -> dict[str, Any] | None:
    """Return the most useful members of an object that fit, other short ones of the outermost."""
    kept: dict[str, Any] = {}
    names = islice(node, _MAX_MEMBERS if depth <= _MAX_DEPTH else 0)
    for name in sorted(names, key=lambda name: _RANK.get(name, len(_RANK))):
        is_other = name in _NEVER or depth or isinstance(node[name], (dict, list))
        if (name not in _RANK and is_other) or known.includes(name, node[name]):
            continue
        left = room - _size(kept) - _size(name) - len(":,")
        part = _fit(node[name], known, left, depth + 1)
        if part is not None:
            kept[name] = part
    return None if depth and kept.keys() <= {"@type"} else kept or None


def _size(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    return len(_ENCODER.encode(value).encode("utf-8", "replace"))


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("/")
