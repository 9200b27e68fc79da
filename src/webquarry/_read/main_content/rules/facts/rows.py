"""Blocks that are kept -> the same, and what is missing of a list of short rows of which at least
half hold something that is kept: a label and its value, a number and what it counts. Such halves
are too short to be judged by their words.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_ROW_TAGS = frozenset({"article", "div", "section"})
_LEVELS = 2  # of the boxes around a block that may be its row
_FEWEST_ROWS = 3
_FEWEST_BLOCKS, _MOST_BLOCKS = 2, 3  # of a row
_LEAST_KEPT = 0.5  # of the rows
_LONGEST = 100  # characters of a row, on average
_POSSIBLE = 0.1  # by either stage
_MOST_LINKS = 0.5  # of the characters
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG


def add_rows(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those that complete rows."""
    size = len(flow.texts)
    is_kept = _mark_rows(flow, kept)
    lists = _list_rows(flow, is_kept)
    if not lists:
        return kept
    chosen = mark_blocks(kept, size)
    for rows in lists:
        count = length = 0
        for row in rows:
            count += is_kept[row]
            for index in range(flow.first[row], flow.last[row]):
                text = flow.texts[index]
                length += len(text)
        if count < _LEAST_KEPT * len(rows) or length > _LONGEST * len(rows):
            continue
        for row in rows:
            _add_missing(flow, chances, row, chosen)
    return list_marked(chosen)


def _mark_rows(flow: Flow, kept: list[int]) -> bytearray:
    """A mark for each box: 1 for those that may be rows and hold something that is kept."""
    marks = bytearray(len(flow.tags))
    for index in kept:
        box = flow.boxes[index]
        for _ in range(_LEVELS):
            if box < 0:
                break
            blocks = flow.last[box] - flow.first[box]
            if blocks > _MOST_BLOCKS:
                break
            if blocks >= _FEWEST_BLOCKS:
                marks[box] = 1
            box = flow.parents[box]
    return marks


def _list_rows(flow: Flow, is_kept: bytearray) -> list[list[int]]:
    """The rows of each list of which one holds something that is kept: boxes of the same tag and
    class in one box.
    """
    rows_of: dict[tuple[int, str, str], list[int]] = {}
    parents: set[int] = set()
    for box in range(len(is_kept)):
        if is_kept[box]:
            parents.add(flow.parents[box])
    if not parents:
        return []
    for box in range(len(is_kept)):
        blocks = flow.last[box] - flow.first[box]
        if blocks < _FEWEST_BLOCKS or blocks > _MOST_BLOCKS:
            continue
        parent = flow.parents[box]
        tag = flow.tags[box]
        if parent not in parents or tag not in _ROW_TAGS:
            continue
        names = flow.names[box]
        kind = (parent, tag, names.partition(" ")[0])
        known = rows_of.get(kind)
        if known is None:
            rows_of[kind] = [box]
        else:
            known.append(box)
    return [rows for rows in rows_of.values() if len(rows) >= _FEWEST_ROWS]


def _add_missing(flow: Flow, chances: Chances, row: int, chosen: bytearray) -> None:
    """Choose the blocks of a row that are possible, and more than a link."""
    for index in range(flow.first[row], flow.last[row]):
        if chosen[index]:
            continue
        box = flow.boxes[index]
        flags = flow.flags[box]
        chance = max(chances.first[index], chances.final[index])
        if chance < _POSSIBLE or flags & _SET_ASIDE:
            continue
        text = flow.texts[index]
        if flow.link_chars[index] <= _MOST_LINKS * len(text):
            chosen[index] = 1
