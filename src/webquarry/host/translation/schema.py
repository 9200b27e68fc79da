"""Schemas as trees: where their sub-schemas are, and a clean copy of one.

A property may be called `title` or `format`; the maps of names are walked as such and never
mistaken for keywords.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from webquarry.host.keywords import is_sound
from webquarry.host.models import Schema

_MAPS = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SINGLES = frozenset(
    {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}
    | {"unevaluatedItems", "unevaluatedProperties", "additionalItems"}
)
NOISE = frozenset({"$schema", "$id", "$comment", "examples", "title"})
UNIONS = ("anyOf", "oneOf", "allOf")


def omit(schema: Schema, *words: str) -> Schema:
    """A copy without these keywords."""
    return {word: value for word, value in schema.items() if word not in words}


def pick(schema: Schema, *words: str) -> Schema:
    """A copy with these keywords alone, as far as they are there."""
    return {word: schema[word] for word in words if word in schema}


def map_children(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A new node with `change` applied to every schema directly below it."""

    def change_part(part: Any) -> Any:
        if isinstance(part, dict):
            return change(part)
        return part

    changed: Schema = {}
    for word, value in schema.items():
        if word in _MAPS and isinstance(value, dict):
            changed[word] = {name: change_part(part) for name, part in value.items()}
        elif word in _LISTS and isinstance(value, list):
            changed[word] = [change_part(part) for part in value]
        elif word in _SINGLES:
            changed[word] = change_part(value)
        else:
            changed[word] = value
    return changed


def clean(schema: Schema) -> Schema:
    """A deep copy without noise, without keywords whose value makes no sense, and without
    references to nothing.
    """
    root = copy.deepcopy(schema)

    def tidy(node: Schema) -> Schema:
        sound: Schema = {}
        for word, value in node.items():
            if word not in NOISE and is_sound(word, value):
                sound[word] = value
        if "$ref" in sound:
            target = resolve(sound["$ref"], root)
            if target is None:
                del sound["$ref"]
        if "required" in sound and "properties" in sound:
            properties = sound["properties"]
            each_once = dict.fromkeys(sound["required"])
            sound["required"] = [name for name in each_once if name in properties]
        return map_children(sound, tidy)

    return tidy(root)


def resolve(reference: str, root: Schema) -> Schema | None:
    """What a reference within the document leads to."""
    if not reference.startswith("#"):
        return None
    node: Any = root
    for step in reference[1:].split("/")[1:]:
        if not isinstance(node, dict):
            return None
        name = step.replace("~1", "/").replace("~0", "~")
        node = node.get(name)
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
    if schema.get("properties"):
        return False
    return schema.get("additionalProperties", False) is False
