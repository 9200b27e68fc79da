"""The keywords of JSON Schema that the tool host uses, and a copy of a schema with only these."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webquarry.host.models import TYPES, Schema

_NUMBERS = ("integer", "number")


@dataclass(frozen=True)
class Keyword:
    """A keyword: the values that it accepts, and the types that it applies to (all if empty)."""

    accepts: Callable[[Any], bool]
    expected: str
    types: tuple[str, ...] = ()


def type_of(value: Any) -> str:
    """Return the JSON Schema type of a value; a whole number is an integer in any spelling."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        is_whole = isinstance(value, int) or value.is_integer()
        return "integer" if is_whole else "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object"


def fits_type(value: Any, expected: str) -> bool:
    """Return whether a value has a type; integers are numbers."""
    actual = type_of(value)
    return actual == expected or (expected == "number" and actual == "integer")


def with_article(kind: str) -> str:
    """Return a type for a sentence: an array, a string, null."""
    if kind == "null":
        return kind
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind}"


def _is_number(value: Any) -> bool:
    return type_of(value) in _NUMBERS


def _is_count(value: Any) -> bool:
    return type_of(value) == "integer" and value >= 0


def _is_step(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_choice(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0


# The keywords of the seed's format.
USED = frozenset({"type", "description", "enum", "items", "properties", "required"})
# Keywords beyond the format that are checked on arguments and translated.
LIMITS = {
    "minLength": Keyword(_is_count, "a whole number, 0 or more", ("string",)),
    "maxLength": Keyword(_is_count, "a whole number, 0 or more", ("string",)),
    "minItems": Keyword(_is_count, "a whole number, 0 or more", ("array",)),
    "maxItems": Keyword(_is_count, "a whole number, 0 or more", ("array",)),
    "uniqueItems": Keyword(_is_flag, "true or false", ("array",)),
    "minimum": Keyword(_is_number, "a number", _NUMBERS),
    "maximum": Keyword(_is_number, "a number", _NUMBERS),
    "exclusiveMinimum": Keyword(_is_number, "a number", _NUMBERS),
    "exclusiveMaximum": Keyword(_is_number, "a number", _NUMBERS),
    "multipleOf": Keyword(_is_step, "a number above 0", _NUMBERS),
}
# Keywords that are translated where the vendor supports them.
_TRANSLATED = {
    "type": Keyword(lambda value: value in TYPES, "a type"),
    "description": Keyword(_is_text, "a string"),
    "enum": Keyword(_is_choice, "an array of at least one value"),
    "const": Keyword(lambda value: True, "a value"),
    "default": Keyword(lambda value: True, "a value"),
    "format": Keyword(_is_text, "a string", ("string", *_NUMBERS)),
    "pattern": Keyword(_is_text, "a string", ("string",)),
    "items": Keyword(_is_object, "a schema", ("array",)),
    "properties": Keyword(_is_object, "schemas by name", ("object",)),
    "required": Keyword(lambda value: isinstance(value, list), "names", ("object",)),
    "additionalProperties": Keyword(
        lambda value: isinstance(value, bool | dict), "a schema, true or false", ("object",)
    ),
}
_KEYWORDS = LIMITS | _TRANSLATED


def clean(schema: Schema) -> Schema:
    """Return a deep copy with only known keywords that have a valid value and fit the type."""
    kind = schema.get("type")
    cleaned: Schema = {}
    for word, value in schema.items():
        rule = _KEYWORDS.get(word)
        if rule is None or not rule.accepts(value):
            continue
        if kind in TYPES and rule.types and kind not in rule.types:
            continue
        cleaned[word] = copy.deepcopy(value)
    return map_children(cleaned, clean, with_required=True)


def map_children(
    schema: Schema, change: Callable[[Schema], Schema], *, with_required: bool = False
) -> Schema:
    """Return a schema with `change` applied to each schema directly below it."""
    changed = dict(schema)
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            changed[word] = change(schema[word])
    if "properties" in schema:
        parts = schema["properties"].items()
        changed["properties"] = {
            name: change(part) for name, part in parts if isinstance(part, dict)
        }
    if with_required and "required" in schema:
        known = changed.get("properties", {})
        names = [name for name in schema["required"] if isinstance(name, str) and name in known]
        changed["required"] = list(dict.fromkeys(names))
    return changed
