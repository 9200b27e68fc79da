"""JSON Schemas of the arguments and answers of tools, built from type hints, and the validation of
arguments against them.

The types are those of JSON: str, int, float, bool, list, dict, `Literal`, unions, structs of
msgspec, and `Annotated` with `msgspec.Meta` for descriptions and limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

Schema = dict[str, Any]

# In `Meta.extra`: limits that are validated but not listed, since a model pays for the schema on
# every turn and rarely exceeds them.
UNLISTED: dict[str, Any] = {"unlisted": True}

_MOST_PROBLEMS = 5  # in an error message
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list,
    "object": dict, "null": NoneType,
}  # fmt: skip
_TYPE_NAMES = {"array": "list", "object": "dictionary"}
_NULL: Schema = {"type": "null"}
# The keywords of listed schemas in their order.
_KEYWORDS = (
    "type", "format", "enum", "items", "properties", "required", "description", "default",
    "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum",
)  # fmt: skip


def build_schema(hint: Any, *, by_alias: bool = True) -> Schema:
    """Return the JSON Schema of a type, with all limits and without references.

    Fields of structs have the names of JSON, or those of Python unless `by_alias`.
    """
    build = partial(build_schema, by_alias=by_alias)
    origin, parameters = get_origin(hint), get_args(hint)
    if origin is Annotated:
        schema = build(parameters[0])
        for annotation in parameters[1:]:
            if isinstance(annotation, msgspec.Meta):
                schema = _annotate(schema, annotation)
        return schema
    if origin in (Union, UnionType):
        return {"anyOf": [build(option) for option in parameters]}
    if origin is Literal and len(parameters) == 1:
        return {"const": parameters[0]}
    if origin is Literal:
        return {"type": _TYPES[type(parameters[0])], "enum": list(parameters)}
    if origin in (list, tuple):
        return {"type": "array", "items": build(parameters[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": build(parameters[1]) or True}
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return build_object(hint, by_alias=by_alias)
    if hint in _TYPES:
        return {"type": _TYPES[hint]}
    return {}


@cache
def build_object(struct: type[msgspec.Struct], *, by_alias: bool = True) -> Schema:
    """Return the JSON Schema of a struct as it is serialized."""
    hints = get_type_hints(struct, include_extras=True)
    properties = {}
    required = []
    for field in msgspec.structs.fields(struct):
        name = field.encode_name if by_alias else field.name
        properties[name] = build_schema(hints[field.name], by_alias=by_alias)
        if field.required:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}


def list_schema(schema: Schema) -> Schema:
    """Return the form of a schema that is listed: flat, without null and unlisted limits."""
    schema = _drop_null(schema)
    listed: Schema = {}
    for keyword in _KEYWORDS:
        value = schema.get(keyword)
        if value is None or keyword in schema.get("unlisted", ()):
            continue
        if keyword == "items":
            value = list_schema(value)
        elif keyword == "properties":
            value = {name: list_schema(part) for name, part in value.items()}
        listed[keyword] = value
    return listed


def check_arguments(arguments: Mapping[str, Any], schema: Schema) -> str:
    """Return a sentence for each problem, which names the field but not the value; empty if the
    arguments fit.
    """
    properties = schema["properties"]
    sentences = []
    for name in schema["required"]:
        if name not in arguments:
            sentences.append(f"The field {name!r} is missing.")
    for name in arguments:
        if name not in properties:
            sentences.append(f"The field {name!r} is unknown; known are: {', '.join(properties)}.")
    for name, part in properties.items():
        if name not in arguments:
            continue
        reasons: dict[str, list[str]] = {}
        for place, reason in _find_problems(arguments[name], part, name):
            reasons.setdefault(place, []).append(reason)
        for place, several in reasons.items():
            sentences.append(f"The field {place!r} does not fit: {', or '.join(several)}.")
    more = len(sentences) - _MOST_PROBLEMS
    if more > 0:
        sentences[_MOST_PROBLEMS:] = [f"There are {more} more such problems."]
    return " ".join(sentences)


def _annotate(schema: Schema, meta: msgspec.Meta) -> Schema:
    """Add the limits and the description of an annotation."""
    unit = "Items" if schema.get("type") == "array" else "Length"
    limits: Schema = {
        "minimum": meta.ge, "maximum": meta.le,
        f"min{unit}": meta.min_length, f"max{unit}": meta.max_length,
    }  # fmt: skip
    added: Schema = {}
    for keyword, limit in limits.items():
        if limit is not None:
            added[keyword] = limit
    if meta.extra == UNLISTED:
        added["unlisted"] = list(added)
    annotated: Schema = schema | added
    if "anyOf" in schema:  # a limit concerns the value that is not null
        options = [option | added for option in schema["anyOf"] if option != _NULL]
        annotated = {"anyOf": [*options, _NULL]}
    if meta.description is not None:
        annotated["description"] = meta.description
    return annotated | (meta.extra_json_schema or {})


def _drop_null(schema: Schema) -> Schema:
    """Return the one option of a schema that is not null, with the keywords of the schema."""
    options = [option for option in schema.get("anyOf", ()) if option != _NULL]
    if len(options) == 1:
        return {**options[0], **schema}
    return schema


def _find_problems(value: Any, schema: Schema, place: str) -> Iterator[tuple[str, str]]:
    """Yield the path of each part that does not fit, with the reason."""
    if "anyOf" in schema:
        problems = []
        for option in schema["anyOf"]:
            found = list(_find_problems(value, option, place))
            if not found:
                return
            if option != _NULL:
                problems += found
        yield from problems
        return
    kind = schema.get("type")
    if kind is None:
        return
    if "enum" in schema:
        if value not in schema["enum"]:
            *names, last = map(repr, schema["enum"])
            choices = f"{', '.join(names)} or {last}" if names else last
            yield place, f"input should be {choices}"
        return
    is_boolean = isinstance(value, bool) and kind in ("integer", "number")
    if is_boolean or not isinstance(value, _PYTHON_TYPES[kind]):
        yield place, f"input should be a valid {_TYPE_NAMES.get(kind, kind)}"
        return
    reason = _find_limit(value, schema)
    if reason:
        yield place, reason
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _find_problems(part, schema["items"], f"{place}.{number}")


def _find_limit(value: Any, schema: Schema) -> str | None:
    """Return the limit that a value exceeds, if there is one."""
    if "minimum" in schema and value < schema["minimum"]:
        return f"input should be greater than or equal to {schema['minimum']}"
    if "maximum" in schema and value > schema["maximum"]:
        return f"input should be less than or equal to {schema['maximum']}"
    for unit, name, noun in (("Length", "string", "character"), ("Items", "list", "item")):
        least, most = schema.get(f"min{unit}"), schema.get(f"max{unit}")
        if least is not None and len(value) < least:
            return f"{name} should have at least {least} {noun}{'s' * (least != 1)}"
        if most is not None and len(value) > most:
            return f"{name} should have at most {most} {noun}{'s' * (most != 1)}"
    has_length = isinstance(value, str) and ("minLength" in schema or "maxLength" in schema)
    if has_length and any("\ud800" <= character <= "\udfff" for character in value):
        return "input should be a valid string, unable to parse raw data as a unicode string"
    return None
