"""Ratings shown as stars, written as text.

The page states them only in a label for screen readers; only its numbers are read
(`text/labels.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from lxml import etree

from webquarry._native import find_value

_INPUTS = frozenset({"button", "input", "label", "option", "select", "textarea"})
_INPUT_ROLES = frozenset({"button", "radio", "option", "slider", "menuitem", "tab"})
_PICTURES = frozenset({"img", "svg", "i", "em"})
_DIGITS = frozenset("0123456789")
_MAX_RATINGS = 200  # of a page
_MAX_IN_STARS = 40  # elements of a row of stars
_MAX_AROUND = 60  # elements around it that may contain the number


def write_ratings(elements: Iterable[etree._Element]) -> bool:
    """Write the ratings of rows of stars among some elements into them, unless they are next to
    them as text. Return whether any is written.
    """
    is_changed = False
    rows: list[tuple[etree._Element, str]] = []
    for element in elements:
        rating = _read_label(element)
        if rating and len(rows) < _MAX_RATINGS:
            rows.append((element, rating))
    for element, rating in rows:
        if _is_choice(element) or _read_near(element, _MAX_IN_STARS) != "":
            continue
        box = element.getparent()
        beside = "" if box is None else _read_near(box, _MAX_AROUND)
        number = rating.partition("/")[0].removesuffix(" ★")
        if number not in (beside or ""):
            _write(element, rating)
            is_changed = True
    return is_changed


def _is_choice(element: etree._Element) -> bool:
    """Whether stars are an input and state nothing."""
    if element.tag in _INPUTS or element.get("role") in _INPUT_ROLES:
        return True
    beside = (element.getprevious(), element.getnext())
    return any(other is not None and _read_label(other) for other in beside)


def _read_near(box: etree._Element, most: int) -> str | None:
    """Return the text in a box; None if it has too many elements."""
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
    """Return the rating in the label of an element."""
    label = find_value(element, "aria-label")
    if label is None and element.tag == "img":
        label = find_value(element, "alt")
    if not label or _DIGITS.isdisjoint(label):
        return ""
    from webquarry._read.text.labels import read_rating  # its patterns are rarely needed

    return read_rating(label, element.get("class") or "")
