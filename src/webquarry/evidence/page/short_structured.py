"""The structured data of a page, and what its answer tells anyway -> the most useful of it in some
240 bytes of JSON.

What stays is as the page has it: whole values, under their names, in their places. Prices, ratings,
dates of events, times and amounts come first; addresses, pictures, descriptions and what the
metadata already says go. That there is more is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

MOST_BYTES = 240
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
_LONGEST_VALUE = 120  # characters; a longer text is in the content
_DEEPEST = 6
_MOST_LOOKED_AT = 200  # members of one object or list

# What is asked for, the most useful first.
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
_AUTHORS = ("author", "creator", "contributor", "publisher", "copyrightHolder", "editor")
_SKIPPED_TYPES = frozenset({"BreadcrumbList", "WebSite", "SearchAction", "ImageObject", "WebPage"})
_TOLD_TAGS = frozenset(
    """
    og:title og:site_name og:url og:description og:locale og:type article:author article:publisher
    citation_title citation_author citation_doi citation_journal_title citation_volume
    citation_issue citation_firstpage citation_lastpage citation_publisher citation_language
    citation_abstract citation_keywords citation_abstract_html_url citation_fulltext_html_url
    """.split()  # noqa: SIM905
)
_TAG_PICTURES = ("og:image", "og:video", "og:audio")
_PUBLISHED = (
    "datePublished", "dateCreated", "article:published_time", "citation_publication_date",
    "citation_date", "citation_online_date", "citation_year",
)  # fmt: skip
_MODIFIED = ("dateModified", "article:modified_time", "og:updated_time")

_Kept = tuple[Any, int]  # what is left of a value, None for nothing, and the bytes of its JSON
_NOTHING: _Kept = (None, 0)


def shorten_structured_data(
    whole: Mapping[str, Any], metadata: Mapping[str, Any], cited: Mapping[str, Any]
) -> dict[str, Any]:
    """The structured data of an answer in at most `MOST_BYTES` of JSON, without what its metadata
    and its citation say. `more` where there is more of it.
    """
    told = _Told(metadata, cited)
    short: dict[str, Any] = {}
    size = len('{"more":true}')
    json_ld: list[Any] = []
    size_with = size + len(',"jsonLd":[]')
    for node in _iterate_nodes(whole.get("jsonLd", ())):
        kept, kept_size = _keep_members(node, told, MOST_BYTES - size_with - 2, 0)
        if kept:
            size_with += kept_size + bool(json_ld)  # a comma before all but the first
            json_ld.append(kept)
    if json_ld:
        short["jsonLd"] = json_ld
        size = size_with
    for name in ("openGraph", "citation"):
        stated = whole.get(name)
        if not stated:
            continue
        beside = len(f',"{name}":')
        tags, tags_size = _keep_tags(stated, told, MOST_BYTES - size - beside - len("{}") - 2)
        if tags:
            short[name] = tags
            size += beside + tags_size
    if short != whole:
        short["more"] = True
    return short


class _Told:
    """What the answer says elsewhere."""

    def __init__(self, metadata: Mapping[str, Any], cited: Mapping[str, Any]) -> None:
        facts = cited.get("metadata", {})
        texts = [
            metadata.get("title"),
            metadata.get("author"),
            metadata.get("siteName"),
            facts.get("title"),
            facts.get("author"),
            facts.get("site"),
            cited.get("url"),
        ]
        self._texts = {_fold(text) for text in {*texts} if text}
        self._names: set[str] = set()
        if facts.get("author"):
            self._names.update(_AUTHORS)
        if "published" in metadata:
            self._names.update(_PUBLISHED)
        if "modified" in metadata:
            self._names.update(_MODIFIED)

    def tells(self, name: str, value: Any) -> bool:
        """Whether a reader knows this already."""
        if name in self._names:
            return True
        return isinstance(value, str) and _fold(value) in self._texts


def _iterate_nodes(blocks: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD that say something of the page, out of lists and graphs."""
    waiting = list(reversed(blocks[:_MOST_LOOKED_AT]))
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += reversed(node[:_MOST_LOOKED_AT])
        elif isinstance(node, dict):
            graph = node.get("@graph")
            if isinstance(graph, list):
                waiting += reversed(graph[:_MOST_LOOKED_AT])
            elif str(node.get("@type")) not in _SKIPPED_TYPES:
                yield node


def _keep_useful(value: Any, told: _Told, room: int, depth: int) -> _Kept:
    """As much of a value as there is room for."""
    if isinstance(value, str):
        if not value or len(value) > _LONGEST_VALUE:
            return _NOTHING
        size = _text_size(value)
    elif isinstance(value, dict):
        return _keep_members(value, told, room, depth)
    elif isinstance(value, list):
        return _keep_items(value, told, room, depth)
    elif value is None:
        return _NOTHING
    else:
        size = len(_ENCODER.encode(value))
    if size > room:
        return _NOTHING
    return value, size


def _keep_items(values: list[Any], told: _Told, room: int, depth: int) -> _Kept:
    """The first items of a list, and not some of them."""
    items: list[Any] = []
    size = len("[]")
    for item in values[:_MOST_LOOKED_AT]:
        kept, kept_size = _keep_useful(item, told, room - size - 1, depth + 1)
        if kept is None:
            break
        if not items:
            size = 1  # the second bracket stands in place of a comma
        items.append(kept)
        size += kept_size + 1
    return items or None, size


def _keep_members(node: Mapping[str, Any], told: _Told, room: int, depth: int) -> _Kept:
    """The useful members of an object, the most useful first; further short ones of the outermost
    where there is room.
    """
    if depth > _DEEPEST:
        return _NOTHING
    names = sorted(islice(node, _MOST_LOOKED_AT), key=lambda name: _RANK.get(name, len(_RANK)))
    kept: dict[str, Any] = {}
    size = len("{}")
    for name in names:
        value = node[name]
        is_further = name not in _RANK
        if is_further and (name in _NEVER or depth or isinstance(value, (dict, list))):
            continue
        if told.tells(name, value):
            continue
        beside = _text_size(name) + len(":,")
        part, part_size = _keep_useful(value, told, room - size - beside, depth + 1)
        if part is not None:
            if not kept:
                size = 1  # the second bracket stands in place of a comma
            kept[name] = part
            size += beside + part_size
    if depth and kept.keys() <= {"@type"}:
        return _NOTHING
    return kept or None, size


def _keep_tags(tags: Mapping[str, str], told: _Told, room: int) -> tuple[dict[str, str], int]:
    """The tags that say something more, as far as there is room, and the bytes of their JSON."""
    kept: dict[str, str] = {}
    size = 1  # the last comma is a bracket
    for name, value in tags.items():
        if name in _TOLD_TAGS or len(value) > _LONGEST_VALUE or name.startswith(_TAG_PICTURES):
            continue
        if told.tells(name, value):
            continue
        own_size = _text_size(name) + _text_size(value) + len(":,")
        if size + own_size <= room:
            kept[name] = value
            size += own_size
    return kept, size


def _text_size(text: str) -> int:
    """Bytes of JSON."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return len(text) + len('""')  # as nearly all: nothing in it is written otherwise
    return len(_ENCODER.encode(text).encode(errors="replace"))


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("/")
