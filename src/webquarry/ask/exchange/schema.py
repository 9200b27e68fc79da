"""Typed answers: `{"ceo": "VARCHAR", "founded": "INTEGER"}` in; a JSON Schema for the model, a SQL
type and a check out.

Every field may be null: a model that does not know must be able to say so. The model promises to
keep the form, and the answer is checked all the same.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from webquarry.errors import BadInput

_TYPE_NAMES = {
    "VARCHAR": "VARCHAR", "TEXT": "VARCHAR", "STRING": "VARCHAR", "CHAR": "VARCHAR",
    "INTEGER": "INTEGER", "INT": "INTEGER", "INT4": "INTEGER",
    "BIGINT": "BIGINT", "INT8": "BIGINT", "LONG": "BIGINT",
    "DOUBLE": "DOUBLE", "FLOAT": "DOUBLE", "FLOAT8": "DOUBLE", "REAL": "DOUBLE",
    "NUMERIC": "DOUBLE",
    "BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN", "DATE": "DATE", "TIMESTAMP": "TIMESTAMP",
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
_BITS = {"INTEGER": 31, "BIGINT": 63}
_MOST_FIELDS = 100
_LARGEST = sys.float_info.max
_MOST_LEVELS = 5
_DECIMAL = re.compile(
    r"(?:DECIMAL|DEC|NUMERIC)(?:\(\s*(?P<precision>\d{1,2})\s*(?:,\s*(?P<scale>\d{1,2})\s*)?\))?"
)
_DECIMAL_DIGITS, _DECIMAL_SCALE = 18, 3  # as DuckDB has them where they are not named
_MOST_DIGITS = 38


class Mismatch(Exception):
    """The answer is not of the form that was asked for."""


@dataclass(frozen=True)
class Schema:
    """The form of an answer."""

    text: str  # canonical: equal forms have equal texts
    tree: Any  # of types: a name, a tuple of one type (a list of it), or a dict of named fields

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> Schema:
        """Read a form; what cannot be one is `BadInput`."""
        try:
            form = json.loads(text)
        except (ValueError, RecursionError):
            raise _bad("it is not JSON") from None
        if not isinstance(form, dict) or not form:
            raise _bad("it is not an object with a type for each field")
        tree = _parse_type(form, 1)
        return Schema(json.dumps(form, ensure_ascii=False, separators=(",", ":")), tree)

    def build_structure(self) -> str:
        """As DuckDB's `json_transform` takes it."""
        return json.dumps(_build_structure(self.tree), ensure_ascii=False)

    def sql_type(self) -> str:
        """As a column of SQL has it."""
        return _build_sql_type(self.tree)

    def json_schema(self) -> dict[str, Any]:
        """As the model's structured output takes it."""
        return _build_object_schema(self.tree)

    def check(self, text: str) -> dict[str, Any]:
        """The typed answer in a model's text. Raises `Mismatch`."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise Mismatch("it is not JSON") from None
        if not isinstance(value, dict):
            raise Mismatch("it is not an object")
        checked: dict[str, Any] = _check_value(value, self.tree, "")
        return checked


def _bad(why: str) -> BadInput:
    """The error for a form that cannot be used."""
    return BadInput(
        f"The schema cannot be used: {why}.",
        suggested_action='Give the fields and their types, such as {"ceo": "VARCHAR", "founded": '
        '"INTEGER"}.',
    )


def _parse_type(form: Any, level: int) -> Any:
    """The type that a part of the form stands for, as `Schema.tree` has it."""
    if isinstance(form, dict):
        if level > _MOST_LEVELS or len(form) > _MOST_FIELDS or not form:
            raise _bad("it is too deep, too wide, or has an object without fields")
        if len({name.lower() for name in form}) < len(form):
            raise _bad("two fields have the same name but for upper and lower case")
        return {name: _parse_type(kind, level + 1) for name, kind in form.items()}
    if isinstance(form, list) and len(form) == 1:
        return (_parse_type(form[0], level + 1),)
    if isinstance(form, str):
        name = form.strip().upper()
        if name.endswith("[]") and level <= _MOST_LEVELS:
            return (_parse_type(name[:-2], level + 1),)
        if name in _TYPE_NAMES:
            return _TYPE_NAMES[name]
        decimal = _parse_decimal(name)
        if decimal is not None:
            return decimal
    raise _bad(
        f"{json.dumps(form)[:60]} is none of the types {', '.join(_JSON)}, DECIMAL, a list of one "
        "(VARCHAR[]), or an object"
    )


def _parse_decimal(name: str) -> str | None:
    """DECIMAL with its precision and scale; None for another type."""
    found = _DECIMAL.fullmatch(name)
    if found is None:
        return None
    precision = int(found["precision"] or _DECIMAL_DIGITS)
    scale = _DECIMAL_SCALE
    if found["precision"]:
        scale = int(found["scale"] or 0)
    if not 1 <= precision <= _MOST_DIGITS or scale > precision:
        return None
    return f"DECIMAL({precision},{scale})"


def _build_structure(kind: Any) -> Any:
    """A type as `json_transform` takes it."""
    if isinstance(kind, tuple):
        return [_build_structure(kind[0])]
    if isinstance(kind, dict):
        return {name: _build_structure(inner) for name, inner in kind.items()}
    return kind


def _build_sql_type(kind: Any) -> str:
    """A type as a column of SQL has it."""
    if isinstance(kind, tuple):
        return f"{_build_sql_type(kind[0])}[]"
    if isinstance(kind, dict):
        fields = []
        for name, inner in kind.items():
            fields.append(f"{quote_identifier(name)} {_build_sql_type(inner)}")
        return f"STRUCT({', '.join(fields)})"
    return str(kind)


def quote_identifier(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def _build_json_schema(kind: Any) -> dict[str, Any]:
    """A type, or null."""
    if isinstance(kind, tuple):
        own: dict[str, Any] = {"type": "array", "items": _build_json_schema(kind[0])}
    elif isinstance(kind, dict):
        own = _build_object_schema(kind)
    elif kind in _JSON:
        own = _JSON[kind]
    else:
        own = _JSON["DOUBLE"]  # a DECIMAL is a number, too
    return {"anyOf": [own, {"type": "null"}]}


def _build_object_schema(fields: dict[str, Any]) -> dict[str, Any]:
    """An object of which every field is there, though it may be null."""
    return {
        "type": "object",
        "properties": {name: _build_json_schema(kind) for name, kind in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def _check_value(value: Any, kind: Any, place: str) -> Any:
    """The value in the form of its type, or null; a field that is missing is null."""
    if value is None:
        return None
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            raise Mismatch(f"{place or 'it'} is not an object")
        extra = [name for name in value if name not in kind]
        if extra:
            raise Mismatch(f"it has the field {extra[0][:60]!r}, which was not asked for")
        fields = {}
        for name, inner in kind.items():
            inner_place = f"{place}.{name}".lstrip(".")
            fields[name] = _check_value(value.get(name), inner, inner_place)
        return fields
    if isinstance(kind, tuple):
        if not isinstance(value, list):
            raise Mismatch(f"{place} is not a list")
        return [_check_value(one, kind[0], place) for one in value]
    checked = _check_scalar(value, kind)
    if checked is None:
        raise Mismatch(f"{place} is no {kind}")
    return checked


def _check_scalar(value: Any, kind: str) -> Any:
    """The value if it is of this type; None if not."""
    if kind in _BITS:
        bound = 1 << _BITS[kind]
        if _is_number(value) and value == int(value) and -bound <= value < bound:
            return int(value)
        return None
    if kind == "DOUBLE":
        return float(value) if _is_number(value) else None
    if kind.startswith("DECIMAL"):
        precision, _, scale = kind[len("DECIMAL(") : -1].partition(",")
        bound = 10 ** (int(precision) - int(scale))
        return value if _is_number(value) and -bound < value < bound else None
    if kind == "BOOLEAN":
        return value if isinstance(value, bool) else None
    if not isinstance(value, str):
        return None
    try:
        if kind == "DATE":
            date.fromisoformat(value)
        elif kind == "TIMESTAMP":
            datetime.fromisoformat(value)
    except ValueError:
        return None
    return value


def _is_number(value: Any) -> bool:
    """Whether it is a number of SQL's; NaN, Infinity and integers beyond a double, which JSON of
    Python's takes, are none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -_LARGEST <= value <= _LARGEST
