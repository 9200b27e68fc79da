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


# Keyword -> the types that it applies to (all if empty), the check of its value, and what is
# expected in words.
_Rule = tuple[tuple[str, ...], Callable[[Any], bool], str]


def _is_count(value: Any) -> bool:
    return type_of(value) == "integer" and value >= 0


def _is_number(value: Any) -> bool:
    return type_of(value) in _NUMBERS


def _is_a(*kinds: str) -> Callable[[Any], bool]:
    return lambda value: type_of(value) in kinds


_COUNT = "a whole number, 0 or more"
_RULES: dict[str, _Rule] = {
    "type": ((), lambda value: value in TYPES, f"{', '.join(TYPES[:-1])} or {TYPES[-1]}"),
    "description": ((), _is_a("string"), "a string"),
    "enum": ((), lambda value: value != [] and type_of(value) == "array", "an array of values"),
    "items": (("array",), _is_a("object"), "an object with a type"),
    "properties": (("object",), _is_a("object"), "an object"),
    "required": (("object",), _is_a("array"), "an array of names"),
    "minLength": (("string",), _is_count, _COUNT),
    "maxLength": (("string",), _is_count, _COUNT),
    "minItems": (("array",), _is_count, _COUNT),
    "maxItems": (("array",), _is_count, _COUNT),
    "uniqueItems": (("array",), _is_a("boolean"), "true or false"),
    "minimum": (_NUMBERS, _is_number, "a number"),
    "maximum": (_NUMBERS, _is_number, "a number"),
    "exclusiveMinimum": (_NUMBERS, _is_number, "a number"),
    "exclusiveMaximum": (_NUMBERS, _is_number, "a number"),
    "multipleOf": (_NUMBERS, lambda value: _is_number(value) and value > 0, "a number above 0"),
}
# Not used by the format, but checked on arguments or passed on to vendors if they are valid.
_TOLERATED: dict[str, _Rule] = {
    "const": ((), lambda value: True, ""),
    "default": ((), lambda value: True, ""),
    "format": (("string", *_NUMBERS), _is_a("string"), ""),
    "pattern": (("string",), _is_a("string"), ""),
    "additionalProperties": (("object",), _is_a("boolean", "object"), ""),
}
_IGNORED = frozenset(
    {"$schema", "$id", "$comment", "title", "examples", "deprecated", "readOnly", "writeOnly"}
)


def _applies(types: tuple[str, ...], kind: Any) -> bool:
    return not types or kind not in TYPES or kind in types


def clean(schema: Schema) -> Schema:
    """Return a deep copy with only known keywords that have a valid value and match the type."""
    rules = _RULES | _TOLERATED
    cleaned: Schema = {}
    for word, value in schema.items():
        if word in rules:
            types, accepts, _ = rules[word]
            if accepts(value) and _applies(types, schema.get("type")):
                cleaned[word] = copy.deepcopy(value)
    cleaned = map_children(cleaned, clean)
    if "required" in cleaned:
        known = cleaned.get("properties", {})
        cleaned["required"] = [name for name in known if name in cleaned["required"]]
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


def close_objects(schema: Schema) -> Schema:
    """Refuse unknown properties of objects that list their properties."""
    closed = map_children(schema, close_objects)
    if closed.get("type") == "object" and "properties" in closed:
        closed.setdefault("additionalProperties", False)
    return closed


_NAME = re.compile(r"[A-Za-z0-9_]+")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_FIELDS = {"name": "a string", "description": "a string", "parameters": "an object"}


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
        yield _error("$", f"must be an object, not {_show(value)}")
        return
    for field, expected in _FIELDS.items():
        if field not in value:
            yield _error(f"$.{field}", "is missing")
        elif not expected.endswith(type_of(value[field])):
            yield _error(f"$.{field}", f"must be {expected}, not {_show(value[field])}")
        elif field == "name":
            yield from _check_name(value["name"])
        elif field == "parameters":
            yield from _check_parameters(value["parameters"])
    for field in value:
        if field not in _FIELDS:
            yield _warning(_at("$", field), "is not a field of this format and is ignored")


def _check_name(name: str) -> Iterator[Finding]:
    if not _NAME.fullmatch(name):
        yield _error("$.name", f"may hold only letters, digits and underscores, not {_show(name)}")
    elif not _SNAKE.fullmatch(name):
        yield _warning("$.name", f"{_show(name)} is not snake_case")


def _check_parameters(schema: Schema) -> Iterator[Finding]:
    path = "$.parameters"
    if schema.get("type", "object") != "object":
        yield _error(f"{path}.type", f'must be "object", not {_show(schema["type"])}')
        return
    yield from _check_node(schema, path)
    if "properties" not in schema:
        yield _error(f"{path}.properties", "is missing, also if there are no parameters")


def _check_node(schema: Schema, path: str) -> Iterator[Finding]:
    """Check the schema of the parameters, of a property or of the items of an array."""
    if "type" not in schema:
        yield _error(f"{path}.type", f"is missing; expected {_RULES['type'][2]}")
    for word, value in schema.items():
        place = _at(path, word)
        if word in _RULES:
            types, accepts, expected = _RULES[word]
            if not _applies(types, schema.get("type")):
                yield _warning(place, f"has no effect with the type {schema['type']}")
            elif not accepts(value):
                yield _error(place, f"must be {expected}, not {_show(value)}")
            elif word == "items":
                yield from _check_node(value, place)
            elif word == "properties":
                yield from _check_properties(value, place)
            elif word == "required" and isinstance(schema.get("properties"), dict):
                yield from _check_required(value, list(schema["properties"]), place)
        elif word not in _IGNORED:
            yield _warning(place, "is not used by this format, and is not checked")


def _check_properties(properties: Schema, path: str) -> Iterator[Finding]:
    for name, part in properties.items():
        place = _at(path, name)
        if not _SNAKE.fullmatch(name):
            yield _warning(place, f"the parameter's name {_show(name)} is not snake_case")
        if isinstance(part, dict):
            yield from _check_node(part, place)
        else:
            yield _error(place, f"must be an object with a type, not {_show(part)}")


def _check_required(names: list[Any], known: list[str], path: str) -> Iterator[Finding]:
    for index, name in enumerate(names):
        if name not in known:
            yield _error(f"{path}[{index}]", f"names {_show(name)}, which is not in properties")


def _error(path: str, message: str) -> Finding:
    return Finding("error", path, message)


def _warning(path: str, message: str) -> Finding:
    return Finding("warning", path, message)


def _at(path: str, key: str) -> str:
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{_show(key)}]"


def _show(value: Any) -> str:
    """Return a value as short JSON in one line of ASCII."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
