"""The lines of a page -> lines and tables, in order.

A table is ruled, or it is three rows and more whose parts stand below each other with clear gaps
between. Two columns of prose that were written across the page look like that too, and are put back
one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from webquarry.read.documents.pdf.joining import Joiner
from webquarry.read.documents.pdf.lines import PdfLine, Word
from webquarry.read.documents.pdf.ruled import Grid, fill

_LEAST_ROWS = 3
_FURTHEST = 2.6  # times the size of a line, from one row to the next
_PROSE_ROWS = 6
_PROSE_LENGTH = 22  # characters of a part, on the average, when it is a line of prose
_MOST_COLUMNS = 40
_JOINER = Joiner()


@dataclass
class PdfTable:
    """Rows of cells, each a text as it stands on the page."""

    rows: list[list[str]]
    page: int
    top: float = 0.0  # where it begins and ends on the page, in shares of its height
    foot: float = 0.0
    more_pages: int = 0  # over which it goes on


Item = PdfLine | PdfTable


def find_tables(grids: list[Grid], lines: list[PdfLine]) -> list[Item]:
    """The lines with those that make a table replaced by it."""
    items: list[Item] = list(lines)
    for grid in grids:
        items = _take_ruled(grid, items)
    return list(_take_aligned(items))


def _take_ruled(grid: Grid, items: list[Item]) -> list[Item]:
    inside = [
        item
        for item in items
        if isinstance(item, PdfLine) and not item.turns and grid.holds(*item.centre)
    ]
    if not inside:
        return items
    cells = fill(grid, inside)
    rows = [
        [_JOINER.join(" ".join(word.text for word in line) for line in cell) for cell in row]
        for row in cells
    ]
    rows = _without_empty(rows)
    if sum(sum(map(bool, row)) > 1 for row in rows) < 2:
        return items
    table = PdfTable(rows, inside[0].page, inside[0].height, inside[-1].height)
    taken = set(map(id, inside))
    place = next(place for place, item in enumerate(items) if id(item) in taken)
    return [
        *items[:place],
        table,
        *(item for item in items[place:] if id(item) not in taken),
    ]


def _without_empty(rows: list[list[str]]) -> list[list[str]]:
    rows = [row for row in rows if any(row)]
    columns = range(len(rows[0])) if rows else range(0)
    filled = [column for column in columns if any(row[column] for row in rows)]
    return [[row[column] for column in filled] for row in rows]


def _take_aligned(items: list[Item]) -> Iterator[Item]:
    start = 0
    while start < len(items):
        item = items[start]
        if not isinstance(item, PdfLine) or len(item.cells) < 2:
            yield item
            start += 1
            continue
        run = _run_of_rows(items, start)
        bands = _bands(run)
        while len(run) >= _LEAST_ROWS and not bands:
            run, bands = run[:-1], _bands(run[:-1])
        if len(run) < _LEAST_ROWS or not bands:
            yield items[start]
            start += 1
            continue
        start += len(run)
        if _is_prose(run, bands):
            yield from _columns(run, bands)
        else:
            yield PdfTable(_rows(run, bands), run[0].page, run[0].height, run[-1].height)


def _run_of_rows(items: list[Item], start: int) -> list[PdfLine]:
    """The rows that follow each other closely from here on. A part alone may go on from the row
    above.
    """
    run: list[PdfLine] = []
    for item in islice(items, start, None):
        if not isinstance(item, PdfLine) or (len(item.cells) < 2 and not run):
            break
        if run and (
            item.turns != run[-1].turns
            or not 0 < run[-1].baseline - item.baseline < _FURTHEST * run[-1].size
        ):
            break
        if len(item.cells) < 2 and not _goes_on(run, item):
            break
        run.append(item)
    while run and len(run[-1].cells) < 2 and not _is_close(run[-2], run[-1]):
        run.pop()
    return run


def _is_close(above: PdfLine, line: PdfLine) -> bool:
    return above.baseline - line.baseline < 1.35 * line.size


def _goes_on(run: list[PdfLine], line: PdfLine) -> bool:
    """Whether a line with one part only may be the second line of a cell above it."""
    above = run[-1]
    if len(above.cells) < 2 and len(run) > 1 and len(run[-2].cells) < 2:
        return False
    row = next(row for row in reversed(run) if len(row.cells) > 1)
    return _is_close(above, line) and any(
        abs(cell.left - line.left) < line.size / 2 for cell in row.cells
    )


def _bands(run: list[PdfLine]) -> list[tuple[float, float]]:
    """The columns: stretches of the page with cells, none of which reaches into another; empty if
    there are none.
    """
    full = [row for row in run if len(row.cells) > 1]
    cells = sorted((cell.left, cell.right) for row in full for cell in row.cells)
    bands: list[tuple[float, float]] = []
    for left, right in cells:
        if bands and left <= bands[-1][1]:
            bands[-1] = (bands[-1][0], max(bands[-1][1], right))
        else:
            bands.append((left, right))
    if not 2 <= len(bands) <= _MOST_COLUMNS or len(full) < _LEAST_ROWS:
        return []
    places = [[_band_of(cell, bands) for cell in row.cells] for row in full]
    if any(len(set(row)) < len(row) for row in places):
        return []
    shared = sum(len(row) for row in places) / (len(bands) * len(full))
    if shared >= 0.5:
        return bands
    return []


def _band_of(cell: Word, bands: list[tuple[float, float]]) -> int:
    return next(
        (place for place, (left, right) in enumerate(bands) if left <= cell.left <= right), 0
    )


def _rows(run: list[PdfLine], bands: list[tuple[float, float]]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in run:
        if len(line.cells) > 1:
            cells = line.cells
        else:
            cells = [Word(line.text, line.left, line.right)]
        row = [""] * len(bands)
        for cell in cells:
            row[_band_of(cell, bands)] = cell.text
        if len(line.cells) < 2 and rows:
            rows[-1] = [
                _JOINER.join([one, other]) if other else one
                for one, other in zip(rows[-1], row, strict=True)
            ]
        else:
            rows.append(row)
    return rows


def _is_prose(run: list[PdfLine], bands: list[tuple[float, float]]) -> bool:
    if len(bands) > 3 or len(run) < _PROSE_ROWS:
        return False
    for place in range(len(bands)):
        texts = [cell.text for line in run for cell in line.cells if _band_of(cell, bands) == place]
        if not texts or sum(map(len, texts)) < _PROSE_LENGTH * len(texts):
            return False
    return True


def _columns(run: list[PdfLine], bands: list[tuple[float, float]]) -> Iterator[PdfLine]:
    """Rows that are lines of prose side by side, column by column."""
    for place in range(len(bands)):
        for line in run:
            if len(line.cells) > 1:
                cells = line.cells
            else:
                cells = [Word(line.text, line.left, line.right)]
            for cell in cells:
                if _band_of(cell, bands) == place:
                    yield replace(
                        line, text=cell.text, left=cell.left, right=cell.right, cells=[], words=[]
                    )
