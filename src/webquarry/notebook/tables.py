"""A table of any kind that people have in notebooks -> the names of its columns, and the values of
one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from webquarry.errors import BadInput

ONLY_COLUMN = "value"  # the name of the column of a bare list


def list_columns(table: Any) -> list[str]:
    """The names of the columns; a list of texts has one."""
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    for name in ("column_names", "columns"):  # Arrow; pandas, polars, DuckDB and ours
        columns = getattr(table, name, None)
        if columns is not None and not callable(columns):
            return [str(column) for column in columns]
    is_text = isinstance(table, str | bytes)
    if is_text or not isinstance(table, Iterable) or isinstance(table, Iterator):
        raise BadInput(
            f"Something of the type {type(table).__name__} is no table.",
            suggested_action="Give a data frame, an Arrow table, a result of SQL or a list.",
        )
    first = next(iter(table), None)
    if isinstance(first, Mapping):
        return [str(name) for name in first]
    return [ONLY_COLUMN]


def choose_column(table: Any, name: str | None) -> str:
    """The column of this name, or the only one that there is."""
    columns = list_columns(table)
    if name is None and len(columns) == 1:
        return columns[0]
    if name in columns:
        return str(name)
    known = ", ".join(columns)
    if name is None:
        raise BadInput(
            f"The table has {len(columns)} columns, and none was chosen.",
            suggested_action=f"Say what the question is about: --column, with one of {known}.",
        )
    raise BadInput(f"The table has no column {name!r}.", suggested_action=f"Choose one of {known}.")


def read_column(table: Any, column: str) -> list[Any]:
    """The values of a column; what is missing is None."""
    if hasattr(table, "fetchall") and hasattr(table, "select"):  # a relation of DuckDB
        quoted = column.replace('"', '""')
        return [row[0] for row in table.select(f'"{quoted}"').fetchall()]
    if hasattr(table, "rows") and isinstance(table.rows, list):  # a result of ours
        place = list(table.columns).index(column)
        return [row[place] for row in table.rows]
    if isinstance(table, Mapping) or hasattr(table, "columns") or hasattr(table, "column_names"):
        return _drop_missing(table[column])
    rows = list(table)
    if rows and isinstance(rows[0], Mapping):
        return [row.get(column) for row in rows]
    return rows


def _drop_missing(values: Any) -> list[Any]:
    """The values as a list of Python's own; NaN is how pandas says None."""
    for name in ("to_pylist", "to_list", "tolist"):
        convert = getattr(values, name, None)
        if convert is not None:
            values = convert()
            break
    kept = []
    for value in values:
        is_missing = value is None or value != value
        kept.append(None if is_missing else value)
    return kept
