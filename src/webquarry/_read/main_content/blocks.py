"""A parsed page -> its flow: blocks of text in order, and the table of the elements they stand in.

One walk. A block is what stands between two box boundaries; inline tags add to it. Blocks are
contiguous for every element, so whatever is to be known about a subtree is a difference of two
running sums over blocks. What a person cannot see is only flagged here, by its own attributes;
`render.py` leaves it out. What is never the point of a page (navigation, its footers, dialogs) does
not become a block at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webquarry._native import ChosenParts, Walk
from webquarry._read.html.parse import Document
from webquarry._read.main_content.nesting import unwrap_text
from webquarry._read.main_content.tags import PAGE_TAGS

__all__ = ["ChosenParts", "Flow", "Walk", "build_flow"]

_NEXT_TO_NOTHING = 200  # characters
_TYPE = '"@type"'
_ARTICLE = re.compile(rf'{_TYPE}\s*+:\s*+\[?\s*+"(?:\w*Article|BlogPosting|Report|Review)"')
_LONGEST_DATA = 200_000  # characters of structured data that are looked at
_LONGEST_TITLE = 500
_LONGEST_DESCRIPTION = 300
_WORD = re.compile(r"\w{4,}")
_SHORTEST_WORD = 4
# The letters of ASCII as they are, and blanks for all that stands between words.
_WORDS_APART = re.sub(r"\W", " ", "".join(map(chr, range(128)))).encode().ljust(256)
_MOST_WORDS = 24
_DESCRIPTIONS = frozenset({"description", "og:description", "og:title", "twitter:description"})


@dataclass(frozen=True, slots=True)
class Head:
    """What a page says about itself."""

    title: str = ""
    topic: tuple[str, ...] = ()  # longer words of title and description
    # 0 for no article, 1 for one by its Open Graph type, 2 for one by structured data
    kind: int = 0


class Flow:
    """Blocks (parallel lists, one entry a block) and box elements (one entry an element, parents
    before children).
    """

    def __init__(self, walk: Walk, head: Head) -> None:
        self.walk = walk  # knows the elements that the text of a block comes from
        self.texts = walk.texts
        # of each block: the innermost element of the table that holds it, what of it is links
        self.boxes, self.link_chars, self.links = walk.list_blocks()
        self.image_places = walk.image_places  # the block that each image stands in or before
        (
            self.parents,
            self.tags,
            self.names,  # the class attribute, as it stands in the page
            self.ids,
            self.flags,
            self.levels,  # of the heading around or at the element; 0 for none
            self.first,
            self.last,  # one past the last block
        ) = walk.list_boxes()
        self.known_tags = frozenset(self.tags)
        self.title = head.title
        self.topic = head.topic
        self.is_article = head.kind
        self.cut = walk.cut
        # blanks at the end of code are counted there, and may turn out to be no block
        blocks, boxes = len(self.texts), len(self.tags)
        self.cards = [card for card in walk.cards if card[0] < boxes and card[3] <= blocks]
        self.has_role_table = walk.has_role_table


def count_characters(texts: list[str]) -> int:
    """How many characters some texts have together."""
    length = 0
    for text in texts:
        length += len(text)
    return length


def build_flow(document: Document) -> Flow:
    """The blocks of a page."""
    walk = Walk(PAGE_TAGS)
    walk.walk(document.roots)
    if count_characters(walk.texts) < _NEXT_TO_NOTHING and unwrap_text(document.roots):
        walk = Walk(PAGE_TAGS)
        walk.walk(document.roots)
    return Flow(walk, _read_head(document))


def _read_head(document: Document) -> Head:
    """What the first root's head says; structured data may stand anywhere."""
    if not document.roots:
        return Head()
    page_info = document.page_info
    title = page_info.title[:_LONGEST_TITLE]
    about, kind = [title], 0
    for name, content in page_info.metas:
        if name in _DESCRIPTIONS:
            about.append(content[:_LONGEST_DESCRIPTION])
        elif name == "og:type" and "article" in content:
            kind = 1
    for data in page_info.data:
        if _is_about_article(data):
            kind = 2
            break
    words = list_longer_words(" ".join(about).lower())
    topic = tuple(dict.fromkeys(words))[:_MOST_WORDS]
    return Head(title, topic, kind)


def list_longer_words(text: str) -> list[str]:
    """The words of a text that have some length."""
    if not text.isascii():
        return _WORD.findall(text)
    words: list[str] = []  # the same, several times as fast
    for word in text.encode().translate(_WORDS_APART).decode().split(" "):
        if len(word) >= _SHORTEST_WORD:
            words.append(word)
    return words


def _is_about_article(data: str) -> bool:
    """Whether structured data says that something is an article."""
    place = data.find(_TYPE, 0, _LONGEST_DATA)
    while place >= 0:
        if _ARTICLE.match(data, place, _LONGEST_DATA) is not None:
            return True
        place = data.find(_TYPE, place + 1, _LONGEST_DATA)
    return False
