"""Typed answers: `{"ceo": "VARCHAR", "founded": "INTEGER"}` as a JSON Schema for the model, a
structure for SQL, and a check of the answer.

Every field may be null, because the model may not know it. The answer is always checked.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from webquarry.errors import BadInput

_SYNONYMS = {
    "TEXT": "VARCHAR", "STRING": "VARCHAR", "CHAR": "VARCHAR",
    "INT": "INTEGER", "INT4": "INTEGER", "INT8": "BIGINT", "LONG": "BIGINT",
    "FLOAT": "DOUBLE", "FLOAT8": "DOUBLE", "REAL": "DOUBLE", "NUMERIC": "DOUBLE",
    "BOOL": "BOOLEAN",
}  # fmt: skip
_JSON: dict[str, dict[str, Any]] = {
    "VARCHAR": {"type": "string"},
    "INTEGER": {"type": "integer"},
    "BIGINT": {"type": "integer"},
    "DOUBLE": {"type": "number"},
    "BOOLEAN": {"type": "boolean"},
    "DATE": {"type": "string", "format": "date"},
    "TIMESTAMP": {"type": "string", "format": "date-time"},
}
_MOST_FIELDS = 100
_MOST_LEVELS = 5
_LARGEST = sys.float_info.max
_DECIMAL = re.compile(r"(?:DECIMAL|DEC|NUMERIC)(?:\(\s*(\d{1,2})\s*(?:,\s*(\d{1,2})\s*)?\))?")
_MOST_DIGITS = 38


class Mismatch(Exception):
    """The answer does not have the requested form."""


@dataclass(frozen=True)
class Schema:
    """The form of an answer."""

    text: str  # canonical
    tree: Any  # of types: a name, a tuple of one type (a list of it), or a dict of fields

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> Schema:
        """Parse a form. Raises BadInput."""
        try:
            form = json.loads(text)
        except (ValueError, RecursionError):
            raise _bad("it is not JSON") from None
        if not isinstance(form, dict) or not form:
            raise _bad("it is not an object with a type for each field")
        tree = _parse_type(form, 1)
        return Schema(json.dumps(form, ensure_ascii=False, separators=(",", ":")), tree)

    def build_structure(self) -> str:
        """Return the structure for DuckDB's `json_transform`; tuples are lists in JSON."""
        return json.dumps(self.tree, ensure_ascii=False)

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema for the model."""
        return _build_object_schema(self.tree)

    def check(self, text: str) -> dict[str, Any]:
        """Return the typed answer in a model's text. Raises Mismatch."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise Mismatch("it is not JSON") from None
        if not isinstance(value, dict):
            raise Mismatch("it is not an object")
        checked: dict[str, Any] = _check_value(value, self.tree, "")
        return checked


def _bad(why: str) -> BadInput:
    return BadInput(
        f"The schema cannot be used: {why}.",
        suggested_action='Give the fields and their types, such as {"ceo": "VARCHAR", "founded": '
        '"INTEGER"}.',
    )


def _parse_type(form: Any, level: int) -> Any:
    if isinstance(form, dict):
        if level > _MOST_LEVELS or len(form) > _MOST_FIELDS or not form:
            raise _bad("it is too deep, too wide, or has an object without fields")
        if len({name.lower() for name in form}) < len(form):
            raise _bad("two fields have the same name except for case")
        return {name: _parse_type(kind, level + 1) for name, kind in form.items()}
    if isinstance(form, str) and form.strip().endswith("[]") and level <= _MOST_LEVELS:
        form = [form.strip()[:-2]]
    if isinstance(form, list) and len(form) == 1:
        return (_parse_type(form[0], level + 1),)
    if isinstance(form, str):
        name = form.strip().upper()
        kind = _SYNONYMS.get(name, name)
        if kind in _JSON:
            return kind
        decimal = _parse_decimal(name)
        if decimal is not None:
            return decimal
    raise _bad(
        f"{json.dumps(form)[:60]} is none of the types {', '.join(_JSON)}, DECIMAL, a list of one "
        "(VARCHAR[]), or an object"
    )


def _parse_decimal(name: str) -> str | None:
    """Return the type in canonical form, with DuckDB's defaults."""
    match = _DECIMAL.fullmatch(name)
    if match is None:
        return None
    precision, scale = int(match[1] or 18), int(match[2] or (0 if match[1] else 3))
    if not 1 <= precision <= _MOST_DIGITS or scale > precision:
        return None
    return f"DECIMAL({precision},{scale})"


def _build_json_schema(kind: Any) -> dict[str, Any]:
    """Return the schema of a type or null."""
    if isinstance(kind, tuple):
        own: dict[str, Any] = {"type": "array", "items": _build_json_schema(kind[0])}
    elif isinstance(kind, dict):
        own = _build_object_schema(kind)
    else:
        own = _JSON.get(kind, _JSON["DOUBLE"])  # a DECIMAL is a number
    return {"anyOf": [own, {"type": "null"}]}


def _build_object_schema(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _build_json_schema(kind) for name, kind in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def _check_value(value: Any, kind: Any, place: str) -> Any:
    """Return the value in the form of its type; null for a missing field."""
    if value is None:
        return None
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            raise Mismatch(f"{place or 'it'} is not an object")
        extra = [name for name in value if name not in kind]
        if extra:
            raise Mismatch(f"it has the field {extra[0][:60]!r}, which was not requested")
        fields = {}
        for name, inner in kind.items():
            fields[name] = _check_value(value.get(name), inner, f"{place}.{name}".lstrip("."))
        return fields
    if isinstance(kind, tuple):
        if not isinstance(value, list):
            raise Mismatch(f"{place} is not a list")
        return [_check_value(one, kind[0], place) for one in value]
    checked = _check_scalar(value, kind)
    if checked is None:
        raise Mismatch(f"{place} is not of type {kind}")
    return checked


def _check_scalar(value: Any, kind: str) -> Any:
    """Return the value in the form of its type, or None if it is not of this type."""
    if kind == "BOOLEAN":
        return value if isinstance(value, bool) else None
    if kind in _PARSERS:
        try:
            _PARSERS[kind](value)
        except (ValueError, TypeError):
            return None
        return value
    # A number in SQL, unlike NaN, Infinity and integers above a double.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not -_LARGEST <= value <= _LARGEST:
        return None
    if kind == "DOUBLE":
        return float(value)
    if kind in _BITS:
        bound = 1 << _BITS[kind]
        return int(value) if value == int(value) and -bound <= value < bound else None
    precision, _, scale = kind[len("DECIMAL(") : -1].partition(",")
    bound = 10 ** (int(precision) - int(scale))
    return value if -bound < value < bound else None


def _parse_text(value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(value)


_BITS = {"INTEGER": 31, "BIGINT": 63}
_PARSERS: dict[str, Callable[[Any], Any]] = {
    "VARCHAR": _parse_text,
    "DATE": date.fromisoformat,
    "TIMESTAMP": datetime.fromisoformat,
}
