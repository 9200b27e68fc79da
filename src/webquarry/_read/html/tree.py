"""Text, attributes and tags of elements of a parsed page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._native import (
    collect_names,
    find_cells,
    find_numbered_labels,
    first_texts,
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
from webquarry._native import (
    find_value as get_value,
)

if TYPE_CHECKING:
    from webquarry._read.html.parse import Document

__all__ = [
    "beginning_of",
    "clear_element",
    "collect_names",
    "find_by_class",
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


def find_by_class(document: Document, *names: str) -> list[etree._Element]:
    """Return the elements with one of these classes, in document order."""
    wanted = frozenset(names)
    return [one for one in document.elements() if wanted & get_classes(one)]


def get_classes(element: etree._Element) -> frozenset[str]:
    return frozenset((element.get("class") or "").split())


def get_text(element: etree._Element) -> str:
    """Return the text of an element as one line."""
    return " ".join("".join(map(str, element.itertext())).split())


def clear_element(element: etree._Element) -> None:
    """Remove the content of an element; the text after it stays."""
    element.clear(keep_tail=True)  # type: ignore[call-arg]  # missing in the stubs
