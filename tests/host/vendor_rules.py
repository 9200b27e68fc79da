"""What each vendor accepts as a tool, as checks that fail with the place and the rule.

Written from the vendors' rules, independently of the translation.
"""

from __future__ import annotations

import json
import re
from typing import Any

ANTHROPIC_FORMATS = {
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
}
OPENAI_FORMATS = ANTHROPIC_FORMATS - {"uri"}
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
LEGACY_KEYS = {
    *(
        "type",
        "format",
        "description",
        "nullable",
        "enum",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
    ),
    *(
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
        "anyOf",
        "minimum",
        "maximum",
    ),
}
STRICT_ANTHROPIC_KEYS = {
    *(
        "type",
        "description",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
    ),
    *("format", "minItems"),
}
STRICT_OPENAI_KEYS = {
    *(
        "type",
        "description",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
    ),
    *(
        "format",
        "pattern",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
    ),
    "multipleOf",
}


def check_anthropic(tool: dict[str, Any]) -> None:
    assert set(tool) <= {"name", "description", "input_schema", "strict"}
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
    root = tool["input_schema"]
    assert root["type"] == "object"
    assert isinstance(root["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf"} & set(root)
    _walk(root, "$", _strict_anthropic if tool.get("strict") else _normal_anthropic)


def _normal_anthropic(node: dict[str, Any], place: str) -> None:
    assert not NOISE & set(node), place
    _check_names(node, place, r"[A-Za-z0-9_.-]{1,64}")
    if node.get("type") == "object" and "properties" in node:
        assert "additionalProperties" in node, place


def _strict_anthropic(node: dict[str, Any], place: str) -> None:
    assert set(node) <= STRICT_ANTHROPIC_KEYS, place
    _check_names(node, place, r"[A-Za-z0-9_.-]{1,64}")
    assert node.get("type", "string") in TYPES | {"null"}, place
    assert {"type", "anyOf", "enum"} & set(node), place
    if node.get("type") == "object":
        assert node["additionalProperties"] is False, place
        assert set(node["required"]) <= set(node["properties"]), place
    if node.get("type") == "array":
        assert "items" in node, place
    assert node.get("format", "date") in ANTHROPIC_FORMATS, place
    assert node.get("minItems", 0) in (0, 1), place


def check_openai(function: dict[str, Any]) -> None:
    assert set(function) == {"name", "description", "parameters", "strict"}
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", function["name"])
    root = function["parameters"]
    assert root["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "not", "enum"} & set(root)
    _walk(root, "$", _strict_openai if function["strict"] else _normal_openai)
    if function["strict"]:
        sizes = _sizes(root, 1)
        assert sizes["levels"] <= 10
        assert sizes["properties"] <= 5000
        assert sizes["values"] <= 1000


def _normal_openai(node: dict[str, Any], place: str) -> None:
    assert not NOISE & set(node), place
    if node.get("type") == "object" and "properties" in node:
        assert "additionalProperties" in node, place
    if node.get("type") == "array":
        assert "items" in node, place


def _strict_openai(node: dict[str, Any], place: str) -> None:
    assert set(node) <= STRICT_OPENAI_KEYS, place
    assert {"type", "anyOf"} & set(node), place
    kinds = (
        node["type"]
        if isinstance(node.get("type"), list)
        else [node["type"]]
        if "type" in node
        else []
    )
    assert set(kinds) <= TYPES | {"null"}, place
    if "object" in kinds:
        assert node["additionalProperties"] is False, place
        assert node["required"] == list(node["properties"]), place
    if "array" in kinds:
        assert "items" in node, place
    if "null" in kinds and "enum" in node:
        assert None in node["enum"], place
    assert node.get("format", "date") in OPENAI_FORMATS, place


def _sizes(node: dict[str, Any], level: int) -> dict[str, int]:
    found = {
        "levels": level,
        "properties": len(node.get("properties", {})),
        "values": len(node.get("enum", [])),
    }
    below = [*node.get("properties", {}).values(), *node.get("anyOf", [])] + [
        node[k] for k in ("items",) if k in node
    ]
    for child in below:
        sizes = _sizes(child, level + 1)
        found["levels"] = max(found["levels"], sizes["levels"])
        found["properties"] += sizes["properties"]
        found["values"] += sizes["values"]
    return found


def check_gemini(declaration: dict[str, Any]) -> None:
    assert set(declaration) <= {"name", "description", "parameters", "parametersJsonSchema"}
    assert not {"parameters", "parametersJsonSchema"} <= set(declaration)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}", declaration["name"])
    if "parametersJsonSchema" in declaration:
        assert declaration["parametersJsonSchema"]["type"] == "object"
        _walk(declaration["parametersJsonSchema"], "$", _gemini_json)
    if "parameters" in declaration:
        assert declaration["parameters"]["type"] == "OBJECT"
        _walk(declaration["parameters"], "$", _gemini_legacy)


def _gemini_json(node: dict[str, Any], place: str) -> None:
    assert not GEMINI_DROPPED & set(node), place
    assert not [word for word in node if word.startswith("dependent")], place
    _check_names(node, place, r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def _gemini_legacy(node: dict[str, Any], place: str) -> None:
    assert set(node) <= LEGACY_KEYS, place
    _check_names(node, place, r"[A-Za-z_][A-Za-z0-9_]{0,63}")
    if "anyOf" in node:
        assert set(node) == {"anyOf"}, place
        return
    assert node["type"] in {kind.upper() for kind in TYPES}, place
    if node["type"] == "OBJECT":
        assert node["properties"], place
        assert set(node.get("required", [])) <= set(node["properties"]), place
    if node["type"] == "ARRAY":
        assert "items" in node, place
    if "enum" in node:
        assert node["type"] == "STRING", place
        assert all(isinstance(value, str) and value for value in node["enum"]), place
    formats = {
        "STRING": {"enum", "date-time"},
        "INTEGER": {"int32", "int64"},
        "NUMBER": {"float", "double"},
    }
    assert "format" not in node or node["format"] in formats.get(node["type"], set()), place
    assert ("enum" in node) == (node.get("format") == "enum"), place


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
    for index, part in enumerate(node.get("anyOf", [])):
        _walk(part, f"{place}.anyOf[{index}]", check)
    if isinstance(node.get("items"), dict):
        _walk(node["items"], f"{place}.items", check)
