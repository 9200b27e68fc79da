"""Tools in the forms of vendors (Anthropic, OpenAI, Gemini, MCP) and the names that they accept.

A keyword that a form does not support moves into the description of its property. Strict forms,
with which a vendor guarantees valid arguments, are used where they can express the schema. The
alias of a name depends on the name only, so that nothing is stored between an export and a call.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from webquarry.host.models import JsonObject, Schema, ToolSchema
from webquarry.host.schema import clean, map_children


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


GeminiForm = Literal["json_schema", "legacy"]

_ANTHROPIC_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
_OPENAI_FORMATS = _ANTHROPIC_FORMATS - {"uri"}
_OPENAI_KEYWORDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern",
    "minItems", "maxItems",
)  # fmt: skip
# Limits of OpenAI for one strict schema.
_MAX_PROPERTIES = 5000
_MAX_LEVELS = 10
_MAX_VALUES = 1000
_MAX_CHARACTERS = 120_000
# Keywords that Gemini accepts as JSON Schema and ignores.
_GEMINI_IGNORED = ("exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LEGACY_KEYWORDS = (
    "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems",
)  # fmt: skip
_LEGACY_FORMATS = {
    "string": ("date-time",), "integer": ("int32", "int64"), "number": ("float", "double"),
}  # fmt: skip
_PHRASES = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "exclusiveMinimum": "greater than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "default": "default {}",
    "const": "always {}",
}
_UNSAID = ("uniqueItems", "additionalProperties")


class _Inexpressible(Exception):
    """The strict form cannot express a schema."""


def to_anthropic(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """Return the tool for Anthropic's Messages API."""
    parameters = rename(clean(tool.parameters), ANTHROPIC)
    described = {"name": alias(tool.name, ANTHROPIC.tool), "description": tool.description}
    if strict:
        with suppress(_Inexpressible):
            written = _write_anthropic_strict(parameters)
            return {**described, "strict": True, "input_schema": written}
    return {**described, "input_schema": _close_objects(parameters)}


def to_responses(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """Return the tool for OpenAI's Responses API."""
    return {"type": "function", **_describe_openai(tool, strict)}


def to_chat(tool: ToolSchema, strict: bool = False) -> JsonObject:
    """Return the tool for OpenAI's Chat Completions API."""
    return {"type": "function", "function": _describe_openai(tool, strict)}


def to_gemini(tools: Sequence[ToolSchema], form: GeminiForm = "json_schema") -> JsonObject:
    """Return one tool object of Gemini with a declaration for each tool."""
    declarations = []
    for tool in tools:
        name = alias(tool.name, GEMINI.tool)
        declaration: JsonObject = {"name": name, "description": tool.description}
        declarations.append(declaration)
        parameters = rename(clean(tool.parameters), GEMINI)
        if form == "json_schema":
            if parameters.get("properties") or parameters.get("additionalProperties"):
                declaration["parametersJsonSchema"] = _write_gemini(parameters)
        elif parameters.get("properties"):  # an object without properties is refused
            declaration["parameters"] = _write_legacy(parameters)
    return {"functionDeclarations": declarations}


def to_mcp(tool: ToolSchema) -> JsonObject:
    """Return the tool as an MCP server lists it, with its own schema."""
    schema = copy.deepcopy(tool.parameters)
    schema.pop("$schema", None)
    return {
        "name": alias(tool.name, MCP.tool),
        "description": tool.description,
        "inputSchema": schema,
    }


def _close_objects(schema: Schema) -> Schema:
    """Refuse unknown properties of objects that list their properties."""
    closed = map_children(schema, _close_objects)
    if closed.get("type") == "object" and "properties" in closed:
        closed.setdefault("additionalProperties", False)
    return closed


def _write_anthropic_strict(node: Schema) -> Schema:
    lost = dict(node)
    lost.pop("description", None)
    kind = _take(lost, "type")
    written: Schema = {"type": kind}
    if "enum" in lost:
        written = {"enum": lost.pop("enum")}
    elif "const" in lost:
        written["const"] = lost.pop("const")
    if kind == "object":
        parts = _take(lost, "properties").items()
        written["properties"] = {name: _write_anthropic_strict(part) for name, part in parts}
        written["additionalProperties"] = False
        written["required"] = lost.pop("required", [])
    if kind == "array":
        written["items"] = _write_anthropic_strict(_take(lost, "items"))
    if lost.get("minItems") in (0, 1):
        written["minItems"] = lost.pop("minItems")
    if lost.get("format") in _ANTHROPIC_FORMATS and kind == "string":
        written["format"] = lost.pop("format")
    lost.pop("additionalProperties", None)
    notes = [f"{word}: {value}" for word, value in lost.items() if value is not None]
    text = node.get("description")
    if notes:
        braces = "{" + ", ".join(notes) + "}"
        text = f"{text}\n\n{braces}" if text else braces
    return _with_description(written, text)


def _describe_openai(tool: ToolSchema, strict: bool) -> JsonObject:
    # `strict` is always given, since the two APIs have different defaults.
    parameters = rename(clean(tool.parameters), OPENAI)
    described = {"name": alias(tool.name, OPENAI.tool), "description": tool.description}
    if strict:
        with suppress(_Inexpressible):
            written = _write_openai_strict(parameters)
            _check_size(written)
            return {**described, "parameters": written, "strict": True}
    return {**described, "parameters": _close_objects(_add_items(parameters)), "strict": False}


def _add_items(schema: Schema) -> Schema:
    """Add items to arrays without them, which OpenAI refuses."""
    filled = map_children(schema, _add_items)
    if filled.get("type") == "array":
        filled.setdefault("items", {})
    return filled


def _write_openai_strict(node: Schema, optional: bool = False) -> Schema:
    lost = dict(node)
    lost.pop("description", None)
    kind = _take(lost, "type")
    written: Schema = {"type": [kind, "null"] if optional else kind}
    if "enum" in lost:
        written["enum"] = [*lost.pop("enum"), None] if optional else lost.pop("enum")
    elif "const" in lost and optional:
        written["enum"] = [lost.pop("const"), None]
    elif "const" in lost:
        written["const"] = lost.pop("const")
    if kind == "object":
        properties = _take(lost, "properties")
        required = lost.pop("required", [])
        # All properties are required; optional ones may be null.
        written["properties"] = {
            name: _write_openai_strict(part, name not in required)
            for name, part in properties.items()
        }
        written["required"] = list(properties)
        written["additionalProperties"] = False
    elif kind == "array":
        written["items"] = _write_openai_strict(_take(lost, "items"))
    if kind == "string" and lost.get("format") in _OPENAI_FORMATS:
        written["format"] = lost.pop("format")
    for word in _OPENAI_KEYWORDS:
        if word in lost:
            written[word] = lost.pop(word)
    return _with_description(written, _add_words(node.get("description"), lost))


def _take(node: Schema, word: str) -> Any:
    """Remove and return a keyword that the strict form requires."""
    if word not in node or (word == "properties" and node.get("additionalProperties")):
        raise _Inexpressible
    return node.pop(word)


def _check_size(schema: Schema) -> None:
    """Raise _Inexpressible for a schema that OpenAI refuses as too large."""
    nodes = list(_walk(schema, 1))
    names = [name for node, _ in nodes for name in node.get("properties", {})]
    values = [str(value) for node, _ in nodes for value in node.get("enum", [])]
    if len(names) > _MAX_PROPERTIES or max(level for _, level in nodes) > _MAX_LEVELS:
        raise _Inexpressible
    if len(values) > _MAX_VALUES or sum(map(len, names + values)) > _MAX_CHARACTERS:
        raise _Inexpressible


def _walk(node: Schema, level: int) -> Iterator[tuple[Schema, int]]:
    """Yield all nodes of a strict schema with their levels."""
    yield node, level
    for child in [*node.get("properties", {}).values(), *filter(None, [node.get("items")])]:
        yield from _walk(child, level + 1)


def _write_gemini(schema: Schema) -> Schema:
    node = map_children(schema, _write_gemini)
    if "const" in node:
        node["enum"] = [node.pop("const")]
    ignored = {word: value for word, value in node.items() if word in _GEMINI_IGNORED}
    return _with_description(node, _add_words(node.get("description"), ignored))


def _write_legacy(node: Schema) -> Schema:
    """Write a schema in Gemini's subset of OpenAPI 3.0."""
    description = node.get("description")
    kind = node["type"]
    lost = {word: value for word, value in node.items() if word not in ("type", "description")}
    written: Schema = {"type": kind.upper()}
    further = []
    if kind == "object":
        properties = lost.pop("properties", {})
        if not properties:
            words = _add_words(description, {}, "a JSON object, as text")
            return {"type": "STRING", "description": words}
        written["properties"] = {name: _write_legacy(part) for name, part in properties.items()}
        required = lost.pop("required", [])
        if required:
            written["required"] = required
        if lost.pop("additionalProperties", False) is not False:
            further.append("further fields are allowed")
    elif kind == "array":
        items = lost.pop("items", {})
        written["items"] = _write_legacy(items) if items else {"type": "STRING"}
    word = "enum" if "enum" in lost else "const"
    values = lost.get("enum", [lost.get("const")])
    if word in lost and all(isinstance(value, str) and value for value in values):
        del lost[word]
        written |= {"format": "enum", "enum": values}
    elif lost.get("format") in _LEGACY_FORMATS.get(kind, ()):
        written["format"] = lost.pop("format")
    for word in _LEGACY_KEYWORDS:
        if word in lost:
            written[word] = lost.pop(word)
    return _with_description(written, _add_words(description, lost, *further))


def _with_description(schema: Schema, description: str | None) -> Schema:
    return {**schema, "description": description} if description else schema


def _add_words(description: str | None, lost: Mapping[str, Any], *further: str) -> str | None:
    """Return a description with unsupported keywords in words."""
    lost = {word: value for word, value in lost.items() if word not in _UNSAID}
    words = []
    if "minLength" in lost and "maxLength" in lost:
        words.append(f"{lost.pop('minLength')}-{lost.pop('maxLength')} characters")
    for word, value in lost.items():
        if word == "default" and value is None:
            continue
        if word == "format":
            words.append("YYYY-MM-DD" if value == "date" else f"format {value}")
        elif word == "enum":
            words.append(f"one of {', '.join(map(_write_json, value))}")
        else:
            words.append(_PHRASES.get(word, f"{word} {{}}").format(_write_json(value)))
    note = "; ".join([*words, *further])
    if note and description:
        return f"{description} ({note})"
    return note or description


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
