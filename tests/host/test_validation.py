"""The rules of a tool's description, each with the place in the JSON that breaks it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.host.workbench import WEATHER
from webquarry.host.schema import check_schema

MISSING = object()
CITY = ["parameters", "properties", "city"]
PLACE = "$.parameters.properties.city"
ONE_OF = "string, integer, number, boolean, array or object"


def changed(place: list[str], value: Any) -> dict[str, Any]:
    """The weather tool with another value at a place, or without it."""
    schema = copy.deepcopy(WEATHER)
    node: Any = schema
    for step in place[:-1]:
        node = node[step]
    node[place[-1]] = value
    if value is MISSING:
        del node[place[-1]]
    return schema


def errors(value: Any) -> list[str]:
    return [f"{one.path}: {one.message}" for one in check_schema(value) if one.severity == "error"]


def warnings(value: Any, binary: str | None = None) -> list[str]:
    return [one.path for one in check_schema(value, binary) if one.severity == "warning"]


def test_valid_description_has_no_findings() -> None:
    assert check_schema(WEATHER, "weather") == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "$: must be an object, not null"),
        (changed(["name"], MISSING), "$.name: is missing"),
        (changed(["parameters"], []), "$.parameters: must be an object, not []"),
        (changed(["name"], "my-tool"), '$.name: may hold only letters, digits and underscores, not "my-tool"'),
        (changed(["parameters", "type"], "array"), '$.parameters.type: must be "object", not "array"'),
        (changed(["parameters", "properties"], MISSING), "$.parameters.properties: is missing, also if there are no parameters"),
        (changed(["parameters", "properties"], []), "$.parameters.properties: must be an object, not []"),
        (changed(CITY, "string"), f'{PLACE}: must be an object with a type, not "string"'),
        (changed([*CITY, "type"], MISSING), f"{PLACE}.type: is missing; expected {ONE_OF}"),
        (changed([*CITY, "type"], ["string", "null"]), f'{PLACE}.type: must be {ONE_OF}, not ["string", "null"]'),
        (changed([*CITY, "enum"], []), f"{PLACE}.enum: must be an array of values, not []"),
        (changed([*CITY, "minLength"], -1), f"{PLACE}.minLength: must be a whole number, 0 or more, not -1"),
        (changed(["parameters", "required"], "city"), '$.parameters.required: must be an array of names, not "city"'),
        (changed(["parameters", "required"], ["city", "town"]), '$.parameters.required[1]: names "town", which is not in properties'),
        (changed(["parameters", "required"], [[]]), "$.parameters.required[0]: names [], which is not in properties"),
        (changed(CITY, {"type": "array", "items": {"type": "strin"}}), f'{PLACE}.items.type: must be {ONE_OF}, not "strin"'),
        (changed(CITY, {"type": "object", "properties": {"x y": {"type": 1}}}), f'{PLACE}.properties["x y"].type: must be {ONE_OF}, not 1'),
    ],
)  # fmt: skip
def test_invalid_description_is_reported_with_its_place(value: Any, message: str) -> None:
    assert errors(value) == [message]


@pytest.mark.parametrize(
    ("place", "value", "path"),
    [
        (["name"], "getWeather", "$.name"),
        (["version"], 1, "$.version"),
        ([*CITY, "const"], "x", f"{PLACE}.const"),
        ([*CITY, "items"], 5, f"{PLACE}.items"),
        (["parameters", "properties", ""], {"type": "string"}, '$.parameters.properties[""]'),
    ],
)
def test_unusual_description_has_a_warning(place: list[str], value: Any, path: str) -> None:
    schema = changed(place, value)

    assert errors(schema) == []
    assert warnings(schema) == [path]


@pytest.mark.parametrize(("binary", "count"), [("web-fetch-tool", 0), ("x.py", 1)])
def test_the_executables_name_is_expected_in_kebab_case(binary: str, count: int) -> None:
    assert len(warnings(WEATHER, binary)) == count


def test_our_own_schemas_have_no_errors() -> None:
    folder = Path(__file__).parents[2] / "src/webquarry/schemas"

    for path in folder.glob("*.json"):
        assert errors(json.loads(path.read_text("utf-8"))) == []


def test_messages_are_short_and_printable() -> None:
    for place, value in (
        (["name"], "\x1b[31m\u202e"),
        (["parameters", "required"], ["\x07" * 500]),
    ):
        [message] = errors(changed(place, value))
        assert message.isprintable()
        assert message.isascii()
        assert len(message) < 200
