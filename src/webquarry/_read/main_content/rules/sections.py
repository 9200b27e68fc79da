"""Blocks that are kept -> the same, and what stands under a heading that surely belongs to the page
though nothing under it was kept: a cast, a list of dates. Short lines and links look like a menu;
the name above them says what they are. Articles end in such lists that are not theirs.
"""

from __future__ import annotations

from bisect import bisect_left

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_SURE = 0.5  # of a heading
_LONGEST = 1_500  # characters of a section that is a list
_WHOLE_PAGE = ("html", "body")
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG


def add_sections(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those of sections of which only the name is kept."""
    if flow.is_article:
        return kept
    final = chances.final
    added: list[int] = []
    for heading in kept:
        box = flow.boxes[heading]
        level = flow.levels[box]
        if level < 2:
            continue
        chance = final[heading]
        if chance >= _SURE:
            added += _find_section(flow, heading, level, kept)
    if not added:
        return kept
    shown = [index for index in added if not flow.flags[flow.boxes[index]] & _SET_ASIDE]
    return sorted({*kept, *shown})


def _find_section(flow: Flow, heading: int, level: int, kept: list[int]) -> list[int]:
    """The blocks from a heading to the next of its level, in the box that it stands in. None where
    that box is the whole page, or where nothing before the heading is kept of it: a box beside the
    text. None, too, of a section that is long, or of which something is kept.
    """
    box = flow.boxes[heading]
    while flow.last[box] <= heading + 1 and flow.parents[box] >= 0:
        box = flow.parents[box]
    section: list[int] = []
    end = flow.last[box]
    # the next block that is kept ends a section of which nothing is
    place = bisect_left(kept, heading) + 1
    next_kept = end
    if place < len(kept):
        next_kept = kept[place]
    if flow.tags[box] in _WHOLE_PAGE or kept[bisect_left(kept, flow.first[box])] == heading:
        return section
    length = 0
    for index in range(heading + 1, end):
        own_box = flow.boxes[index]
        own_level = flow.levels[own_box]
        if 0 < own_level <= level:
            break
        text = flow.texts[index]
        length += len(text)
        if index >= next_kept or length > _LONGEST:
            return []
        section.append(index)
    return section
