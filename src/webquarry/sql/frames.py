"""Rows of a statement -> an Arrow table, or a data frame of pandas, with the types that the
statement's columns have.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from webquarry.errors import Unreadable
from webquarry.sql.libraries import load_library

_NO_TYPE = '"NULL"'  # as DuckDB describes a column of nothing but a bare NULL


def build_table(
    columns: Sequence[str], types: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Any:
    """A `pyarrow.Table`; a column that Arrow has no way to make of its values is one of texts."""
    arrow = load_library("pyarrow")
    arrays = []
    for place, arrow_type in enumerate(_find_arrow_types(types)):
        values = [row[place] for row in rows]
        arrays.append(_build_array(values, arrow_type))
    return arrow.Table.from_arrays(arrays, names=list(columns))


def build_frame(table: Any) -> Any:
    """A `pandas.DataFrame` of an Arrow table."""
    try:
        importlib.import_module("pandas")
    except ImportError:
        raise Unreadable(
            "A data frame needs pandas, which is not installed.",
            suggested_action="Install it: pip install pandas; or use .arrow() or .rows.",
        ) from None
    return table.to_pandas()


def _find_arrow_types(types: Sequence[str]) -> list[Any]:
    """The Arrow type of each SQL type, as DuckDB itself translates it."""
    if not types:
        return []
    arrow = load_library("pyarrow")
    nothing = []
    for number, sql_type in enumerate(types):
        cast = "" if sql_type == _NO_TYPE else f"::{sql_type}"
        nothing.append(f"NULL{cast} AS c{number}")
    with load_library("duckdb").connect() as scratch:
        schema = scratch.sql(f"SELECT {', '.join(nothing)} LIMIT 0").to_arrow_table().schema
    arrow_types = []
    for field in schema:
        if isinstance(field.type, arrow.BaseExtensionType):
            arrow_types.append(field.type.storage_type)
        else:
            arrow_types.append(field.type)
    return arrow_types


def _build_array(values: list[Any], arrow_type: Any) -> Any:
    """The values in a type; as texts, where Python's values have no way into it."""
    arrow = load_library("pyarrow")
    try:
        return arrow.array(values, arrow_type)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError):
        texts = [None if value is None else str(value) for value in values]
        return arrow.array(texts, arrow.string())
