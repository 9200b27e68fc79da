"""Inline elements that only the layout of a page separates: cells of a row, a label and its value.

Pages that scripts write have no whitespace between them. They are boxes if their parent has no text
of its own; parts of one word are recognised by the characters at their ends.
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
_FIRST_UNSPACED = "\u2e80"  # scripts from here on have no spaces between words
_MAX_CHILDREN = 60  # that are examined
_MAX_ELEMENTS = 8  # in which the beginning of a text is searched


def are_apart(element: etree._Element, before: str) -> bool:
    """Whether the characters between a text and the next element separate words."""
    last = before[-1:]
    if not last.isalnum() and last not in _ENDS:
        return False
    after = _read_beginning(element)
    first = after[:1]
    if max(last, first) >= _FIRST_UNSPACED:
        return False
    if not first.isalnum() and first not in _BEGINNINGS:
        return False
    if len(before) == 1 and (len(after) == 1 or first.islower()):
        return False  # single letters or digits, or an initial
    # otherwise a word that an editor has divided
    return not (last.islower() and first.islower()) or _has_other_class(element)


def holds_boxes(parent: etree._Element) -> bool:
    """Whether all text of an element is in its children, as far as the first ones show."""
    if parent.text and not parent.text.isspace():
        return False
    for child in islice(parent, _MAX_CHILDREN):
        if child.tag in _WITHIN_WORDS or (child.tail and not child.tail.isspace()):
            return False
    return True


def _read_beginning(element: etree._Element) -> str:
    """Return the first characters of an element's text if they are not far inside of it."""
    for inner in islice(element.iter(etree.Element), _MAX_ELEMENTS):
        if inner.text:
            return inner.text[:2]
        if inner is not element and inner.tail and not len(inner):
            return inner.tail[:2]
    return ""


def _has_other_class(element: etree._Element) -> bool:
    """Whether an element and the one before it have different classes."""
    before = element.getprevious()
    if before is None:
        return False
    own, other = element.get("class"), before.get("class")
    return own is not None and other is not None and own != other
