"""Tables: which of them hold data, the actions of their tags, and their blocks.

Layout tables are read cell by cell like boxes; only a table with short cells that belong together
becomes a Markdown table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from webquarry._read.html.tree import find_cells, get_value, holds_inside, length_up_to
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.code import is_beside_code
from webquarry._read.markdown.walker import Action, Element

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

_NOT_IN_DATA = ("h1", "h2", "h3", "form", "article", "section", "main", "iframe")
_MAX_CELL = 1_000  # characters in a table without any header cell
_MAX_HEADED_CELL = 6_000
_MAX_WITH_NESTED = 4_000  # characters of a table that contains another one
_MAX_ROWS_EXAMINED = 60
_MAX_SPAN = 1_000
_SPARE_CELLS = 1_000  # empty cells that any table may get
# Signs of icons in tables of features, by a word of their names.
_ICONS = {
    "check": "✓", "checkmark": "✓", "tick": "✓", "ok": "✓", "xmark": "✗", "cross": "✗",
    "times": "✗",
}  # fmt: skip
_ICON_ATTRIBUTES = ("class", "href", "xlink:href", "aria-label", "alt", "title")
_MAX_ICONS = 8  # elements of a cell that are examined
_MAX_ICON_NAMES = 200  # characters


def holds_data(table: Element) -> bool:
    """Whether a table is not only used for layout."""
    role = (get_value(table, "role") or "").lower()
    if role in ("presentation", "none"):
        return False
    rows, headed = find_cells(table, _MAX_ROWS_EXAMINED)
    if max(map(len, rows), default=0) < 2 or (len(rows) < 2 and not headed):
        return False
    if holds_inside(table, ("table",)):
        return headed and length_up_to(table, _MAX_WITH_NESTED) < _MAX_WITH_NESTED
    longest = _MAX_HEADED_CELL if headed else _MAX_CELL
    if length_up_to(table, longest) < longest and not holds_inside(table, _NOT_IN_DATA):
        return True
    for cells in rows:
        for cell in cells:
            if length_up_to(cell, longest) >= longest or holds_inside(cell, _NOT_IN_DATA):
                return False
    return True


class Cell(NamedTuple):
    """A cell with its Markdown in a single line."""

    text: str
    heading: bool
    columns: int = 1
    rows: int = 1


class Table:
    """The rows of a data table that is being read."""

    def __init__(self) -> None:
        self.rows: list[list[Cell]] = []
        self.head_rows = 0
        self.in_head = False

    def start_row(self) -> None:
        """Start a row; it belongs to the head if all rows before it do."""
        self.rows.append([])
        if self.in_head and self.head_rows == len(self.rows) - 1:
            self.head_rows += 1

    def add(self, element: Element, text: str) -> None:
        """Add a cell to the row."""
        if not self.rows:
            self.start_row()
        columns, rows = get_value(element, "colspan"), get_value(element, "rowspan")
        self.rows[-1].append(
            Cell(
                text,
                element.tag == "th",
                _parse_span(columns) if columns else 1,
                _parse_span(rows) if rows else 1,
            )
        )

    def to_block(self) -> Block | None:
        """Return the rows with their head, which may be blank; None if all cells are blank."""
        grid = [row for row in _place_cells(self.rows) if any(row)]
        if not grid:
            return None
        width = max(map(len, grid))
        if width * len(grid) <= 2 * sum(map(len, grid)) + _SPARE_CELLS:
            for row in grid:
                row += [""] * (width - len(row))
        head: list[str] = []
        if self._starts_with_head():
            head = grid.pop(0)
        return Block("table", rows=[head + [""] * (width - len(head)), *grid])

    def _starts_with_head(self) -> bool:
        """Whether the first row with text is the head: it is in one, has header cells only, or
        there are no header cells at all.
        """
        if self.head_rows:
            return True
        for row in self.rows:
            if any(cell.text for cell in row):
                if all(cell.heading or not cell.text for cell in row):
                    return True
                break
        return not any(cell.heading for row in self.rows for cell in row)


def _place_cells(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """Return the texts of each row in their columns; cells that a span covers are blank."""
    lines: list[list[str]] = []
    spare = _SPARE_CELLS + 4 * sum(map(len, rows))  # cells that spans may add
    widest = max(map(len, rows), default=1)
    covered: dict[int, int] = {}  # column -> rows still covered by a cell from above
    for number, row in enumerate(rows):
        line: list[str] = []
        below = {column: left - 1 for column, left in covered.items() if left > 1}
        for cell in row:
            while len(line) in covered:
                line.append("")
            width = min(cell.columns, widest)
            height = min(cell.rows, len(rows) - number)
            if width * height - 1 > spare:
                width = height = 1
            spare -= width * height - 1
            if height > 1:
                columns = range(len(line), len(line) + width)
                below.update(dict.fromkeys(columns, height - 1))
            line += [cell.text, *[""] * (width - 1)]
        covered = below
        while line and not line[-1]:
            line.pop()
        lines.append(line)
    return lines


def _parse_span(value: str) -> int:
    """Return the number of columns or rows of a cell; 1 for an invalid value."""
    digits = value.strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 10:
        return min(max(int(digits), 1), _MAX_SPAN)
    return 1


def read_table(walker: Walker, element: Element) -> Iterator[None]:
    """Read a data table as one block, or a layout table."""
    walker.flush()
    table = Table() if not walker.cells and holds_data(element) else None
    walker.tables.append(table)
    yield
    walker.flush()
    walker.tables.pop()
    block = table.to_block() if table is not None else None
    if block is not None:
        walker.blocks.add(block)


def read_section(walker: Walker, element: Element) -> Iterator[None]:
    """Read the head, a body or the foot of a table."""
    walker.flush()
    table = walker.tables[-1]
    is_head = table is not None and element.tag == "thead"
    if table is not None and is_head:
        table.in_head = True
    yield
    walker.flush()
    if table is not None and is_head:
        table.in_head = False


def read_row(walker: Walker, element: Element) -> Iterator[None]:
    """Read a row of a table."""
    walker.flush()
    table = walker.tables[-1]
    if table is not None:
        table.start_row()
    yield
    walker.flush()


def read_cell(walker: Walker, element: Element) -> Iterator[None]:
    """Add the blocks of a cell to the table as one line; cells of a layout table are parts of a
    line.
    """
    if is_beside_code(element):
        return
    table = walker.tables[-1]
    if table is None:
        if walker.pieces:
            walker.pieces.append(" ")
        yield
        if walker.pieces:
            walker.pieces.append(" ")
        return
    walker.flush()
    walker.collect_blocks()
    walker.cells += 1
    walker.tables.append(None)  # a table inside of a cell is none of its own
    yield
    walker.tables.pop()
    text = walker.finish_blocks()
    walker.cells -= 1
    if "\n" in text:
        text = _join_lines(text)
    if not text and len(element):
        text = _read_icon(walker, element)
    table.add(element, text)


def _join_lines(text: str) -> str:
    """Join lines by spaces, without blank ones."""
    first, *others = text.split("\n")
    last = others.pop()
    return " ".join([first.rstrip(), *filter(None, map(str.strip, others)), last.lstrip()])


def _read_icon(walker: Walker, cell: Element) -> str:
    """Return the sign of the icons in a cell without text; empty if they differ, since a script may
    hide one of them. Names are invisible text, so that nothing else is taken from them.
    """
    signs: set[str] = set()
    for icon in islice(cell.iter("svg", "use", "img", "i", "span", "div"), _MAX_ICONS):
        attributes = (icon.get(name) or "" for name in _ICON_ATTRIBUTES)
        words = re.split(r"[\W_]+", " ".join(attributes)[:_MAX_ICON_NAMES].lower())
        found = {_ICONS[word] for word in words if word in _ICONS}
        if found and walker.hidden.shows(icon):
            signs |= found
    return signs.pop() if len(signs) == 1 else ""


TABLE_ACTIONS: dict[object, Action] = {
    "table": read_table,
    **dict.fromkeys(("thead", "tbody", "tfoot"), read_section),
    "tr": read_row,
    **dict.fromkeys(("td", "th"), read_cell),
}
