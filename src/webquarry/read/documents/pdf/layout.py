"""The lines of a document -> what is usual in it: the size of its body, the distance of lines, the
edges of columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from webquarry.read.documents.pdf.lines import PdfLine

WIDE_GAP = 1.3  # times the usual distance of lines
INDENT = 0.7  # sizes of a line
_USUAL_PITCH = 1.2  # times the size, where a page does not tell
_LARGEST_PITCH = 3.0
_LIKE_BODY = 0.15
_FAR_IN = 4.0  # sizes of a line


@dataclass
class Column:
    """A stretch of lines that go down the page. `left` is where most of them begin, `right` the
    furthest they reach.
    """

    left: float
    right: float
    pitch: float  # from line to line, in sizes of the line
    spaced: bool = False  # the document keeps its paragraphs apart by room between them
    indented: bool = False  # it begins them with an indent


def body_size(lines: Iterable[PdfLine]) -> float:
    """The size in which most of the text is set."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 4) / 4] += len(line.text)
    if sizes:
        return max(sizes.items(), key=lambda entry: (entry[1], -entry[0]))[0]
    return 10.0


def columns_of(pages: list[list[PdfLine]], body: float) -> list[list[Column]]:
    """For each line of each page the column it stands in; lines of one column share one object."""
    columns = [_columns_of_page(lines, body) for lines in pages]
    rooms = indents = 0
    for lines, places in zip(pages, columns, strict=True):
        for (before, line), column in zip(pairwise(lines), places[1:], strict=False):
            if (
                abs(line.size - body) < _LIKE_BODY * body
                and not is_new_column(before, line)
                and not before.bold
            ):
                rooms += (
                    WIDE_GAP
                    < (before.baseline - line.baseline) / (column.pitch * line.size)
                    < 2 * WIDE_GAP
                )
                indents += (
                    line.left > before.left + INDENT * line.size
                    and before.left < column.left + INDENT
                )
    for column in {id(column): column for places in columns for column in places}.values():
        column.spaced = rooms >= max(2, indents)
        column.indented = indents > max(2, rooms)
    return columns


def _columns_of_page(lines: list[PdfLine], body: float) -> list[Column]:
    pitch = _pitch(lines)
    found: list[Column] = []
    start = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or is_new_column(lines[place - 1], lines[place]):
            part = lines[start:place]
            found += [_column(part, body, pitch)] * len(part)
            start = place
    return found


def is_new_column(before: PdfLine, line: PdfLine) -> bool:
    """Whether a line stands higher up than the one before it, or was written another way round."""
    return (
        before.page != line.page
        or before.turns != line.turns
        or line.baseline > before.baseline + line.size / 2
    )


def _column(lines: list[PdfLine], body: float, pitch: float) -> Column:
    alike = [line for line in lines if abs(line.size - body) < _LIKE_BODY * body] or lines
    lefts = Counter(round(line.left) for line in alike)
    left = max(lefts.items(), key=lambda entry: (entry[1], -entry[0]))[0]
    beginning = [
        line.right for line in alike if line.left < left + _FAR_IN * line.size
    ]  # not those in the middle
    return Column(left, max(beginning), pitch)


def _pitch(lines: list[PdfLine]) -> float:
    """The usual distance of lines on a page, in sizes of a line."""
    found: list[float] = []
    for before, line in pairwise(lines):
        distance = before.baseline - line.baseline
        if before.turns == line.turns and 0.5 * line.size < distance < _LARGEST_PITCH * line.size:
            found.append(distance / line.size)
    if not found:
        return _USUAL_PITCH
    common = Counter(round(value, 1) for value in found).most_common(1)[0]
    if common[1] > 1:
        return common[0]
    return min(median(found), 1.6)
