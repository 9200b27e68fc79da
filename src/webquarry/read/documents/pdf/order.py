"""The lines of a page -> the same in reading order.

The order in which a page was written is nearly always the order in which it is read, columns
included. Only where it jumps up and down within one column are the lines sorted by their places.
"""

from __future__ import annotations

from itertools import pairwise

from webquarry.read.documents.pdf.lines import PdfLine

_JUMPS = 0.25  # of the lines
_LEAST_JUMPS = 4
_WIDE = 0.6  # of the width of the text; such a line stands above columns, not in one


def in_reading_order(lines: list[PdfLine]) -> list[PdfLine]:
    """The lines, sorted if they have to be."""
    jumps = sum(_jumps(before, line) for before, line in pairwise(lines))
    if jumps < max(_LEAST_JUMPS, _JUMPS * len(lines)):
        return lines
    columns = _columns(lines)

    def place(line: PdfLine) -> tuple[int, int, float, float]:
        column = next(
            (number for number, (left, right) in enumerate(columns) if left <= line.left <= right),
            0,
        )
        return line.turns, column, -round(line.baseline, 0), line.left

    return sorted(lines, key=place)


def _jumps(before: PdfLine, line: PdfLine) -> bool:
    """Whether a line stands above the one before it, in the same column."""
    overlap = min(before.right, line.right) - max(before.left, line.left)
    return (
        before.turns == line.turns
        and overlap > 0
        and line.baseline > before.baseline + line.size / 2
    )


def _columns(lines: list[PdfLine]) -> list[tuple[float, float]]:
    """Stretches of the page that no narrow line leaves."""
    whole = max(line.right for line in lines) - min(line.left for line in lines)
    found: list[tuple[float, float]] = []
    for left, right in sorted(
        (line.left, line.right) for line in lines if line.width < _WIDE * whole
    ):
        if found and left <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return found
