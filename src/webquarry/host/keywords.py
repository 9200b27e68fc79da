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
    if isinstance(value, bool):
        return False
    if not isinstance(value, int | float):
        return False
    return math.isfinite(value)


def is_count(value: Any) -> bool:
    """A whole number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int):
        return False
    return value >= 0


def is_flag(value: Any) -> bool:
    """True or false."""
    return isinstance(value, bool)


def is_step(value: Any) -> bool:
    """A number above 0."""
    return is_number(value) and value > 0


def is_text(value: Any) -> bool:
    """A string."""
    return isinstance(value, str)


def is_choice(value: Any) -> bool:
    """A list of at least one value."""
    if not isinstance(value, list):
        return False
    return len(value) > 0


def is_schema(value: Any) -> bool:
    """An object, which describes a value."""
    return isinstance(value, dict)


def is_schema_or_flag(value: Any) -> bool:
    """An object, or true or false."""
    return isinstance(value, bool | dict)


def is_schema_list(value: Any) -> bool:
    """A list of at least one schema."""
    if not is_choice(value):
        return False
    return all(map(is_schema, value))


def is_schema_map(value: Any) -> bool:
    """Schemas by name."""
    if not isinstance(value, dict):
        return False
    return all(map(is_schema, value.values()))


def is_name_list(value: Any) -> bool:
    """A list of names."""
    if not isinstance(value, list):
        return False
    return all(map(is_text, value))


def is_type(value: Any) -> bool:
    """A type, or a list of at least one."""
    known = (*TYPES, "null")
    if isinstance(value, str):
        return value in known
    if not is_choice(value):
        return False
    return all(part in known for part in value)


LIMITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "minLength": (is_count, "a whole number, 0 or more"),
    "maxLength": (is_count, "a whole number, 0 or more"),
    "minItems": (is_count, "a whole number, 0 or more"),
    "maxItems": (is_count, "a whole number, 0 or more"),
    "uniqueItems": (is_flag, "true or false"),
    "minimum": (is_number, "a number"),
    "maximum": (is_number, "a number"),
    "exclusiveMinimum": (is_number, "a number"),
    "exclusiveMaximum": (is_number, "a number"),
    "multipleOf": (is_step, "a number above 0"),
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
    "$defs": is_schema_map,
    "definitions": is_schema_map,
    "additionalProperties": is_schema_or_flag,
    "items": is_schema,
    "properties": is_schema_map,
    "required": is_name_list,
    "enum": is_choice,
    "nullable": is_flag,
    "minProperties": is_count,
    "maxProperties": is_count,
    "type": is_type,
}


def is_sound(keyword: str, value: Any) -> bool:
    """Has this keyword a value that means something?"""
    if keyword in LIMITS:
        is_sound_limit, _ = LIMITS[keyword]
        return is_sound_limit(value)
    if keyword in _SHAPES:
        return _SHAPES[keyword](value)
    return True


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
    """Whether a value is of a type; a whole number is a number, too."""
    actual = type_of(value)
    if expected == "number" and actual == "integer":
        return True
    return actual == expected


def add_article(kind: str) -> str:
    """A type as it stands in a sentence: an array, a string, null."""
    if kind == "null":
        return kind
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind}"
