"""The lines of a page -> the same in reading order.

The order in which a page was written is nearly always the order in which it is read, columns
included. Only where it jumps up and down within one column are the lines sorted by their places.
"""

from __future__ import annotations

from itertools import pairwise

from webquarry._read.documents.pdf.lines import PdfLine

_JUMPS = 0.25  # of the lines
_LEAST_JUMPS = 4
_WIDE = 0.6  # of the width of the text; such a line stands above columns, not in one


def sort_for_reading(lines: list[PdfLine]) -> list[PdfLine]:
    """The lines, sorted if they have to be."""
    jumps = 0  # how often a line stands above the one before it, in the same column
    for before, line in pairwise(lines):
        if before.turns != line.turns or line.baseline <= before.baseline + line.size / 2:
            continue
        jumps += min(before.right, line.right) > max(before.left, line.left)
    if jumps < max(_LEAST_JUMPS, _JUMPS * len(lines)):
        return lines
    left_edge = min(line.left for line in lines)
    right_edge = max(line.right for line in lines)
    widest = _WIDE * (right_edge - left_edge)
    narrow = [(line.left, line.right) for line in lines if line.width < widest]
    columns = merge_stretches(narrow)  # stretches of the page that no narrow line leaves

    def place(line: PdfLine) -> tuple[int, int, float, float]:
        column = 0
        for number, (left, right) in enumerate(columns):
            if left <= line.left <= right:
                column = number
                break
        return line.turns, column, -round(line.baseline, 0), line.left

    return sorted(lines, key=place)


def merge_stretches(stretches: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Stretches from left to right, those that overlap put together."""
    merged: list[tuple[float, float]] = []
    for left, right in sorted(stretches):
        if merged and left <= merged[-1][1]:
            start, end = merged[-1]
            merged[-1] = (start, max(end, right))
        else:
            merged.append((left, right))
    return merged
