"""Rules for running text: code, last sentences, captions, headings, and text that is repeated.

A rule takes the page, the probability of each block (the higher one of both stages) and a byte per
block that is 1 if the block is selected; it changes these bytes in place.
"""

from __future__ import annotations

from collections.abc import Sequence

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import ASIDE_FLAG, CAPTION_FLAG, HIDDEN_FLAG

_EXCLUDED = ASIDE_FLAG | HIDDEN_FLAG
_SENTENCE_TAGS = frozenset({"p", "li", "dd", "blockquote"})
_SENTENCE_ENDS = frozenset(".!?。！？")
_MIN_END = 0.4  # probability of a sentence after selected text
_MIN_AFTER_CODE = 0.2  # the same after code, which gives the model no words to go by
_MAX_LINKED = 0.35  # share of characters in links
# A last sentence that says where to read on may have more links, if it has other words too.
_MAX_LINKED_IN_SENTENCE = 0.7
_MIN_UNLINKED = 20  # characters
_MIN_CAPTION = 0.2
_MIN_NEWS_CAPTION = 0.4  # in articles most captions are credits of photographs
_MAX_FIGURE_BLOCKS = 6  # a larger figure is a part of the page, not a picture
_CAPTION_LEVELS = 4  # elements between a caption, its figure and the text around it
_MIN_HEADING = 0.1
_MIN_TITLE = 0.5  # probability of an h1 before selected text

# Comments
_COMMENT_CLASSES = ("comment", "disqus", "kommentar")  # parts of class names in lower case
_FORUM_CLASSES = ("discussion", "forum")  # the same; forums call replies comments, too
_MIN_ARTICLE = 1_500  # characters selected before the first comment

# Copies
_MIN_LENGTH = 60  # characters; shorter texts are often repeated on purpose
_MIN_WHOLE_TEXT = 600  # characters of a block that repeats several others
_MAX_WHOLE_TEXTS = 5  # blocks that are searched for the beginnings of others


def add_code(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep `pre` elements that directly follow a selected block, on documentation pages.

    Code has few words that the model knows.
    """
    if "pre" not in flow.known_tags:
        return
    for index in range(1, len(kept)):
        element = flow.boxes[index]
        if kept[index - 1] and flow.tags[element] == "pre" and not flow.flags[element] & _EXCLUDED:
            kept[index] = 1


def add_ends(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep likely sentences that directly follow a selected block in the same element.

    Helps articles and posts: the links behind the last paragraph lower its probability.
    """
    for index in range(1, len(kept)):
        if kept[index] or not kept[index - 1] or likely[index] < _MIN_AFTER_CODE:
            continue
        element = flow.boxes[index]
        follows_code = flow.tags[flow.boxes[index - 1]] == "pre"
        if likely[index] < _MIN_END and not follows_code:
            continue
        if flow.tags[element] not in _SENTENCE_TAGS:
            continue
        parent = max(flow.parents[element], 0)
        if flow.first[parent] < index and not _is_mostly_links(flow, index):
            kept[index] = 1


def _is_mostly_links(flow: Flow, index: int) -> bool:
    text, linked = flow.texts[index], flow.link_chars[index]
    if linked < _MAX_LINKED * len(text):
        return False
    is_sentence = text[-1:] in _SENTENCE_ENDS and len(text) - linked >= _MIN_UNLINKED
    return not is_sentence or linked > _MAX_LINKED_IN_SENTENCE * len(text)


def add_captions(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep captions of figures between two selected blocks; in articles, only likely ones.

    Helps manuals and reports.
    """
    if "figcaption" not in flow.known_tags:
        return
    least = _MIN_NEWS_CAPTION if flow.is_article else _MIN_CAPTION
    for index, element in enumerate(flow.boxes):
        flags = flow.flags[element]
        if kept[index] or likely[index] < least:
            continue
        if flags & CAPTION_FLAG and not flags & _EXCLUDED and _is_inside_text(flow, element, kept):
            kept[index] = 1


def _is_inside_text(flow: Flow, caption: int, kept: bytearray) -> bool:
    """Return whether the figure of a caption has selected blocks on both sides in one element."""
    figure = element = caption
    for _ in range(_CAPTION_LEVELS):
        if element < 0:
            break
        if flow.tags[element] == "figure":
            figure = element
            break
        element = flow.parents[element]
    first, last = flow.first[figure], flow.last[figure]
    if last - first > _MAX_FIGURE_BLOCKS:
        return False
    around = figure
    for _ in range(_CAPTION_LEVELS):
        around = max(flow.parents[around], 0)
        start, end = flow.first[around], flow.last[around]
        if kept.find(1, start, first) >= 0 and kept.find(1, last, end) >= 0:
            return True
    return False


def add_headings(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep headings directly before selected text; h1 is often the title of the site."""
    for index in range(len(kept) - 1):
        level = flow.levels[flow.boxes[index]]
        if not level or not kept[index + 1] or flow.levels[flow.boxes[index + 1]]:
            continue
        if likely[index] >= (_MIN_TITLE if level == 1 else _MIN_HEADING):
            kept[index] = 1


def drop_comments(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Drop comments below an article.

    They are the content of a forum, but not a part of an article: a page that declares itself as
    one and keeps some text before the first comment.
    """
    if not flow.is_article:
        return
    comment_names: set[str] = set()
    for names in set(flow.names):
        classes = names.lower()
        if any(word in classes for word in _FORUM_CLASSES):
            return
        if any(word in classes for word in _COMMENT_CLASSES):
            comment_names.add(names)
    if not comment_names:
        return
    is_comment: list[bool] = []  # of each element
    for parent, names in zip(flow.parents, flow.names, strict=True):
        is_inside = parent >= 0 and is_comment[parent]
        is_comment.append(is_inside or names in comment_names)
    length = 0
    comments: list[int] = []
    for index, element in enumerate(flow.boxes):
        if kept[index]:
            if is_comment[element]:
                comments.append(index)
            elif not comments:
                length += len(flow.texts[index])
    if length >= _MIN_ARTICLE:
        for index in comments:
            kept[index] = 0


def drop_copies(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Drop long texts that were selected already in another element, and copies of the whole text.

    Helps shops and blogs that repeat a description for small screens or in an unformatted block. A
    list or recipe may repeat a line within one element.
    """
    parents: dict[str, int] = {}  # text -> the parent of its first block
    beginnings: set[str] = set()
    long: list[int] = []
    for index, text in enumerate(flow.texts):
        if not kept[index] or len(text) < _MIN_LENGTH:
            continue
        parent = flow.parents[flow.boxes[index]]
        if parents.setdefault(text, parent) != parent:
            kept[index] = 0
            continue
        beginnings.add(text[:_MIN_LENGTH])
        if len(text) >= _MIN_WHOLE_TEXT:
            long.append(index)
    long.sort(key=lambda index: -len(flow.texts[index]))
    for index in long[:_MAX_WHOLE_TEXTS]:
        if _contains_two(flow.texts[index], beginnings):
            kept[index] = 0


def _contains_two(text: str, beginnings: set[str]) -> bool:
    """Return whether a text contains two of the beginnings, each after a space."""
    found: set[str] = set()
    start = text.find(" ") + 1
    while start and len(found) < 2:
        piece = text[start : start + _MIN_LENGTH]
        if piece in beginnings:
            found.add(piece)
        start = text.find(" ", start) + 1
    return len(found) == 2
