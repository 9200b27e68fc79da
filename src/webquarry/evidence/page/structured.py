"""Structured data of a page for answers: unchanged, and shortened to the most useful part.

JSON-LD blocks are given as their values, with long texts shortened. Invalid blocks and what exceeds
the limits are omitted and counted. The contents of repeated tags are joined by `; `.

The short form takes at most 240 bytes of JSON: all JSON-LD blocks or none of them, and the tags
that fit, without images and what the metadata says. `more` marks that something is omitted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
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

_SKIPPED_TAGS = frozenset(
    """
    og:title og:site_name og:url og:description og:locale og:type og:updated_time
    article:author article:publisher article:published_time article:modified_time
    citation_title citation_author citation_doi citation_journal_title citation_volume
    citation_issue citation_firstpage citation_lastpage citation_publisher citation_language
    citation_abstract citation_keywords citation_abstract_html_url citation_fulltext_html_url
    """.split()  # noqa: SIM905
)
_MEDIA_TAGS = ("og:image", "og:video", "og:audio")


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
    """Return the short form of structured data, without tags that metadata and citation repeat."""
    facts = cited.get("metadata", {})
    texts = [
        *(metadata.get(name) for name in ("title", "author", "siteName")),
        *(facts.get(name) for name in ("title", "author", "site")),
        cited.get("url"),
    ]
    known = set(map(_fold, filter(None, texts)))
    short: dict[str, Any] = {}
    blocks = whole.get("jsonLd")
    if blocks and _size({"jsonLd": blocks}) <= MOST_BYTES:
        short["jsonLd"] = blocks
    for part in ("openGraph", "citation"):
        tags: dict[str, str] = {}
        for name, value in whole.get(part, {}).items():
            if name in _SKIPPED_TAGS or name.startswith(_MEDIA_TAGS) or _fold(value) in known:
                continue
            size = _size({**short, part: {**tags, name: value}, "more": True})
            if size + _SPARE <= MOST_BYTES:
                tags[name] = value
        if tags:
            short[part] = tags
    if short != whole:
        short["more"] = True
    return short


def _size(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    return len(_ENCODER.encode(value).encode("utf-8", "replace"))


def _fold(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("/")
