"""Text blocks of a parsed page in order, and the table of the elements around them.

A block is the text between two boundaries of boxes; inline tags add to it. The blocks of an element
are contiguous, so that every fact about a subtree is a difference of two running sums. What is
hidden is only flagged by its own attributes; `render.py` leaves it out. What is never main content
(navigation, page footers, dialogs) is no block.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from lxml import etree

from webquarry._native import ChosenParts, Walk
from webquarry._read.html.parse import Document
from webquarry._read.main_content.tags import PAGE_TAGS
from webquarry._read.markdown.blocks import Block, mark_link

__all__ = ["ChosenParts", "Flow", "Walk", "build_flow"]

_MIN_TEXT = 200  # characters; a page with less is searched for text in menus and headers
_TYPE = '"@type"'
_ARTICLE = re.compile(rf'{_TYPE}\s*+:\s*+\[?\s*+"(?:\w*Article|BlogPosting|Report|Review)"')
_MAX_DATA = 200_000  # characters of structured data that are searched
_MAX_TITLE = 500
_MAX_DESCRIPTION = 300
_WORD = re.compile(r"\w{4,}")
_MAX_WORDS = 24
_UNWRAPPED = ("nav", "header", "button")  # the walk does not enter them
_NO_TEXT = frozenset(
    {"a", "iframe", "noscript", "option", "script", "style", "svg", "template", "textarea", "title"}
)
_SENTENCES = 140  # characters of one text, longer than any entry of a menu
_MIN_SENTENCES = 500  # characters of such texts
_DESCRIPTIONS = frozenset({"description", "og:description", "og:title", "twitter:description"})


class Flow:
    """Blocks and their elements, as parallel lists; parents come before their children."""

    def __init__(self, document: Document, walk: Walk) -> None:
        self.walk = walk  # with the elements that the text of a block comes from
        self.texts = walk.texts
        # of each block: its innermost element, and the characters and the number of its links
        self.boxes, self.link_chars, self.links = walk.list_blocks()
        (
            self.parents,
            self.tags,
            self.names,  # the class attribute
            self.ids,
            self.flags,
            self.levels,  # of the heading that is or contains the element; 0 for none
            self.first,
            self.last,  # one past the last block
        ) = walk.list_boxes()
        self.known_tags = frozenset(self.tags)
        # `is_article`: 0 for no article, 1 by its Open Graph type, 2 by structured data
        self.title, self.topic, self.is_article = _read_head(document)
        self.cut = walk.cut
        self.has_role_table = walk.has_role_table


def build_flow(document: Document) -> Flow:
    """Return the blocks of a page."""
    walk = Walk(PAGE_TAGS)
    walk.walk(document.roots)
    if sum(map(len, walk.texts)) < _MIN_TEXT and unwrap_text(document.roots):
        walk = Walk(PAGE_TAGS)
        walk.walk(document.roots)
    return Flow(document, walk)


def list_texts(flow: Flow) -> list[Block]:
    """Return the texts of a page as headings, paragraphs and code; a text that is mostly links is
    one link.
    """
    blocks: list[Block] = []
    for text, box, link_chars in zip(flow.texts, flow.boxes, flow.link_chars, strict=True):
        level = flow.levels[box]
        if flow.tags[box] == "pre":
            blocks.append(Block("code", text))
            continue
        if 2 * link_chars > len(text):
            text = mark_link(text, "")
        blocks.append(Block("heading" if level else "paragraph", text, level))
    return blocks


def _read_head(document: Document) -> tuple[str, tuple[str, ...], int]:
    """Return the title of a page, the words of at least four characters in title and description,
    and whether it is an article: 0 for no, 1 by its Open Graph type, 2 by structured data.
    """
    page_info = document.page_info
    title = page_info.title[:_MAX_TITLE]
    about, kind = [title], 0
    for name, content in page_info.metas:
        if name in _DESCRIPTIONS:
            about.append(content[:_MAX_DESCRIPTION])
        elif name == "og:type" and "article" in content:
            kind = 1
    if any(map(_is_about_article, page_info.data)):
        kind = 2
    words = _WORD.findall(" ".join(about).lower())
    return title, tuple(dict.fromkeys(words))[:_MAX_WORDS], kind


def _is_about_article(data: str) -> bool:
    """Return whether structured data describes an article."""
    place = data.find(_TYPE, 0, _MAX_DATA)
    while place >= 0:
        if _ARTICLE.match(data, place, _MAX_DATA) is not None:
            return True
        place = data.find(_TYPE, place + 1, _MAX_DATA)
    return False


def unwrap_text(roots: Iterable[etree._Element]) -> bool:
    """Replace menus, headers and buttons with a text by plain boxes; return whether there is one.

    A tag that was never closed contains everything after it, and with it the text of the page.
    Dialogs and footers are left: their text on a page without other text is a notice.
    """
    unwrapped = []
    for root in roots:
        elements = list(root.iter())
        lengths = _measure_sentences(elements)
        for element in elements:
            is_menu = (element.get("role") or "").strip().lower() == "navigation"
            if (is_menu or element.tag in _UNWRAPPED) and lengths[element] >= _MIN_SENTENCES:
                unwrapped.append(element)
    for element in unwrapped:
        element.tag = "div"
        if element.get("role") is not None:
            del element.attrib["role"]
    return bool(unwrapped)


def _measure_sentences(elements: Sequence[etree._Element]) -> Counter[etree._Element]:
    """Count the characters of sentences in the descendants of each element, in reverse order."""
    lengths: Counter[etree._Element] = Counter()
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
    """Return the length of a text that is longer than any entry of a menu; 0 for others."""
    if not text or len(text) <= _SENTENCES:
        return 0
    size = len(" ".join(text.split()))
    return size if size > _SENTENCES else 0
