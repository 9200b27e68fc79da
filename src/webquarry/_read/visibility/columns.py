"""The tables of a page -> the cells of columns that are not shown: collapsed, or of no width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from lxml import etree

from webquarry._read.css.declarations import Declarations, parse_length
from webquarry._read.visibility.concealment import is_cut_off

_SECTIONS = ("tbody", "thead", "tfoot")
_SLIVER = 1.0  # pixels
_MOST_COLUMNS = 100


class TableColumns:
    """`collapsed` are the cells that are never shown, `narrow` those that show what sticks out of
    them. `find_style` tells what is declared about an element.
    """

    def __init__(
        self,
        roots: Sequence[etree._Element],
        find_style: Callable[[etree._Element], Declarations],
    ) -> None:
        self.collapsed: set[etree._Element] = set()
        self.narrow: set[etree._Element] = set()
        self._find_style = find_style
        tables: dict[etree._Element, None] = {}
        for root in roots:
            for column in root.iter("col", "colgroup"):
                if column.get("style") or column.get("class") or column.get("width"):
                    around = column.getparent()
                    if around is not None and around.tag == "colgroup":
                        around = around.getparent()
                    if around is not None and around.tag == "table":
                        tables[around] = None
        for table in tables:
            self._read(table)

    def hides(self, cell: etree._Element, declarations: Declarations) -> bool:
        """Whether a cell that declares this stands in a column that is not shown."""
        if cell in self.collapsed:
            return True
        return cell in self.narrow and is_cut_off(declarations)

    def _read(self, table: etree._Element) -> None:
        """Find the cells of one table that are not shown."""
        collapsed: set[int] = set()
        narrow: set[int] = set()
        is_fixed = self._find_style(table).get("table-layout") == "fixed"
        place = 0
        for column, width in _list_columns(table):
            style = self._find_style(column)
            numbers = range(place, place + width)
            if style.get("visibility") == "collapse" or style.get("display") == "none":
                collapsed.update(numbers)
            size = parse_length(style.get("width", column.get("width") or ""), percent=10)
            if is_fixed and size is not None and size <= _SLIVER:
                narrow.update(numbers)
            place += width
        if not collapsed and not narrow:
            return
        for row in _list_rows(table):
            place = 0
            for cell in row:
                if cell.tag not in ("td", "th"):
                    continue
                width = _parse_span(cell.get("colspan"))
                numbers = range(place, place + width)
                if collapsed and collapsed.issuperset(numbers):
                    self.collapsed.add(cell)
                elif narrow and narrow.issuperset(numbers):
                    self.narrow.add(cell)
                place += width


def _list_columns(table: etree._Element) -> Iterator[tuple[etree._Element, int]]:
    """The columns of a table, each with how many it stands for."""
    for child in islice(table, _MOST_COLUMNS):
        if child.tag == "col":
            yield child, _parse_span(child.get("span"))
        elif child.tag == "colgroup":
            inner = [column for column in islice(child, _MOST_COLUMNS) if column.tag == "col"]
            for column in inner:
                yield column, _parse_span(column.get("span"))
            if not inner:
                yield child, _parse_span(child.get("span"))


def _list_rows(table: etree._Element) -> Iterator[etree._Element]:
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in _SECTIONS:
            for row in child:
                if row.tag == "tr":
                    yield row


def _parse_span(value: str | None) -> int:
    """How many columns a cell or a column stands for."""
    text = (value or "").strip()
    if not text.isdecimal():
        return 1
    return min(max(int(text[:4]), 1), _MOST_COLUMNS)
