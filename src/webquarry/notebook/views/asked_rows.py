"""What was asked about the rows of a table -> the first rows with their answers and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.notebook.cells import add_rows
from webquarry.notebook.view import View
from webquarry.sql.progress import summarize

if TYPE_CHECKING:
    from webquarry.notebook.asked_rows import AskedRows


def build_view(asked: AskedRows) -> View:
    rows = asked.rows
    names = dict.fromkeys(name for row in rows for name in row)
    filled = []
    for name in names:
        is_asked = name in (asked.column, "answer")
        if is_asked or any(row.get(name) for row in rows):
            filled.append(name)
    view = View()
    values = [[row.get(name) for name in filled] for row in rows]
    add_rows(view, filled, values, [False] * len(filled))
    view.add_facts([summarize(asked.progress)])
    return view
