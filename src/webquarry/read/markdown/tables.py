"""Tables: which ones hold data, and rows of cells -> a pipe table.

Pages also use tables to arrange things on the screen. Those are read cell by cell as if they were
boxes; only a table whose cells are short and belong together becomes a Markdown table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from webquarry.read.html.tree import length_up_to
from webquarry.read.text.escape import escape_cell

_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_CELLS = frozenset({"td", "th"})
_NOT_IN_DATA = ("h1", "h2", "h3", "form", "article", "section", "main", "iframe")
_LONGEST_CELL = 1_000  # characters in a table without any heading cell
_LONGEST_HEADED_CELL = 6_000
_MOST_ROWS_LOOKED_AT = 60
_MOST_SPAN = 1_000
_SPARE_CELLS = 1_000  # empty cells that any table may get


@dataclass(slots=True)
class Cell:
    """One cell, its Markdown on a single line."""

    text: str
    heading: bool
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Table:
    """The rows of a table that holds data, while it is walked through."""

    rows: list[list[Cell]] = field(default_factory=list)
    head_rows: int = 0  # the rows of its head, as far as they come first
    in_head: bool = False

    def start_row(self) -> None:
        self.rows.append([])
        if self.in_head and self.head_rows == len(self.rows) - 1:
            self.head_rows += 1

    def add(self, element: etree._Element, text: str) -> None:
        if not self.rows:
            self.start_row()
        columns, rows = _span(element.get("colspan")), _span(element.get("rowspan"))
        self.rows[-1].append(Cell(text, element.tag == "th", columns, rows))

    def text(self) -> str:
        """The pipe table; empty when no cell holds anything."""
        grid = [row for row in _grid(self.rows) if any(row)]
        if not grid:
            return ""
        width = max(map(len, grid))
        if width * len(grid) <= 2 * sum(map(len, grid)) + _SPARE_CELLS:
            grid = [row + [""] * (width - len(row)) for row in grid]
        headed = (
            bool(self.head_rows)
            or _is_heading(self.rows)
            or not any(cell.heading for row in self.rows for cell in row)
        )
        head = grid[0] if headed else []
        lines = [_line(head + [""] * (width - len(head))), "|" + " --- |" * width]
        return "\n".join([*lines, *map(_line, grid[1:] if headed else grid)])


def holds_data(table: etree._Element) -> bool:
    """Whether a table is a table, and not a way to arrange a page."""
    role = (table.get("role") or "").lower()
    if role in ("presentation", "none"):
        return False
    rows = [list(_cells(row)) for row in islice(_rows(table), _MOST_ROWS_LOOKED_AT)]
    rows = [row for row in rows if row]
    headed = any(cell.tag == "th" for row in rows for cell in row)
    if max(map(len, rows), default=0) < 2 or (len(rows) < 2 and not headed):
        return False
    nested = next(table.iterdescendants("table"), None)
    if nested is not None and not (headed and length_up_to(table, 4_000) < 4_000):
        return False
    if nested is not None:
        return True
    longest = _LONGEST_HEADED_CELL if headed else _LONGEST_CELL
    if length_up_to(table, longest) < longest:  # no cell is longer, then
        return next(table.iterdescendants(*_NOT_IN_DATA), None) is None or not _any_box(
            rows, longest
        )
    return not _any_box(rows, longest)


def _any_box(rows: list[list[etree._Element]], longest: int) -> bool:
    return any(_is_box(cell, longest) for row in rows for cell in row)


def _is_box(cell: etree._Element, longest: int) -> bool:
    if length_up_to(cell, longest) >= longest:
        return True
    return next(cell.iterdescendants(*_NOT_IN_DATA), None) is not None


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table.iterchildren():
        if child.tag == "tr":
            yield child
        elif child.tag in _GROUPS:
            yield from child.iterchildren("tr")


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    return (cell for cell in row.iterchildren() if cell.tag in _CELLS)


def _span(value: str | None) -> int:
    if value is None:
        return 1
    digits = value.strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 10:
        return min(max(int(digits), 1), _MOST_SPAN)
    return 1


def _is_heading(rows: list[list[Cell]]) -> bool:
    """Whether the first row that says something consists of heading cells only."""
    for row in rows:
        if any(cell.text for cell in row):
            return all(cell.heading or not cell.text for cell in row)
    return False


def _grid(rows: list[list[Cell]]) -> Iterator[list[str]]:
    """The texts of each row in their columns; what a span covers is empty."""
    spare = _SPARE_CELLS + 4 * sum(map(len, rows))  # more than this, spans may not add
    widest = max(
        map(len, rows), default=1
    )  # no row has more cells, so no span need cover more columns
    covered: dict[int, int] = {}  # column -> rows still covered by a cell from above
    for number, row in enumerate(rows):
        line: list[str] = []
        below = {column: left - 1 for column, left in covered.items() if left > 1}
        for cell in row:
            while len(line) in covered:
                line.append("")
            columns, high = min(cell.columns, widest), min(cell.rows, len(rows) - number)
            if columns * high - 1 > spare:
                columns = high = 1
            spare -= columns * high - 1
            if high > 1:
                below.update((len(line) + offset, high - 1) for offset in range(columns))
            line.extend([cell.text, *[""] * (columns - 1)])
        covered = below
        while line and not line[-1]:
            line.pop()
        yield line


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(escape_cell, cells)) + " |"
