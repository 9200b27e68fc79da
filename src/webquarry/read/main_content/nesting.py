"""A page in a menu: a tag that its author never closed takes in all that follows, and with it the
page's text.

Only asked where the walk found next to nothing, so that a page with its text in place pays nothing
for it. Dialogs and footers are not asked: what they hold on a page without text of its own is a
notice.
"""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

_TAKERS = ("nav", "header", "button")  # the walk passes these by
_ROLE = "navigation"
_NO_TEXT = frozenset(
    {"a", "iframe", "noscript", "option", "script", "style", "svg", "template", "textarea", "title"}
)
_SENTENCES = 140  # characters in one piece, longer than any entry of a menu
_A_TEXT = 500  # characters of such pieces

Element = etree._Element


def free_text(roots: Iterable[Element]) -> bool:
    """Make plain boxes of the menus, headers and buttons that hold a text; false where none does."""
    found = [
        element
        for root in roots
        for element in root.iter()
        if _is_taker(element) and _holds_a_text(element)
    ]
    for element in found:
        element.tag = "div"
        if element.get("role") is not None:
            del element.attrib["role"]
    return bool(found)


def _is_taker(element: Element) -> bool:
    return element.tag in _TAKERS or (element.get("role") or "").strip().lower() == _ROLE


def _holds_a_text(element: Element) -> bool:
    length = 0
    for inner in element.iterdescendants():
        for text in (inner.text if inner.tag not in _NO_TEXT else None, inner.tail):
            if (
                text
                and len(text) > _SENTENCES
                and (size := len(" ".join(text.split()))) > _SENTENCES
            ):
                length += size
                if length >= _A_TEXT:
                    return True
    return False
