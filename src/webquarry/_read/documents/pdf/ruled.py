"""Lines drawn on a page and the text between them -> tables, cell by cell.

Rules that touch make a grid. What was left out of a grid, a piece of line between two cells, makes
them one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from webquarry._read.documents.pdf.joining import Joiner
from webquarry._read.documents.pdf.lines import PdfLine, ask_words
from webquarry._read.documents.pdf.pdfium import Box, PageText

_NEAR = 3.0  # points; rules that close are one, and touch others
_LEAST_RULES = 4
_MOST_RULES = 600
_MOST_CELLS = 5_000
_JOINER = Joiner()


@dataclass
class Grid:
    """A ruled table without its text. Rows go down, so `ys` fall."""

    xs: list[float]
    ys: list[float]
    level: list[Box]
    upright: list[Box]

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is in the table."""
        if not self.xs[0] <= x <= self.xs[-1]:
            return False
        return self.ys[-1] <= y <= self.ys[0]

    def place_of(self, x: float, y: float) -> tuple[int, int]:
        """The row and the column that a point is in, by the edges of the grid alone."""
        row = column = 0
        for place, edge in enumerate(self.xs[:-1]):
            if edge <= x:
                column = place
        for place, edge in enumerate(self.ys[:-1]):
            if edge >= y:
                row = place
        return row, column

    def find_cell(self, row: int, column: int) -> tuple[int, int]:
        """The cell that a place belongs to: further left and up as long as no line is between."""
        y = (self.ys[row] + self.ys[row + 1]) / 2
        while column and not self._has_upright(self.xs[column], y):
            column -= 1
        x = (self.xs[column] + self.xs[column + 1]) / 2
        while row and not self._has_level(x, self.ys[row]):
            row -= 1
        return row, column

    def _has_upright(self, x: float, y: float) -> bool:
        """Whether an upright line passes a point."""
        for rule in self.upright:
            if abs(rule.left - x) > _NEAR:
                continue
            if rule.bottom <= y <= rule.top:
                return True
        return False

    def _has_level(self, x: float, y: float) -> bool:
        """Whether a level line passes a point."""
        for rule in self.level:
            if abs(rule.bottom - y) > _NEAR:
                continue
            if rule.left <= x <= rule.right:
                return True
        return False


def find_grids(page: PageText, rules: list[Box], lines: list[PdfLine]) -> list[Grid]:
    """The grids of a page that may be tables: two columns and two rows at least. Lines in them get
    their words.
    """
    whole = _join_pieces(rules)
    grids: list[Grid] = []
    if _LEAST_RULES <= len(whole) <= _MOST_RULES:
        for group in _group_touching(whole):
            grid = _build_grid(group)
            if grid is not None:
                grids.append(grid)
    for line in lines:
        if not line.turns and any(grid.holds(*line.centre) for grid in grids):
            ask_words(page, line)
    return grids


def _build_grid(rules: list[Box]) -> Grid | None:
    """The grid that rules make which hang together; None where it is no table."""
    level = [rule for rule in rules if _is_level(rule)]
    upright = [rule for rule in rules if not _is_level(rule)]
    if len(level) < 2 or not upright:
        return None
    left = min(rule.left for rule in level)
    right = max(rule.right for rule in level)
    bottom = min(rule.bottom for rule in upright)
    top = max(rule.top for rule in upright)
    xs = _distinct([*(rule.left for rule in upright), left, right])
    ys = _distinct([*(rule.bottom for rule in level), bottom, top])
    ys.reverse()
    cells = (len(xs) - 1) * (len(ys) - 1)
    if len(xs) < 3 or len(ys) < 3 or cells > _MOST_CELLS:
        return None
    return Grid(xs, ys, level, upright)


def fill_grid(grid: Grid, lines: list[PdfLine]) -> list[list[str]]:
    """The texts in the cells of a grid, row by row."""
    texts: defaultdict[tuple[int, int], list[str]] = defaultdict(list)  # of each cell, by its lines
    for line in lines:
        y = line.centre[1]
        words: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        for word in line.words:
            x = (word.left + word.right) / 2
            cell = grid.find_cell(*grid.place_of(x, y))
            words[cell].append(word.text)
        for cell, parts in words.items():
            texts[cell].append(" ".join(parts))
    rows: list[list[str]] = []
    for row in range(len(grid.ys) - 1):
        columns = range(len(grid.xs) - 1)
        rows.append([_JOINER.join(texts[row, column]) for column in columns])
    return rows


def _is_level(rule: Box) -> bool:
    """Whether a rule runs from left to right, not up."""
    return rule.width >= rule.height


def _join_pieces(rules: list[Box]) -> list[Box]:
    """The rules put together again: many programs draw a line cell by cell."""
    level = [rule for rule in rules if _is_level(rule)]
    upright = [rule for rule in rules if not _is_level(rule)]
    level.sort(key=lambda rule: (round(rule.bottom), rule.left))
    upright.sort(key=lambda rule: (round(rule.left), rule.bottom))
    found: list[Box] = []
    for rule in (*level, *upright):
        if not found or _is_level(found[-1]) != _is_level(rule):
            found.append(rule)
            continue
        last = found[-1]
        if _is_level(rule):
            goes_on = abs(last.bottom - rule.bottom) <= 1 and rule.left <= last.right + 1
        else:
            goes_on = abs(last.left - rule.left) <= 1 and rule.bottom <= last.top + 1
        if not goes_on:
            found.append(rule)
            continue
        right = max(last.right, rule.right)
        top = max(last.top, rule.top)
        found[-1] = Box(last.left, last.bottom, right, top)
    return found


def _group_touching(rules: list[Box]) -> Iterator[list[Box]]:
    """The rules in groups that hang together."""
    left = sorted(rules, key=lambda rule: -rule.top)
    while left:
        group: list[Box] = []
        queue = [left.pop(0)]
        while queue:
            rule = queue.pop()
            group.append(rule)
            apart: list[Box] = []
            for other in left:
                if (
                    rule.left - _NEAR <= other.right
                    and other.left - _NEAR <= rule.right
                    and rule.bottom - _NEAR <= other.top
                    and other.bottom - _NEAR <= rule.top
                ):
                    queue.append(other)  # the two meet, or nearly
                else:
                    apart.append(other)
            left = apart
        yield group


def _distinct(values: list[float]) -> list[float]:
    """The values in order, those that are close to each other once."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _NEAR:
            found.append(value)
    return found
