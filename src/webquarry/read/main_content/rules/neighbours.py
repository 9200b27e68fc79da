"""Blocks that are kept -> the same, and what belongs to them because it stands right behind them:
code, and the next sentence of the same text.
"""

from __future__ import annotations

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.model import Chances
from webquarry.read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry.read.main_content.tags import ASIDE_FLAG, HIDDEN_FLAG

_LIKELY = 0.4  # by either stage
_LIKELY_BEHIND_CODE = 0.2  # nothing but the text around it speaks of code
_MOST_LINKS = 0.35  # of the characters
# The last sentence of a text often says where to read on: more of it are links, but not all.
_MOST_LINKS_IN_SENTENCE = 0.7
_LEAST_BESIDE_LINKS = 20  # characters
_SENTENCE_ENDS = frozenset(".!?。！？")
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG
_SENTENCES = frozenset({"p", "li", "dd", "blockquote"})


def add_code(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and the code right behind them, however many pieces it is in."""
    if "pre" not in flow.known_tags:
        return kept
    size = len(flow.boxes)
    chosen = mark_blocks(kept, size)
    for index in range(1, size):
        if not chosen[index - 1]:
            continue
        box = flow.boxes[index]
        flags = flow.flags[box]
        tag = flow.tags[box]
        if tag == "pre" and not flags & _SET_ASIDE:
            chosen[index] = 1
    return list_marked(chosen)


def add_ends(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the sentences right behind them in the same box, if one of the stages
    takes them for a part of the text: what follows the end of a text talks its last sentence down.
    """
    first, final = chances.first, chances.final
    size = len(flow.boxes)
    chosen = mark_blocks(kept, size)
    for index in range(1, size):
        if chosen[index] or not chosen[index - 1]:
            continue
        chance = max(first[index], final[index])
        if chance < _LIKELY_BEHIND_CODE:
            continue
        box = flow.boxes[index]
        before = flow.boxes[index - 1]
        tag = flow.tags[before]
        is_behind_code = tag == "pre"
        if flow.tags[box] not in _SENTENCES or (chance < _LIKELY and not is_behind_code):
            continue
        parent = max(flow.parents[box], 0)
        follows_in_box = flow.first[parent] < index
        if follows_in_box and not _is_mostly_links(flow.texts[index], flow.link_chars[index]):
            chosen[index] = 1
    return list_marked(chosen)


def _is_mostly_links(text: str, in_links: int) -> bool:
    """Whether a text, of which so many characters are in links, says little beside them."""
    size = len(text)
    if in_links < _MOST_LINKS * size:
        return False
    is_sentence = text[-1:] in _SENTENCE_ENDS and size - in_links >= _LEAST_BESIDE_LINKS
    return not is_sentence or in_links > _MOST_LINKS_IN_SENTENCE * size
