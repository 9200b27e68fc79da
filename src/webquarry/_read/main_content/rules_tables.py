"""Rule for data tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import (
    ASIDE_FLAG,
    CELL_ROLE_FLAG,
    HIDDEN_FLAG,
    ITEM_FLAG,
    ROW_ROLE_FLAG,
    TABLE_ROLE_FLAG,
)

_MIN_ROWS = 2
_MAX_CELL = 1_500  # characters
_MAX_MEAN_CELL = 120  # characters
_MAX_ITEMS = 0.3  # share of blocks in list items: menus are laid out like that
_MAX_CELL_BLOCKS = 2  # mean number of blocks in a cell; layout tables have more
_MAX_TABLE_LINKS = 0.3  # share of characters in links
_MIN_LINK_TABLE = 0.1  # mean probability of a table that is mostly links
_DAYS = [str(day) for day in range(1, 32)]
_MIN_DAYS = 20  # of a calendar


def add_tables(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep data tables completely.

    Helps encyclopedias, statistics and specifications. The model judges single cells, which look
    like entries of a menu. Layout tables, calendars and grids of links are left to the model.
    """
    if "table" not in flow.known_tags and not flow.has_role_table:
        return
    for table, rows in _find_innermost_tables(flow).items():
        if _is_data_table(flow, table, rows) and not _is_link_grid(flow, table, likely):
            first, last = flow.first[table], flow.last[table]
            kept[first:last] = b"\1" * (last - first)


def _find_innermost_tables(flow: Flow) -> dict[int, list[int]]:
    """Return the elements of tables that contain no other table, each with those of its rows."""
    rows: dict[int, list[int]] = {}
    tables: list[int] = []  # the innermost table around each element, or -1
    for element, tag in enumerate(flow.tags):
        parent = flow.parents[element]
        around, roles = -1, flow.flags[element]
        if parent >= 0:
            around = tables[parent]
            roles &= ~flow.flags[parent]
        if tag == "table" or roles & TABLE_ROLE_FLAG:
            rows.pop(around, None)
            rows[element] = []
            around = element
        elif (tag == "tr" or roles & ROW_ROLE_FLAG) and around in rows:
            rows[around].append(element)
        tables.append(around)
    return rows


def _is_data_table(flow: Flow, table: int, rows: list[int]) -> bool:
    """Return whether a table has several rows of short cells, and is no layout or calendar."""
    first, last = flow.first[table], flow.last[table]
    if len(rows) < _MIN_ROWS or flow.flags[table] & (ASIDE_FLAG | HIDDEN_FLAG):
        return False
    wide_rows = sum(flow.last[row] - flow.first[row] >= 2 for row in rows)
    if 2 * wide_rows <= len(rows):
        return False
    texts = flow.texts[first:last]
    lengths = [len(text) for text in texts]
    if max(lengths) > _MAX_CELL or sum(lengths) > _MAX_MEAN_CELL * len(lengths):
        return False
    own_flags = ~flow.flags[table]
    items = sum(flow.flags[box] & own_flags & ITEM_FLAG != 0 for box in flow.boxes[first:last])
    if items > _MAX_ITEMS * len(texts):
        return False
    cells = sum(_is_cell(flow, element) for element in _descendants(flow, table))
    return len(texts) <= _MAX_CELL_BLOCKS * cells and not _is_calendar(texts)


def _descendants(flow: Flow, element: int) -> Iterable[int]:
    """Yield the elements in an element, which have the numbers that follow its own."""
    end = flow.last[element]
    for descendant in range(element + 1, len(flow.tags)):
        if flow.first[descendant] >= end:
            return
        yield descendant


def _is_cell(flow: Flow, element: int) -> bool:
    roles = flow.flags[element] & ~flow.flags[flow.parents[element]]
    return flow.tags[element] in ("td", "th") or roles & CELL_ROLE_FLAG != 0


def _is_calendar(texts: list[str]) -> bool:
    """Return whether most texts are the days of a month in order."""
    days = 0
    for text in texts:
        if days < len(_DAYS) and text == _DAYS[days]:
            days += 1
    return days >= _MIN_DAYS and 2 * days > len(texts)


def _is_link_grid(flow: Flow, table: int, likely: Sequence[float]) -> bool:
    """Return whether a table without a header row is mostly links and unlikely, like a list of
    headlines.
    """
    first, last = flow.first[table], flow.last[table]
    length = sum(map(len, flow.texts[first:last]))
    if sum(flow.link_chars[first:last]) < _MAX_TABLE_LINKS * length:
        return False
    headers = sum(flow.tags[element] == "th" for element in _descendants(flow, table))
    return headers < 2 and sum(likely[first:last]) < _MIN_LINK_TABLE * (last - first)
