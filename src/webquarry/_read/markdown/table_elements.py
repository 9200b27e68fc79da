"""The tags of tables: what is done when the walk comes to a table, a row, a cell."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from webquarry._read.markdown.actions import SKIP, Action, Element, Leave
from webquarry._read.markdown.code import is_beside_code
from webquarry._read.markdown.tables import Table, holds_data
from webquarry._read.text.labels import read_icon_label, read_icon_name

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

_MOST_ICONS = 8  # elements of a cell that are looked at


def _get_table(walker: Walker) -> Table | None:
    """The table that the walk is in, if it holds data."""
    if not walker.tables:
        return None
    return walker.tables[-1]


def start_table(walker: Walker, element: Element) -> Leave:
    """A table that holds data, or one that only arranges the page."""
    walker.flush()
    table = None
    if not walker.cells and holds_data(element):
        table = Table()
    walker.tables.append(table)
    return end_table


def end_table(walker: Walker, element: Element) -> None:
    """A table that holds data becomes one block."""
    walker.flush()
    table = walker.tables.pop()
    if table is None:
        return
    block = table.to_block()
    if block is not None:
        walker.blocks.add(block)


def start_head(walker: Walker, element: Element) -> Leave:
    """The rows in here come first, and are the head of the table."""
    walker.flush()
    table = _get_table(walker)
    if table is not None:
        table.in_head = True
    return end_head


def end_head(walker: Walker, element: Element) -> None:
    walker.flush()
    table = _get_table(walker)
    if table is not None:
        table.in_head = False


def start_body(walker: Walker, element: Element) -> Leave:
    walker.flush()
    return end_row


def start_row(walker: Walker, element: Element) -> Leave:
    """A row of a table that holds data."""
    walker.flush()
    table = _get_table(walker)
    if table is not None:
        table.start_row()
    return end_row


def end_row(walker: Walker, element: Element) -> None:
    walker.flush()


def start_cell(walker: Walker, element: Element) -> Leave:
    """A cell: collected if its table holds data, else a part of the line."""
    if is_beside_code(element):
        return SKIP
    if _get_table(walker) is None:
        if walker.pieces:
            walker.pieces.append(" ")  # cells that only arrange the page stand side by side
        return end_layout_cell
    walker.flush()
    walker.collect_blocks()
    walker.cells += 1
    walker.tables.append(None)  # a table inside a cell is not one of its own
    return end_cell


def end_cell(walker: Walker, element: Element) -> None:
    """What was collected becomes one line."""
    walker.tables.pop()
    text = walker.finish_blocks()
    walker.cells -= 1
    table = walker.tables[-1]
    assert table is not None
    if "\n" in text:
        text = _join_lines(text)
    if not text and len(element):
        text = _read_icons(walker, element)
    table.add(element, text)


def _join_lines(text: str) -> str:
    """Some lines as one, with a blank between those that hold something."""
    first, *others = text.split("\n")
    last = others.pop()
    parts = [first.rstrip()]
    parts += filter(None, map(str.strip, others))
    parts.append(last.lstrip())
    return " ".join(parts)


def _read_icons(walker: Walker, cell: Element) -> str:
    """What a cell says that has nothing but icons in it; nothing where they say different things,
    since a style sheet may hide one of them.
    """
    told = set()
    for icon in islice(cell.iter("svg", "use", "img", "i", "span", "div"), _MOST_ICONS):
        label = icon.get("aria-label") or icon.get("alt") or icon.get("title") or ""
        name = icon.get("href") or icon.get("xlink:href") or icon.get("class") or ""
        sign = read_icon_label(label) or read_icon_name(name)
        if sign and walker.visibility.paints(icon):
            told.add(sign)
    if len(told) == 1:
        return told.pop()
    return ""


def end_layout_cell(walker: Walker, element: Element) -> None:
    if walker.pieces:
        walker.pieces.append(" ")


TABLE_ACTIONS: dict[object, Action] = {
    "table": start_table,
    "thead": start_head,
    "tbody": start_body,
    "tfoot": start_body,
    "tr": start_row,
    "td": start_cell,
    "th": start_cell,
}
