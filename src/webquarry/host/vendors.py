"""Tools in the forms of vendors (Anthropic, OpenAI, Gemini, MCP) and the names that they accept.

A keyword that a form does not support moves into the description of its property. The strict form
of OpenAI, with which valid arguments are guaranteed, is used where it can express the schema. The
alias of a name depends on the name only, so that nothing is stored between an export and a call.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from webquarry.host.models import JsonObject, Schema, ToolSchema
from webquarry.host.schema import clean, close_objects, map_children


@dataclass(frozen=True)
class NameRules:
    """Patterns of the names of tools and parameters; None accepts all names."""

    tool: re.Pattern[str]
    parameter: re.Pattern[str] | None = None


ANTHROPIC = NameRules(re.compile(r"[A-Za-z0-9_-]{1,64}"), re.compile(r"[A-Za-z0-9_.-]{1,64}"))
OPENAI = NameRules(re.compile(r"[A-Za-z0-9_-]{1,64}"))
GEMINI = NameRules(
    re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}"), re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
)
MCP = NameRules(re.compile(r"[A-Za-z0-9_.-]{1,128}"))
ALL_RULES = (ANTHROPIC, OPENAI, GEMINI, MCP)


def alias(name: str, rule: re.Pattern[str] | None) -> str:
    """Return the name if it is accepted, else a readable one with a hash of the name."""
    if rule is None or rule.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:50]
    if not plain[:1].isalpha():
        plain = f"_{plain}"
    return f"{plain}_{digest}"


def is_name_of(tool: str, name: str) -> bool:
    """Return whether `name` is the name of a tool or an alias of it."""
    return name == tool or any(alias(tool, rules.tool) == name for rules in ALL_RULES)


def rename(schema: Schema, rules: NameRules) -> Schema:
    """Return the schema with the vendor's names of all parameters."""
    renamed = map_children(schema, lambda part: rename(part, rules))
    if "properties" in renamed:
        parts = renamed["properties"].items()
        renamed["properties"] = {alias(name, rules.parameter): part for name, part in parts}
    if "required" in renamed:
        renamed["required"] = [alias(name, rules.parameter) for name in renamed["required"]]
    return renamed


def restore(value: Any, schema: Any) -> Any:
    """Return arguments with the tool's own names in place of any vendor's aliases. A name that is
    given in both forms is not changed.
    """
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        return [restore(part, schema.get("items")) for part in value]
    properties = schema.get("properties")
    if not isinstance(value, Mapping) or not isinstance(properties, dict):
        return value
    own_names = {alias(name, rules.parameter): name for name in properties for rules in ALL_RULES}
    own_names |= {name: name for name in properties}
    restored = {}
    for sent, part in value.items():
        name = own_names.get(sent, sent)
        if name in value:
            name = sent
        restored[name] = restore(part, properties.get(name))
    return restored


_OPENAI_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_OPENAI_KEYWORDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern",
    "minItems", "maxItems",
)  # fmt: skip
# Keywords that Gemini accepts as JSON Schema and ignores.
_GEMINI_IGNORED = ("exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_MAX_LEVELS = 10  # of a strict schema of OpenAI


class _Inexpressible(Exception):
    """The strict form cannot express a schema."""


def to_anthropic(tool: ToolSchema) -> JsonObject:
    """Return the tool for Anthropic's Messages API."""
    schema = close_objects(rename(clean(tool.parameters), ANTHROPIC))
    name = alias(tool.name, ANTHROPIC.tool)
    return {"name": name, "description": tool.description, "input_schema": schema}


def to_responses(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """Return the tool for OpenAI's Responses API."""
    return {"type": "function", **_describe_openai(tool, strict)}


def to_chat(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """Return the tool for OpenAI's Chat Completions API."""
    return {"type": "function", "function": _describe_openai(tool, strict)}


def to_gemini(tools: Sequence[ToolSchema]) -> JsonObject:
    """Return one tool object of Gemini with a declaration for each tool."""
    declarations = []
    for tool in tools:
        name = alias(tool.name, GEMINI.tool)
        declaration: JsonObject = {"name": name, "description": tool.description}
        parameters = rename(clean(tool.parameters), GEMINI)
        if parameters.get("properties") or parameters.get("additionalProperties"):
            declaration["parametersJsonSchema"] = _write_gemini(parameters)
        declarations.append(declaration)
    return {"functionDeclarations": declarations}


def to_mcp(tool: ToolSchema) -> JsonObject:
    """Return the tool as an MCP server lists it, with its own schema."""
    schema = copy.deepcopy(tool.parameters)
    schema.pop("$schema", None)
    name = alias(tool.name, MCP.tool)
    return {"name": name, "description": tool.description, "inputSchema": schema}


def _describe_openai(tool: ToolSchema, strict: bool) -> JsonObject:
    # `strict` is always given, since the two APIs have different defaults.
    parameters = rename(clean(tool.parameters), OPENAI)
    described = {"name": alias(tool.name, OPENAI.tool), "description": tool.description}
    if strict:
        with suppress(_Inexpressible):
            return {**described, "parameters": _write_strict(parameters), "strict": True}
    return {**described, "parameters": close_objects(_add_items(parameters)), "strict": False}


def _add_items(schema: Schema) -> Schema:
    """Add items to arrays without them, which OpenAI refuses."""
    filled = map_children(schema, _add_items)
    if filled.get("type") == "array":
        filled.setdefault("items", {})
    return filled


def _write_strict(node: Schema, optional: bool = False, level: int = 1) -> Schema:
    """Write a schema in OpenAI's strict form, in which optional properties may be null."""
    if level > _MAX_LEVELS:
        raise _Inexpressible
    lost = dict(node)
    kind = _take(lost, "type")
    written: Schema = {"type": [kind, "null"] if optional else kind}
    if "enum" in lost:
        written["enum"] = lost.pop("enum") + [None] * optional
    if kind == "object":
        properties = _take(lost, "properties")
        required = lost.pop("required", [])
        written["properties"] = {
            name: _write_strict(part, name not in required, level + 1)
            for name, part in properties.items()
        }
        written["required"] = list(properties)
        written["additionalProperties"] = False
    elif kind == "array":
        written["items"] = _write_strict(_take(lost, "items"), level=level + 1)
    if lost.get("format") in _OPENAI_FORMATS and kind == "string":
        written["format"] = lost.pop("format")
    for word in _OPENAI_KEYWORDS:
        if word in lost:
            written[word] = lost.pop(word)
    return _describe_lost(written, lost)


def _take(node: Schema, word: str) -> Any:
    """Remove and return a keyword that the strict form requires."""
    if word not in node or (word == "properties" and node.get("additionalProperties")):
        raise _Inexpressible
    return node.pop(word)


def _write_gemini(schema: Schema) -> Schema:
    node = map_children(schema, _write_gemini)
    if "const" in node:
        node["enum"] = [node.pop("const")]
    lost = {word: node[word] for word in ("description", *_GEMINI_IGNORED) if word in node}
    return _describe_lost(node, lost)


def _describe_lost(schema: Schema, lost: Schema) -> Schema:
    """Return the schema with a description that names the keywords that it lost."""
    description = lost.pop("description", "")
    lost.pop("additionalProperties", None)
    words = [
        f"{word}: {json.dumps(value, ensure_ascii=False)}"
        for word, value in lost.items()
        if value is not None
    ]
    if words:
        description = f"{description} ({'; '.join(words)})".strip()
    return {**schema, "description": description} if description else schema
