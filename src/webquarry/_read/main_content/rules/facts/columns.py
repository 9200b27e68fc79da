"""Blocks that are kept -> the same, and the tables of one column that belong to a text: names
below each other, code with one line a row. A table of several columns is kept for its shape; one of
a single column may as well lay out the page, so it has to stand right behind the text.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_CELLS = frozenset({"td", "th"})
_FEWEST_CELLS, _MOST_CELLS = 3, 200
_LONGEST_MEAN = 120  # characters of a cell
_MOST_LINKS = 0.3  # of the characters
_LIKELY = 0.2  # by either stage, on average
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG


def add_columns(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those of tables of one column right behind them in the same box."""
    if "table" not in flow.known_tags:
        return kept
    chosen = mark_blocks(kept, len(flow.texts))
    count = len(kept)
    for box in range(1, len(flow.tags)):
        tag = flow.tags[box]
        if tag != "table":
            continue
        flags = flow.flags[box]
        if flags & _SET_ASIDE:
            continue
        start, end = flow.first[box], flow.last[box]
        around = flow.parents[box]
        follows_text = flow.first[around] < start and chosen[start - 1]
        if not follows_text or not _FEWEST_CELLS <= end - start <= _MOST_CELLS:
            continue
        if _is_column(flow, start, end) and _is_likely(chances, start, end):
            for index in range(start, end):
                flags = flow.flags[flow.boxes[index]]
                if not chosen[index] and not flags & _SET_ASIDE:
                    chosen[index] = 1
                    count += 1
    if count == len(kept):
        return kept
    return list_marked(chosen)


def _is_column(flow: Flow, start: int, end: int) -> bool:
    """Whether each of some blocks is a cell and all there is in its row, and few of them links."""
    length = in_links = 0
    last_row = -1
    for index in range(start, end):
        cell = flow.boxes[index]
        row = flow.parents[cell]
        if flow.tags[cell] not in _CELLS or row == last_row:
            return False
        last_row = row
        length += len(flow.texts[index])
        in_links += flow.link_chars[index]
    return length <= _LONGEST_MEAN * (end - start) and in_links <= _MOST_LINKS * length


def _is_likely(chances: Chances, start: int, end: int) -> bool:
    """Whether some blocks belong to the page, by what one of the stages gives them on average."""
    total = sum(max(chances.first[index], chances.final[index]) for index in range(start, end))
    return total >= _LIKELY * (end - start)
