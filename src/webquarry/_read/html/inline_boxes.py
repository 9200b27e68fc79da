"""Inline elements side by side -> whether they are boxes that only the layout of a page sets apart:
the cells of a row, a label and its value. Pages that scripts write have no white space between.

They are boxes where the element around them has no text of its own. The parts of one word are told
by what stands at their ends.
"""

from __future__ import annotations

from itertools import islice

from lxml import etree

SIDE_BY_SIDE = frozenset(
    {
        "a", "abbr", "b", "bdi", "button", "cite", "data", "em", "i", "label", "small", "span",
        "strong", "time",
    }
)  # fmt: skip
_WITHIN_WORDS = frozenset({"sub", "sup", "wbr"})
_CURRENCIES = "$€£¥₹₽₩"
_BEGINNINGS = frozenset(f"{_CURRENCIES}+−±~#“„«")
_ENDS = frozenset(f"{_CURRENCIES})%°!?”»")
_FIRST_UNSPACED = "\u2e80"  # from there on scripts have no blanks between words
_MOST_CHILDREN = 60  # of an element that are looked at
_MOST_ELEMENTS = 8  # in which the beginning of a text is looked for


class InlineBoxes:
    """Remembers the element whose children were looked at last."""

    def __init__(self) -> None:
        self._parent: etree._Element | None = None
        self._holds_boxes = False

    def stands_apart(self, element: etree._Element, before: str) -> bool:
        """Whether an element stands apart from the one before it, which ends with a text."""
        last = before[-1:]
        if not last.isalnum() and last not in _ENDS:
            return False
        after = _find_beginning(element)
        first = after[:1]
        if max(last, first) >= _FIRST_UNSPACED:
            return False
        if not first.isalnum() and first not in _BEGINNINGS:
            return False
        if len(before) == 1 and (len(after) == 1 or first.islower()):
            return False  # letters or digits one by one, or a large first letter
        if last.islower() and first.islower() and not _have_other_classes(element):
            return False  # a word that an editor has cut in two
        parent = element.getparent()
        if parent is not self._parent:
            self._parent = parent
            self._holds_boxes = parent is not None and _has_no_text(parent)
        return self._holds_boxes


def _find_beginning(element: etree._Element) -> str:
    """The first characters of an element's text, if they are not far into it."""
    for inner in islice(element.iter(etree.Element), _MOST_ELEMENTS):
        if inner.text:
            return inner.text[:2]
        if inner is not element and inner.tail and not len(inner):
            return inner.tail[:2]
    return ""


def _have_other_classes(element: etree._Element) -> bool:
    """Whether an element and the one before it have classes, and not the same."""
    before = element.getprevious()
    if before is None:
        return False
    own, other = element.get("class"), before.get("class")
    return own is not None and other is not None and own != other


def _has_no_text(parent: etree._Element) -> bool:
    """Whether all the text of an element stands in its children, as far as the first ones tell."""
    if parent.text and not parent.text.isspace():
        return False
    for child in islice(parent, _MOST_CHILDREN):
        if child.tag in _WITHIN_WORDS or (child.tail and not child.tail.isspace()):
            return False
    return True
