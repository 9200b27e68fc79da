"""The tree of an article as MediaWiki makes it -> what of it is text, in a form to be written.

Navigation, links for editors and the table of contents are left out; infoboxes that are made of
boxes become tables, and links that lead to no article are no links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from lxml import etree

from webquarry._read.markdown.scope import INSIDE, TAIL, TEXT, Child, take_child

_NO_TEXT = frozenset({
    "navbox", "mw-editsection", "noprint", "shortdescription", "mw-cite-backlink", "metadata",
    "mw-empty-elt", "sistersitebox", "authority-control", "navbar", "toc", "printfooter",
    "catlinks", "mw-jump-link", "mw-pt-languages", "vertical-navbox", "mw-indicators",
    "editsection", "mw-usertoollinks",
})  # fmt: skip
_NO_TEXT_IDS = frozenset({
    "toc", "siteSub", "contentSub", "contentSub2", "jump-to-nav", "siteNotice", "catlinks",
    "mw-navigation",
})  # fmt: skip
_FALLBACKS = frozenset({"noscript", "noframes", "noembed"})
_NO_TARGETS = frozenset({"new", "image", "mw-file-description"})  # red links, and those of pictures
_BOXES = "portable-infobox"
_ROW, _LABEL, _VALUE = "pi-data", "pi-data-label", "pi-data-value"
_ROWS = frozenset({_ROW, "pi-header"})
_HEADINGS = frozenset({"h1", "h2", "h3"})
_GROUPS = frozenset({"pi-group", "pi-panel", "pi-section"})

Element = etree._Element


class ArticleParts:
    """Some elements of a page without what is left out of them, and the way to them."""

    def __init__(self, chosen: Iterable[Element], left_out: AbstractSet[Element]) -> None:
        self._chosen = frozenset(chosen)
        self._left_out = left_out
        ways: set[Element] = set()
        for element in self._chosen:
            ways.update(element.iterancestors())
        self._ways = ways - self._chosen

    def among(self, elements: list[Element]) -> list[tuple[Element, int]]:
        """Those of some elements that the walk comes to, each with what is taken of it."""
        found = []
        for element in elements:
            if element in self._chosen:
                found.append((element, INSIDE | TEXT))
            elif element in self._ways:
                found.append((element, INSIDE))
        return found

    def children(self, element: Element) -> list[Child]:
        """The children of an element that the walk goes on to, each with what is taken of it."""
        if element in self._ways:
            return [take_child(child, parts) for child, parts in self.among(list(element))]
        children = []
        for child in element:
            parts = INSIDE | TEXT | TAIL
            if child in self._left_out:
                parts = TAIL
            children.append(take_child(child, parts))
        return children


def get_classes(element: Element) -> frozenset[str]:
    """The classes of an element."""
    return frozenset((element.get("class") or "").split())


def find_left_out(roots: Sequence[Element]) -> frozenset[Element]:
    """The elements below some others that are no part of the text of an article."""
    found = []
    for root in roots:
        for element in root.iter():
            is_fallback = element.tag in _FALLBACKS
            is_named = element.get("id") in _NO_TEXT_IDS
            if is_fallback or is_named or get_classes(element) & _NO_TEXT:
                found.append(element)
    return frozenset(found)


def mend_article(roots: Sequence[Element]) -> None:
    """Make tables of infoboxes that are none, and take the addresses from links that lead to no
    article.
    """
    boxes = []
    for root in roots:
        for element in root.iter():
            classes = get_classes(element)
            if element.tag == "a" and classes & _NO_TARGETS:
                element.attrib.pop("href", "")
            elif _BOXES in classes and element.tag != "table":
                boxes.append(element)
    for box in boxes:
        _make_table(box)


def _make_table(box: Element) -> None:
    """The labels and values of a box as the rows of a table, and those of each group in it as one
    more: a group may be hidden, and stays a box of its own.
    """
    box.tag = "div"
    waiting = [box]
    while waiting:
        group = waiting.pop()
        table = None
        for item in list(group):
            classes = get_classes(item)
            if classes & _ROWS and item.tag != "table":
                if table is None:
                    table = etree.Element("table")
                    item.addprevious(table)
                table.append(_make_row(item, classes))
            elif classes & _GROUPS and item.tag != "table":
                item.tag = "div"
                waiting.append(item)
            elif item.tag in _HEADINGS:
                item.tag = "p"  # the title of the box is none of the article


def _make_row(item: Element, classes: AbstractSet[str]) -> Element:
    """A label and its value as the cells of a row; a heading is a row as well."""
    row = item
    if _ROW not in classes:
        row = etree.Element("tr")
        item.addprevious(row)
        item.tag = "th"
        row.append(item)
    row.tag = "tr"
    row.tail = None
    for child in row:
        names = get_classes(child)
        if _LABEL in names:
            child.tag = "th"
        elif _VALUE in names:
            child.tag = "td"
    return row
