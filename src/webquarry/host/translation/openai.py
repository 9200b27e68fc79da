"""OpenAI: flat for Responses, nested for Chat Completions. The two APIs differ in what they take an
absent `strict` for, so it is always sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webquarry.host.models import ToolSchema
from webquarry.host.translation.canonical import ANY, canonical
from webquarry.host.translation.contract import Inexpressible, without_root_unions
from webquarry.host.translation.naming import OPENAI, alias, rename
from webquarry.host.translation.notes import with_words
from webquarry.host.translation.schema import Schema, clean, close_objects, map_children

_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_KEPT = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "pattern",
    "minItems",
    "maxItems",
)
_MOST_PROPERTIES, _MOST_LEVELS, _MOST_VALUES, _MOST_CHARACTERS = 5000, 10, 1000, 120_000


def to_responses(tool: ToolSchema, strict: bool = False) -> dict[str, Any]:
    """The tool as the Responses API takes it."""
    return {"type": "function", **_function(tool, strict)}


def to_chat(tool: ToolSchema, strict: bool = False) -> dict[str, Any]:
    """The tool as Chat Completions takes it."""
    return {"type": "function", "function": _function(tool, strict)}


def _function(tool: ToolSchema, strict: bool) -> dict[str, Any]:
    parameters = rename(clean(tool.parameters), OPENAI)
    function = {"name": alias(tool.name, OPENAI.tool), "description": tool.description}
    if strict:
        try:
            return {
                **function,
                "parameters": _within_limits(_strict(canonical(parameters))),
                "strict": True,
            }
        except Inexpressible:
            pass  # a free-form map, say: the form without strict can hold it
    normal = close_objects(_with_items(without_root_unions(parameters)))
    return {**function, "parameters": normal, "strict": False}


def _with_items(schema: Schema) -> Schema:
    """An array that does not speak of its items is refused, strict or not."""
    filled = map_children(schema, _with_items)
    if filled.get("type") == "array" and "items" not in filled:
        filled["items"] = {}
    return filled


def _strict(node: Schema, optional: bool = False) -> Schema:
    nullable = optional or bool(node.get("nullable"))
    lost = {
        word: value
        for word, value in node.items()
        if word not in ("anyOf", "type", "description", "nullable")
    }
    if "anyOf" in node:
        written: Schema = {"anyOf": [_strict(branch) for branch in node["anyOf"]]}
        if nullable:
            written["anyOf"].append({"type": "null"})
    else:
        written = _typed(node, lost, nullable)
    description = with_words(node.get("description"), lost)
    if description:
        return {**written, "description": description}
    return written


def _typed(node: Schema, lost: Schema, nullable: bool) -> Schema:
    """What strict mode can say of a node with one type; what it says is taken out of `lost`."""
    kind = node["type"]
    if kind == ANY:
        raise Inexpressible
    written: Schema = {"type": [kind, "null"] if nullable else kind}
    if "enum" in node:
        written["enum"] = [*lost.pop("enum"), *([None] if nullable else [])]
    elif "const" in node:
        const = lost.pop("const")
        written.update({"enum": [const, None]} if nullable else {"const": const})
    if kind == "object":
        written |= _closed(node, lost)
    elif kind == "array":
        if "items" not in node:
            raise Inexpressible
        written["items"] = _strict(lost.pop("items"))
    if kind == "string" and node.get("format") in _FORMATS:
        written["format"] = lost.pop("format")
    for word in _KEPT:
        if word in lost:
            written[word] = lost.pop(word)
    return written


def _closed(node: Schema, lost: Schema) -> Schema:
    """An object that names all it takes; the optional ones may be null."""
    if "properties" not in node or node.get("additionalProperties", False) is not False:
        raise Inexpressible
    properties, required = lost.pop("properties"), lost.pop("required", [])
    return {
        "properties": {
            name: _strict(part, optional=name not in required) for name, part in properties.items()
        },
        "required": list(properties),
        "additionalProperties": False,
    }


def _within_limits(schema: Schema) -> Schema:
    sizes = list(_sizes(schema, 1))
    properties, levels, values, characters = (list(column) for column in zip(*sizes, strict=True))
    if sum(properties) > _MOST_PROPERTIES or max(levels) > _MOST_LEVELS:
        raise Inexpressible
    if sum(values) > _MOST_VALUES or sum(characters) > _MOST_CHARACTERS:
        raise Inexpressible
    return schema


def _sizes(node: Schema, level: int) -> Iterator[tuple[int, int, int, int]]:
    """Of every node: its properties, its level, its enum values, and the characters of names and
    values.
    """
    properties, values = node.get("properties", {}), node.get("enum", [])
    characters = sum(map(len, properties)) + sum(len(str(value)) for value in values)
    yield len(properties), level, len(values), characters
    children = [*properties.values(), *node.get("anyOf", [])] + (
        [node["items"]] if "items" in node else []
    )
    for child in children:
        yield from _sizes(child, level + 1)
