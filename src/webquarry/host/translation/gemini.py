"""Gemini: function declarations, with the parameters as JSON Schema or in the older subset of
OpenAPI 3.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from webquarry.host.models import JsonObject, Schema, ToolSchema
from webquarry.host.translation.canonical import ANY, canonical, merge_all_of
from webquarry.host.translation.naming import GEMINI, alias, rename
from webquarry.host.translation.notes import with_words
from webquarry.host.translation.schema import clean, map_children, omit, pick, takes_nothing

Form = Literal["json_schema", "legacy"]

_DROPPED = frozenset(
    {
        "if",
        "then",
        "else",
        "not",
        "patternProperties",
        "prefixItems",
        "contains",
        "minContains",
        "maxContains",
    }
    | {"dependentRequired", "dependentSchemas", "dependencies"}
)
_IGNORED = ("exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_KEPT = ("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems")
_FORMATS = {"string": {"date-time"}, "integer": {"int32", "int64"}, "number": {"float", "double"}}


def to_gemini(tools: Sequence[ToolSchema], form: Form = "json_schema") -> JsonObject:
    """One tool object with a declaration for each tool."""
    declarations = []
    for tool in tools:
        name = alias(tool.name, GEMINI.tool)
        declaration: JsonObject = {"name": name, "description": tool.description}
        declarations.append(declaration)
        parameters = rename(clean(tool.parameters), GEMINI)
        if takes_nothing(parameters):
            continue
        if form == "json_schema":
            declaration["parametersJsonSchema"] = _write_json_schema(parameters)
            continue
        root = canonical(parameters)
        # An object without properties is refused, and the root cannot be a text: there is nothing
        # left to declare.
        if root.get("properties"):
            declaration["parameters"] = _write_legacy(root)
    return {"functionDeclarations": declarations}


def _write_json_schema(schema: Schema) -> Schema:
    merged = merge_all_of(schema)
    unknown = {*_DROPPED, *_IGNORED}
    lost = {word: value for word, value in merged.items() if word in unknown}
    node = map_children(omit(merged, *_DROPPED), _write_json_schema)
    if "const" in node:
        node["enum"] = [node.pop("const")]
    description = with_words(node.get("description"), lost)
    if description:
        return {**node, "description": description}
    return node


def _write_legacy(node: Schema) -> Schema:
    if "anyOf" in node:
        # It takes no key beside it, so what was said of the whole is said of each branch.
        shared = pick(node, "description", "nullable")
        branches = [_write_legacy(branch | shared) for branch in node["anyOf"]]
        return {"anyOf": branches}
    lost = omit(node, "type", "description", "nullable")
    written, further = _write_type(node, lost)
    if node.get("nullable"):
        written["nullable"] = True
    description = with_words(node.get("description"), lost, *further)
    if description:
        return {**written, "description": description}
    return written


def _write_type(node: Schema, lost: Schema) -> tuple[Schema, list[str]]:
    """What the subset can say of a node; what it says is taken out of `lost`, and what it needs in
    words is added.
    """
    kind = node["type"]
    if kind == ANY:
        return {"type": "STRING"}, ["any JSON value, as text"]
    if kind == "object" and not node.get("properties"):
        lost.clear()
        return {"type": "STRING"}, ["a JSON object, as text"]
    written: Schema = {"type": kind.upper()}
    further: list[str] = []
    if kind == "object":
        properties = lost.pop("properties")
        written["properties"] = {name: _write_legacy(part) for name, part in properties.items()}
        if lost.pop("required", []):
            written["required"] = node["required"]
        if lost.pop("additionalProperties", False) is not False:
            further.append("further fields are allowed")
    elif kind == "array":
        if "items" in node:
            written["items"] = _write_legacy(lost.pop("items"))
        else:
            written["items"] = {"type": "STRING"}
    word = "enum" if "enum" in node else "const"
    values = node.get("enum", [node.get("const")])
    # Only texts can be chosen from, and no empty one.
    are_choices = all(isinstance(value, str) and value for value in values)
    if word in node and are_choices:
        del lost[word]
        written |= {"format": "enum", "enum": values}
    elif node.get("format") in _FORMATS.get(kind, ()):
        written["format"] = lost.pop("format")
    for word in _KEPT:
        if word in lost:
            written[word] = lost.pop(word)
    return written, further
