"""Tables of a page: ruled ones from drawn lines, others from aligned gaps.

Rules that touch form a grid; a missing piece of line between two cells merges them. Without rules,
three or more rows are a table if their parts are aligned with clear gaps. Columns of prose that
were written line by line across the page look the same and are put one after the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress, islice

from webquarry._read.documents.pdf_lines import (
    Joiner,
    PdfLine,
    Word,
    measure_words,
    merge_ranges,
)
from webquarry._read.documents.pdf_page import Box, PageText

_NEAR = 3.0  # points; closer rules are one, and touch others
_LEAST_RULES = 4
_MOST_RULES = 600
_MOST_CELLS = 5_000
_LEAST_ROWS = 3
_FURTHEST = 2.6  # times the size of a line, from one row to the next
_CLOSE = 1.35  # times the size of a line, from one line of a cell to the next
_PROSE_ROWS = 6
_PROSE_LENGTH = 22  # characters of a part of prose on average
_MOST_PROSE_COLUMNS = 3
_MOST_COLUMNS = 40
_LEAST_SHARE = 0.5  # of the cells that have text
_AT_FOOT, _AT_HEAD = 0.25, 0.75  # of the height of a page
_JOINER = Joiner()


@dataclass
class PdfTable:
    """Rows of plain texts."""

    rows: list[list[str]]
    page: int
    top: float = 0.0  # first and last line, as shares of the height of the page
    foot: float = 0.0
    more_pages: int = 0  # on which it continues

    def continues_in(self, other: PdfTable) -> bool:
        """Return whether a table at the top of the next page continues this one."""
        return (
            self.page + self.more_pages == other.page - 1
            and self.foot < _AT_FOOT
            and other.top > _AT_HEAD
            and len(self.rows[0]) == len(other.rows[0])
        )


PageItem = PdfLine | PdfTable
Band = tuple[float, float]  # left and right edge of a column


@dataclass
class Grid:
    """A ruled table without text. Rows go down, so `ys` decrease."""

    xs: list[float]
    ys: list[float]
    horizontal: list[Box]
    vertical: list[Box]

    def holds(self, x: float, y: float) -> bool:
        return self.xs[0] <= x <= self.xs[-1] and self.ys[-1] <= y <= self.ys[0]

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
        """Return the texts of the cells row by row."""
        texts: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        for line in lines:
            words: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
            for word in line.words:
                cell = self.find_cell((word.left + word.right) / 2, line.centre[1])
                words[cell].append(word.text)
            for cell, parts in words.items():
                texts[cell].append(" ".join(parts))
        columns = range(len(self.xs) - 1)
        return [
            [_JOINER.join(texts[row, column]) for column in columns]
            for row in range(len(self.ys) - 1)
        ]


def find_grids(page: PageText, rules: list[Box], lines: list[PdfLine]) -> list[Grid]:
    """Return the grids of a page with two columns and rows at least, and measure their words."""
    whole = _join_rules(rules)
    grids: list[Grid] = []
    if _LEAST_RULES <= len(whole) <= _MOST_RULES:
        built = map(_build_grid, _group_touching(whole))
        grids = [grid for grid in built if grid is not None]
    for line in lines:
        if not line.turns and any(grid.holds(*line.centre) for grid in grids):
            measure_words(page, line)
    return grids


def _build_grid(rules: list[Box]) -> Grid | None:
    """Return the grid of connected rules; None if they are not a table."""
    horizontal = [rule for rule in rules if _is_horizontal(rule)]
    vertical = [rule for rule in rules if not _is_horizontal(rule)]
    if len(horizontal) < 2 or not vertical:
        return None
    ends = [rule.left for rule in horizontal] + [rule.right for rule in horizontal]
    xs = _distinct([*(rule.left for rule in vertical), min(ends), max(ends)])
    ends = [rule.bottom for rule in vertical] + [rule.top for rule in vertical]
    ys = _distinct([*(rule.bottom for rule in horizontal), min(ends), max(ends)])[::-1]
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > _MOST_CELLS:
        return None
    return Grid(xs, ys, horizontal, vertical)


def _is_horizontal(rule: Box) -> bool:
    return rule.width >= rule.height


def _join_rules(rules: list[Box]) -> list[Box]:
    """Join the pieces of rules, since many programs draw them cell by cell."""

    def key(rule: Box) -> tuple[float, ...]:
        if _is_horizontal(rule):
            return 0, round(rule.bottom), rule.left
        return 1, round(rule.left), rule.bottom

    found: list[Box] = []
    for rule in sorted(rules, key=key):
        last = found[-1] if found else rule
        if _is_horizontal(last) == _is_horizontal(rule) and last.touches(rule, 1):
            del found[-1:]
            rule = Box(last.left, last.bottom, max(last.right, rule.right), max(last.top, rule.top))
        found.append(rule)
    return found


def _group_touching(rules: list[Box]) -> Iterator[list[Box]]:
    """Yield groups of connected rules."""
    left = sorted(rules, key=lambda rule: -rule.top)
    while left:
        group: list[Box] = []
        queue = [left.pop(0)]
        while queue:
            rule = queue.pop()
            group.append(rule)
            apart: list[Box] = []
            for other in left:
                (queue if rule.touches(other, _NEAR) else apart).append(other)
            left = apart
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
    inside = [
        item
        for item in items
        if isinstance(item, PdfLine) and not item.turns and grid.holds(*item.centre)
    ]
    if not inside:
        return items
    rows = [row for row in grid.fill(inside) if any(row)]
    has_text = [any(column) for column in zip(*rows, strict=True)]
    rows = [list(compress(row, has_text)) for row in rows]
    if sum(sum(map(bool, row)) > 1 for row in rows) < 2:
        return items
    table = PdfTable(rows, inside[0].page, inside[0].height, inside[-1].height)
    taken = set(map(id, inside))
    first = next(number for number, item in enumerate(items) if id(item) in taken)
    rest = [item for item in items[first:] if id(item) not in taken]
    return [*items[:first], table, *rest]


def _replace_aligned(items: list[PageItem]) -> Iterator[PageItem]:
    start = 0
    while start < len(items):
        run, bands = _find_rows(items, start)
        if not bands:
            yield items[start]
            start += 1
            continue
        start += len(run)
        if _is_prose(run, bands):
            yield from _split_columns(run, bands)
        else:
            rows = _build_rows(run, bands)
            yield PdfTable(rows, run[0].page, run[0].height, run[-1].height)


def _find_rows(items: list[PageItem], start: int) -> tuple[list[PdfLine], list[Band]]:
    """Return the rows of the longest table that starts at an item, and its columns, if any.

    More rows never separate columns that overlap, so the length is found by doubling and bisection.
    """
    low, bands = 0, []  # the largest length known to be a table
    limit = 2 * _LEAST_ROWS
    run = _collect_rows(items, start, limit)
    while found := _find_bands(run):
        low, bands = len(run), found
        if len(run) < limit:
            return run, bands
        limit *= 2
        run = _collect_rows(items, start, limit)
    high = len(run)  # the least length known not to be one
    while high - low > 1:
        middle = (low + high) // 2 if low else high - 1
        found = _find_bands(run[:middle])
        if found:
            low, bands = middle, found
        else:
            high = middle
    return run[:low], bands


def _collect_rows(items: list[PageItem], start: int, limit: int) -> list[PdfLine]:
    """Return up to `limit` rows that are close to each other; one part may continue a cell."""
    run: list[PdfLine] = []
    for item in islice(items, start, start + limit):
        if not isinstance(item, PdfLine) or (not run and len(item.cells) < 2):
            break
        if run:
            distance = run[-1].baseline - item.baseline
            if item.turns != run[-1].turns or not 0 < distance < _FURTHEST * run[-1].size:
                break
            if len(item.cells) < 2 and not _continues_cell(run, item):
                break
        run.append(item)
    return run


def _continues_cell(run: list[PdfLine], line: PdfLine) -> bool:
    """Return whether a line with a single part may be the second line of a cell."""
    if run[-1].baseline - line.baseline >= _CLOSE * line.size:
        return False
    row = run[-2] if len(run[-1].cells) < 2 and len(run) > 1 else run[-1]
    is_row = len(row.cells) > 1
    return is_row and any(abs(cell.left - line.left) < line.size / 2 for cell in row.cells)


def _find_bands(run: list[PdfLine]) -> list[Band]:
    """Return the columns of cells that do not overlap; empty if there are none."""
    rows = [line.cells for line in run if len(line.cells) > 1]
    if len(rows) < _LEAST_ROWS:
        return []
    bands = merge_ranges([(cell.left, cell.right) for cells in rows for cell in cells])
    if not 2 <= len(bands) <= _MOST_COLUMNS:
        return []
    if any(len({_band_of(cell, bands) for cell in cells}) < len(cells) for cells in rows):
        return []
    share = sum(map(len, rows)) / (len(bands) * len(rows))
    return bands if share >= _LEAST_SHARE else []


def _band_of(cell: Word, bands: list[Band]) -> int:
    return next((n for n, (left, right) in enumerate(bands) if left <= cell.left <= right), 0)


def _cells_of(line: PdfLine) -> list[Word]:
    return line.cells if len(line.cells) > 1 else [Word(line.text, line.left, line.right)]


def _build_rows(run: list[PdfLine], bands: list[Band]) -> list[list[str]]:
    """Return the rows of a table; a line with a single part continues the row above."""
    rows: list[list[str]] = []
    for line in run:
        if len(line.cells) > 1 or not rows:
            rows.append([""] * len(bands))
        for cell in _cells_of(line):
            column = _band_of(cell, bands)
            rows[-1][column] = _JOINER.join([rows[-1][column], cell.text])
    return rows


def _is_prose(run: list[PdfLine], bands: list[Band]) -> bool:
    """Return whether the parts are as long as lines of prose in every column."""
    if len(bands) > _MOST_PROSE_COLUMNS or len(run) < _PROSE_ROWS:
        return False
    lengths: defaultdict[int, list[int]] = defaultdict(list)
    for line in run:
        for cell in line.cells:
            lengths[_band_of(cell, bands)].append(len(cell.text))
    return len(lengths) == len(bands) and all(
        sum(found) >= _PROSE_LENGTH * len(found) for found in lengths.values()
    )


def _split_columns(run: list[PdfLine], bands: list[Band]) -> Iterator[PdfLine]:
    """Yield lines of prose that are side by side, column by column."""
    for column in range(len(bands)):
        for line in run:
            for cell in _cells_of(line):
                if _band_of(cell, bands) == column:
                    text, left, right = cell
                    yield replace(line, text=text, left=left, right=right, cells=[], words=[])
