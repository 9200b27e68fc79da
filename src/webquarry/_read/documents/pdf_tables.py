"""Tables of a page: ruled ones from drawn lines, others from aligned gaps.

Rules that touch form a grid; a missing piece of line between two cells merges them. Without rules,
three or more rows are a table if their parts are aligned with clear gaps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress, islice

from webquarry._read.documents.pdf_lines import Joiner, PdfLine, Word, measure_words
from webquarry._read.documents.pdf_page import Box, PageText

_NEAR = 3.0  # points; closer rules are one, and touch others
_RULES = range(4, 601)
_MOST_CELLS = 5_000
_LEAST_ROWS = 3
_FURTHEST = 2.6  # times the size of a line, from one row to the next
_CLOSE = 1.35  # times the size of a line, from one line of a cell to the next
_MOST_COLUMNS = 40
_LEAST_SHARE = 0.5  # of the cells that have text
_AT_FOOT, _AT_HEAD = 0.25, 0.75  # of the height of a page
_JOINER = Joiner()


@dataclass
class PdfTable:
    """Rows of plain texts."""

    rows: list[list[str]]
    page: int
    last_page: int
    top: float  # first and last line, as shares of the height of the page
    foot: float

    @classmethod
    def of_lines(cls, rows: list[list[str]], lines: list[PdfLine]) -> PdfTable:
        """Return a table that was made of these lines."""
        page = lines[0].page
        return cls(rows, page, page, lines[0].height, lines[-1].height)

    def append(self, other: PdfTable) -> bool:
        """Append a table at the top of the next page if it continues this one."""
        is_next = self.last_page == other.page - 1
        if not is_next or self.foot >= _AT_FOOT or other.top <= _AT_HEAD:
            return False
        if len(self.rows[0]) != len(other.rows[0]):
            return False
        repeats_head = other.rows[0] == self.rows[0]
        self.rows += other.rows[repeats_head:]
        self.foot = other.foot
        self.last_page = other.page
        return True


PageItem = PdfLine | PdfTable
Band = tuple[float, float]  # left and right edge of a column
_Row = list[list[str]]  # the lines of each cell


@dataclass
class Grid:
    """A ruled table without text. Rows go down, so `ys` decrease."""

    xs: list[float]
    ys: list[float]
    horizontal: list[Box]
    vertical: list[Box]

    def holds(self, line: PdfLine) -> bool:
        """Return whether an upright line is in the table."""
        x, y = line.centre
        is_inside = self.xs[0] <= x <= self.xs[-1] and self.ys[-1] <= y <= self.ys[0]
        return is_inside and not line.turns

    def find_cell(self, x: float, y: float) -> tuple[int, int]:
        """Return the row and column of the cell at a point.

        A merged cell is that of its upper left corner.
        """
        column = max((n for n, edge in enumerate(self.xs[:-1]) if edge <= x), default=0)
        row = max((n for n, edge in enumerate(self.ys[:-1]) if edge >= y), default=0)
        middle = (self.ys[row] + self.ys[row + 1]) / 2
        while column and not any(
            abs(rule.left - self.xs[column]) <= _NEAR and rule.bottom <= middle <= rule.top
            for rule in self.vertical
        ):
            column -= 1
        middle = (self.xs[column] + self.xs[column + 1]) / 2
        while row and not any(
            abs(rule.bottom - self.ys[row]) <= _NEAR and rule.left <= middle <= rule.right
            for rule in self.horizontal
        ):
            row -= 1
        return row, column

    def fill(self, lines: list[PdfLine]) -> list[list[str]]:
        """Return the texts of the cells row by row, without empty rows and columns."""
        cells: list[_Row] = [[[] for _ in self.xs[1:]] for _ in self.ys[1:]]
        for line in lines:
            words: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
            for word in line.words:
                cell = self.find_cell((word.left + word.right) / 2, line.centre[1])
                words[cell].append(word.text)
            for (row, column), parts in words.items():
                cells[row][column].append(" ".join(parts))
        rows = [list(map(_JOINER.join, row)) for row in cells if any(row)]
        has_text = [any(column) for column in zip(*rows, strict=True)]
        return [list(compress(row, has_text)) for row in rows]


def find_grids(page: PageText, rules: list[Box], lines: list[PdfLine]) -> list[Grid]:
    """Return the grids of a page with two columns and rows at least, and measure their words."""
    whole = _join_rules(rules)
    grids: list[Grid] = []
    if len(whole) in _RULES:
        built = map(_build_grid, _group_touching(whole))
        grids = [grid for grid in built if grid is not None]
    for line in lines:
        if any(grid.holds(line) for grid in grids):
            measure_words(page, line)
    return grids


def _build_grid(rules: list[Box]) -> Grid | None:
    """Return the grid of connected rules; None if they are not a table."""
    horizontal = [rule for rule in rules if rule.is_wide]
    vertical = [rule for rule in rules if not rule.is_wide]
    if len(horizontal) < 2 or not vertical:
        return None
    lefts = [rule.left for rule in rules]
    rights = [rule.right for rule in horizontal]
    bottoms = [rule.bottom for rule in rules]
    tops = [rule.top for rule in vertical]
    xs = _distinct([*(rule.left for rule in vertical), min(lefts), max(rights)])
    ys = _distinct([*(rule.bottom for rule in horizontal), min(bottoms), max(tops)])[::-1]
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > _MOST_CELLS:
        return None
    return Grid(xs, ys, horizontal, vertical)


def _join_rules(rules: list[Box]) -> list[Box]:
    """Join the pieces of rules, since many programs draw them cell by cell."""

    def key(rule: Box) -> tuple[bool, int, float]:
        if rule.is_wide:
            return False, round(rule.bottom), rule.left
        return True, round(rule.left), rule.bottom

    found: list[Box] = []
    for rule in sorted(rules, key=key):
        if found and found[-1].is_wide == rule.is_wide and found[-1].touches(rule, 1):
            rule = found.pop().around(rule)
        found.append(rule)
    return found


def _group_touching(rules: list[Box]) -> Iterator[list[Box]]:
    """Yield groups of connected rules."""
    left = sorted(rules, key=lambda rule: -rule.top)
    while left:
        group = [left.pop(0)]
        for rule in group:
            group += [other for other in left if rule.touches(other, _NEAR)]
            left = [other for other in left if not rule.touches(other, _NEAR)]
        yield group


def _distinct(values: list[float]) -> list[float]:
    """Return the values in order, close ones once."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _NEAR:
            found.append(value)
    return found


def find_tables(grids: list[Grid], lines: list[PdfLine]) -> list[PageItem]:
    """Return the lines with those of tables replaced by the tables."""
    items: list[PageItem] = list(lines)
    for grid in grids:
        items = _replace_ruled(grid, items)
    return list(_replace_aligned(items))


def _replace_ruled(grid: Grid, items: list[PageItem]) -> list[PageItem]:
    places = [
        place for place, item in enumerate(items) if isinstance(item, PdfLine) and grid.holds(item)
    ]
    inside = [item for item in map(items.__getitem__, places) if isinstance(item, PdfLine)]
    rows = grid.fill(inside)
    if sum(sum(map(bool, row)) > 1 for row in rows) < 2:
        return items
    taken = set(places)
    rest = [item for place, item in enumerate(items) if place not in taken]
    rest.insert(places[0], PdfTable.of_lines(rows, inside))
    return rest


def _replace_aligned(items: list[PageItem]) -> Iterator[PageItem]:
    start = 0
    while start < len(items):
        run, bands = _find_rows(items, start)
        if not run:
            yield items[start]
            start += 1
            continue
        start += len(run)
        yield PdfTable.of_lines(_build_rows(run, bands), run)


def _find_rows(items: list[PageItem], start: int) -> tuple[list[PdfLine], list[Band]]:
    """Return the rows of the table that starts at an item, and its columns, if there is one."""
    run: list[PdfLine] = []
    bands: list[Band] = []
    rows = cells = 0
    for item in islice(items, start, None):
        if not isinstance(item, PdfLine) or not _continues_table(run, item):
            break
        if len(item.cells) > 1:
            wider = _add_to_bands(bands, item.cells)
            rows += 1
            cells += len(item.cells)
            is_filled = cells >= _LEAST_SHARE * len(wider) * rows
            if not wider or (rows >= _LEAST_ROWS and not is_filled):
                rows -= 1
                break
            bands = wider
        run.append(item)
    return (run, bands) if rows >= _LEAST_ROWS else ([], [])


def _add_to_bands(bands: list[Band], cells: list[Word]) -> list[Band]:
    """Return the columns with the cells of another row; empty if two columns would become one."""
    merged: list[Band] = []
    for left, right in sorted([*bands, *((cell.left, cell.right) for cell in cells)]):
        if merged and left <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    if not 2 <= len(merged) <= _MOST_COLUMNS or len(merged) < len(bands):
        return []
    is_separate = len({_band_of(cell, merged) for cell in cells}) == len(cells)
    return merged if is_separate else []


def _continues_table(run: list[PdfLine], line: PdfLine) -> bool:
    """Return whether a line is the next row, or a line with one part that may continue a cell."""
    if not run:
        return len(line.cells) > 1
    last = run[-1]
    distance = last.baseline - line.baseline
    if line.turns != last.turns or not 0 < distance < _FURTHEST * last.size:
        return False
    if len(line.cells) > 1:
        return True
    row = run[-2] if len(last.cells) < 2 else last
    is_row = len(row.cells) > 1 and distance < _CLOSE * line.size
    return is_row and any(abs(cell.left - line.left) < line.size / 2 for cell in row.cells)


def _band_of(cell: Word, bands: list[Band]) -> int:
    return next((n for n, (left, right) in enumerate(bands) if left <= cell.left <= right), 0)


def _cells_of(line: PdfLine) -> list[Word]:
    return line.cells if len(line.cells) > 1 else [Word(line.text, line.left, line.right)]


def _build_rows(run: list[PdfLine], bands: list[Band]) -> list[list[str]]:
    """Return the rows of a table; a line with a single part continues the row above."""
    rows: list[_Row] = []
    for line in run:
        if len(line.cells) > 1:
            rows.append([[] for _ in bands])
        for cell in _cells_of(line):
            rows[-1][_band_of(cell, bands)].append(cell.text)
    return [list(map(_JOINER.join, row)) for row in rows]
