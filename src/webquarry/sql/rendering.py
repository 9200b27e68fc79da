"""Rows as a table for a terminal, CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import io
import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from webquarry.sql.session import SqlResult
from webquarry.terminal import as_json, count_noun, one_line

if TYPE_CHECKING:
    from rich.table import Table

FORMATS = ("table", "csv", "json", "markdown")
_NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "DOUBLE", "FLOAT", "DECIMAL",
)  # fmt: skip
_WIDEST_CELL = 80  # without a terminal
_LEAST_CELL = 10  # narrower columns are shown as records
_LEAST_WIDTH = 20
_LONGEST_VALUE = 120  # of a record
_RULES = "    \n  | \n -+ \n  | \n -+ \n -+ \n  | \n    \n"


def render(result: SqlResult, style: str, width: int | None = None) -> str:
    """Return the rows in one of `FORMATS`, a table at most `width` wide; "" without columns."""
    if not result.columns:
        return ""
    if style == "table":
        return _render_table(result, width)
    if style == "json":
        rows = [dict(zip(result.columns, map(_to_json, row), strict=True)) for row in result.rows]
        return as_json(rows) + "\n"
    texts = [[_to_text(value) for value in row] for row in result.rows]
    if style == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([result.columns, *texts])
        return out.getvalue()
    lines = []
    for cells in [result.columns, ["---"] * len(result.columns), *texts]:
        escaped = [one_line(cell).replace("|", "\\|") for cell in cells]
        lines.append(f"| {' | '.join(escaped)} |\n")
    return "".join(lines)


def _to_text(value: Any, null: str = "") -> str:
    """Return a value as text; nested values as JSON."""
    if value is None:
        return null
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple):
        return json.dumps(_to_json(value), ensure_ascii=False)
    return str(value)


def _to_json(value: Any) -> Any:
    """Return a value as JSON types."""
    if isinstance(value, dict):
        return {str(name): _to_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(part) for part in value]
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _render_table(result: SqlResult, width: int | None) -> str:
    """Return columns side by side, or one record per row if they do not fit."""
    from rich.cells import cell_len
    from rich.console import Console

    names = [one_line(name) for name in result.columns]
    rows = [[one_line(_to_text(value, "NULL")) for value in row] for row in result.rows]
    widths = [max(map(cell_len, column)) for column in zip(names, *rows, strict=True)]
    if width is None:
        most = sum(min(_WIDEST_CELL, cells) + 3 for cells in widths)
    else:
        most = max(width, _LEAST_WIDTH)
    out = io.StringIO()
    console = Console(file=out, width=most, color_system=None, legacy_windows=False)
    least = sum(min(cells, _LEAST_CELL) + 3 for cells in widths) - 1
    if least > most:
        for number, row in enumerate(rows, 1):
            console.print(f"-[ {number:,} ]".ljust(most, "-"), markup=False, highlight=False)
            console.print(_build_record(names, row))
    else:
        numbers = [kind.partition("(")[0] in _NUMBERS for kind in result.types]
        console.print(_build_table(names, rows, numbers))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join([*lines, f"({count_noun(len(rows), 'row')})\n"])


def _build_table(names: list[str], rows: list[list[str]], are_numbers: list[bool]) -> Table:
    """Return columns side by side, whose wide cells are cut."""
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=Box(_RULES), show_edge=False, header_style="")
    for name, is_number in zip(names, are_numbers, strict=True):
        header = Text(name, no_wrap=True, overflow="ellipsis", justify="left")
        table.add_column(header, justify="right" if is_number else "left", no_wrap=is_number)
    for row in rows:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    return table


def _build_record(names: list[str], row: list[str]) -> Table:
    """Return a line per column; long values are wrapped."""
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=Box(_RULES), show_edge=False, show_header=False)
    table.add_column(no_wrap=True, overflow="ellipsis")
    table.add_column(overflow="fold")
    for name, value in zip(names, row, strict=True):
        is_cut = len(value) > _LONGEST_VALUE
        table.add_row(Text(name), Text(value[:_LONGEST_VALUE] + "\u2026" * is_cut))
    return table
