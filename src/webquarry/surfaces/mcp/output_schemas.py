"""The output schema of a tool as `tools/list` shows it: every client gets it at its start, so it
says what an answer has, and of which type, and what its parts have, in as few bytes as that takes.

    slim_schema(tool.output_schema)

Whatever fits the whole schema fits the slim one. A definition stands where it is used; below the
parts of an answer there are objects and lists without more; what a part must have, descriptions
and defaults are left out.
"""

from __future__ import annotations

from typing import Any

_LEVELS = 2  # of objects that are shown: an answer, and its parts
_LEFT_OUT = ("$defs", "default", "description", "format", "title")
_SCALARS = ("boolean", "integer", "number", "string")
_CHOICES = ("anyOf", "oneOf", "allOf")

Schema = dict[str, Any]


def slim_schema(schema: Schema) -> Schema:
    """A schema that says the same of the first levels, without references."""
    slim = _slim(schema, schema.get("$defs", {}), 0)
    if "required" in schema:
        slim["required"] = schema["required"]
    return slim


def _slim(schema: Schema, definitions: dict[str, Schema], level: int) -> Schema:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return _slim(definitions[name], definitions, level)
    kept = {name: value for name, value in schema.items() if name not in _LEFT_OUT}
    if "enum" in kept or "const" in kept:
        kept.pop("type", None)  # the values say it
    if level == _LEVELS and isinstance(kept.get("type"), str) and kept["type"] in _SCALARS:
        return {}  # the name says enough
    kept.pop("required", None)
    properties = kept.pop("properties", None)
    if properties is not None and level < _LEVELS:
        inner = level + 1
        kept["properties"] = {
            name: _slim(part, definitions, inner) for name, part in properties.items()
        }
    for keyword in ("items", "additionalProperties"):
        part = kept.pop(keyword, None)
        if part is False:
            kept[keyword] = part
        elif isinstance(part, dict):
            slim = _slim(part, definitions, level)
            if slim:
                kept[keyword] = slim
    for keyword in _CHOICES:
        if keyword in kept:
            kept[keyword] = [_slim(choice, definitions, level) for choice in kept[keyword]]
    return kept
