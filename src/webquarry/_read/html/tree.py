"""Text, attributes and tags of elements of a parsed page."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._native import (
    collect_names,
    find_elements,
    first_texts,
    has_text,
    holding_text,
    length_outside,
    length_up_to,
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
    "find_elements",
    "first_texts",
    "get_value",
    "has_text",
    "holding_text",
    "holds_inside",
    "ids_of",
    "length_outside",
    "length_up_to",
    "links_within",
    "text_of",
]

_MOST_TEXTS = 200
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_NONE: frozenset[str] = frozenset()


def text_of(element: etree._Element) -> str:
    """Return the text in an element."""
    return "".join(map(str, element.itertext()))


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


def holds_inside(element: etree._Element, names: tuple[str, ...]) -> bool:
    """Return whether a descendant of an element has one of these tags."""
    return next(element.iterdescendants(*names), None) is not None


def ids_of(root: etree._Element, tags: AbstractSet[str]) -> set[str]:
    """Return the ids of the elements with these tags."""
    return {one.get("id") or "" for one in find_elements(root, _NONE, {"id"}) if one.tag in tags}


def links_within(root: etree._Element) -> list[etree._Element]:
    """Return the links to fragments of their own page."""
    return [link for link in root.iter("a") if (link.get("href") or "").startswith("#")]


def find_cells(table: etree._Element, most: int) -> tuple[list[list[etree._Element]], bool]:
    """Return the cells of each non-empty row among the first `most` rows, and whether one of them
    is a heading. Rows of nested tables are left out.
    """
    rows: list[list[etree._Element]] = []
    is_headed = False
    for row in islice(_iterate_rows(table), most):
        cells = [cell for cell in row if cell.tag == "td" or cell.tag == "th"]
        if cells:
            rows.append(cells)
            is_headed = is_headed or any(cell.tag == "th" for cell in cells)
    return rows, is_headed


def _iterate_rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in _ROW_GROUPS:
            yield from child.iterchildren("tr")


def clear_element(element: etree._Element) -> None:
    """Remove the content of an element; the text after it stays."""
    element.clear(keep_tail=True)  # type: ignore[call-arg]  # missing in the stubs
