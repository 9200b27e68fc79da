"""Types of values: one description, from which the SQL type, the Arrow type and the structure for
`json_transform` are made; and the optional libraries, imported on first use.

A value type is the name of a SQL type, a list with the type of its elements, or a dict of the types
of its fields. Parts of answers without a fixed type are JSON text.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from webquarry.errors import MissingExtra, Unreadable
from webquarry.evidence.page.dates import read_date

ValueType = str | list[Any] | dict[str, Any]

_LIBRARIES = ("duckdb", "pyarrow", "numpy")
_SCALARS = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}
_TIMESTAMPS = frozenset({"published_at"})  # fields with the text of a date
_WHOLE_DAY = len("2026-11-17")
_NO_TYPE = '"NULL"'  # DuckDB's name for the type of a bare NULL

SOURCES: ValueType = [{"title": "VARCHAR", "url": "VARCHAR"}]
USAGE: ValueType = {
    "calls": "BIGINT",
    "input_tokens": "BIGINT",
    "output_tokens": "BIGINT",
    "cached_tokens": "BIGINT",
    "searches": "BIGINT",
    "usd": "DOUBLE",
    "kept_searches": "BIGINT",
}
ERROR: ValueType = {"code": "VARCHAR", "message": "VARCHAR", "retryable": "BOOLEAN"}


def load_library(name: str) -> Any:
    """Return a module of the optional libraries. Raises MissingExtra."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra("sql", "SQL") from error


def require_libraries() -> None:
    """Raise MissingExtra if a library is not installed."""
    for name in _LIBRARIES:
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:  # half imported
            spec = None
        if spec is None:
            raise MissingExtra("sql", "SQL")


def quote_identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def build_sql_type(value_type: ValueType) -> str:
    """Return the type in SQL."""
    if isinstance(value_type, str):
        return value_type
    if isinstance(value_type, list):
        return f"{build_sql_type(value_type[0])}[]"
    fields = [
        f"{quote_identifier(name)} {build_sql_type(part)}" for name, part in value_type.items()
    ]
    return f"STRUCT({', '.join(fields)})"


def build_json_structure(value_type: ValueType) -> str:
    """Return the type for `json_transform`."""
    return json.dumps(value_type, ensure_ascii=False)


def build_arrow_type(value_type: ValueType) -> Any:
    """Return the Arrow type."""
    arrow = load_library("pyarrow")
    if isinstance(value_type, list):
        return arrow.list_(build_arrow_type(value_type[0]))
    if isinstance(value_type, dict):
        return arrow.struct([(name, build_arrow_type(part)) for name, part in value_type.items()])
    scalars = {
        "VARCHAR": arrow.string,
        "BIGINT": arrow.int64,
        "DOUBLE": arrow.float64,
        "BOOLEAN": arrow.bool_,
        "TIMESTAMP": lambda: arrow.timestamp("us"),
        "VARCHAR[]": lambda: arrow.list_(arrow.string()),
    }
    return scalars[value_type]()


def infer_type(schema: Mapping[str, Any]) -> ValueType:
    """Return the type of the values that a JSON Schema describes; other values are JSON text."""
    options = [option for option in schema.get("anyOf", []) if option.get("type") != "null"]
    if len(options) == 1:
        return infer_type(options[0])
    kind = schema.get("type")
    properties = schema.get("properties")
    items = schema.get("items")
    if kind == "object" and properties:
        fields: dict[str, Any] = {}
        for name, part in properties.items():
            fields[name] = "TIMESTAMP" if name in _TIMESTAMPS else infer_type(part)
        return fields
    if kind == "array" and isinstance(items, dict):
        return [infer_type(items)]
    return _SCALARS.get(kind, "VARCHAR") if isinstance(kind, str) else "VARCHAR"


def fit_value(value: Any, value_type: ValueType) -> Any:
    """Return the value in the form of its type: None if it is missing or has another form."""
    if value is None:
        return None
    if isinstance(value_type, dict):
        if not isinstance(value, dict):
            return None
        return {name: fit_value(value.get(name), part) for name, part in value_type.items()}
    if isinstance(value_type, list):
        if not isinstance(value, list):
            return None
        return [fit_value(element, value_type[0]) for element in value]
    if value_type == "TIMESTAMP":
        return parse_timestamp(value)
    if value_type == "VARCHAR" and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value


def parse_timestamp(text: object) -> datetime | None:
    """Return a moment in UTC; for a day its beginning. None for less than a day, which would be a
    guess, and for other texts.
    """
    written = read_date(text)
    if written is None or len(written) < _WHOLE_DAY:
        return None
    try:
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return moment


def build_table(
    columns: Sequence[str], types: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> Any:
    """Return a `pyarrow.Table`; values that Arrow cannot convert become a column of texts."""
    arrow = load_library("pyarrow")
    arrays = []
    for place, arrow_type in enumerate(_find_arrow_types(types)):
        values = [row[place] for row in rows]
        try:
            arrays.append(arrow.array(values, arrow_type))
        except (arrow.ArrowException, TypeError, ValueError, OverflowError):
            texts = [None if value is None else str(value) for value in values]
            arrays.append(arrow.array(texts, arrow.string()))
    return arrow.Table.from_arrays(arrays, names=list(columns))


def build_frame(table: Any) -> Any:
    """Return a `pandas.DataFrame` of an Arrow table. Raises Unreadable without pandas."""
    try:
        importlib.import_module("pandas")
    except ImportError:
        raise Unreadable(
            "A data frame needs pandas, which is not installed.",
            suggested_action="Install it: pip install pandas; or use .arrow() or .rows.",
        ) from None
    return table.to_pandas()


def _find_arrow_types(types: Sequence[str]) -> list[Any]:
    """Return the Arrow type of each SQL type, as DuckDB itself translates it."""
    if not types:
        return []
    arrow = load_library("pyarrow")
    nulls = []
    for number, sql_type in enumerate(types):
        cast = "" if sql_type == _NO_TYPE else f"::{sql_type}"
        nulls.append(f"NULL{cast} AS c{number}")
    with load_library("duckdb").connect() as scratch:
        schema = scratch.sql(f"SELECT {', '.join(nulls)} LIMIT 0").to_arrow_table().schema
    kinds = [field.type for field in schema]
    return [one.storage_type if isinstance(one, arrow.BaseExtensionType) else one for one in kinds]
