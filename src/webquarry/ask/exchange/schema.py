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

_NAMES = {
    "VARCHAR": "VARCHAR", "TEXT": "VARCHAR", "STRING": "VARCHAR", "CHAR": "VARCHAR",
    "INTEGER": "INTEGER", "INT": "INTEGER", "INT4": "INTEGER", "BIGINT": "BIGINT", "INT8": "BIGINT", "LONG": "BIGINT",
    "DOUBLE": "DOUBLE", "FLOAT": "DOUBLE", "FLOAT8": "DOUBLE", "REAL": "DOUBLE", "NUMERIC": "DOUBLE",
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
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_FIELDS = 100
_LARGEST = sys.float_info.max
_MOST_LEVELS = 5

Type = str | tuple["Type"] | dict[str, "Type"]  # a name, a list of (one) type, or named fields


class Mismatch(Exception):
    """The answer is not of the form that was asked for."""


@dataclass(frozen=True)
class Schema:
    """The form of an answer."""

    text: str  # canonical: equal forms have equal texts
    tree: Any

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> Schema:
        """Read a form; what cannot be one is `BadInput`."""
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            raise _bad("it is not JSON") from None
        if not isinstance(given, dict) or not given:
            raise _bad("it is not an object with a type for each field")
        tree = _parsed(given, 1)
        return Schema(json.dumps(given, ensure_ascii=False, separators=(",", ":")), tree)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Each field's name and SQL type."""
        return tuple((name, _sql(kind)) for name, kind in self.tree.items())

    def sql_type(self) -> str:
        return _sql(self.tree)

    def json_schema(self) -> dict[str, Any]:
        """As the model's structured output takes it."""
        return _object(self.tree)

    def check(self, text: str) -> dict[str, Any]:
        """The typed answer in a model's text. Raises `Mismatch`."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise Mismatch("it is not JSON") from None
        if not isinstance(value, dict):
            raise Mismatch("it is not an object")
        checked: dict[str, Any] = _checked(value, self.tree, "")
        return checked


def _bad(why: str) -> BadInput:
    return BadInput(
        f"The schema cannot be used: {why}.",
        suggested_action='Give the fields and their types, such as {"ceo": "VARCHAR", "founded": '
        '"INTEGER"}.',
    )


def _parsed(given: Any, level: int) -> Any:
    if isinstance(given, dict):
        if level > _MOST_LEVELS or len(given) > _MOST_FIELDS or not given:
            raise _bad("it is too deep, too wide, or has an object without fields")
        if len({name.lower() for name in given}) < len(given):
            raise _bad("two fields have the same name but for upper and lower case")
        return {name: _parsed(kind, level + 1) for name, kind in given.items()}
    if isinstance(given, list) and len(given) == 1:
        return (_parsed(given[0], level + 1),)
    if isinstance(given, str):
        name = given.strip().upper()
        if name.endswith("[]") and level <= _MOST_LEVELS:
            return (_parsed(name[:-2], level + 1),)
        if name in _NAMES:
            return _NAMES[name]
    raise _bad(
        f"{json.dumps(given)[:60]} is none of the types {', '.join(_JSON)}, a list of one "
        "(VARCHAR[]), or an object"
    )


def _sql(kind: Any) -> str:
    if isinstance(kind, tuple):
        return f"{_sql(kind[0])}[]"
    if isinstance(kind, dict):
        return (
            "STRUCT("
            + ", ".join(f"{quoted(name)} {_sql(inner)}" for name, inner in kind.items())
            + ")"
        )
    return str(kind)


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def _json(kind: Any) -> dict[str, Any]:
    if isinstance(kind, tuple):
        own: dict[str, Any] = {"type": "array", "items": _json(kind[0])}
    elif isinstance(kind, dict):
        own = _object(kind)
    else:
        own = _JSON[kind]
    return {"anyOf": [own, {"type": "null"}]}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _json(kind) for name, kind in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def _checked(value: Any, kind: Any, place: str) -> Any:
    """The value in the form of its type, or null; a field that is missing is null."""
    if value is None:
        return None
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            raise Mismatch(f"{place or 'it'} is not an object")
        extra = [name for name in value if name not in kind]
        if extra:
            raise Mismatch(f"it has the field {extra[0][:60]!r}, which was not asked for")
        return {
            name: _checked(value.get(name), inner, f"{place}.{name}".lstrip("."))
            for name, inner in kind.items()
        }
    if isinstance(kind, tuple):
        if not isinstance(value, list):
            raise Mismatch(f"{place} is not a list")
        return [_checked(one, kind[0], place) for one in value]
    checked = _scalar(value, kind)
    if checked is None:
        raise Mismatch(f"{place} is no {kind}")
    return checked


def _scalar(value: Any, kind: str) -> Any:
    """The value if it is of this type; None if not."""
    # The comparison keeps out what JSON of Python's takes and SQL does not: NaN, Infinity, integers
    # beyond a double.
    number = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -_LARGEST <= value <= _LARGEST
    )
    if kind in _BITS:
        whole = number and value == int(value)
        if whole and -(1 << _BITS[kind]) <= value < (1 << _BITS[kind]):
            return int(value)
        return None
    if kind == "DOUBLE":
        if number:
            return float(value)
        return None
    if kind == "BOOLEAN":
        if isinstance(value, bool):
            return value
        return None
    if not isinstance(value, str):
        return None
    if kind in ("DATE", "TIMESTAMP"):
        try:
            (date if kind == "DATE" else datetime).fromisoformat(value)
        except ValueError:
            return None
    return value
