"""Lines drawn on a page and the text between them -> tables, cell by cell.

Rules that touch make a grid. What was left out of a grid, a piece of line between two cells, makes
them one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webquarry.read.documents.pdf.lines import PdfLine, Word, ask_words
from webquarry.read.documents.pdf.pdfium import Box, PageText

_NEAR = 3.0  # points; rules that close are one, and touch others
_MOST_RULES = 600
_MOST_CELLS = 5_000


@dataclass
class Grid:
    """A ruled table without its text. Rows go down, so `ys` fall."""

    xs: list[float]
    ys: list[float]
    level: list[Box]
    upright: list[Box]

    def holds(self, x: float, y: float) -> bool:
        return self.xs[0] <= x <= self.xs[-1] and self.ys[-1] <= y <= self.ys[0]

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        column = max(place for place, edge in enumerate(self.xs[:-1]) if edge <= x or place == 0)
        row = max(place for place, edge in enumerate(self.ys[:-1]) if edge >= y or place == 0)
        return row, column

    def joined(self, row: int, column: int) -> tuple[int, int]:
        """The cell that a place belongs to: further left and up as long as no line is between."""
        y = (self.ys[row] + self.ys[row + 1]) / 2
        while column and not any(
            abs(rule.left - self.xs[column]) <= _NEAR and rule.bottom <= y <= rule.top
            for rule in self.upright
        ):
            column -= 1
        x = (self.xs[column] + self.xs[column + 1]) / 2
        while row and not any(
            abs(rule.bottom - self.ys[row]) <= _NEAR and rule.left <= x <= rule.right
            for rule in self.level
        ):
            row -= 1
        return row, column


def find_grids(page: PageText, rules: list[Box], lines: list[PdfLine]) -> list[Grid]:
    """The grids of a page that may be tables: two columns and two rows at least. Lines in them get
    their words.
    """
    grids = _grids(rules) if rules else []
    for line in lines:
        if not line.turns and any(grid.holds(*line.centre) for grid in grids):
            ask_words(page, line)
    return grids


def _grids(rules: list[Box]) -> list[Grid]:
    whole = _whole(rules)
    if not 4 <= len(whole) <= _MOST_RULES:
        return []
    grids = []
    for group in _touching(whole):
        level = [rule for rule in group if _is_level(rule)]
        upright = [rule for rule in group if not _is_level(rule)]
        if len(level) < 2 or not upright:
            continue
        edges = [edge for rule in level for edge in (rule.left, rule.right)]
        xs = _distinct([*(rule.left for rule in upright), min(edges), max(edges)])
        ends = [end for rule in upright for end in (rule.bottom, rule.top)]
        ys = _distinct([*(rule.bottom for rule in level), min(ends), max(ends)])[::-1]
        if len(xs) > 2 and len(ys) > 2 and (len(xs) - 1) * (len(ys) - 1) <= _MOST_CELLS:
            grids.append(Grid(xs, ys, level, upright))
    return grids


def fill(grid: Grid, lines: list[PdfLine]) -> list[list[list[list[Word]]]]:
    """The words in each cell of a grid, line by line: rows of cells of lines of words."""
    rows: list[list[list[list[Word]]]] = [[[] for _ in grid.xs[1:]] for _ in grid.ys[1:]]
    for line in lines:
        y = line.centre[1]
        parts: dict[tuple[int, int], list[Word]] = {}
        for word in line.words:
            place = grid.joined(*grid.cell_of((word.left + word.right) / 2, y))
            parts.setdefault(place, []).append(word)
        for (row, column), words in parts.items():
            rows[row][column].append(words)
    return rows


def _is_level(rule: Box) -> bool:
    return rule.right - rule.left >= rule.top - rule.bottom


def _whole(rules: list[Box]) -> list[Box]:
    """The rules put together again: many programs draw a line cell by cell."""
    level = sorted(
        (rule for rule in rules if _is_level(rule)),
        key=lambda rule: (round(rule.bottom), rule.left),
    )
    upright = sorted(
        (rule for rule in rules if not _is_level(rule)),
        key=lambda rule: (round(rule.left), rule.bottom),
    )
    found: list[Box] = []
    for rule in (*level, *upright):
        last = found[-1] if found else None
        if last and _is_level(last) == _is_level(rule) and _goes_on(last, rule):
            found[-1] = Box(
                last.left, last.bottom, max(last.right, rule.right), max(last.top, rule.top)
            )
        else:
            found.append(rule)
    return found


def _goes_on(one: Box, other: Box) -> bool:
    if _is_level(one):
        return abs(one.bottom - other.bottom) <= 1 and other.left <= one.right + 1
    return abs(one.left - other.left) <= 1 and other.bottom <= one.top + 1


def _touching(rules: list[Box]) -> Iterator[list[Box]]:
    """The rules in groups that hang together."""
    left = sorted(rules, key=lambda rule: -rule.top)
    while left:
        group, queue = [], [left.pop(0)]
        while queue:
            rule = queue.pop()
            group.append(rule)
            near = [other for other in left if _touch(rule, other)]
            if near:
                queue += near
                found = set(map(id, near))
                left = [other for other in left if id(other) not in found]
        yield group


def _touch(one: Box, other: Box) -> bool:
    return (
        one.left - _NEAR <= other.right
        and other.left - _NEAR <= one.right
        and one.bottom - _NEAR <= other.top
        and other.bottom - _NEAR <= one.top
    )


def _distinct(values: list[float]) -> list[float]:
    """The values in order, those that are close to each other once."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _NEAR:
            found.append(value)
    return found
