"""Shapes: one description of a value, from which its SQL type, its Arrow type and the structure for
`json_transform` come.

A shape is the name of a SQL type, a list with the shape of its elements, or a dict of the shapes of
its fields. `shape_of` makes one from a JSON Schema, as tools describe their answers; what has no
fixed shape there is JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from webquarry.surfaces.sql.libraries import library

Shape = str | list[Any] | dict[str, Any]

_SCALARS = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}
_MOST_DEPTH = (
    8  # deeper than any answer of ours; a schema that refers to itself ends here as JSON text
)

SOURCES: Shape = [{"title": "VARCHAR", "url": "VARCHAR"}]
USAGE: Shape = {
    "calls": "BIGINT",
    "input_tokens": "BIGINT",
    "output_tokens": "BIGINT",
    "cached_tokens": "BIGINT",
    "searches": "BIGINT",
    "usd": "DOUBLE",
}
ERROR: Shape = {"code": "VARCHAR", "message": "VARCHAR", "retryable": "BOOLEAN"}
ADDRESS: dict[str, Any] = {
    "city": "VARCHAR",
    "postal_code": "VARCHAR",
    "street_name": "VARCHAR",
    "street_nr": "VARCHAR",
}


def sql_type(shape: Shape) -> str:
    """The shape as DuckDB writes it."""
    if isinstance(shape, str):
        return shape
    if isinstance(shape, list):
        return f"{sql_type(shape[0])}[]"
    return (
        f"STRUCT({', '.join(f'{quoted(name)} {sql_type(part)}' for name, part in shape.items())})"
    )


def structure(shape: Shape) -> str:
    """The shape as `json_transform` takes it."""
    return json.dumps(shape, ensure_ascii=False)


def arrow_type(shape: Shape) -> Any:
    """The shape as Arrow has it."""
    arrow = library("pyarrow")
    if isinstance(shape, list):
        return arrow.list_(arrow_type(shape[0]))
    if isinstance(shape, dict):
        return arrow.struct([(name, arrow_type(part)) for name, part in shape.items()])
    scalars = {
        "VARCHAR": arrow.string(),
        "BIGINT": arrow.int64(),
        "INTEGER": arrow.int32(),
        "DOUBLE": arrow.float64(),
        "BOOLEAN": arrow.bool_(),
    }
    return scalars[shape]


def shape_of(
    schema: Mapping[str, Any], definitions: Mapping[str, Any] | None = None, depth: int = 0
) -> Shape:
    """The shape of what a JSON Schema describes."""
    if definitions is None:
        known = schema.get("$defs", {})
    else:
        known = definitions
    if "$ref" in schema:
        schema = known.get(schema["$ref"].rpartition("/")[2], {})
    options = [option for option in schema.get("anyOf", []) if option.get("type") != "null"]
    if len(options) == 1:
        return shape_of(options[0], known, depth)
    kind = schema.get("type")
    if depth > _MOST_DEPTH:
        return "VARCHAR"
    if kind == "object" and schema.get("properties"):
        return {
            name: shape_of(part, known, depth + 1) for name, part in schema["properties"].items()
        }
    if kind == "array" and isinstance(schema.get("items"), dict):
        return [shape_of(schema["items"], known, depth + 1)]
    if isinstance(kind, str):
        return _SCALARS.get(kind, "VARCHAR")
    return "VARCHAR"


def fit(value: Any, shape: Shape) -> Any:
    """The value as the shape has it: what is missing is None, what has no shape is JSON text."""
    if value is None:
        return None
    if isinstance(shape, dict):
        if isinstance(value, dict):
            return {name: fit(value.get(name), part) for name, part in shape.items()}
        return None
    if isinstance(shape, list):
        if isinstance(value, list):
            return [fit(one, shape[0]) for one in value]
        return None
    if shape == "VARCHAR" and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'
