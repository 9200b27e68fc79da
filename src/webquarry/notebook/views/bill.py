"""A bill -> a row for each statement and model, and the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webquarry.notebook.inline import Inline
from webquarry.notebook.view import View

if TYPE_CHECKING:
    from webquarry.sql.functions.setters import Bill

_MOST_ROWS = 50
_UNCERTAIN = "uncertain_usd"  # is shown where there is some
_TEXTS = {"begun_at": "Begun (UTC)", "sql": "Statement", "model": "Model"}
_MONEY = {"usd": "USD", _UNCERTAIN: "Uncertain USD"}
_COUNTS = {
    "questions": "Questions",
    "calls": "Calls",
    "hits": "Kept",
    "searches": "Searches",
    "input_tokens": "Tokens in",
    "output_tokens": "Tokens out",
}
_COLUMNS = {**_TEXTS, **_MONEY, **_COUNTS, "door": "Door"}


def build_view(bill: Bill) -> View:
    view = View()
    total: dict[str, Any] = {}
    for name in (*_MONEY, *_COUNTS):
        total[name] = sum(row[name] for row in bill)
    view.add_title(f"Bill: {total['usd']:.4f} USD")
    if not bill:
        view.add_line("Nothing was asked.")
        return view
    names = [name for name in _COLUMNS if name != _UNCERTAIN or total[_UNCERTAIN]]
    rows = [_write_row(row, names) for row in [*bill[:_MOST_ROWS], {**total, "model": "total"}]]
    numbers = [name in total for name in names]
    view.add_table([_COLUMNS[name] for name in names], rows, numbers)
    if len(bill) > _MOST_ROWS:
        view.add_note(f"{len(bill) - _MOST_ROWS:,} older rows are not shown; they are in the list.")
    return view


def _write_row(row: dict[str, Any], names: list[str]) -> list[list[Inline]]:
    """The cells of a row."""
    cells: list[list[Inline]] = []
    for name in names:
        value = row.get(name)
        if value is None:
            text = ""
        elif name == "begun_at":
            text = f"{value:%Y-%m-%d %H:%M}"
        elif name in _MONEY:
            text = f"{value:.4f}"
        elif name in _COUNTS:
            text = f"{value:,}"
        else:
            text = str(value)
        cells.append([text])
    return cells
