"""A tool's arguments: made to fit where nothing is lost, and checked against the tool's schema.

`check_arguments` gives back what is sent to the tool: nulls of optional properties left out at
every level, whole numbers as integers. What does not fit is one `BadInput` that names each place.
`coerce` is for what models send: the vendors' looser modes let a number arrive as a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from webquarry.errors import BadInput
from webquarry.host.environment import escape_unprintable
from webquarry.host.keywords import add_article, fits_type, is_sound, type_of
from webquarry.host.models import TYPES, JsonObject, Schema
from webquarry.host.strict_json import NotJson, parse_json

_MOST_PROBLEMS = 5


def check_arguments(name: str, arguments: Any, parameters: Schema) -> JsonObject:
    """The arguments as the tool shall get them, as a copy."""
    if not isinstance(arguments, Mapping):
        raise BadInput(f"The arguments of {name} must be a JSON object, not {type_of(arguments)}.")
    try:  # what a JSON reader would see, so that all that follows meets only JSON, and not too deep
        plain = parse_json(encode(dict(arguments)))
    except NotJson as error:
        raise BadInput(f"The arguments of {name} cannot be sent: the JSON {error}.") from error
    except (TypeError, ValueError, RecursionError) as error:
        reason = escape_unprintable(str(error))
        raise BadInput(f"The arguments of {name} cannot be written as JSON: {reason}.") from error
    settled: JsonObject = _settle(plain, parameters)
    problems = list(_find_problems(settled, parameters, "$"))
    if not problems:
        return settled
    first = "; ".join(problems[:_MOST_PROBLEMS])
    more = ""
    beyond = len(problems) - _MOST_PROBLEMS
    if beyond > 0:
        more = f"; and {beyond} more"
    raise BadInput(f"The arguments of {name} do not fit: {first}{more}.")


def encode(value: JsonObject) -> bytes:
    """JSON as a tool gets it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def coerce(value: Any, schema: Schema) -> Any:
    """The value in the schema's type where a text says it unmistakably; anything else unchanged."""
    if not schema:  # nothing is known from here on, however deep it goes
        return value
    kind = schema.get("type")
    if isinstance(value, str) and kind in TYPES and kind != "string":
        try:
            parsed = parse_json(value.encode("utf-8", "surrogatepass"))
        except NotJson:
            return value
        if fits_type(parsed, kind):
            value = parsed
    if isinstance(value, dict):
        return {name: coerce(part, _get_property(schema, name)) for name, part in value.items()}
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [coerce(part, schema["items"]) for part in value]
    return value


def _get_property(schema: Schema, name: str) -> JsonObject:
    """The schema of a property; an empty one when nothing is said of it."""
    part = _get_properties(schema).get(name)
    if part is None:
        part = schema.get("additionalProperties")
    if isinstance(part, dict):
        return part
    return {}


def _get_properties(schema: Schema) -> JsonObject:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        return properties
    return {}


def _get_required(schema: Schema) -> list[str]:
    required = schema.get("required")
    if isinstance(required, list):
        return required
    return []


def _settle(value: Any, schema: Schema) -> Any:
    """Drop the nulls that mean absent, and write whole numbers as integers."""
    if isinstance(value, dict):
        required = _get_required(schema)
        properties = _get_properties(schema)
        settled = {}
        for name, part in value.items():
            is_optional = name in properties and name not in required
            if part is None and is_optional:
                continue
            settled[name] = _settle(part, _get_property(schema, name))
        return settled
    if isinstance(value, list):
        items = schema.get("items")
        if not isinstance(items, dict):
            items = {}
        return [_settle(part, items) for part in value]
    is_integer = schema.get("type") == "integer"
    if is_integer and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _find_problems(value: Any, schema: Schema, path: str) -> Iterator[str]:
    kind = schema.get("type")
    if kind in TYPES and not fits_type(value, kind):
        yield f"{path} must be {add_article(kind)}, not {type_of(value)}"
        return
    choices = schema.get("enum")
    if is_sound("enum", choices):
        fits = any(_same(value, choice) for choice in schema["enum"])
        if not fits:
            yield f"{path} must be one of {json.dumps(choices)}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{path} must be {json.dumps(schema['const'])}"
    if isinstance(value, str):
        yield from _check_range(len(value), schema, path, "minLength", "maxLength", " characters")
    elif isinstance(value, list):
        yield from _check_array(value, schema, path)
    elif isinstance(value, dict):
        yield from _check_object(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _check_number(value, schema, path)


def _check_object(value: JsonObject, schema: Schema, path: str) -> Iterator[str]:
    properties = _get_properties(schema)
    required = _get_required(schema)
    # An object of which no properties are known takes any, unless it says that it does not.
    open_ended = schema.get("additionalProperties", "properties" not in schema) is not False
    for name in required:
        if value.get(name) is None:
            yield f"{path}.{escape_unprintable(name)} is required"
    for name, part in value.items():
        here = f"{path}.{escape_unprintable(name)}"
        if name not in properties and not open_ended:
            known = ", ".join(map(escape_unprintable, properties)) or "none"
            yield f"{here} is unknown; known are: {known}"
        elif part is not None or name not in required:
            yield from _find_problems(part, _get_property(schema, name), here)


def _check_array(value: list[Any], schema: Schema, path: str) -> Iterator[str]:
    yield from _check_range(len(value), schema, path, "minItems", "maxItems", " items")
    if schema.get("uniqueItems") is True:
        texts = {json.dumps(part, sort_keys=True) for part in value}
        if len(texts) < len(value):
            yield f"{path} must not hold the same item twice"
    items = schema.get("items")
    if isinstance(items, dict):
        for index, part in enumerate(value):
            yield from _find_problems(part, items, f"{path}[{index}]")


def _check_number(value: float, schema: Schema, path: str) -> Iterator[str]:
    yield from _check_range(value, schema, path, "minimum", "maximum", "")
    above: Any = schema.get("exclusiveMinimum")
    if is_sound("exclusiveMinimum", above) and value <= above:
        yield f"{path} must be above {above}"
    below: Any = schema.get("exclusiveMaximum")
    if is_sound("exclusiveMaximum", below) and value >= below:
        yield f"{path} must be below {below}"
    step: Any = schema.get("multipleOf")
    if is_sound("multipleOf", step):
        times = Fraction(str(value)) / Fraction(str(step))  # in decimals, 0.3 is three times 0.1
        if times.denominator != 1:
            yield f"{path} must be a multiple of {step}"


def _check_range(
    size: float, schema: Schema, path: str, low: str, high: str, unit: str
) -> Iterator[str]:
    verb = "have" if unit else "be"
    least: Any = schema.get(low)
    if is_sound(low, least) and size < least:
        yield f"{path} must {verb} at least {least}{unit}"
    most: Any = schema.get(high)
    if is_sound(high, most) and size > most:
        yield f"{path} must {verb} at most {most}{unit}"


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: for Python, True is 1."""
    if type_of(one) != type_of(other):
        return False
    return bool(one == other)
