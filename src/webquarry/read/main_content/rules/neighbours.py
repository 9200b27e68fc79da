"""Blocks that are kept -> the same, and what belongs to them because it stands right behind them:
code, and the next sentence of the same text.
"""

from __future__ import annotations

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.model import Chances
from webquarry.read.main_content.tags import ASIDE_FLAG, HIDDEN_FLAG

_LIKELY = 0.4  # by either stage
_MOST_LINKS = 0.35  # of the characters
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG
_SENTENCES = frozenset({"p", "li", "dd", "blockquote"})


def add_code(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and the code right behind them, however many pieces it is in."""
    if "pre" not in flow.known_tags:
        return kept
    chosen = set(kept)
    for index, box in enumerate(flow.boxes):
        if index - 1 in chosen and flow.tags[box] == "pre" and not flow.flags[box] & _SET_ASIDE:
            chosen.add(index)
    return sorted(chosen)


def add_ends(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the sentences right behind them in the same box, if one of the stages
    takes them for a part of the text: what follows the end of a text talks its last sentence down.
    """
    chosen = set(kept)
    likely = (chances.first >= _LIKELY) | (chances.final >= _LIKELY)
    for index in likely.nonzero()[0].tolist():
        box = flow.boxes[index]
        if index - 1 not in chosen or flow.tags[box] not in _SENTENCES:
            continue
        parent = max(flow.parents[box], 0)
        follows_in_box = flow.first[parent] < index
        if follows_in_box and flow.link_chars[index] < _MOST_LINKS * len(flow.texts[index]):
            chosen.add(index)
    return sorted(chosen)
