"""The lines of a document -> what is usual in it: the size of its body, the distance of lines, the
edges of columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from webquarry._read.documents.pdf.lines import INDENT, PdfLine

WIDE_GAP = 1.3  # times the usual distance of lines
_USUAL_PITCH = 1.2  # times the size, where a page does not tell
_LARGEST_PITCH = 3.0
_LARGEST_LONE_PITCH = 1.6  # where no two distances are alike
_USUAL_SIZE = 10.0  # points, where there is no text
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
    if not sizes:
        return _USUAL_SIZE
    return _most_common(sizes)


def columns_of(pages: list[list[PdfLine]], body: float) -> list[list[Column]]:
    """For each line of each page the column it stands in; lines of one column share one object."""
    columns = [_columns_of_page(lines, body) for lines in pages]
    gaps = indents = 0  # how often a paragraph seems to begin behind a gap, or with an indent
    for lines, columns_of_lines in zip(pages, columns, strict=True):
        for (before, line), column in zip(pairwise(lines), columns_of_lines[1:], strict=False):
            if before.bold or not _is_like_body(line, body) or is_new_column(before, line):
                continue
            pitches = (before.baseline - line.baseline) / (column.pitch * line.size)
            gaps += WIDE_GAP < pitches < 2 * WIDE_GAP
            is_moved_in = line.left > before.left + line.indent
            indents += is_moved_in and before.left < column.left + INDENT
    spaced = gaps >= max(2, indents)
    indented = indents > max(2, gaps)
    for columns_of_lines in columns:
        for column in columns_of_lines:
            column.spaced = spaced
            column.indented = indented
    return columns


def _columns_of_page(lines: list[PdfLine], body: float) -> list[Column]:
    """The column of each line of a page."""
    pitch = _line_pitch(lines)
    found: list[Column] = []
    start = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or is_new_column(lines[place - 1], lines[place]):
            part = lines[start:place]
            alike = [line for line in part if _is_like_body(line, body)] or part
            lefts: Counter[float] = Counter(round(line.left) for line in alike)
            left = _most_common(lefts)
            rights: list[float] = []  # of the lines that do not stand in the middle
            for line in alike:
                if line.left < left + _FAR_IN * line.size:
                    rights.append(line.right)
            column = Column(left, max(rights), pitch)
            found += [column] * len(part)
            start = place
    return found


def is_new_column(before: PdfLine, line: PdfLine) -> bool:
    """Whether a line stands higher up than the one before it, or was written another way round."""
    if before.page != line.page or before.turns != line.turns:
        return True
    return line.baseline > before.baseline + line.size / 2


def _is_like_body(line: PdfLine, body: float) -> bool:
    """Whether a line is set about as large as the body."""
    difference = abs(line.size - body)
    return difference < _LIKE_BODY * body


def _most_common(counts: Counter[float]) -> float:
    """The value that was counted most often; of several, the smallest."""
    value, _ = max(counts.items(), key=lambda entry: (entry[1], -entry[0]))
    return value


def _line_pitch(lines: list[PdfLine]) -> float:
    """The usual distance of lines on a page, in sizes of a line."""
    found: list[float] = []
    for before, line in pairwise(lines):
        distance = before.baseline - line.baseline
        is_usual = 0.5 * line.size < distance < _LARGEST_PITCH * line.size
        if is_usual and before.turns == line.turns:
            found.append(distance / line.size)
    if not found:
        return _USUAL_PITCH
    rounded = Counter(round(pitch, 1) for pitch in found)
    pitch, count = rounded.most_common(1)[0]
    if count > 1:
        return pitch
    return min(median(found), _LARGEST_LONE_PITCH)
