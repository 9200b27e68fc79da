"""A page in a menu: a tag that its author never closed takes in all that follows, and with it the
page's text.

Only asked where the walk found next to nothing, so that a page with its text in place pays nothing
for it. Dialogs and footers are not asked: what they hold on a page without text of its own is a
notice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

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
        elements = list(root.iter())
        takers = [element for element in elements if _may_hold_page(element)]
        if takers:
            lengths = _measure_sentences(elements)
            unwrapped += [taker for taker in takers if lengths[taker] >= _A_TEXT]
    for element in unwrapped:
        element.tag = "div"
        if element.get("role") is not None:
            del element.attrib["role"]
    return bool(unwrapped)


def _may_hold_page(element: Element) -> bool:
    """Whether this is a menu, a header or a button."""
    role = (element.get("role") or "").strip().lower()
    return element.tag in _TAKERS or role == _ROLE


def _measure_sentences(elements: Sequence[Element]) -> Counter[Element]:
    """How many characters of sentences stand inside each element, below its own text. What is in
    an element comes behind it, so that one look from the end is enough, however deep they nest.
    """
    lengths: Counter[Element] = Counter()
    for element in reversed(elements):
        parent = element.getparent()
        if parent is None:
            continue
        length = lengths[element] + _count_sentences(element.tail)
        if element.tag not in _NO_TEXT:
            length += _count_sentences(element.text)
        if length:
            lengths[parent] += length
    return lengths


def _count_sentences(text: str | None) -> int:
    """The characters of a text that is longer than any entry of a menu; 0 for others."""
    if not text or len(text) <= _SENTENCES:
        return 0
    size = len(" ".join(text.split()))
    if size > _SENTENCES:
        return size
    return 0
