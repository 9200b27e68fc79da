"""Rows of plain texts, as a chart or a PDF file has them -> a table of Markdown."""

from __future__ import annotations

from collections import Counter

from webquarry._read.documents import prose
from webquarry._read.markdown.tables import Cell, Table


def build_table(rows: list[list[str]], removed: Counter[str]) -> str:
    """The table, in which no row is a heading; empty where there are no rows."""
    table = Table()
    for row in rows:
        cells: list[Cell] = []
        for text in row:
            line = prose.escape_line(text, removed)
            cells.append(Cell(line, heading=False))
        table.rows.append(cells)
    return table.text()
