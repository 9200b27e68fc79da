"""Arguments of tools: validation against the schema, and conversion of texts to its types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from webquarry.errors import BadInput
from webquarry.host.environment import escape_unprintable
from webquarry.host.keywords import clean, fits_type, map_children, type_of, with_article
from webquarry.host.models import TYPES, JsonObject, Schema
from webquarry.host.strict_json import NotJson, parse_json

if TYPE_CHECKING:
    from jsonschema import ValidationError

_MOST_PROBLEMS = 5
_PROBLEMS = {
    "enum": "must be one of {}",
    "const": "must be {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "uniqueItems": "must not hold the same item twice",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be above {}",
    "exclusiveMaximum": "must be below {}",
    "multipleOf": "must be a multiple of {}",
}


def check_arguments(name: str, arguments: Any, parameters: Schema) -> JsonObject:
    """Return a copy of the arguments for the tool `name`, without nulls and with whole numbers as
    integers. Raises BadInput that names each place that does not fit.
    """
    if not isinstance(arguments, Mapping):
        raise BadInput(f"The arguments of {name} must be a JSON object, not {type_of(arguments)}.")
    try:
        plain = parse_json(encode(dict(arguments)))
    except NotJson as error:
        raise BadInput(f"The arguments of {name} cannot be sent: the JSON {error}.") from error
    except (TypeError, ValueError, RecursionError) as error:
        reason = escape_unprintable(str(error))
        raise BadInput(f"The arguments of {name} cannot be written as JSON: {reason}.") from error
    schema = _close(clean(parameters))
    settled: JsonObject = _settle(plain, schema)
    problems = list(dict.fromkeys(_find_problems(settled, schema)))
    if not problems:
        return settled
    first = "; ".join(problems[:_MOST_PROBLEMS])
    further = len(problems) - _MOST_PROBLEMS
    more = f"; and {further} more" if further > 0 else ""
    raise BadInput(f"The arguments of {name} do not fit: {first}{more}.")


def encode(value: JsonObject) -> bytes:
    """Return JSON as a tool reads it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def coerce(value: Any, schema: Schema) -> Any:
    """Return the value with texts converted to the types of the schema, where they are JSON of that
    type: models send numbers as strings.
    """
    if not schema:
        return value
    kind = schema.get("type")
    if isinstance(value, str) and kind in TYPES and kind != "string":
        try:
            parsed = parse_json(value.encode("utf-8", "replace"))
        except NotJson:
            return value
        if fits_type(parsed, kind):
            value = parsed
    if isinstance(value, dict):
        return {name: coerce(part, _get_property(schema, name)) for name, part in value.items()}
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [coerce(part, schema["items"]) for part in value]
    return value


def _get_property(schema: Schema, name: str) -> Schema:
    """Return the schema of a property, empty if there is none."""
    properties = schema.get("properties")
    part = properties.get(name) if isinstance(properties, dict) else None
    if part is None:
        part = schema.get("additionalProperties")
    return part if isinstance(part, dict) else {}


def _close(schema: Schema) -> Schema:
    """Refuse unknown properties of objects that list their properties. Keywords are ordered by
    their importance in messages.
    """
    closed = map_children(schema, _close)
    if "properties" in closed:
        closed.setdefault("additionalProperties", False)
    order = ("type", "required", "properties", "additionalProperties")
    ordered = {word: closed[word] for word in order if word in closed}
    return ordered | closed


def _settle(value: Any, schema: Schema) -> Any:
    """Drop nulls of known properties, and write whole numbers as integers."""
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return {
            name: _settle(part, _get_property(schema, name))
            for name, part in value.items()
            if part is not None or name not in known
        }
    if isinstance(value, list):
        return [_settle(part, schema.get("items", {})) for part in value]
    is_integer = schema.get("type") == "integer"
    if is_integer and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _find_problems(arguments: JsonObject, schema: Schema) -> Iterator[str]:
    from jsonschema import Draft202012Validator, validators

    validate = validators.extend(Draft202012Validator, {"multipleOf": _check_multiple})
    for error in validate(schema).iter_errors(arguments):
        yield from _describe(error)


def _check_multiple(
    validator: Any, step: float, value: Any, schema: Schema
) -> Iterator[ValidationError]:
    """Check `multipleOf` in decimals: 0.3 is a multiple of 0.1."""
    from jsonschema import ValidationError

    if fits_type(value, "number"):
        times = Fraction(str(value)) / Fraction(str(step))
        if times.denominator != 1:
            yield ValidationError("not a multiple")


def _describe(error: ValidationError) -> Iterator[str]:
    """Return the problems of an error, with their paths."""
    path = "$"
    for step in error.absolute_path:
        path += f"[{step}]" if isinstance(step, int) else f".{escape_unprintable(step)}"
    expected: Any = error.validator_value
    value: Any = error.instance
    if error.validator == "type":
        yield f"{path} must be {with_article(expected)}, not {type_of(value)}"
    elif error.validator == "required":
        for name in expected:
            if name not in value:
                yield f"{path}.{escape_unprintable(name)} is required"
    elif error.validator == "additionalProperties":
        properties = error.schema["properties"]
        known = ", ".join(map(escape_unprintable, properties)) or "none"
        for name in value:
            if name not in properties:
                yield f"{path}.{escape_unprintable(name)} is unknown; known are: {known}"
    else:
        problem = _PROBLEMS[str(error.validator)]
        yield f"{path} {problem.format(json.dumps(expected))}"
