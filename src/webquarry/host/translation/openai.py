"""OpenAI: flat for Responses, nested for Chat Completions. The two APIs differ in what they take an
absent `strict` for, so it is always sent.
"""

from __future__ import annotations

from collections.abc import Iterator

from webquarry.host.models import JsonObject, Schema, ToolSchema
from webquarry.host.translation.canonical import ANY, canonical
from webquarry.host.translation.contract import Inexpressible, without_root_unions
from webquarry.host.translation.naming import OPENAI, alias, rename
from webquarry.host.translation.notes import with_words
from webquarry.host.translation.schema import clean, close_objects, map_children, omit

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
# What the API takes in one strict schema
_MOST_PROPERTIES = 5000
_MOST_LEVELS = 10
_MOST_VALUES = 1000
_MOST_CHARACTERS = 120_000


def to_responses(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """The tool as the Responses API takes it."""
    return {"type": "function", **_describe(tool, strict)}


def to_chat(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """The tool as Chat Completions takes it."""
    return {"type": "function", "function": _describe(tool, strict)}


def _describe(tool: ToolSchema, strict: bool) -> JsonObject:
    """The fields that both APIs take; strict only where its form can hold the schema."""
    parameters = rename(clean(tool.parameters), OPENAI)
    name = alias(tool.name, OPENAI.tool)
    function = {"name": name, "description": tool.description}
    if strict:
        try:
            written = _write_strict(canonical(parameters))
            _check_size(written)
            return {**function, "parameters": written, "strict": True}
        except Inexpressible:
            pass  # a free-form map, say: the form without strict can hold it
    normal = close_objects(_add_items(without_root_unions(parameters)))
    return {**function, "parameters": normal, "strict": False}


def _add_items(schema: Schema) -> Schema:
    """An array that does not speak of its items is refused, strict or not."""
    filled = map_children(schema, _add_items)
    if filled.get("type") == "array" and "items" not in filled:
        filled["items"] = {}
    return filled


def _write_strict(node: Schema, optional: bool = False) -> Schema:
    nullable = optional or bool(node.get("nullable"))
    lost = omit(node, "anyOf", "type", "description", "nullable")
    if "anyOf" in node:
        branches = [_write_strict(branch) for branch in node["anyOf"]]
        if nullable:
            branches.append({"type": "null"})
        written: Schema = {"anyOf": branches}
    else:
        written = _write_type(node, lost, nullable)
    description = with_words(node.get("description"), lost)
    if description:
        return {**written, "description": description}
    return written


def _write_type(node: Schema, lost: Schema, nullable: bool) -> Schema:
    """What strict mode can say of a node with one type; what it says is taken out of `lost`."""
    kind = node["type"]
    if kind == ANY:
        raise Inexpressible
    written: Schema = {"type": kind}
    if nullable:
        written["type"] = [kind, "null"]
    if "enum" in node:
        written["enum"] = list(lost.pop("enum"))
        if nullable:
            written["enum"].append(None)
    elif "const" in node:
        const = lost.pop("const")
        if nullable:
            written["enum"] = [const, None]
        else:
            written["const"] = const
    if kind == "object":
        is_open = node.get("additionalProperties", False) is not False
        if is_open or "properties" not in node:
            raise Inexpressible
        properties = lost.pop("properties")
        required = lost.pop("required", [])
        # All that it takes must be named; the optional ones may be null.
        written["properties"] = {}
        for name, part in properties.items():
            is_optional = name not in required
            written["properties"][name] = _write_strict(part, is_optional)
        written["required"] = list(properties)
        written["additionalProperties"] = False
    elif kind == "array":
        if "items" not in node:
            raise Inexpressible
        written["items"] = _write_strict(lost.pop("items"))
    if kind == "string" and node.get("format") in _FORMATS:
        written["format"] = lost.pop("format")
    for word in _KEPT:
        if word in lost:
            written[word] = lost.pop(word)
    return written


def _check_size(schema: Schema) -> None:
    """Give the strict form up where the API would refuse it as too large."""
    properties = values = characters = levels = 0
    for node, level in _walk(schema, 1):
        names = node.get("properties", {})
        choices = node.get("enum", [])
        properties += len(names)
        values += len(choices)
        characters += sum(map(len, names))
        for value in choices:
            characters += len(str(value))
        levels = max(levels, level)
    if properties > _MOST_PROPERTIES or levels > _MOST_LEVELS:
        raise Inexpressible
    if values > _MOST_VALUES or characters > _MOST_CHARACTERS:
        raise Inexpressible


def _walk(node: Schema, level: int) -> Iterator[tuple[Schema, int]]:
    """Every node with its level."""
    yield node, level
    children = [*node.get("properties", {}).values(), *node.get("anyOf", [])]
    if "items" in node:
        children.append(node["items"])
    for child in children:
        yield from _walk(child, level + 1)
