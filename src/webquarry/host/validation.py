"""Validation of a tool's description by the rules of the tool schema format.

Errors keep a tool from being registered. Keywords that the format does not use and names against
its conventions are warnings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from webquarry.host.keywords import LIMITS, USED, fits_type, type_of, with_article
from webquarry.host.models import TYPES, Finding, JsonObject, Schema, ToolSchema

_NAME = re.compile(r"[A-Za-z0-9_]+")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_FIELDS = ("name", "description", "parameters")
_LONGEST_NAME = 64
_RANGES = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum"))
_TYPE_OF_KEYWORD = {"properties": "object", "required": "object", "items": "array"}
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
        yield _error("$", f"must be an object, not {with_article(type_of(value))}")
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
        yield _error("$.name", f"must be a string, not {with_article(type_of(name))}")
    elif not _NAME.fullmatch(name):
        yield _error("$.name", f"may hold only letters, digits and underscores, not {_show(name)}")
    elif not _SNAKE.fullmatch(name):
        yield _warning("$.name", f"{_show(name)} is not snake_case")
    elif len(name) > _LONGEST_NAME:
        yield _warning(
            "$.name", f"is longer than {_LONGEST_NAME} characters; vendors get it shortened"
        )


def _check_description(text: Any, path: str, required: bool = False) -> Iterator[Finding]:
    if not isinstance(text, str):
        yield _error(path, f"must be a string, not {with_article(type_of(text))}")
    elif required and not text.strip():
        yield _warning(path, "is empty, and a model chooses a tool by its description")


def _check_parameters(schema: Any) -> Iterator[Finding]:
    path = "$.parameters"
    if not isinstance(schema, dict):
        yield _error(path, f"must be an object, not {with_article(type_of(schema))}")
        return
    if "type" not in schema:
        yield _error(f"{path}.type", 'is missing, and must be "object"')
    elif schema["type"] != "object":
        yield _error(f"{path}.type", f'must be "object", not {_show(schema["type"])}')
    if "properties" not in schema:
        yield _error(
            f"{path}.properties", "is missing, and is required even when there are no parameters"
        )
    else:
        yield from _check_object(schema, path)
    yield from _check_keywords(schema, path)


def _check_property(schema: Any, path: str) -> Iterator[Finding]:
    """Check the schema of a property or of the items of an array."""
    if not isinstance(schema, dict):
        message = f"must be an object with a type, not {with_article(type_of(schema))}"
        yield _error(path, message)
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
    for word, owner in _TYPE_OF_KEYWORD.items():
        if word in schema and kind in TYPES and kind != owner:
            yield _warning(f"{path}.{word}", f"says nothing beside the type {kind}")


def _check_object(schema: Schema, path: str) -> Iterator[Finding]:
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        kind = with_article(type_of(properties))
        yield _error(f"{path}.properties", f"must be an object, not {kind}")
        return
    for name, part in properties.items():
        place = _at(f"{path}.properties", name)
        if not _SNAKE.fullmatch(name):
            yield _warning(place, f"the parameter's name {_show(name)} is not snake_case")
        yield from _check_property(part, place)
    required = schema.get("required", [])
    if not isinstance(required, list):
        kind = with_article(type_of(required))
        yield _error(f"{path}.required", f"must be an array of names, not {kind}")
        return
    for index, name in enumerate(required):
        place = f"{path}.required[{index}]"
        if not isinstance(name, str):
            yield _error(place, f"must be a string, not {with_article(type_of(name))}")
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
        elif word == "enum":
            yield from _check_enum(value, kind, place)
        elif word in LIMITS:
            if not LIMITS[word].accepts(value):
                yield _error(place, f"must be {LIMITS[word].expected}, not {_show(value)}")
        elif word not in USED and word not in _IGNORED:
            yield _warning(place, "is not used by this format, and is not checked")
    for low, high in _RANGES:
        if low not in schema or high not in schema:
            continue
        are_valid = LIMITS[low].accepts(schema[low]) and LIMITS[high].accepts(schema[high])
        if are_valid and schema[low] > schema[high]:
            yield _warning(f"{path}.{low}", f"is above {high}, so that no value fits")


def _check_enum(choices: Any, kind: Any, path: str) -> Iterator[Finding]:
    if not isinstance(choices, list) or not choices:
        yield _error(path, "must be an array of at least one value")
        return
    for index, choice in enumerate(choices):
        if kind in TYPES and not fits_type(choice, kind):
            yield _warning(f"{path}[{index}]", f"{_show(choice)} is not of the type {kind}")


def _error(path: str, message: str) -> Finding:
    return Finding("error", path, message)


def _warning(path: str, message: str) -> Finding:
    return Finding("warning", path, message)


def _at(path: str, key: str) -> str:
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}"
    return f"{path}[{_show(key)}]"


def _show(value: Any) -> str:
    """Return a value as short JSON in one line of ASCII."""
    text = json.dumps(value)
    if len(text) <= 60:
        return text
    return f"{text[:57]}..."
