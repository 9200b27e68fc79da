"""Tables: which ones hold data, and rows of cells -> a pipe table.

Pages also use tables to arrange things on the screen. Those are read cell by cell as if they were
boxes; only a table whose cells are short and belong together becomes a Markdown table.
"""

from __future__ import annotations

from lxml import etree

from webquarry._read.html.tree import find_cells, get_value, holds_inside, length_up_to
from webquarry._read.markdown.blocks import Block

_TABLE = ("table",)
_NOT_IN_DATA = ("h1", "h2", "h3", "form", "article", "section", "main", "iframe")
_LONGEST_CELL = 1_000  # characters in a table without any heading cell
_LONGEST_HEADED_CELL = 6_000
_LONGEST_WITH_NESTED = 4_000  # characters of a table that has another one in it
_MOST_ROWS_LOOKED_AT = 60
_MOST_SPAN = 1_000
_SPARE_CELLS = 1_000  # empty cells that any table may get


class Cell:
    """One cell, its Markdown on a single line."""

    def __init__(self, text: str, heading: bool, columns: int = 1, rows: int = 1) -> None:
        self.text = text
        self.heading = heading
        self.columns = columns
        self.rows = rows


class Table:
    """The rows of a table that holds data, while it is walked through."""

    def __init__(self) -> None:
        self.rows: list[list[Cell]] = []
        self.head_rows = 0  # the rows of its head, as far as they come first
        self.in_head = False

    def start_row(self) -> None:
        """Start a row; it belongs to the head if all rows before it do."""
        self.rows.append([])
        if self.in_head and self.head_rows == len(self.rows) - 1:
            self.head_rows += 1

    def add(self, element: etree._Element, text: str) -> None:
        """Add a cell to the row: its element, and its Markdown."""
        if not self.rows:
            self.start_row()
        columns = _parse_span(get_value(element, "colspan"))
        rows = _parse_span(get_value(element, "rowspan"))
        self.rows[-1].append(Cell(text, element.tag == "th", columns, rows))

    def to_block(self) -> Block | None:
        """Return the rows with their head, which may be blank; None if no cell holds anything."""
        grid = [row for row in self._place_cells() if any(row)]
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

    def _place_cells(self) -> list[list[str]]:
        """The texts of each row in their columns; what a span covers is empty."""
        rows = self.rows
        lines: list[list[str]] = []
        spare = _SPARE_CELLS + 4 * sum(map(len, rows))  # more than this, spans may not add
        # no row has more cells, so no span need cover more columns
        widest = max(map(len, rows), default=1)
        covered: dict[int, int] = {}  # column -> rows still covered by a cell from above
        for number, row in enumerate(rows):
            line: list[str] = []
            below = {}
            if covered:
                below = {column: left - 1 for column, left in covered.items() if left > 1}
            for cell in row:
                while len(line) in covered:
                    line.append("")
                if cell.columns == 1 and cell.rows == 1:  # as nearly all
                    line.append(cell.text)
                    continue
                width = min(cell.columns, widest)
                height = min(cell.rows, len(rows) - number)
                if width * height - 1 > spare:
                    width = height = 1
                spare -= width * height - 1
                if height > 1:
                    columns = range(len(line), len(line) + width)
                    below.update(dict.fromkeys(columns, height - 1))
                line.append(cell.text)
                if width > 1:
                    line.extend([""] * (width - 1))
            covered = below
            while line and not line[-1]:
                line.pop()
            lines.append(line)
        return lines

    def _starts_with_head(self) -> bool:
        """Whether the first row that says something is the head: it stands in one, consists of
        heading cells only, or there are no heading cells at all.
        """
        if self.head_rows:
            return True
        for row in self.rows:
            if any(cell.text for cell in row):
                if all(cell.heading or not cell.text for cell in row):
                    return True
                break
        return not any(cell.heading for row in self.rows for cell in row)


def holds_data(table: etree._Element) -> bool:
    """Whether a table is a table, and not a way to arrange a page."""
    role = (get_value(table, "role") or "").lower()
    if role in ("presentation", "none"):
        return False
    rows, headed = find_cells(table, _MOST_ROWS_LOOKED_AT)
    if max(map(len, rows), default=0) < 2 or (len(rows) < 2 and not headed):
        return False
    if holds_inside(table, _TABLE):
        return headed and length_up_to(table, _LONGEST_WITH_NESTED) < _LONGEST_WITH_NESTED
    longest = _LONGEST_HEADED_CELL if headed else _LONGEST_CELL
    if length_up_to(table, longest) < longest and not holds_inside(table, _NOT_IN_DATA):
        return True  # no cell is longer, then
    for cells in rows:
        for cell in cells:
            if _is_part_of_page(cell, longest):
                return False
    return True


def _is_part_of_page(cell: etree._Element, longest: int) -> bool:
    """Whether a cell holds more than a piece of data: a long text, or a box."""
    if length_up_to(cell, longest) >= longest:
        return True
    return holds_inside(cell, _NOT_IN_DATA)


def _parse_span(value: str | None) -> int:
    """How many columns or rows a cell covers; one where the attribute makes no sense."""
    if value is None:
        return 1
    digits = value.strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 10:
        number = int(digits)
        return min(max(number, 1), _MOST_SPAN)
    return 1
