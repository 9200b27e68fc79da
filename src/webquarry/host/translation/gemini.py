"""Gemini: function declarations, with the parameters as JSON Schema or in the older subset of
OpenAPI 3.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from webquarry.host.models import ToolSchema
from webquarry.host.translation.canonical import ANY, canonical, merge_all_of
from webquarry.host.translation.naming import GEMINI, alias, rename
from webquarry.host.translation.notes import with_words
from webquarry.host.translation.schema import Schema, clean, map_children, takes_nothing

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


def to_gemini(tools: Sequence[ToolSchema], form: Form = "json_schema") -> dict[str, Any]:
    """One tool object with a declaration for each tool."""
    return {"functionDeclarations": [_declaration(tool, form) for tool in tools]}


def _declaration(tool: ToolSchema, form: Form) -> dict[str, Any]:
    parameters = rename(clean(tool.parameters), GEMINI)
    declaration = {"name": alias(tool.name, GEMINI.tool), "description": tool.description}
    if takes_nothing(parameters):
        return declaration
    if form == "json_schema":
        return {**declaration, "parametersJsonSchema": _json_schema(parameters)}
    root = canonical(parameters)
    # An object without properties is refused, and the root cannot be a text: there is nothing left
    # to declare.
    if root.get("properties"):
        return {**declaration, "parameters": _legacy(root)}
    return declaration


def _json_schema(schema: Schema) -> Schema:
    merged = merge_all_of(schema)
    lost = {word: value for word, value in merged.items() if word in _DROPPED or word in _IGNORED}
    node = map_children(
        {word: merged[word] for word in merged if word not in _DROPPED}, _json_schema
    )
    if "const" in node:
        node["enum"] = [node.pop("const")]
    description = with_words(node.get("description"), lost)
    if description:
        return {**node, "description": description}
    return node


def _legacy(node: Schema) -> Schema:
    if (
        "anyOf" in node
    ):  # refuses any key beside it, so what was said of the whole is said of each branch
        shared = {
            word: value for word, value in node.items() if word in ("description", "nullable")
        }
        return {"anyOf": [_legacy({**branch, **shared}) for branch in node["anyOf"]]}
    lost = {
        word: value
        for word, value in node.items()
        if word not in ("type", "description", "nullable")
    }
    written, further = _typed(node, lost)
    if node.get("nullable"):
        written["nullable"] = True
    description = with_words(node.get("description"), lost, *further)
    if description:
        return {**written, "description": description}
    return written


def _typed(node: Schema, lost: Schema) -> tuple[Schema, list[str]]:
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
        written["properties"] = {
            name: _legacy(part) for name, part in lost.pop("properties").items()
        }
        if lost.pop("required", []):
            written["required"] = node["required"]
        if lost.pop("additionalProperties", False) is not False:
            further.append("further fields are allowed")
    elif kind == "array":
        if "items" in node:
            written["items"] = _legacy(lost.pop("items"))
        else:
            written["items"] = {"type": "STRING"}
    written |= _choices(node, lost)
    if node.get("format") in _FORMATS.get(kind, ()) and "format" not in written:
        written["format"] = lost.pop("format")
    return written | {word: lost.pop(word) for word in _KEPT if word in lost}, further


def _choices(node: Schema, lost: Schema) -> Schema:
    """The values to choose from: only texts, and none of them empty."""
    word = "enum" if "enum" in node else "const"
    values = node.get("enum", [node.get("const")])
    if word not in node or not all(isinstance(value, str) and value for value in values):
        return {}
    del lost[word]
    return {"format": "enum", "enum": values}
