"""Schemas as trees: where their sub-schemas are, and a clean copy of one.

A property may be called `title` or `format`; the maps of names are walked as such and never
mistaken for keywords.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from webquarry.host.keywords import is_sound

_MAPS = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SINGLES = frozenset(
    {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}
    | {"unevaluatedItems", "unevaluatedProperties", "additionalItems"}
)
NOISE = frozenset({"$schema", "$id", "$comment", "examples", "title"})
UNIONS = ("anyOf", "oneOf", "allOf")

Schema = dict[str, Any]


def map_children(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A new node with `change` applied to every schema directly below it."""
    return {word: _map_value(word, value, change) for word, value in schema.items()}


def _map_value(word: str, value: Any, change: Callable[[Schema], Schema]) -> Any:
    if word in _MAPS and isinstance(value, dict):
        return {
            name: change(part) if isinstance(part, dict) else part for name, part in value.items()
        }
    if word in _LISTS and isinstance(value, list):
        return [change(part) if isinstance(part, dict) else part for part in value]
    if word in _SINGLES and isinstance(value, dict):
        return change(value)
    return value


def clean(schema: Schema) -> Schema:
    """A deep copy without noise, without keywords whose value makes no sense, and without
    references to nothing.
    """
    root = copy.deepcopy(schema)

    def tidy(node: Schema) -> Schema:
        kept = {
            word: value
            for word, value in node.items()
            if word not in NOISE and is_sound(word, value)
        }
        if "$ref" in kept and resolve(kept["$ref"], root) is None:
            del kept["$ref"]
        if "required" in kept and "properties" in kept:
            known = dict.fromkeys(name for name in kept["required"] if name in kept["properties"])
            kept["required"] = list(known)
        return map_children(kept, tidy)

    return tidy(root)


def resolve(reference: str, root: Schema) -> Schema | None:
    """What a reference within the document leads to."""
    if not reference.startswith("#"):
        return None
    node: Any = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, dict) else None
    if isinstance(node, dict):
        return node
    return None


def close_objects(schema: Schema) -> Schema:
    """The house rule: an object that names its properties takes no others, unless it says so
    itself.
    """
    closed = map_children(schema, close_objects)
    if closed.get("type") == "object" and "properties" in closed:
        closed.setdefault("additionalProperties", False)
    return closed


def takes_nothing(schema: Schema) -> bool:
    """Is this the schema of a tool without arguments?"""
    return not schema.get("properties") and schema.get("additionalProperties", False) is False
