"""Rows for a person or a program: a result comes in; a table, CSV, JSON or Markdown goes out.

Text from the web is untrusted: in a table nothing in it may move the cursor, and in JSON it is
escaped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from webquarry.sql.session import SqlResult
from webquarry.sql.shell.tables import render_table
from webquarry.surfaces.terminal import as_json, one_line

_NUMBERS = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UBIGINT",
    "DOUBLE",
    "FLOAT",
    "DECIMAL",
}


def to_text(value: Any) -> str:
    """A value as one text: nested ones as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple):
        return json.dumps(to_json_value(value), ensure_ascii=False)
    return str(value)


def to_json_value(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {str(name): to_json_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(part) for part in value]
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _render_table(result: SqlResult, width: int | None) -> str:
    """Columns beside each other, for a person; no wider than the terminal, where there is one."""
    names = [one_line(name) for name in result.columns]
    rows = []
    for values in result.rows:
        cells = []
        for value in values:
            text = "NULL" if value is None else to_text(value)
            cells.append(one_line(text))
        rows.append(cells)
    are_numbers = []
    for kind in result.types:
        bare = kind.split("(")[0]  # DECIMAL(18,3)
        are_numbers.append(bare in _NUMBERS)
    return render_table(names, rows, are_numbers, width)


def _render_csv(result: SqlResult) -> str:
    """Comma-separated values with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(result.columns)
    for row in result.rows:
        texts = [to_text(value) for value in row]
        writer.writerow(texts)
    return out.getvalue()


def _render_json(result: SqlResult) -> str:
    """A list with an object for each row."""
    rows = []
    for row in result.rows:
        values = map(to_json_value, row)
        fields = zip(result.columns, values, strict=True)
        rows.append(dict(fields))
    return as_json(rows) + "\n"


def _render_markdown(result: SqlResult) -> str:
    """A table of Markdown."""
    rule = ["---"] * len(result.columns)
    table = [result.columns, rule]
    for row in result.rows:
        table.append([to_text(value) for value in row])
    lines = []
    for cells in table:
        escaped = [one_line(cell).replace("|", "\\|") for cell in cells]
        lines.append(f"| {' | '.join(escaped)} |")
    return "\n".join(lines) + "\n"


_PROGRAM_FORMATS: dict[str, Callable[[SqlResult], str]] = {
    "csv": _render_csv,
    "json": _render_json,
    "markdown": _render_markdown,
}
FORMATS = ("table", *_PROGRAM_FORMATS)


def render(result: SqlResult, style: str, width: int | None = None) -> str:
    """The rows in one of `FORMATS`, a table no wider than `width`; nothing for a statement that has
    none.
    """
    if not result.columns:
        return ""
    if style == "table":
        return _render_table(result, width)
    return _PROGRAM_FORMATS[style](result)
