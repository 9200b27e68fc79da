"""The six rules of a tool's description, each with the place in the JSON that breaks it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.host.workbench import WEATHER
from webquarry.host.models import Finding
from webquarry.host.schema import check_schema

MISSING = object()

Change = tuple[list[str], Any]


def changed(*changes: Change) -> dict[str, Any]:
    """The weather tool with values put at these places, or taken away from them."""
    schema = copy.deepcopy(WEATHER)
    for place, value in changes:
        node: Any = schema
        for step in place[:-1]:
            node = node[step]
        if value is MISSING:
            del node[place[-1]]
        else:
            node[place[-1]] = value
    return schema


def errors(value: Any) -> list[str]:
    return [f"{one.path}: {one.message}" for one in check_schema(value) if one.severity == "error"]


def warnings(value: Any, binary: str | None = None) -> list[Finding]:
    return [one for one in check_schema(value, binary) if one.severity == "warning"]


CITY = ["parameters", "properties", "city"]
ONE_OF = "string, integer, number, boolean, array or object"


def test_a_good_description_has_no_findings() -> None:
    assert check_schema(WEATHER, "weather") == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "$: must be an object, not an array"),
        ("weather", "$: must be an object, not a string"),
        (None, "$: must be an object, not null"),
        (changed((["name"], MISSING)), "$.name: is missing, and is required"),
        (changed((["description"], MISSING)), "$.description: is missing, and is required"),
        (changed((["parameters"], MISSING)), "$.parameters: is missing, and is required"),
        (changed((["name"], 5)), "$.name: must be a string, not an integer"),
        (changed((["description"], ["x"])), "$.description: must be a string, not an array"),
        (changed((["parameters"], [])), "$.parameters: must be an object, not an array"),
        (changed((["name"], "")), '$.name: may hold only letters, digits and underscores, not ""'),
        (changed((["name"], "my-tool")), '$.name: may hold only letters, digits and underscores, '
                                         'not "my-tool"'),
        (changed((["name"], "wetter_ü")), '$.name: may hold only letters, digits and '
                                          'underscores, not "wetter_\\u00fc"'),
        (changed((["name"], "weather\n")), '$.name: may hold only letters, digits and '
                                           'underscores, not "weather\\n"'),
        (changed((["parameters", "type"], MISSING)), '$.parameters.type: is missing, and must be '
                                                     '"object"'),
        (changed((["parameters", "type"], "array")), '$.parameters.type: must be "object", not '
                                                     '"array"'),
        (changed((["parameters", "properties"], MISSING)), "$.parameters.properties: is missing, "
                                                           "and is required even when there are "
                                                           "no parameters"),
        (changed((["parameters", "properties"], [])), "$.parameters.properties: must be an "
                                                      "object, not an array"),
        (changed((CITY, "string")), "$.parameters.properties.city: must be an object with a "
                                    "type, not a string"),
        (changed(([*CITY, "type"], MISSING)), "$.parameters.properties.city.type: is missing, "
                                              f"and must be {ONE_OF}"),
        (changed(([*CITY, "type"], "text")), '$.parameters.properties.city.type: must be '
                                             f'{ONE_OF}, not "text"'),
        (changed(([*CITY, "type"], ["string", "null"])), '$.parameters.properties.city.type: '
                                                         f'must be {ONE_OF}, not ["string", "null"]'),
        (changed(([*CITY, "description"], 5)), "$.parameters.properties.city.description: must be a string, not an integer"),
        (changed(([*CITY, "enum"], "Oslo")), "$.parameters.properties.city.enum: must be an array of at least one value"),
        (changed(([*CITY, "enum"], [])), "$.parameters.properties.city.enum: must be an array of at least one value"),
        (changed(([*CITY, "minLength"], "2")), '$.parameters.properties.city.minLength: must be a whole number, 0 or more, not "2"'),
        (changed(([*CITY, "minLength"], -1)), "$.parameters.properties.city.minLength: must be a whole number, 0 or more, not -1"),
        (changed(([*CITY, "maxLength"], True)), "$.parameters.properties.city.maxLength: must be a whole number, 0 or more, not true"),
        (changed((["parameters", "required"], "city")), "$.parameters.required: must be an array of names, not a string"),
        (changed((["parameters", "required"], None)), "$.parameters.required: must be an array of names, not null"),
        (changed((["parameters", "required"], ["city", "town"])), '$.parameters.required[1]: names "town", which is not in properties'),
        (changed((["parameters", "required"], [5])), "$.parameters.required[0]: must be a string, not an integer"),
    ],
)  # fmt: skip
def test_each_rule_has_its_own_message_and_place(value: Any, message: str) -> None:
    assert errors(value) == [message]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "array", "items": {"type": "strin"}}, f'.items.type: must be {ONE_OF}, not "strin"'),
        ({"type": "array", "items": []}, ".items: must be an object with a type, not an array"),
        ({"type": "object", "properties": {"a": {}}}, f".properties.a.type: is missing, and must be {ONE_OF}"),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}, '.required[0]: names "b", which is not in properties'),
        ({"type": "array", "items": {"type": "object", "properties": {"x y": {"type": 1}}}}, f'.items.properties["x y"].type: must be {ONE_OF}, not 1'),
    ],
)  # fmt: skip
def test_nested_objects_and_items_are_checked_too(schema: dict[str, Any], message: str) -> None:
    assert errors(changed((CITY, schema))) == ["$.parameters.properties.city" + message]


@pytest.mark.parametrize(
    "keyword",
    [
        *(
            "$ref",
            "$defs",
            "allOf",
            "anyOf",
            "oneOf",
            "if",
            "then",
            "else",
            "pattern",
            "format",
            "default",
        ),
        *("additionalProperties", "const", "not", "whatever"),
    ],
)
def test_a_keyword_that_the_format_does_not_use_is_a_warning(keyword: str) -> None:
    schema = changed(([*CITY, keyword], "x"))

    assert errors(schema) == []
    assert [one.path for one in warnings(schema)] == [f"$.parameters.properties.city.{keyword}"]


@pytest.mark.parametrize(
    ("place", "value", "path"),
    [
        (["name"], "getWeather", "$.name"),
        (["name"], "Weather", "$.name"),
        (["name"], "a" * 65, "$.name"),
        (["description"], "  ", "$.description"),
        (["version"], 1, "$.version"),
        (
            ["parameters", "properties", "cityName"],
            {"type": "string"},
            "$.parameters.properties.cityName",
        ),
        (["parameters", "properties", ""], {"type": "string"}, '$.parameters.properties[""]'),
        (["parameters", "required"], ["city", "city"], "$.parameters.required[1]"),
        ([*CITY, "enum"], ["Oslo", 5], "$.parameters.properties.city.enum[1]"),
        ([*CITY, "maxLength"], 1, "$.parameters.properties.city.minLength"),
        (CITY, {"type": "array"}, "$.parameters.properties.city"),
        (CITY, {"type": "object"}, "$.parameters.properties.city"),
        ([*CITY, "items"], {"type": "string"}, "$.parameters.properties.city.items"),
    ],
)
def test_unusual_schemas_have_warnings(place: list[str], value: Any, path: str) -> None:
    schema = changed((place, value))

    assert errors(schema) == []
    assert [one.path for one in warnings(schema)] == [path]


@pytest.mark.parametrize(
    ("binary", "count"),
    [("file-edit", 0), ("web-fetch-tool", 0), ("fileEdit", 1), ("file_edit", 1), ("x.py", 1)],
)
def test_the_executables_name_is_expected_in_kebab_case(binary: str, count: int) -> None:
    assert len(warnings(WEATHER, binary)) == count


@pytest.mark.parametrize(
    "path",
    sorted((Path(__file__).parents[2] / "src/webquarry/schemas").glob("*.json")),
    ids=lambda path: path.stem,
)
def test_our_own_schemas_have_no_errors(path: Path) -> None:
    assert errors(json.loads(path.read_text("utf-8"))) == []


def test_messages_carry_nothing_that_a_terminal_would_obey() -> None:
    schema = changed((["name"], "\x1b[31m\u202e"), (["parameters", "required"], ["\x07" * 500]))

    assert all(char.isprintable() and char.isascii() for line in errors(schema) for char in line)
    assert all(len(line) < 200 for line in errors(schema))
