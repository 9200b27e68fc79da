"""Anthropic Messages: `{"name", "description", "input_schema"[, "strict": true]}`."""

from __future__ import annotations

from webquarry.host.models import JsonObject, Schema, ToolSchema
from webquarry.host.translation.canonical import ANY, canonical
from webquarry.host.translation.contract import Inexpressible, without_root_unions
from webquarry.host.translation.naming import ANTHROPIC, alias, rename
from webquarry.host.translation.notes import with_braces
from webquarry.host.translation.schema import clean, close_objects, omit

_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
_NULL = {"type": "null"}


def to_anthropic(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """The tool as Anthropic takes it; one that strict mode cannot hold goes without it."""
    parameters = rename(clean(tool.parameters), ANTHROPIC)
    envelope = {"name": alias(tool.name, ANTHROPIC.tool), "description": tool.description}
    if strict:
        try:
            return {
                **envelope,
                "strict": True,
                "input_schema": _write_strict(canonical(parameters)),
            }
        except Inexpressible:
            pass
    return {**envelope, "input_schema": close_objects(without_root_unions(parameters))}


def _write_strict(node: Schema) -> Schema:
    lost = omit(node, "anyOf", "type", "description", "nullable")
    if "anyOf" in node:
        branches = [_write_strict(branch) for branch in node["anyOf"]]
        if node.get("nullable"):
            branches.append(dict(_NULL))
        written: Schema = {"anyOf": branches}
    else:
        written = _write_type(node, lost)
    description = with_braces(node.get("description"), lost)
    if description:
        written["description"] = description
    if node.get("nullable") and "anyOf" not in written:
        return {"anyOf": [written, dict(_NULL)]}
    return written


def _write_type(node: Schema, lost: Schema) -> Schema:
    """What strict mode can say of a node with one type; what it says is taken out of `lost`."""
    written: Schema = {"type": node["type"]}
    if node["type"] == ANY:
        raise Inexpressible
    if "enum" in node:
        written = {"enum": lost.pop("enum")}  # the values tell the type
    elif "const" in node:
        written["const"] = lost.pop("const")
    if node["type"] == "object":
        is_open = node.get("additionalProperties", False) is not False
        if is_open or "properties" not in node:
            raise Inexpressible
        properties = lost.pop("properties")
        written["properties"] = {name: _write_strict(part) for name, part in properties.items()}
        written["additionalProperties"] = False
        written["required"] = lost.pop("required", [])
    if "items" in node:
        written["items"] = _write_strict(lost.pop("items"))
    elif node["type"] == "array":
        raise Inexpressible
    if node.get("minItems") in (0, 1):
        written["minItems"] = lost.pop("minItems")
    if node["type"] == "string" and node.get("format") in _FORMATS:
        written["format"] = lost.pop("format")
    return written
