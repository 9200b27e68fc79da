"""Blocks that are kept -> the same, and every data table of the page as a whole.

A cell is short, often nothing but a link, and stands among its like: judged alone it looks like an
entry of a menu. A table that has lost its names or its numbers is worse than none, because nobody
sees that something is missing. So a table of data is kept whole, whatever the chances of its cells;
one that only lays out the page or a post of it, and the calendar of a blog, are left to them.
Boxes that say by their roles that they are a table, its rows and its cells are one.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks, mark_range
from webquarry._read.main_content.tags import (
    ASIDE_FLAG,
    CELL_ROLE_FLAG,
    HIDDEN_FLAG,
    ITEM_FLAG,
    ROW_ROLE_FLAG,
    TABLE_ROLE_FLAG,
)

_FEWEST_ROWS = 2
_LONGEST_CELL = 1_500  # characters
_LONGEST_MEAN = 120  # characters of a cell
_MOST_ITEMS = 0.3  # of the blocks; a menu that is laid out in a table is made of items
_MOST_IN_CELL = 2  # blocks, on average; a cell that holds more is a part of a layout
_FEWEST_DAYS = 20  # of a month, in a calendar
_DAYS = [str(day) for day in range(1, 32)]
_SET_ASIDE = HIDDEN_FLAG | ASIDE_FLAG
_ITEM = ITEM_FLAG
_TABLE_ROLE = TABLE_ROLE_FLAG
_ROW_ROLE = ROW_ROLE_FLAG
_CELL_ROLE = CELL_ROLE_FLAG


def add_tables(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and all those of data tables."""
    if "table" not in flow.known_tags and not flow.has_role_table:
        return kept
    tables = find_data_tables(flow)
    if not tables:
        return kept
    marks = mark_blocks(kept, len(flow.texts))
    for table in tables:
        mark_range(marks, flow.first[table], flow.last[table])
    return list_marked(marks)


def find_data_tables(flow: Flow) -> list[int]:
    """The boxes of tables that hold data: rows of several short cells."""
    found: list[int] = []
    rows_of = _find_inner_tables(flow)
    for table in rows_of:
        rows = rows_of[table]
        flags = flow.flags[table]
        if flags & _SET_ASIDE or len(rows) < _FEWEST_ROWS:
            continue
        wide_rows = 0
        for row in rows:
            if flow.last[row] - flow.first[row] >= 2:
                wide_rows += 1
        if 2 * wide_rows <= len(rows) or not _holds_values(flow, table):
            continue
        if not _lays_out(flow, table) and not _is_calendar(flow, table):
            found.append(table)
    return found


def _find_inner_tables(flow: Flow) -> dict[int, list[int]]:
    """The tables that hold no other table, each with its rows, as boxes."""
    rows: dict[int, list[int]] = {}
    tables: list[int] = []  # the innermost table around each box; -1 for none
    for box in range(len(flow.tags)):
        tag = flow.tags[box]
        parent = flow.parents[box]
        around = -1
        roles = flow.flags[box]
        if parent >= 0:
            around = tables[parent]
            above = flow.flags[parent]
            roles &= ~above
        if tag == "table" or roles & _TABLE_ROLE:
            rows.pop(around, None)
            rows[box] = []
            around = box
        elif (tag == "tr" or roles & _ROW_ROLE) and around in rows:
            rows[around].append(box)
        tables.append(around)
    return rows


def _holds_values(flow: Flow, table: int) -> bool:
    """Whether the blocks of a table are as short as values are, and no items of a menu."""
    above = flow.flags[table]
    start, end = flow.first[table], flow.last[table]
    blocks = end - start
    length = items = 0
    for index in range(start, end):
        text = flow.texts[index]
        size = len(text)
        if size > _LONGEST_CELL:
            return False
        length += size
        box = flow.boxes[index]
        flags = flow.flags[box]
        if flags & ~above & _ITEM:
            items += 1
    return length <= _LONGEST_MEAN * blocks and items <= _MOST_ITEMS * blocks


def _lays_out(flow: Flow, table: int) -> bool:
    """Whether the cells of a table hold several blocks each, as the author's box and the text of a
    post do.
    """
    first = flow.first
    last = flow.last[table]
    cells = 0
    # the boxes in the table stand right behind it
    for box in range(table + 1, len(flow.tags)):
        start = first[box]
        if start >= last:
            break
        tag = flow.tags[box]
        above = flow.flags[flow.parents[box]]
        roles = flow.flags[box] & ~above
        if tag == "td" or tag == "th" or roles & _CELL_ROLE:
            cells += 1
    return last - first[table] > _MOST_IN_CELL * cells


def _is_calendar(flow: Flow, table: int) -> bool:
    """Whether a table is made of the days of a month, each behind the one before."""
    start, end = flow.first[table], flow.last[table]
    days = 0
    for index in range(start, end):
        text = flow.texts[index]
        if days < len(_DAYS) and text == _DAYS[days]:
            days += 1
    return days >= _FEWEST_DAYS and 2 * days > end - start
