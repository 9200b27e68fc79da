"""Descriptions of tools as `tools/list` of MCP shows them, with short schemas."""

from __future__ import annotations

from typing import Any

from webquarry.tool import TextAnswer, Tool
from webquarry.tool_schema import build_object
from webquarry.tools import read_attribute

APP_META = "ui"  # the key of a tool's app in its `_meta`
_SCHEMA_LEVELS = 2  # levels of objects that are listed: an answer and its parts
_OMITTED = ("default", "description", "format")
_SCALARS = ("boolean", "integer", "number", "string")
_NULL = {"type": "null"}
_LINKED = {  # the answer is too large and was linked to; its text explains the rest
    "properties": {"linked": {"const": True}, "resource": {"type": "string"}},
    "required": ["linked", "resource"],
}


def describe_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool with its schemas; one that answers with text has no output schema."""
    described: dict[str, Any] = {"name": tool.name}
    if issubclass(tool.answer, TextAnswer):
        return {**described, "description": tool.description, "inputSchema": tool.parameters}
    described |= {
        "title": tool.name.replace("_", " ").capitalize(),
        "description": tool.description,
        "inputSchema": _build_input_schema(tool),
        "outputSchema": _build_output_schema(tool),
    }
    if tool.app is not None:
        # VS Code shows no app for a tool with annotations; Claude reads the older key.
        described["_meta"] = {APP_META: {"resourceUri": tool.app}, "ui/resourceUri": tool.app}
    else:
        described["annotations"] = {
            "destructiveHint": False,
            "idempotentHint": tool.idempotent,
            "openWorldHint": tool.open_world,
            "readOnlyHint": tool.read_only,
        }
    return described


def _build_input_schema(tool: Tool) -> dict[str, Any]:
    """Unknown fields are always refused; only our own sets (`CLOSED`) say so in their schemas."""
    package = tool.function.__module__.split(".")[-2]
    if not read_attribute(package, "CLOSED", False):
        return tool.parameters
    properties = {}
    for name, field in tool.parameters["properties"].items():
        properties[name] = dict(field)
        if field.get("default") is False:
            del properties[name]["default"]  # clients expect it of an optional boolean
    schema = {**tool.parameters, "properties": properties, "additionalProperties": False}
    if not schema["required"]:
        del schema["required"]
    return schema


def _build_output_schema(tool: Tool) -> dict[str, Any]:
    """Return a short schema of the answer as serialized: unknown fields are absent, never null.

    Descriptions, defaults and everything below the second level are omitted.
    """
    schema = build_object(tool.answer)
    short = _shorten(schema, 0)
    if schema["required"]:
        short["required"] = schema["required"]
    if tool.answer.may_be_large:
        return {"type": "object", "anyOf": [short, _LINKED]}
    return short


def _shorten(schema: dict[str, Any], level: int) -> dict[str, Any]:
    short = _drop_null(schema)
    if "enum" in short or "const" in short:
        short.pop("type", None)  # implied by the values
    if level == _SCHEMA_LEVELS and short.get("type") in _SCALARS:
        return {}
    short.pop("required", None)
    properties = short.pop("properties", None)
    if properties is not None and level < _SCHEMA_LEVELS:
        short["properties"] = {name: _shorten(part, level + 1) for name, part in properties.items()}
    for keyword in ("items", "additionalProperties"):
        part = short.pop(keyword, None)
        if isinstance(part, dict):
            part = _shorten(part, level) or None
        if part not in (None, True):
            short[keyword] = part
    for keyword in ("anyOf", "oneOf"):
        if keyword in short:
            short[keyword] = [_shorten(option, level) for option in short[keyword]]
    return short


def _drop_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove null from a union, and keywords that are not listed."""
    resolved = {name: value for name, value in schema.items() if name not in _OMITTED}
    options = [option for option in resolved.pop("anyOf", ()) if option != _NULL]
    if len(options) == 1:
        return _drop_null({**options[0], **resolved})
    return {**resolved, "anyOf": options} if options else resolved
