"""The JSON Schema keywords the host knows, in three kinds, and what a sound value of each looks
like.

Used: the seed's format has them. Limits: beyond the format, but harmless: checked on arguments and
translated. Everything else is foreign: allowed, with a warning, and translated where a vendor
understands it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from webquarry.host.models import TYPES

USED = frozenset({"type", "description", "enum", "items", "properties", "required"})


def is_number(value: Any) -> bool:
    """A JSON number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_schema_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, dict) for part in value)


def is_text(value: Any) -> bool:
    return isinstance(value, str)


LIMITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "minLength": (is_count, "a whole number, 0 or more"),
    "maxLength": (is_count, "a whole number, 0 or more"),
    "minItems": (is_count, "a whole number, 0 or more"),
    "maxItems": (is_count, "a whole number, 0 or more"),
    "uniqueItems": (lambda value: isinstance(value, bool), "true or false"),
    "minimum": (is_number, "a number"),
    "maximum": (is_number, "a number"),
    "exclusiveMinimum": (is_number, "a number"),
    "exclusiveMaximum": (is_number, "a number"),
    "multipleOf": (lambda value: is_number(value) and value > 0, "a number above 0"),
}

# What belongs to which type; a keyword beside another type says nothing, and some vendors refuse it
# there.
BELONGS: dict[str, frozenset[str]] = {
    "minLength": frozenset({"string"}),
    "maxLength": frozenset({"string"}),
    "pattern": frozenset({"string"}),
    "format": frozenset({"string", "integer", "number"}),
    "minItems": frozenset({"array"}),
    "maxItems": frozenset({"array"}),
    "uniqueItems": frozenset({"array"}),
    "items": frozenset({"array"}),
    "minimum": frozenset({"integer", "number"}),
    "maximum": frozenset({"integer", "number"}),
    "exclusiveMinimum": frozenset({"integer", "number"}),
    "exclusiveMaximum": frozenset({"integer", "number"}),
    "multipleOf": frozenset({"integer", "number"}),
    "properties": frozenset({"object"}),
    "required": frozenset({"object"}),
    "additionalProperties": frozenset({"object"}),
    "minProperties": frozenset({"object"}),
    "maxProperties": frozenset({"object"}),
}

# Foreign keywords whose value must have a shape, or the vendor refuses the whole request.
_SHAPES: dict[str, Callable[[Any], bool]] = {
    "description": is_text,
    "title": is_text,
    "format": is_text,
    "pattern": is_text,
    "$ref": is_text,
    "anyOf": is_schema_list,
    "oneOf": is_schema_list,
    "allOf": is_schema_list,
    "$defs": lambda value: (
        isinstance(value, dict) and all(isinstance(part, dict) for part in value.values())
    ),
    "definitions": lambda value: (
        isinstance(value, dict) and all(isinstance(part, dict) for part in value.values())
    ),
    "additionalProperties": lambda value: isinstance(value, bool | dict),
    "items": lambda value: isinstance(value, dict),
    "properties": lambda value: (
        isinstance(value, dict) and all(isinstance(part, dict) for part in value.values())
    ),
    "required": lambda value: (
        isinstance(value, list) and all(isinstance(name, str) for name in value)
    ),
    "enum": lambda value: isinstance(value, list) and bool(value),
    "nullable": lambda value: isinstance(value, bool),
    "minProperties": is_count,
    "maxProperties": is_count,
    "type": lambda value: (
        value in (*TYPES, "null") if isinstance(value, str) else _is_type_list(value)
    ),
}


def _is_type_list(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(part in (*TYPES, "null") for part in value)
    )


def is_sound(keyword: str, value: Any) -> bool:
    """Has this keyword a value that means something?"""
    if keyword in LIMITS:
        return LIMITS[keyword][0](value)
    return _SHAPES.get(keyword, lambda _: True)(value)


def type_of(value: Any) -> str:
    """The JSON Schema type of a value; a whole number is an integer however it was written."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        if isinstance(value, int) or value.is_integer():
            return "integer"
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object"


def fits_type(value: Any, expected: str) -> bool:
    found = type_of(value)
    return found == expected or (expected == "number" and found == "integer")
