"""Rows of stars -> the numbers that they show, written as text.

A person reads a rating off its stars. The page tells it only in a label for those who cannot see
them; of that label the numbers are taken (`text/labels.py`), and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lxml import etree

from webquarry._read.html.tree import find_numbered_labels
from webquarry._read.text.labels import read_rating

_INPUTS = frozenset({"button", "input", "label", "option", "select", "textarea"})
_INPUT_ROLES = frozenset({"button", "radio", "option", "slider", "menuitem", "tab"})
_PICTURES = frozenset({"img", "svg", "i", "em"})
_MOST_RATINGS = 200  # of a page
_MOST_IN_STARS = 40  # elements that a row of stars is made of
_MOST_BESIDE = 60  # elements around it, in which the number may stand already


def write_ratings(roots: Sequence[etree._Element]) -> None:
    """Write what rows of stars show into them, where it does not stand beside them as text."""
    rows: list[tuple[etree._Element, str]] = []
    for root in roots:
        for element in find_numbered_labels(root):
            rating = _read_label(element)
            if rating and len(rows) < _MOST_RATINGS:
                rows.append((element, rating))
    for element, rating in rows:
        if _is_choice(element) or _read_near(element, _MOST_IN_STARS) != "":
            continue
        box = element.getparent()
        beside = ""
        if box is not None:
            beside = _read_near(box, _MOST_BESIDE) or ""
        number = rating.partition("/")[0].removesuffix(" ★")
        if number not in beside:
            _write(element, rating)


def _is_choice(element: etree._Element) -> bool:
    """Whether stars are there for a person to choose from; they tell nothing."""
    if element.tag in _INPUTS or element.get("role") in _INPUT_ROLES:
        return True
    beside = (element.getprevious(), element.getnext())
    return any(other is not None and _read_label(other) for other in beside)


def _read_near(box: etree._Element, most: int) -> str | None:
    """The text in a box, None where it holds too many elements."""
    texts: list[str] = []
    for element in islice(box.iter(), most + 1):
        texts.append(element.text or "")
        if element is not box:
            texts.append(element.tail or "")
    if len(texts) > 2 * most:
        return None
    return "".join(texts).strip()


def _write(element: etree._Element, rating: str) -> None:
    """Make a rating the text of an element that has none."""
    if element.tag in _PICTURES:
        element.tag = "span"
    for child in list(element):
        element.remove(child)
    element.text = rating


def _read_label(element: etree._Element) -> str:
    """The rating in the label of an element."""
    label = element.get("aria-label")
    if label is None and element.tag == "img":
        label = element.get("alt")
    return read_rating(label or "", element.get("class") or "")
