"""Charts and diagrams of Office files: their XML -> the title, the table of values and the words
that a reader sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from lxml import etree

from webquarry.read.documents.office import child_of, name_of

_MOST_POINTS = 500  # of one series
_MOST_SERIES = 30
_MOST_TEXTS = 500


def chart_title(root: etree._Element) -> str:
    """The title of a chart, if it has one of its own."""
    title = child_of(child_of(root, "c:chart"), "c:title")
    if title is None:
        return ""
    return " ".join(_texts(title, "a:t")).strip()


def chart_rows(root: etree._Element) -> list[list[str]]:
    """The values of a chart as a table: a row per category, a column per series. Empty when there
    are none.
    """
    series = [one for one in root.iter() if name_of(one.tag) == "c:ser"][:_MOST_SERIES]
    columns = [_points(_first(one, ("c:val", "c:yVal", "c:bubbleSize"))) for one in series]
    if not any(columns):
        return []
    categories: list[str] = next(
        (found for one in series if (found := _points(_first(one, ("c:cat", "c:xVal"))))), []
    )
    names = [
        " ".join(_texts(tx, "c:v")) if (tx := child_of(one, "c:tx")) is not None else ""
        for one in series
    ]
    rows = [list(row) for row in zip_longest(categories, *columns, fillvalue="")]
    return [["", *names], *rows]


def diagram_texts(root: etree._Element) -> list[str]:
    """The words of a diagram, point by point."""
    points = (one for one in root.iter() if name_of(one.tag) == "dgm:pt")
    texts = (" ".join("".join(_texts(point, "a:t")).split()) for point in points)
    return [text for text in texts if text][:_MOST_TEXTS]


def _first(series: etree._Element, names: tuple[str, ...]) -> etree._Element | None:
    return next((found for name in names if (found := child_of(series, name)) is not None), None)


def _points(element: etree._Element | None) -> list[str]:
    """The values that the file keeps of a row of cells, in their places."""
    found: dict[int, str] = {}
    for point in element.iter() if element is not None else ():
        place = point.get("idx") or ""
        if (
            name_of(point.tag) == "c:pt"
            and place.isascii()
            and place.isdigit()
            and int(place) < _MOST_POINTS
        ):
            found[int(place)] = " ".join(_texts(point, "c:v"))
    return [found.get(place, "") for place in range(max(found, default=-1) + 1)]


def _texts(element: etree._Element, name: str) -> Iterator[str]:
    return (one.text for one in element.iter() if name_of(one.tag) == name and one.text)
