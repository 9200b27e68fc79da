"""Blocks that are kept -> the same, and every data table of the page as a whole.

A cell is short, often nothing but a link, and stands among its like: judged alone it looks like an
entry of a menu. A table that has lost its names or its numbers is worse than none, because nobody
sees that something is missing. So a table of data is kept whole, whatever the chances of its cells;
one that only lays out the page or a post of it, and the calendar of a blog, are left to them.
"""

from __future__ import annotations

from collections.abc import Iterator

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.tags import ASIDE_FLAG, HIDDEN_FLAG, ITEM_FLAG

_FEWEST_ROWS = 2
_LONGEST_CELL = 1_500  # characters
_LONGEST_MEAN = 120  # characters of a cell
_MOST_ITEMS = 0.3  # of the blocks; a menu that is laid out in a table is made of items
_MOST_IN_CELL = 2  # blocks, on average; a cell that holds more is a part of a layout
_FEWEST_DAYS = 20  # of a month, in a calendar
_DAYS = frozenset(str(day) for day in range(1, 32))
_CELLS = ("td", "th")


def add_tables(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and all those of data tables."""
    if "table" not in flow.known_tags:
        return kept
    chosen = set(kept)
    for table in find_data_tables(flow):
        chosen.update(range(flow.first[table], flow.last[table]))
    return sorted(chosen)


def find_data_tables(flow: Flow) -> Iterator[int]:
    """The boxes of tables that hold data: rows of several short cells."""
    for table, rows in _find_inner_tables(flow).items():
        if flow.flags[table] & (HIDDEN_FLAG | ASIDE_FLAG) or len(rows) < _FEWEST_ROWS:
            continue
        wide_rows = [row for row in rows if flow.last[row] - flow.first[row] >= 2]
        if 2 * len(wide_rows) <= len(rows) or not _holds_values(flow, table):
            continue
        if not _lays_out(flow, table) and not _is_calendar(flow, table):
            yield table


def _find_inner_tables(flow: Flow) -> dict[int, list[int]]:
    """The tables that hold no other table, each with its rows, as boxes."""
    rows: dict[int, list[int]] = {}
    tables: list[int] = []  # the innermost table around each box; -1 for none
    outer: set[int] = set()
    for box, (tag, parent) in enumerate(zip(flow.tags, flow.parents, strict=True)):
        around = -1
        if parent >= 0:
            around = tables[parent]
        if tag == "table":
            outer.add(around)
            rows[box] = []
            around = box
        elif tag == "tr" and around >= 0:
            rows[around].append(box)
        tables.append(around)
    return {table: its_rows for table, its_rows in rows.items() if table not in outer}


def _holds_values(flow: Flow, table: int) -> bool:
    """Whether the blocks of a table are as short as values are, and no items of a menu."""
    texts, boxes, flags = flow.texts, flow.boxes, flow.flags
    above = flags[table]
    blocks = range(flow.first[table], flow.last[table])
    length = items = 0
    for index in blocks:
        size = len(texts[index])
        if size > _LONGEST_CELL:
            return False
        length += size
        if flags[boxes[index]] & ~above & ITEM_FLAG:
            items += 1
    return length <= _LONGEST_MEAN * len(blocks) and items <= _MOST_ITEMS * len(blocks)


def _lays_out(flow: Flow, table: int) -> bool:
    """Whether the cells of a table hold several blocks each, as the author's box and the text of a
    post do.
    """
    first, tags = flow.first, flow.tags
    last = flow.last[table]
    cells = 0
    # the boxes in the table stand right behind it
    for box in range(table + 1, len(tags)):
        if first[box] >= last:
            break
        cells += tags[box] in _CELLS
    return last - first[table] > _MOST_IN_CELL * cells


def _is_calendar(flow: Flow, table: int) -> bool:
    """Whether a table is made of the days of a month, each behind the one before."""
    blocks = range(flow.first[table], flow.last[table])
    days = 0
    for text in flow.texts[blocks.start : blocks.stop]:
        if text in _DAYS and int(text) == days + 1:
            days += 1
    return days >= _FEWEST_DAYS and 2 * days > len(blocks)
