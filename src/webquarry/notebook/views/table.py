"""The rows of a SQL statement -> a table of the first of them, and what the statement took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.notebook.cells import add_rows, is_number_type
from webquarry.notebook.view import View
from webquarry.sql.progress import summarize

if TYPE_CHECKING:
    from webquarry.sql.session import SqlResult


def build_view(result: SqlResult) -> View:
    view = View()
    for warning in result.warnings:
        view.add_note(str(warning))
    if result.columns:
        numbers = [is_number_type(name) for name in result.types]
        add_rows(view, result.columns, result.rows, numbers)
    else:
        view.add_line("Done.")
    if result.progress.rows or result.progress.planned:
        view.add_facts([summarize(result.progress)])
    return view
