"""Rows for a person or a program: a result comes in; a table, CSV, JSON or Markdown goes out.

Text from the web is untrusted: in a table nothing in it may move the cursor, and in JSON it is
escaped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import Any

from webquarry.surfaces.cli.terminal import as_json, one_line
from webquarry.surfaces.sql.session import SqlResult

_WIDEST = 80  # of one cell in a table


def as_text(value: Any) -> str:
    """A value as one text: nested ones as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        if value:
            return "true"
        return "false"
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _table(result: SqlResult) -> str:
    cells = [[_cell(value) for value in row] for row in result.rows]
    names = [_cut(one_line(name)) for name in result.columns]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    numbers = [kind.split("(")[0] in _NUMBERS for kind in result.types]
    rule = "+".join("-" * (width + 2) for width in widths)
    lines = [
        _row(names, widths, [False] * len(names)),
        rule,
        *(_row(row, widths, numbers) for row in cells),
    ]
    count = len(result.rows)
    return "\n".join([*lines, f"({count:,} row{'' if count == 1 else 's'})"]) + "\n"


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


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        cell.rjust(width) if flush else cell.ljust(width)
        for cell, width, flush in zip(cells, widths, right, strict=True)
    ]
    return " " + " | ".join(padded)


def _cell(value: Any) -> str:
    if value is None:
        return "NULL"
    return _cut(one_line(as_text(value)))


def _cut(text: str) -> str:
    if len(text) <= _WIDEST:
        return text
    return f"{text[: _WIDEST - 1]}\u2026"


def _csv(result: SqlResult) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows([as_text(value) for value in row] for row in result.rows)
    return out.getvalue()


def _json(result: SqlResult) -> str:
    return (
        as_json([dict(zip(result.columns, map(plain, row), strict=True)) for row in result.rows])
        + "\n"
    )


def _markdown(result: SqlResult) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"

    rows = [line([as_text(value) for value in row]) for row in result.rows]
    return "\n".join([line(result.columns), line(["---"] * len(result.columns)), *rows]) + "\n"


FORMATS: dict[str, Callable[[SqlResult], str]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
    "markdown": _markdown,
}


def render(result: SqlResult, style: str) -> str:
    """The rows in one of `FORMATS`; nothing for a statement that has none."""
    if result.columns:
        return FORMATS[style](result)
    return ""
