"""Text, attributes and tags of elements of a parsed page."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from webquarry._native import (
    collect_names,
    find_cells,
    find_numbered_labels,
    first_texts,
    get_value,
    has_text,
    having_attributes,
    holding_text,
    holds_inside,
    holds_tag,
    ids_of,
    length_outside,
    length_up_to,
    links_within,
    tags_of,
)

__all__ = [
    "beginning_of",
    "collect_names",
    "find_cells",
    "find_numbered_labels",
    "first_texts",
    "get_value",
    "has_text",
    "having_attributes",
    "holding_text",
    "holds_inside",
    "holds_tag",
    "ids_of",
    "length_outside",
    "length_up_to",
    "links_within",
    "tags_of",
    "text_of",
    "texts_of",
]

_MOST_TEXTS = 200


def texts_of(element: etree._Element) -> Iterator[str]:
    """Return the texts in an element in order, without its tail."""
    return map(str, element.itertext())


def text_of(element: etree._Element) -> str:
    """Return the text in an element."""
    return "".join(texts_of(element))


def beginning_of(element: etree._Element, limit: int) -> str:
    """Return the first `limit + 1` characters of the text in an element, so that a caller can tell
    whether it is longer than the limit.
    """
    return "".join(first_texts(element, _MOST_TEXTS, limit + 1))
