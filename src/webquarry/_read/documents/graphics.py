"""Charts and diagrams of Office files: their XML -> the title, the table of values and the words
that a reader sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest

from webquarry._read.documents.office import Element, child_of, find_child, name_of

_MOST_POINTS = 500  # of one series
_MOST_SERIES = 30
_MOST_TEXTS = 500
_VALUES = ("c:val", "c:yVal", "c:bubbleSize")
_CATEGORIES = ("c:cat", "c:xVal")


def read_chart_title(root: Element) -> str:
    """The title of a chart, if it has one of its own."""
    title = find_child(root, "c:chart", "c:title")
    if title is None:
        return ""
    return " ".join(_texts(title, "a:t")).strip()


def read_chart_rows(root: Element) -> list[list[str]]:
    """The values of a chart as a table: a row per category, a column per series. Empty when there
    are none.
    """
    names: list[str] = []
    columns: list[list[str]] = []
    categories: list[str] = []
    all_series = (one for one in root.iter() if name_of(one.tag) == "c:ser")
    for series in islice(all_series, _MOST_SERIES):
        element = child_of(series, "c:tx")
        name = ""
        if element is not None:
            name = " ".join(_texts(element, "c:v"))
        names.append(name)
        columns.append(_read_points(series, _VALUES))
        categories = categories or _read_points(series, _CATEGORIES)
    if not any(columns):
        return []
    rows = [["", *names]]
    for row in zip_longest(categories, *columns, fillvalue=""):
        rows.append(list(row))
    return rows


def read_diagram_texts(root: Element) -> list[str]:
    """The words of a diagram, point by point."""
    texts: list[str] = []
    for point in root.iter():
        if name_of(point.tag) != "dgm:pt":
            continue
        written = "".join(_texts(point, "a:t"))
        text = " ".join(written.split())
        if text:
            texts.append(text)
    return texts[:_MOST_TEXTS]


def _read_points(series: Element, names: tuple[str, ...]) -> list[str]:
    """The values that the file keeps of a row of cells, in their places; of several rows, the one
    of the first name that there is.
    """
    cells: Element | None = None
    for name in names:
        cells = child_of(series, name)
        if cells is not None:
            break
    if cells is None:
        return []
    found: dict[int, str] = {}
    for point in cells.iter():
        if name_of(point.tag) != "c:pt":
            continue
        index = point.get("idx") or ""
        if not index.isascii() or not index.isdigit():
            continue
        place = int(index)
        if place < _MOST_POINTS:
            found[place] = " ".join(_texts(point, "c:v"))
    last = max(found, default=-1)
    return [found.get(place, "") for place in range(last + 1)]


def _texts(element: Element, name: str) -> Iterator[str]:
    """The texts of the elements of that name."""
    for one in element.iter():
        if name_of(one.tag) == name and one.text:
            yield one.text
