"""Blocks that are kept -> the same, and what is missing of the units they stand in, where most of
a run of units hold something that is kept: the names in each, and the parts that the others keep.

A name that is a link looks like an entry of a menu. Without it nobody can tell what the price or
the summary below it belongs to, and nobody sees that something is missing.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry._read.main_content.rules.runs.find import Unit, find_runs
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_LEVELS = 6  # of the boxes between a unit and a block in it
_MOST_BLOCKS = 12  # in a unit, on average
_LONGEST_MEAN = 500  # characters of a unit; what is longer can be judged by its words
_MOST = 2 / 3  # of the units hold something that is kept, and have a part in the same place
_LEAST_KEPT = 0.5  # of the parts in one place
_MOSTLY_LINK = 0.6  # of the characters of a name
_LEAST_DISTINCT = 0.8  # of the names; buttons say the same in every unit
_LEAST_MEAN = 3  # characters of a name; what is shorter is a letter for a picture
_POSSIBLE = 0.05  # by either stage
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG

_Place = tuple[str, ...]


def add_unit_parts(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those that complete units."""
    is_wanted = _mark_parents(flow, kept)
    if 1 not in is_wanted:
        return kept
    chosen = mark_blocks(kept, len(flow.texts))
    added: list[int] = []
    for units in find_runs(flow, is_wanted):
        if _may_be_completed(flow, units, chosen):
            added += _find_missing(flow, units, chosen)
    if not added:
        return kept
    for index in added:
        chance = max(chances.first[index], chances.final[index])
        box = flow.boxes[index]
        flags = flow.flags[box]
        if chance >= _POSSIBLE and not flags & _SET_ASIDE:
            chosen[index] = 1
    return list_marked(chosen)


def _mark_parents(flow: Flow, kept: list[int]) -> bytearray:
    """A mark for each box: 1 for those that hold several boxes, or links with boxes, of a few
    blocks each, of which something is kept.
    """
    marks = bytearray(len(flow.tags))
    seen = bytearray(len(flow.tags))
    first_of: dict[int, int] = {}
    for index in kept:
        box = flow.boxes[index]
        for _ in range(_LEVELS):
            if box < 0 or seen[box]:
                break
            seen[box] = 1
            blocks = flow.last[box] - flow.first[box]
            if blocks > 2 * _MOST_BLOCKS:
                break
            parent = flow.parents[box]
            if blocks > 1 and parent >= 0:
                if parent in first_of:
                    marks[parent] = 1
                else:
                    first_of[parent] = box
            box = parent
    for card in flow.cards:
        parent = card[0]
        marks[parent] = 1
    return marks


def _may_be_completed(flow: Flow, units: list[Unit], chosen: bytearray) -> bool:
    """Whether the units of a run are short, and most of them hold something that is kept."""
    blocks = length = holding = 0
    for unit in units:
        blocks += unit[1] - unit[0]
    size = len(units)
    if blocks < 2 * size or blocks > _MOST_BLOCKS * size:
        return False  # before anything is looked for in them: boxes may hold each other
    for unit in units:
        holding += chosen.find(1, unit[0], unit[1]) >= 0
    if holding < _MOST * size:
        return False
    for unit in units:
        for index in range(unit[0], unit[1]):
            text = flow.texts[index]
            length += len(text)
    return length <= _LONGEST_MEAN * size


def _find_missing(flow: Flow, units: list[Unit], chosen: bytearray) -> list[int]:
    """The blocks that the units lack of their names and of the parts that others keep."""
    places: dict[_Place, list[int]] = {}  # the blocks of all units that stand alike in them
    names: dict[_Place, list[int]] = {}
    for unit in units:
        start, end = unit[0], unit[1]
        # what stands behind all that is kept leads on to somewhere else
        last_kept = chosen.rfind(1, start, end)
        if last_kept < 0:
            last_kept = end
        for index in range(start, end):
            place = _find_place(flow, index, unit[2])
            places.setdefault(place, []).append(index)
            if index <= last_kept and _may_be_name(flow, index):
                names.setdefault(place, []).append(index)
    found: list[int] = []
    least = _MOST * len(units)
    for blocks in names.values():
        if len(blocks) >= least and _are_distinct(flow, blocks):
            found += blocks
    if flow.is_article:
        # its text stands in boxes that are alike, too, and so does what is put between them
        return found
    for blocks in places.values():
        count = 0
        for index in blocks:
            count += chosen[index]
        if len(blocks) >= least and count >= _LEAST_KEPT * len(blocks):
            found += blocks
    return found


def _find_place(flow: Flow, index: int, unit: int) -> _Place:
    """Where a block stands in its unit: the tags and classes of the boxes between them."""
    place: list[str] = []
    box = flow.boxes[index]
    for _ in range(_LEVELS):
        if box <= unit:
            break
        place.append(flow.tags[box])
        place.append(flow.names[box])
        box = flow.parents[box]
    return tuple(place)


def _may_be_name(flow: Flow, index: int) -> bool:
    """Whether a block is a heading, or little but a link."""
    box = flow.boxes[index]
    level = flow.levels[box]
    text = flow.texts[index]
    return level > 0 or flow.link_chars[index] >= _MOSTLY_LINK * len(text)


def _are_distinct(flow: Flow, blocks: list[int]) -> bool:
    """Whether some names tell their units apart."""
    length = 0
    distinct: set[str] = set()
    for index in blocks:
        text = flow.texts[index]
        length += len(text)
        distinct.add(text)
    return len(distinct) >= _LEAST_DISTINCT * len(blocks) and length >= _LEAST_MEAN * len(blocks)
