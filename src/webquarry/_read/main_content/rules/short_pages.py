"""Blocks that are kept -> the same, and on a short page what else may belong to them.

The less there is on a page, the less there is to judge a block by, and the more is lost with each:
here more is better than less.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow, count_characters
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_SHORT = 1_500  # characters of the blocks of a page
_MOST_KEPT = 2 / 3  # of the box around; where more is kept, little is missing
_POSSIBLE = 0.25  # by either stage
_MOST_LINKS = 0.75  # of the characters
_TEXT_TAGS = frozenset({"p", "li", "dd", "dt", "blockquote", "pre", "td", "th"})
_WHOLE_PAGE = ("html", "body")
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG | FORM_FLAG


def fill_short_page(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and on a short page those that are possible in the box around them."""
    if not kept or count_characters(flow.texts) > _SHORT:
        return kept
    box = flow.boxes[kept[0]]
    while flow.last[box] <= kept[-1] and flow.parents[box] >= 0:
        box = flow.parents[box]
    if flow.tags[box] in _WHOLE_PAGE:
        return kept
    start, end = flow.first[box], flow.last[box]
    length = count_characters(flow.texts[start:end])
    kept_length = 0
    for index in kept:
        text = flow.texts[index]
        kept_length += len(text)
    if kept_length > _MOST_KEPT * length:
        return kept
    chosen = mark_blocks(kept, len(flow.texts))
    for index in range(start, end):
        box = flow.boxes[index]
        flags = flow.flags[box]
        chance = max(chances.first[index], chances.final[index])
        if chance < _POSSIBLE or flags & _SET_ASIDE:
            continue
        if flow.tags[box] not in _TEXT_TAGS and not flow.levels[box]:
            continue
        text = flow.texts[index]
        if flow.link_chars[index] <= _MOST_LINKS * len(text):
            chosen[index] = 1
    return list_marked(chosen)
