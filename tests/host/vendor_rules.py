"""What each vendor accepts as a tool, as checks that fail with the place and the rule.

Written from the vendors' rules, independently of the translation.
"""

from __future__ import annotations

import json
import re
from typing import Any

OPENAI_FORMATS = {
    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
}  # fmt: skip
NOISE = {"$schema", "$id", "$comment", "examples", "title"}
TYPES = {"string", "integer", "number", "boolean", "array", "object"}
GEMINI_DROPPED = {
    "if",
    "then",
    "else",
    "not",
    "patternProperties",
    "prefixItems",
    "contains",
    "const",
    "allOf",
} | NOISE
STRICT_KEYS = {
    "type", "description", "enum", "properties", "required", "additionalProperties", "items",
    "format", "pattern", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf",
}  # fmt: skip


def check_anthropic(tool: dict[str, Any]) -> None:
    assert set(tool) == {"name", "description", "input_schema"}
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
    root = tool["input_schema"]
    assert root["type"] == "object"
    assert isinstance(root["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf"} & set(root)
    _walk(root, "$", _normal_anthropic)


def _normal_anthropic(node: dict[str, Any], place: str) -> None:
    assert not NOISE & set(node), place
    _check_names(node, place, r"[A-Za-z0-9_.-]{1,64}")
    if node.get("type") == "object" and "properties" in node:
        assert "additionalProperties" in node, place


def check_openai(function: dict[str, Any]) -> None:
    assert set(function) == {"name", "description", "parameters", "strict"}
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", function["name"])
    root = function["parameters"]
    assert root["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "not", "enum"} & set(root)
    _walk(root, "$", _strict_openai if function["strict"] else _normal_openai)


def _normal_openai(node: dict[str, Any], place: str) -> None:
    assert not NOISE & set(node), place
    if node.get("type") == "object" and "properties" in node:
        assert "additionalProperties" in node, place
    if node.get("type") == "array":
        assert "items" in node, place


def _strict_openai(node: dict[str, Any], place: str) -> None:
    assert set(node) <= STRICT_KEYS, place
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    assert set(kinds) <= TYPES | {"null"}, place
    if "object" in kinds:
        assert node["additionalProperties"] is False, place
        assert node["required"] == list(node["properties"]), place
    if "array" in kinds:
        assert "items" in node, place
    if "null" in kinds and "enum" in node:
        assert None in node["enum"], place
    assert node.get("format", "date") in OPENAI_FORMATS, place


def check_gemini(declaration: dict[str, Any]) -> None:
    assert set(declaration) <= {"name", "description", "parametersJsonSchema"}
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}", declaration["name"])
    if "parametersJsonSchema" in declaration:
        assert declaration["parametersJsonSchema"]["type"] == "object"
        _walk(declaration["parametersJsonSchema"], "$", _gemini_json)


def _gemini_json(node: dict[str, Any], place: str) -> None:
    assert not GEMINI_DROPPED & set(node), place
    assert not [word for word in node if word.startswith("dependent")], place
    _check_names(node, place, r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def check_mcp(tool: dict[str, Any]) -> None:
    assert set(tool) == {"name", "description", "inputSchema"}
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", tool["name"])
    assert tool["inputSchema"]["type"] == "object"
    assert isinstance(tool["inputSchema"]["properties"], dict)


def _check_names(node: dict[str, Any], place: str, pattern: str) -> None:
    for name in [*node.get("properties", {}), *node.get("required", [])]:
        assert re.fullmatch(pattern, name), f"{place}: {name!r}"


def _walk(node: dict[str, Any], place: str, check: Any) -> None:
    """Visit every schema below, in the places where JSON Schema has schemas."""
    json.dumps(node, allow_nan=False).encode()
    assert isinstance(node.get("description", ""), str), place
    check(node, place)
    for name, part in node.get("properties", {}).items():
        _walk(part, f"{place}.{name}", check)
    if isinstance(node.get("items"), dict):
        _walk(node["items"], f"{place}.items", check)
