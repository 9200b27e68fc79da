"""Schemas of tools: the rules of the tool schema format, and a copy with known keywords.

Errors keep a tool from being registered. Keywords that the format does not use and names against
its conventions are warnings.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from webquarry.host.models import TYPES, Finding, JsonObject, Schema, ToolSchema

_NUMBERS = ("integer", "number")


def type_of(value: Any) -> str:
    """Return the JSON Schema type of a value; a whole number is an integer in any spelling."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def fits_type(value: Any, expected: str) -> bool:
    """Return whether a value has a type; integers are numbers."""
    actual = type_of(value)
    return actual == expected or (expected == "number" and actual == "integer")


def with_article(kind: str) -> str:
    """Return a type for a sentence: an array, a string, null."""
    if kind == "null":
        return kind
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


# Keywords by the types that they apply to (all if empty), and the check of their values.
_Rule = tuple[tuple[str, ...], Callable[[Any], bool]]


def _is_count(value: Any) -> bool:
    return type_of(value) == "integer" and value >= 0


def _is_number(value: Any) -> bool:
    return type_of(value) in _NUMBERS


def _is_a(*kinds: str) -> Callable[[Any], bool]:
    return lambda value: type_of(value) in kinds


# The keywords of the format, of limits that are checked on arguments, and of translations.
_FORMAT = frozenset({"type", "description", "enum", "items", "properties", "required"})
_COUNT, _NUMBER = "a whole number, 0 or more", "a number"
_EXPECTED = {
    **dict.fromkeys(["minLength", "maxLength", "minItems", "maxItems"], _COUNT),
    "uniqueItems": "true or false",
    **dict.fromkeys(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], _NUMBER),
    "multipleOf": "a number above 0",
}
_RULES: dict[str, _Rule] = {
    "minLength": (("string",), _is_count),
    "maxLength": (("string",), _is_count),
    "minItems": (("array",), _is_count),
    "maxItems": (("array",), _is_count),
    "uniqueItems": (("array",), _is_a("boolean")),
    "minimum": (_NUMBERS, _is_number),
    "maximum": (_NUMBERS, _is_number),
    "exclusiveMinimum": (_NUMBERS, _is_number),
    "exclusiveMaximum": (_NUMBERS, _is_number),
    "multipleOf": (_NUMBERS, lambda value: _is_number(value) and value > 0),
    "type": ((), lambda value: value in TYPES),
    "description": ((), _is_a("string")),
    "enum": ((), lambda value: isinstance(value, list) and len(value) > 0),
    "const": ((), lambda value: True),
    "default": ((), lambda value: True),
    "format": (("string", *_NUMBERS), _is_a("string")),
    "pattern": (("string",), _is_a("string")),
    "items": (("array",), _is_a("object")),
    "properties": (("object",), _is_a("object")),
    "required": (("object",), _is_a("array")),
    "additionalProperties": (("object",), _is_a("boolean", "object")),
}


def clean(schema: Schema) -> Schema:
    """Return a deep copy with only known keywords that have a valid value and match the type."""
    kind = schema.get("type")
    cleaned: Schema = {}
    for word, value in schema.items():
        types, accepts = _RULES.get(word, ((), lambda value: False))
        if accepts(value) and not (kind in TYPES and types and kind not in types):
            cleaned[word] = copy.deepcopy(value)
    cleaned = map_children(cleaned, clean)
    if "required" in cleaned:
        known = cleaned.get("properties", {})
        names = [name for name in cleaned["required"] if isinstance(name, str) and name in known]
        cleaned["required"] = list(dict.fromkeys(names))
    return cleaned


def map_children(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
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
    return changed


_NAME = re.compile(r"[A-Za-z0-9_]+")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_FIELDS = ("name", "description", "parameters")
_MAX_NAME = 64
_RANGES = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum"))
_ONE_OF = ", ".join(TYPES[:-1]) + " or " + TYPES[-1]
_IGNORED = frozenset(
    {"$schema", "$id", "$comment", "title", "examples", "deprecated", "readOnly", "writeOnly"}
)


def check_schema(value: Any, binary: str | None = None) -> list[Finding]:
    """Return the findings about a description, in the order of the document."""
    findings = list(_check_document(value))
    if binary is not None and not _KEBAB.fullmatch(binary.removesuffix(".exe")):
        message = f"the executable's name {_show(binary)} is not kebab-case"
        findings.append(_warning("$", message))
    return findings


def as_schema(value: JsonObject) -> ToolSchema:
    """Return a description without errors as a `ToolSchema`."""
    return ToolSchema(value["name"], value["description"], value["parameters"])


def _check_document(value: Any) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield _wrong_type("$", "an object", value)
        return
    for field in _FIELDS:
        if field not in value:
            yield _error(f"$.{field}", "is missing, and is required")
    if "name" in value:
        yield from _check_name(value["name"])
    if "description" in value:
        yield from _check_description(value["description"], "$.description", required=True)
    if "parameters" in value:
        yield from _check_parameters(value["parameters"])
    for field in value:
        if field not in _FIELDS:
            yield _warning(_at("$", field), "is not a field of this format and is ignored")


def _check_name(name: Any) -> Iterator[Finding]:
    if not isinstance(name, str):
        yield _wrong_type("$.name", "a string", name)
    elif not _NAME.fullmatch(name):
        yield _error("$.name", f"may hold only letters, digits and underscores, not {_show(name)}")
    elif not _SNAKE.fullmatch(name):
        yield _warning("$.name", f"{_show(name)} is not snake_case")
    elif len(name) > _MAX_NAME:
        yield _warning("$.name", f"is longer than {_MAX_NAME} characters; vendors get it shortened")


def _check_description(text: Any, path: str, required: bool = False) -> Iterator[Finding]:
    if not isinstance(text, str):
        yield _wrong_type(path, "a string", text)
    elif required and not text.strip():
        yield _warning(path, "is empty, and a model chooses a tool by its description")


def _check_parameters(schema: Any) -> Iterator[Finding]:
    path = "$.parameters"
    if not isinstance(schema, dict):
        yield _wrong_type(path, "an object", schema)
        return
    if "type" not in schema:
        yield _error(f"{path}.type", 'is missing, and must be "object"')
    elif schema["type"] != "object":
        yield _error(f"{path}.type", f'must be "object", not {_show(schema["type"])}')
    if "properties" in schema:
        yield from _check_object(schema, path)
    else:
        yield _error(
            f"{path}.properties", "is missing, and is required even when there are no parameters"
        )
    yield from _check_keywords(schema, path)


def _check_property(schema: Any, path: str) -> Iterator[Finding]:
    """Check the schema of a property or of the items of an array."""
    if not isinstance(schema, dict):
        yield _wrong_type(path, "an object with a type", schema)
        return
    kind = schema.get("type")
    if "type" not in schema:
        yield _error(f"{path}.type", f"is missing, and must be {_ONE_OF}")
    elif kind not in TYPES:
        yield _error(f"{path}.type", f"must be {_ONE_OF}, not {_show(kind)}")
    if kind == "object":
        if "properties" not in schema:
            yield _warning(path, "is an object without properties, and so takes any object")
        yield from _check_object(schema, path)
    elif kind == "array" and "items" in schema:
        yield from _check_property(schema["items"], f"{path}.items")
    elif kind == "array":
        yield _warning(path, "is an array without items, and so takes any values")
    yield from _check_keywords(schema, path)
    for word in ("properties", "required", "items"):
        if word in schema and kind in TYPES and kind not in _RULES[word][0]:
            yield _warning(f"{path}.{word}", f"has no effect with the type {kind}")


def _check_object(schema: Schema, path: str) -> Iterator[Finding]:
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    if not isinstance(properties, dict):
        yield _wrong_type(f"{path}.properties", "an object", properties)
        return
    for name, part in properties.items():
        place = _at(f"{path}.properties", name)
        if not _SNAKE.fullmatch(name):
            yield _warning(place, f"the parameter's name {_show(name)} is not snake_case")
        yield from _check_property(part, place)
    if not isinstance(required, list):
        yield _wrong_type(f"{path}.required", "an array of names", required)
        return
    for index, name in enumerate(required):
        place = f"{path}.required[{index}]"
        if not isinstance(name, str):
            yield _wrong_type(place, "a string", name)
        elif name not in properties:
            yield _error(place, f"names {_show(name)}, which is not in properties")
        elif name in required[:index]:
            yield _warning(place, f"names {_show(name)} a second time")


def _check_keywords(schema: Schema, path: str) -> Iterator[Finding]:
    """Check the values of used keywords and report the others."""
    kind = schema.get("type")
    for word, value in schema.items():
        place = _at(path, word)
        if word == "description":
            yield from _check_description(value, place)
        elif word == "enum" and not _RULES["enum"][1](value):
            yield _error(place, "must be an array of at least one value")
        elif word == "enum" and kind in TYPES:
            for index, choice in enumerate(value):
                if not fits_type(choice, kind):
                    message = f"{_show(choice)} is not of the type {kind}"
                    yield _warning(f"{place}[{index}]", message)
        elif word in _EXPECTED and not _RULES[word][1](value):
            yield _error(place, f"must be {_EXPECTED[word]}, not {_show(value)}")
        elif word not in _FORMAT | _IGNORED and word not in _EXPECTED:
            yield _warning(place, "is not used by this format, and is not checked")
    for low, high in _RANGES:
        accepts = _RULES[low][1]
        pair: list[Any] = [schema.get(low), schema.get(high)]
        if all(map(accepts, pair)) and pair[0] > pair[1]:
            yield _warning(f"{path}.{low}", f"is above {high}, so that no value is valid")


def _error(path: str, message: str) -> Finding:
    return Finding("error", path, message)


def _warning(path: str, message: str) -> Finding:
    return Finding("warning", path, message)


def _wrong_type(path: str, expected: str, value: Any) -> Finding:
    return _error(path, f"must be {expected}, not {with_article(type_of(value))}")


def _at(path: str, key: str) -> str:
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{_show(key)}]"


def _show(value: Any) -> str:
    """Return a value as short JSON in one line of ASCII."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
