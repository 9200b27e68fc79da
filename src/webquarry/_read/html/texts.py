"""An element -> how much text it holds, and the ids in it. `_texts.pyx` is the same, compiled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import islice

from lxml import etree

_DIGITS = frozenset("0123456789")
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_CELLS = frozenset({"td", "th"})


def has_text(element: etree._Element) -> bool:
    """Whether an element holds anything but white space."""
    return any(not text.isspace() for text in map(str, element.itertext()))


def length_up_to(element: etree._Element, limit: int) -> int:
    """How long the text in an element is, blanks at the edges of its pieces aside, counted no
    further than the limit.
    """
    length = 0
    for text in islice(map(str, element.itertext()), limit):
        length += len(text.strip())
        if length >= limit:
            break
    return length


def first_texts(element: etree._Element, most: int, longest: int) -> list[str]:
    """The first texts in an element: so many at most, and so many characters together."""
    found: list[str] = []
    if longest <= 0:
        return found
    for text in islice(map(str, element.itertext()), most):
        found.append(text[:longest])
        longest -= len(found[-1])
        if longest <= 0:
            break
    return found


def length_outside(element: etree._Element, tags: Set[str]) -> int:
    """The same without a limit, and without the text right inside of certain tags."""
    length = 0
    for inner in element.iter(etree.Element):
        if inner.text and inner.tag not in tags:
            length += len(inner.text.strip())
        if inner.tail and inner is not element:
            length += len(inner.tail.strip())
    return length


def collect_names(roots: Sequence[etree._Element]) -> frozenset[str]:
    """The classes and ids of all elements, in lower case."""
    values: set[str] = set()
    for root in roots:
        for element in root.iter(etree.Element):
            values.update((element.get("class") or "", element.get("id") or ""))
    return frozenset(" ".join(values).lower().split())


def having_attributes(root: etree._Element, names: Set[str]) -> list[etree._Element]:
    """The elements with one of some attributes, in the order of the page."""
    return [element for element in root.iter(etree.Element) if not names.isdisjoint(element.keys())]


def find_numbered_labels(root: etree._Element) -> list[etree._Element]:
    """The elements with a digit in their label, which is that of an image in `alt`."""
    found: list[etree._Element] = []
    for element in root.iter(etree.Element):
        labels = element.get("aria-label") or ""
        if element.tag == "img":
            labels += element.get("alt") or ""
        if not _DIGITS.isdisjoint(labels):
            found.append(element)
    return found


def holding_text(root: etree._Element, name: str, text: str) -> list[etree._Element]:
    """The elements with an attribute of a name that holds a text, in the order of the page."""
    return [element for element in root.iter(etree.Element) if text in (element.get(name) or "")]


def tags_of(roots: Sequence[etree._Element]) -> set[str]:
    """The tags of all elements."""
    return {str(element.tag) for root in roots for element in root.iter(etree.Element)}


def links_within(root: etree._Element) -> list[etree._Element]:
    """The links that lead to a place on their own page."""
    return [link for link in root.iter("a") if (link.get("href") or "").startswith("#")]


def ids_of(root: etree._Element, tags: Set[str]) -> set[str]:
    """The ids of all elements of certain tags."""
    ids: set[str] = set()
    for element in root.iter(*tags):
        identity = element.get("id")
        if identity is not None:
            ids.add(identity)
    return ids


def holds_tag(roots: Sequence[etree._Element], names: tuple[str, ...]) -> bool:
    """Whether one of the elements of a page has one of these names; there are few of them."""
    return any(next(root.iter(*names), None) is not None for root in roots)


def find_cells(table: etree._Element, most: int) -> tuple[list[list[etree._Element]], bool]:
    """The cells of the first rows of a table, those of each row that has some, and whether one of
    them is a heading.
    """
    rows = []
    for row in islice(_iterate_rows(table), most):
        cells = [cell for cell in row.iterchildren() if cell.tag in _CELLS]
        if cells:
            rows.append(cells)
    headed = any(cell.tag == "th" for row in rows for cell in row)
    return rows, headed


def _iterate_rows(table: etree._Element) -> Iterator[etree._Element]:
    """The rows of a table, wherever they stand in it, but not those of a table in a cell."""
    for child in table.iterchildren():
        if child.tag == "tr":
            yield child
        elif child.tag in _GROUPS:
            yield from child.iterchildren("tr")


def get_value(element: etree._Element, name: str) -> str | None:
    """The value of an attribute; None where an element has none of that name."""
    return element.get(name)


def holds_inside(element: etree._Element, names: tuple[str, ...]) -> bool:
    """Whether one of the elements in another one has one of these names; there are few of them."""
    return next(element.iterdescendants(*names), None) is not None
