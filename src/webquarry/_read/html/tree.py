"""Small questions about elements of a parsed page, answered without walking further than needed."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

try:
    from webquarry._read.html._texts import (
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
except (ImportError, ValueError):  # not built, or for another lxml: the same in Python
    from webquarry._read.html.texts import (
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

_MOST_PIECES = 200  # of text in something short


def texts_of(element: etree._Element) -> Iterator[str]:
    """The texts in an element, in order; its tail is not among them."""
    return map(str, element.itertext())


def text_of(element: etree._Element) -> str:
    """All the text in an element."""
    return "".join(texts_of(element))


def beginning_of(element: etree._Element, limit: int) -> str:
    """The first characters of the text in an element; one more than the limit says that there is
    more.
    """
    return "".join(first_texts(element, _MOST_PIECES, limit + 1))
