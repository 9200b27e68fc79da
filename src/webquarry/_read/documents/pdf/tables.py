"""The lines of a page -> lines and tables, in order.

A table is ruled, or it is three rows and more whose parts stand below each other with clear gaps
between. Two columns of prose that were written across the page look like that too, and are put back
one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress, islice

from webquarry._read.documents.pdf.joining import Joiner
from webquarry._read.documents.pdf.lines import PdfLine, Word
from webquarry._read.documents.pdf.order import merge_stretches
from webquarry._read.documents.pdf.ruled import Grid, fill_grid

_LEAST_ROWS = 3
_FURTHEST = 2.6  # times the size of a line, from one row to the next
_PROSE_ROWS = 6
_PROSE_LENGTH = 22  # characters of a part, on the average, when it is a line of prose
_MOST_PROSE_COLUMNS = 3
_MOST_COLUMNS = 40
_LEAST_SHARE = 0.5  # of the places in a table that have text
_CLOSE = 1.35  # times the size of a line, from one line of a cell to the next
_AT_FOOT, _AT_HEAD = 0.25, 0.75  # of the height of a page
_JOINER = Joiner()


@dataclass
class PdfTable:
    """Rows of cells, each a text as it stands on the page."""

    rows: list[list[str]]
    page: int
    top: float = 0.0  # where it begins and ends on the page, in shares of its height
    foot: float = 0.0
    more_pages: int = 0  # over which it goes on

    def continues_in(self, other: PdfTable) -> bool:
        """Whether a table at the head of a page goes on from this one at the foot of the page
        before.
        """
        last_page = self.page + self.more_pages
        if last_page != other.page - 1:
            return False
        if self.foot >= _AT_FOOT or other.top <= _AT_HEAD:
            return False
        return len(self.rows[0]) == len(other.rows[0])


PageItem = PdfLine | PdfTable
Band = tuple[float, float]  # where a column begins and ends


def find_tables(grids: list[Grid], lines: list[PdfLine]) -> list[PageItem]:
    """The lines with those that make a table replaced by it."""
    items: list[PageItem] = list(lines)
    for grid in grids:
        items = _replace_ruled(grid, items)
    return list(_replace_aligned(items))


def _replace_ruled(grid: Grid, items: list[PageItem]) -> list[PageItem]:
    """The lines in a grid replaced by the table that they make, if they make one."""
    inside: list[PdfLine] = []
    for item in items:
        if isinstance(item, PdfLine) and not item.turns and grid.holds(*item.centre):
            inside.append(item)
    if not inside:
        return items
    rows = [row for row in fill_grid(grid, inside) if any(row)]
    filled = [any(column) for column in zip(*rows, strict=True)]  # the columns that have text
    rows = [list(compress(row, filled)) for row in rows]
    full_rows = sum(sum(map(bool, row)) > 1 for row in rows)
    if full_rows < 2:
        return items
    table = PdfTable(
        rows,
        page=inside[0].page,
        top=inside[0].height,
        foot=inside[-1].height,
    )
    taken = set(map(id, inside))
    place = next(place for place, item in enumerate(items) if id(item) in taken)
    behind = [item for item in items[place:] if id(item) not in taken]
    return [*items[:place], table, *behind]


def _replace_aligned(items: list[PageItem]) -> Iterator[PageItem]:
    """Lines whose parts stand below each other replaced by a table, or put into columns."""
    start = 0
    while start < len(items):
        item = items[start]
        run: list[PdfLine] = []
        bands: list[Band] = []
        if isinstance(item, PdfLine) and len(item.cells) > 1:
            run = _collect_rows(items, start)
            bands = _find_bands(run)
            while len(run) >= _LEAST_ROWS and not bands:
                run.pop()
                bands = _find_bands(run)
        if len(run) < _LEAST_ROWS or not bands:
            yield item
            start += 1
            continue
        start += len(run)
        if _is_prose(run, bands):
            yield from _split_columns(run, bands)
        else:
            rows = _build_rows(run, bands)
            yield PdfTable(
                rows,
                page=run[0].page,
                top=run[0].height,
                foot=run[-1].height,
            )


def _collect_rows(items: list[PageItem], start: int) -> list[PdfLine]:
    """The rows that follow each other closely from here on. A part alone may go on from the row
    above.
    """
    run: list[PdfLine] = []
    for item in islice(items, start, None):
        if not isinstance(item, PdfLine):
            break
        is_row = len(item.cells) > 1
        if run:
            above = run[-1]
            distance = above.baseline - item.baseline
            if item.turns != above.turns:
                break
            if not 0 < distance < _FURTHEST * above.size:
                break
            if not is_row and not _continues_cell(run, item):
                break
        elif not is_row:
            break
        run.append(item)
    while run and len(run[-1].cells) < 2 and not _is_close(run[-2], run[-1]):
        run.pop()
    return run


def _is_close(above: PdfLine, line: PdfLine) -> bool:
    """Whether two lines may be lines of one cell."""
    distance = above.baseline - line.baseline
    return distance < _CLOSE * line.size


def _continues_cell(run: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line with one part only may be the second line of a cell above it."""
    above = run[-1]
    if not _is_close(above, line):
        return False
    row = above
    if len(above.cells) < 2 and len(run) > 1:
        row = run[-2]  # the line above is the second line of a cell itself
    if len(row.cells) < 2:
        return False
    tolerance = line.size / 2
    return any(abs(cell.left - line.left) < tolerance for cell in row.cells)


def _find_bands(run: list[PdfLine]) -> list[Band]:
    """The columns: stretches of the page with cells, none of which reaches into another; empty if
    there are none.
    """
    rows = [line.cells for line in run if len(line.cells) > 1]
    bands = merge_stretches([(cell.left, cell.right) for cells in rows for cell in cells])
    if not 2 <= len(bands) <= _MOST_COLUMNS or len(rows) < _LEAST_ROWS:
        return []
    count = 0
    for cells in rows:
        places = {_band_of(cell, bands) for cell in cells}
        if len(places) < len(cells):
            return []
        count += len(cells)
    share = count / (len(bands) * len(rows))
    if share < _LEAST_SHARE:
        return []
    return bands


def _band_of(cell: Word, bands: list[Band]) -> int:
    """The column that a cell stands in."""
    for place, (left, right) in enumerate(bands):
        if left <= cell.left <= right:
            return place
    return 0


def _cells_of(line: PdfLine) -> list[Word]:
    """The parts of a line; the whole line where it has only one."""
    if len(line.cells) > 1:
        return line.cells
    whole = Word(line.text, line.left, line.right)
    return [whole]


def _build_rows(run: list[PdfLine], bands: list[Band]) -> list[list[str]]:
    """The rows of a table; a line with one part only goes on in the row above it."""
    rows: list[list[str]] = []
    for line in run:
        row = [""] * len(bands)
        for cell in _cells_of(line):
            row[_band_of(cell, bands)] = cell.text
        if len(line.cells) > 1 or not rows:
            rows.append(row)
            continue
        for place, text in enumerate(row):
            if text:
                rows[-1][place] = _JOINER.join([rows[-1][place], text])
    return rows


def _is_prose(run: list[PdfLine], bands: list[Band]) -> bool:
    """Whether the parts are as long as lines of prose, in every column."""
    if len(bands) > _MOST_PROSE_COLUMNS or len(run) < _PROSE_ROWS:
        return False
    counts = [0] * len(bands)
    lengths = [0] * len(bands)
    for line in run:
        for cell in line.cells:
            place = _band_of(cell, bands)
            counts[place] += 1
            lengths[place] += len(cell.text)
    for count, length in zip(counts, lengths, strict=True):
        if not count:
            return False
        if length < _PROSE_LENGTH * count:
            return False
    return True


def _split_columns(run: list[PdfLine], bands: list[Band]) -> Iterator[PdfLine]:
    """Rows that are lines of prose side by side, column by column."""
    for place in range(len(bands)):
        for line in run:
            for cell in _cells_of(line):
                if _band_of(cell, bands) != place:
                    continue
                yield replace(
                    line,
                    text=cell.text,
                    left=cell.left,
                    right=cell.right,
                    cells=[],
                    words=[],
                )
