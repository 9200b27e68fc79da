"""A bill -> a row for each statement and model, and the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webquarry.surfaces.notebook.inline import Inline
from webquarry.surfaces.notebook.view import View

if TYPE_CHECKING:
    from webquarry.surfaces.sql.functions.setters import Bill

_MOST_ROWS = 50
_TEXTS = {"begun_at": "Begun (UTC)", "door": "Door", "sql": "Statement", "model": "Model"}
_COUNTS = {
    "questions": "Questions",
    "hits": "Kept",
    "calls": "Calls",
    "searches": "Searches",
    "input_tokens": "Tokens in",
    "output_tokens": "Tokens out",
}
_MONEY = {"usd": "USD", "uncertain_usd": "Uncertain USD"}
_SUMS = (*_COUNTS, *_MONEY)


def build_view(bill: Bill) -> View:
    view = View()
    total: dict[str, Any] = {name: sum(row[name] for row in bill) for name in _SUMS}
    view.add_title(f"Bill: {total['usd']:.4f} USD")
    if not bill:
        view.add_line("Nothing was asked.")
        return view
    names = {**_TEXTS, **_COUNTS, **_MONEY}
    rows = [_write_row(row) for row in bill[:_MOST_ROWS]]
    rows.append(_write_row({**total, "model": "total"}))
    view.add_table(list(names.values()), rows, [name in _SUMS for name in names])
    if len(bill) > _MOST_ROWS:
        view.add_note(f"{len(bill) - _MOST_ROWS:,} older rows are not shown; they are in the list.")
    return view


def _write_row(row: dict[str, Any]) -> list[list[Inline]]:
    cells: list[list[Inline]] = []
    for name in _TEXTS:
        value = row.get(name) or ""
        cells.append([f"{value:%Y-%m-%d %H:%M}" if name == "begun_at" and value else str(value)])
    cells.extend([f"{row[name]:,}"] for name in _COUNTS)
    cells.extend([f"{row[name]:.4f}"] for name in _MONEY)
    return cells
