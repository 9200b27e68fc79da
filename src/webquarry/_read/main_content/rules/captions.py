"""Blocks that are kept -> the same, and the captions of the figures that stand among them."""

from __future__ import annotations

from bisect import bisect_left

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.tags import ASIDE_FLAG, CAPTION_FLAG, HIDDEN_FLAG

_CAPTION = CAPTION_FLAG
_SET_ASIDE = HIDDEN_FLAG | ASIDE_FLAG
_UNLIKELY = 0.2  # by both stages
_LIKELY_AT_END = 0.3  # by either stage
_MOST_STEPS = 4  # from a figure up to the box of the text that it belongs to
_MOST_BLOCKS = 6  # in a figure; one with more is a part of the page and no picture


def add_captions(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the captions that stand between them in one box, or right behind the
    last of them; what follows the text of an article is rarely a part of it.
    """
    first, final = chances.first, chances.final
    added: list[int] = []
    for index in range(len(flow.boxes)):
        box = flow.boxes[index]
        flags = flow.flags[box]
        if not flags & _CAPTION or flags & _SET_ASIDE:
            continue
        chance = max(first[index], final[index])
        if chance < _UNLIKELY:
            continue
        figure = _find_figure(flow, box)
        if _stands_among(flow, figure, kept):
            added.append(index)
            continue
        if chance < _LIKELY_AT_END or flow.is_article or flow.link_chars[index]:
            continue
        if _stands_behind(flow, figure, kept):
            added.append(index)
    if not added:
        return kept
    return sorted({*kept, *added})


def _find_figure(flow: Flow, caption: int) -> int:
    """The figure around a caption, or the caption itself."""
    box = caption
    for _ in range(_MOST_STEPS):
        if box < 0:
            break
        if flow.tags[box] == "figure":
            return box
        box = flow.parents[box]
    return caption


def _stands_among(flow: Flow, figure: int, kept: list[int]) -> bool:
    """Whether blocks are kept before and behind a figure in a box not far around it."""
    first, last = flow.first[figure], flow.last[figure]
    if last - first > _MOST_BLOCKS:
        return False
    place, place_behind = bisect_left(kept, first), bisect_left(kept, last)
    if place == 0 or place_behind == len(kept):
        return False
    before, behind = kept[place - 1], kept[place_behind]
    around = figure
    for _ in range(_MOST_STEPS):
        around = max(flow.parents[around], 0)
        if flow.first[around] <= before and behind < flow.last[around]:
            return True
    return False


def _stands_behind(flow: Flow, figure: int, kept: list[int]) -> bool:
    """Whether the block right before a figure is kept, and stands beside it in the same box."""
    first, last = flow.first[figure], flow.last[figure]
    if last - first > _MOST_BLOCKS or flow.tags[figure] != "figure":
        return False
    place = bisect_left(kept, first) - 1
    if place < 0 or kept[place] != first - 1:
        return False
    before = flow.boxes[first - 1]
    return flow.parents[before] == flow.parents[figure] and not flow.levels[before]
