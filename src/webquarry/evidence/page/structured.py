"""What a page states for machines -> the `structuredData` of an answer, as the page has it; nothing
where it has none.

JSON-LD blocks are given as the values they hold, long texts in them shortened. A block that is not
JSON, and what exceeds the limits, is left out and counted. A tag that is repeated (authors, tags,
images) has its values joined by `; `.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from webquarry._search.text import shorten_text
from webquarry.evidence.language.text import clean_line
from webquarry.evidence.page.jsonld import JsonLdBlock
from webquarry.evidence.page.tags import Tags

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
_MOST_JSON = 200_000  # characters of all JSON-LD blocks together that are read,
_MOST_GIVEN = 50_000  # and that are given
# What is read may be longer when it is written again, by its numbers alone: `1e9` is 1000000000.0.
_MOST_LONGER = 8  # times
_LONGEST_TEXT = 2_000  # in a block
_MOST_TAGS = 20_000  # characters of all tags of a kind together
_LONGEST_TAG = 2_000
_GRAPH_PREFIXES = ("og:", "article:")
_CITATION_PREFIXES = ("citation_",)
_PREFIXES = _GRAPH_PREFIXES + _CITATION_PREFIXES


def read_structured_data(tags: Tags, blocks: Sequence[JsonLdBlock]) -> dict[str, Any] | None:
    """The machine-readable part of a page, as a `StructuredData` has it."""
    json_ld: list[Any] = []
    left = _MOST_JSON
    room = _MOST_GIVEN
    is_little = _MOST_LONGER * sum([len(block.text) for block in blocks]) <= room
    for block in blocks:
        length = len(block.text)
        if length > left or not block.is_json:
            continue
        left -= length
        value = block.encodable
        if length > _LONGEST_TEXT:  # else no text in it is longer
            value = _shorten_texts(value)
        size = 0
        if not is_little:
            size = len(_ENCODER.encode(value))
        if size <= room:
            room -= size
            json_ld.append(value)
    skipped_blocks = len(blocks) - len(json_ld)
    metas = [meta for meta in tags.metas if meta[0].startswith(_PREFIXES)]
    open_graph, skipped_graph = _collect_tags(metas, _GRAPH_PREFIXES)
    citation: dict[str, str] = {}
    skipped_citation = 0
    if len(open_graph) + skipped_graph < len(metas):  # else all of them were those
        citation, skipped_citation = _collect_tags(metas, _CITATION_PREFIXES)
    parts = {"jsonLd": json_ld, "openGraph": open_graph, "citation": citation}
    structured: dict[str, Any] = {name: part for name, part in parts.items() if part}
    skipped = skipped_blocks + skipped_graph + skipped_citation
    if structured and skipped:
        structured["skipped"] = skipped
    return structured or None


def _shorten_texts(value: Any) -> Any:
    """A value of JSON in which no text is longer than is given."""
    if isinstance(value, str):
        return shorten_text(value, _LONGEST_TEXT)
    if isinstance(value, list):
        return [_shorten_texts(member) for member in value]
    if isinstance(value, dict):
        return {name[:_LONGEST_TEXT]: _shorten_texts(member) for name, member in value.items()}
    return value


def _collect_tags(
    metas: Sequence[tuple[str, str]], prefixes: tuple[str, ...]
) -> tuple[dict[str, str], int]:
    """Those of the meta tags whose names begin so, and how many of them were left out."""
    found: dict[str, str] = {}
    left = _MOST_TAGS
    skipped = 0
    for name, content in metas:
        if not name.startswith(prefixes):
            continue
        value = clean_line(content, _LONGEST_TAG)
        if not value:
            continue
        size = len(name) + len(value)
        if size > left:
            skipped += 1
            continue
        left -= size
        found[name] = f"{found[name]}; {value}" if name in found else value
    return found, skipped
