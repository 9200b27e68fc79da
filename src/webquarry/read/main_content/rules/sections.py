"""Blocks that are kept -> the same, and what stands under a heading that surely belongs to the page
though nothing under it was kept: a cast, a list of dates. Short lines and links look like a menu;
the name above them says what they are. Articles end in such lists that are not theirs.
"""

from __future__ import annotations

from bisect import bisect_left

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.model import Chances
from webquarry.read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_SURE = 0.5  # of a heading
_LONGEST = 1_500  # characters of a section that is a list
_WHOLE_PAGE = ("html", "body")
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG


def add_sections(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those of sections of which only the name is kept."""
    if flow.is_article:
        return kept
    chosen = set(kept)
    added: list[int] = []
    levels, boxes = flow.levels, flow.boxes
    for heading in kept:
        level = levels[boxes[heading]]
        if level < 2 or chances.final[heading] < _SURE:
            continue
        section = _find_section(flow, heading, level, kept)
        length = sum(len(flow.texts[index]) for index in section)
        if length <= _LONGEST and chosen.isdisjoint(section):
            added += section
    if not added:
        return kept
    shown = [index for index in added if not flow.flags[flow.boxes[index]] & _SET_ASIDE]
    return sorted({*kept, *shown})


def _find_section(flow: Flow, heading: int, level: int, kept: list[int]) -> list[int]:
    """The blocks from a heading to the next of its level, in the box that it stands in. None where
    that box is the whole page, or where nothing before the heading is kept of it: a box beside the
    text.
    """
    box = flow.boxes[heading]
    while flow.last[box] <= heading + 1 and flow.parents[box] >= 0:
        box = flow.parents[box]
    section: list[int] = []
    if flow.tags[box] in _WHOLE_PAGE or kept[bisect_left(kept, flow.first[box])] == heading:
        return section
    for index in range(heading + 1, flow.last[box]):
        if 0 < flow.levels[flow.boxes[index]] <= level:
            break
        section.append(index)
    return section
