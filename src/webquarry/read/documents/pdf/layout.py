"""The lines of a document -> what is usual in it: the size of its body, the distance of lines, the edges of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from webquarry.read.documents.pdf.lines import Line

_USUAL_PITCH = 1.2  # times the size, where a page does not tell
_LARGEST_PITCH = 3.0
_LIKE_BODY = 0.15


@dataclass
class Column:
    """A stretch of lines that go down the page. `left` is where most of them begin, `right` the furthest they reach."""

    left: float
    right: float
    pitch: float  # from line to line, in sizes of the line


def body_size(lines: Iterable[Line]) -> float:
    """The size in which most of the text is set."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 4) / 4] += len(line.text)
    return max(sizes.items(), key=lambda entry: (entry[1], -entry[0]))[0] if sizes else 10.0


def columns_of(lines: list[Line], body: float) -> list[Column]:
    """For each line of a page the column it stands in; lines of one column share one object."""
    pitch = _pitch(lines)
    found: list[Column] = []
    start = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or is_new_column(lines[place - 1], lines[place]):
            part = lines[start:place]
            found += [_column(part, body, pitch)] * len(part)
            start = place
    return found


def is_new_column(before: Line, line: Line) -> bool:
    """Whether a line stands higher up than the one before it, or was written another way round."""
    return (
        before.page != line.page
        or before.turns != line.turns
        or line.baseline > before.baseline + line.size / 2
        or line.left > before.right + 2 * line.size
    )


def _column(lines: list[Line], body: float, pitch: float) -> Column:
    alike = [line for line in lines if abs(line.size - body) < _LIKE_BODY * body] or lines
    lefts = Counter(round(line.left) for line in alike)
    left = max(lefts.items(), key=lambda entry: (entry[1], -entry[0]))[0]
    return Column(left, max(line.right for line in alike), pitch)


def _pitch(lines: list[Line]) -> float:
    """The usual distance of lines on a page, in sizes of a line."""
    found: list[float] = []
    for before, line in zip(lines, lines[1:], strict=False):
        distance = before.baseline - line.baseline
        if before.turns == line.turns and 0.5 * line.size < distance < _LARGEST_PITCH * line.size:
            found.append(distance / line.size)
    if not found:
        return _USUAL_PITCH
    common = Counter(round(value, 1) for value in found).most_common(1)[0]
    return common[0] if common[1] > 1 else min(median(found), 1.6)
