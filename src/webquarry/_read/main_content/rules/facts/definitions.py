"""Blocks that are kept -> the same, and what is missing of lists of terms: the other pairs of a
list of which at least half hold something that is kept, a list that follows a text right in its
box, and the links that are said of terms that are kept, such as dates with the news of the day.
"""

from __future__ import annotations

from bisect import bisect_left

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.pairs import find_definitions
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_FEWEST_PAIRS = 3
_LEAST_KEPT = 0.5  # of the pairs
_MOST_TERMS = 2 / 3  # of the terms are kept, if links are said of them
_LONGEST = 200  # characters of a pair
_MOST_BLOCKS = 20  # of a term or of what is said of it; with more it is a text of its own
_POSSIBLE = 0.1  # by either stage
_LIKELY_LIST = 0.2  # on average, of a list of which nothing is kept
_MOST_LINKS = 0.5  # of the characters
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG

_Pair = tuple[list[int], list[int]]  # the blocks of the terms, and those of what is said of them


def add_definitions(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those that complete lists of terms."""
    if "dt" not in flow.known_tags or not kept:
        return kept
    added: list[int] = []
    for box, pairs in _list_pairs(flow).items():
        if len(pairs) < _FEWEST_PAIRS:
            continue
        terms = sum(_holds_any(pair[0], kept) for pair in pairs)
        sayings = sum(_holds_any(pair[1], kept) for pair in pairs)
        holding = max(terms, sayings)
        may_be_links = not sayings and terms >= _MOST_TERMS * len(pairs)
        if holding >= _LEAST_KEPT * len(pairs):
            added += _list_possible(flow, chances, pairs, may_be_links=may_be_links)
        elif not holding and _follows_text(flow, box, kept):
            blocks = _list_possible(flow, chances, pairs, may_be_links=False)
            if _is_likely(chances, blocks):
                added += blocks
    if not added:
        return kept
    return sorted({*kept, *added})


def _list_pairs(flow: Flow) -> dict[int, list[_Pair]]:
    """The pairs of each list, by its box; a pair may have a box of its own in it."""
    pairs_of: dict[int, list[_Pair]] = {}
    for terms, sayings in find_definitions(flow):
        box = flow.parents[terms[0]]
        if flow.tags[box] == "div":
            box = max(flow.parents[box], 0)
        pair = (_list_blocks(flow, terms), _list_blocks(flow, sayings))
        pairs_of.setdefault(box, []).append(pair)
    return pairs_of


def _list_blocks(flow: Flow, boxes: list[int]) -> list[int]:
    """The blocks in some boxes, but for those that are hidden or set aside, and for boxes that hold
    many.
    """
    found: list[int] = []
    for box in boxes:
        if flow.last[box] - flow.first[box] > _MOST_BLOCKS:
            continue
        for index in range(flow.first[box], flow.last[box]):
            if not flow.flags[flow.boxes[index]] & _SET_ASIDE:
                found.append(index)
    return found


def _holds_any(blocks: list[int], kept: list[int]) -> bool:
    """Whether one of the blocks, which are in order, is kept."""
    for index in blocks:
        place = bisect_left(kept, index)
        if place < len(kept) and kept[place] == index:
            return True
    return False


def _follows_text(flow: Flow, box: int, kept: list[int]) -> bool:
    """Whether the block right before a box is kept, and stands in the box around it."""
    before = flow.first[box] - 1
    around = max(flow.parents[box], 0)
    return flow.first[around] <= before and _holds_any([before], kept)


def _list_possible(
    flow: Flow, chances: Chances, pairs: list[_Pair], *, may_be_links: bool
) -> list[int]:
    """The blocks of short pairs that one of the stages thinks possible."""
    found: list[int] = []
    for terms, sayings in pairs:
        blocks = terms + sayings
        if sum(len(flow.texts[index]) for index in blocks) > _LONGEST:
            continue
        for index in blocks:
            if max(chances.first[index], chances.final[index]) < _POSSIBLE:
                continue
            if may_be_links or flow.link_chars[index] <= _MOST_LINKS * len(flow.texts[index]):
                found.append(index)
    return found


def _is_likely(chances: Chances, blocks: list[int]) -> bool:
    """Whether some blocks belong to the page, by what one of the stages gives them on average."""
    total = sum(max(chances.first[index], chances.final[index]) for index in blocks)
    return total >= _LIKELY_LIST * len(blocks)
