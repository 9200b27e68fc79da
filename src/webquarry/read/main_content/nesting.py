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


def unwrap_text(roots: Iterable[Element]) -> bool:
    """Make plain boxes of the menus, headers and buttons that hold a text; false where none
    does.
    """
    unwrapped = []
    for root in roots:
        for element in root.iter():
            role = (element.get("role") or "").strip().lower()
            may_hold_page = element.tag in _TAKERS or role == _ROLE
            if may_hold_page and _holds_a_text(element):
                unwrapped.append(element)
    for element in unwrapped:
        element.tag = "div"
        if element.get("role") is not None:
            del element.attrib["role"]
    return bool(unwrapped)


def _holds_a_text(element: Element) -> bool:
    """Whether there are enough sentences in an element to be the text of a page."""
    length = 0
    for inner in element.iterdescendants():
        texts = [inner.tail]
        if inner.tag not in _NO_TEXT:
            texts.append(inner.text)
        for text in texts:
            if not text or len(text) <= _SENTENCES:
                continue
            size = len(" ".join(text.split()))
            if size > _SENTENCES:
                length += size
                if length >= _A_TEXT:
                    return True
    return False
