"""Rows as a table for a terminal, CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from webquarry.sql.session import SqlResult
from webquarry.terminal import as_json, count_noun, one_line

FORMATS = ("table", "csv", "json", "markdown")
_NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "DOUBLE", "FLOAT", "DECIMAL",
)  # fmt: skip
ELLIPSIS = "\u2026"
_WIDEST_CELL = 80  # without a terminal
_LEAST_CELL = 10  # narrower columns are shown as records
_LEAST_WIDTH = 20
_MOST_LINES = 3  # of a value in a record


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


def _to_text(value: Any) -> str:
    """A value as text; nested values as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple):
        return json.dumps(_to_json(value), ensure_ascii=False)
    return str(value)


def _to_json(value: Any) -> Any:
    """A value as JSON types."""
    if isinstance(value, dict):
        return {str(name): _to_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(part) for part in value]
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def _render_table(result: SqlResult, width: int | None) -> str:
    """Columns beside each other, or one record per row if they do not fit."""
    from rich.cells import cell_len

    names = [one_line(name) for name in result.columns]
    rows = []
    for values in result.rows:
        texts = ["NULL" if value is None else _to_text(value) for value in values]
        rows.append([one_line(text) for text in texts])
    are_numbers = [kind.partition("(")[0] in _NUMBERS for kind in result.types]
    footer = f"({count_noun(len(rows), 'row')})\n"
    if width is not None:
        width = max(width, _LEAST_WIDTH)
    widths = []
    for column in zip(names, *rows, strict=True):
        widths.append(min(width or _WIDEST_CELL, max(map(cell_len, column))))
    if width is not None:
        most = _find_most(widths, are_numbers, width)
        if most is None:
            return _render_records(names, rows, width) + footer
        for number, is_number in enumerate(are_numbers):
            if not is_number:
                widths[number] = min(widths[number], most)
    lines = [_render_row(names, widths, [False] * len(names))]
    lines.append("+".join("-" * (cells + 2) for cells in widths))
    for row in rows:
        lines.append(_render_row(row, widths, are_numbers))
    return "\n".join(lines) + f"\n{footer}"


def _find_most(widths: Sequence[int], are_numbers: Sequence[bool], width: int) -> int | None:
    """Maximum width of a text column, so that all columns fit; None if it is too small."""
    room = width - 3 * len(widths) + 1
    room -= sum(cells for cells, is_number in zip(widths, are_numbers, strict=True) if is_number)
    texts = [cells for cells, is_number in zip(widths, are_numbers, strict=True) if not is_number]
    for left, cells in zip(range(len(texts), 0, -1), sorted(texts), strict=True):
        if cells > room // left:
            most = room // left
            return most if most >= _LEAST_CELL else None
        room -= cells
    return max(texts, default=0) if room >= 0 else None


def _render_row(cells: Sequence[str], widths: Sequence[int], are_numbers: Sequence[bool]) -> str:
    from rich.cells import cell_len

    padded = []
    for cell, width, is_number in zip(cells, widths, are_numbers, strict=True):
        text = shorten(cell, width)
        blanks = " " * (width - cell_len(text))
        padded.append(blanks + text if is_number else text + blanks)
    return (" " + " | ".join(padded)).rstrip()


def _render_records(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Each row as a record: one column per line, long values wrapped to a few lines."""
    from rich.cells import cell_len, set_cell_size
    from rich.console import Console
    from rich.text import Text

    left = min(max(map(cell_len, names)), width // 3)
    console = Console(file=io.StringIO(), width=width)
    room = width - left - 4
    lines = []
    for number, row in enumerate(rows, 1):
        lines.append(f"-[ {number:,} ]".ljust(width, "-"))
        for name, value in zip(names, row, strict=True):
            label = set_cell_size(shorten(name, left), left)
            wrapped = Text(value).wrap(console, room, overflow="fold")
            pieces = [piece.plain.rstrip() for piece in wrapped] or [""]
            if len(pieces) > _MOST_LINES:
                last = shorten(pieces[_MOST_LINES], room - 1)
                pieces = [*pieces[:_MOST_LINES], f"{last.removesuffix(ELLIPSIS)}{ELLIPSIS}"]
            for piece in pieces:
                lines.append(f" {label} | {piece}".rstrip())
                label = " " * left
    return "".join(f"{line}\n" for line in lines)


def shorten(text: str, width: int) -> str:
    """Cut a text to a width in terminal cells."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + ELLIPSIS
