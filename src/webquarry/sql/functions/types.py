"""Types of values: one description, from which the SQL type, the Arrow type and the structure for
`json_transform` come.

A value type is the name of a SQL type, a list with the type of its elements, or a dict of the types
of its fields. `infer_type` makes one from a JSON Schema, as tools describe their answers; what has
no fixed form there is JSON text, and what is named as a moment is a TIMESTAMP.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from webquarry.evidence.page.dates import read_date
from webquarry.sql.libraries import load_library

ValueType = str | list[Any] | dict[str, Any]

_SCALARS = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}
_MOMENTS = frozenset({"published_at"})  # texts of answers that say when something was
_WHOLE_DAY = len("2026-11-17")

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
ADDRESS: dict[str, Any] = {
    "city": "VARCHAR",
    "postal_code": "VARCHAR",
    "street_name": "VARCHAR",
    "street_nr": "VARCHAR",
}


def quote_identifier(name: str) -> str:
    """Return a name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def build_sql_type(value_type: ValueType) -> str:
    """The type as DuckDB writes it."""
    if isinstance(value_type, str):
        return value_type
    if isinstance(value_type, list):
        return f"{build_sql_type(value_type[0])}[]"
    fields = []
    for name, part in value_type.items():
        sql_type = build_sql_type(part)
        fields.append(f"{quote_identifier(name)} {sql_type}")
    return f"STRUCT({', '.join(fields)})"


def build_json_structure(value_type: ValueType) -> str:
    """The type as `json_transform` takes it."""
    return json.dumps(value_type, ensure_ascii=False)


def build_arrow_type(value_type: ValueType) -> Any:
    """The type as Arrow has it."""
    arrow = load_library("pyarrow")
    if isinstance(value_type, list):
        return arrow.list_(build_arrow_type(value_type[0]))
    if isinstance(value_type, dict):
        fields = [(name, build_arrow_type(part)) for name, part in value_type.items()]
        return arrow.struct(fields)
    scalars = {
        "VARCHAR": arrow.string(),
        "BIGINT": arrow.int64(),
        "INTEGER": arrow.int32(),
        "DOUBLE": arrow.float64(),
        "BOOLEAN": arrow.bool_(),
        "TIMESTAMP": arrow.timestamp("us"),
    }
    return scalars[value_type]


def infer_type(schema: Mapping[str, Any]) -> ValueType:
    """Return the type of the values that a JSON Schema describes."""
    options = [option for option in schema.get("anyOf", []) if option.get("type") != "null"]
    if len(options) == 1:
        return infer_type(options[0])
    kind = schema.get("type")
    properties = schema.get("properties")
    items = schema.get("items")
    if kind == "object" and properties:
        fields: dict[str, Any] = {}
        for name, part in properties.items():
            fields[name] = infer_type(part)
            if name in _MOMENTS and fields[name] == "VARCHAR":
                fields[name] = "TIMESTAMP"
        return fields
    if kind == "array" and isinstance(items, dict):
        return [infer_type(items)]
    if isinstance(kind, str):
        return _SCALARS.get(kind, "VARCHAR")
    return "VARCHAR"


def fit_value(value: Any, value_type: ValueType) -> Any:
    """The value as its type has it: what is missing is None, what has no fixed form is JSON
    text.
    """
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
        return parse_moment(value)
    if value_type == "VARCHAR" and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value


def parse_moment(text: object) -> datetime | None:
    """A moment in UTC; a day is its beginning. None for less than a day, which would be a guess,
    and for what is no date.
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
