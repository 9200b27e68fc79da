"""HTML of an article that an interface gave -> its tree without what is no part of the text, as
Markdown. What parses it is loaded when there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from webquarry._read.markdown.compose import Composer

if TYPE_CHECKING:
    from lxml import etree

    from webquarry._read.html.parse import Document


def parse_article(html: bytes) -> Document:
    """The tree of an article."""
    from webquarry._read.html.parse import parse_html

    return parse_html(html.decode("utf-8", "replace"))


def write_article(document: Document, base_url: str, composer: Composer) -> str:
    """An article as Markdown; its links are those of a page at this URL."""
    from webquarry._read.markdown.convert import to_markdown

    page = to_markdown(document, base_url)
    composer.removed.update(page.removed)
    return page.text


def find_by_class(document: Document, *names: str) -> Iterable[etree._Element]:
    """Elements that have one of these classes, in document order; they may be taken out."""
    wanted = frozenset(names)
    found = []
    for element in document.elements():
        if wanted.intersection((element.get("class") or "").split()):
            found.append(element)
    return found


def take_out(element: etree._Element) -> None:
    """Remove an element; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail or ""
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    element.tail = None
    parent.remove(element)


def text_in(element: etree._Element) -> str:
    """The text in an element, in one line."""
    return " ".join("".join(str(text) for text in element.itertext()).split())
