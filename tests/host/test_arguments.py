"""Arguments against a tool's schema: what is refused, what is left out, what is read from texts."""

from __future__ import annotations

import math
from typing import Any

import pytest

from webquarry.errors import BadInput
from webquarry.host.run import check_arguments, coerce

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2, "maxLength": 10},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "ratio": {
            "type": "number",
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 1,
            "multipleOf": 0.1,
        },
        "loud": {"type": "boolean"},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "level": {"type": "integer", "enum": [1, 2]},
        "tags": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "maxItems": 3,
            "uniqueItems": True,
        },
        "place": {
            "type": "object",
            "properties": {"lat": {"type": "number"}, "name": {"type": "string"}},
            "required": ["lat"],
        },
        "stops": {
            "type": "array",
            "items": {"type": "object", "properties": {"at": {"type": "string"}}},
        },
        "extra": {"type": "object"},
        "ones": {"type": "object", "additionalProperties": {"enum": [1]}},
        "open": {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}},
    },
    "required": ["city"],
}


def check(arguments: Any) -> dict[str, Any]:
    return check_arguments("weather", arguments, PARAMETERS)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "$.city is required"),
        ({"city": None}, "$.city is required"),
        ({"city": 5}, "$.city must be a string, not integer"),
        ({"city": "O"}, "$.city must have at least 2 characters"),
        ({"city": "O" * 11}, "$.city must have at most 10 characters"),
        ({"city": "Oslo", "town": 1}, "$.town is unknown; known are: city, days"),
        ({"city": "Oslo", "days": "3"}, "$.days must be an integer, not string"),
        ({"city": "Oslo", "days": 2.5}, "$.days must be an integer, not number"),
        ({"city": "Oslo", "days": True}, "$.days must be an integer, not boolean"),
        ({"city": "Oslo", "days": 0}, "$.days must be at least 1"),
        ({"city": "Oslo", "days": 8}, "$.days must be at most 7"),
        ({"city": "Oslo", "ratio": 0}, "$.ratio must be above 0"),
        ({"city": "Oslo", "ratio": 1}, "$.ratio must be below 1"),
        ({"city": "Oslo", "ratio": 0.25}, "$.ratio must be a multiple of 0.1"),
        ({"city": "Oslo", "loud": 1}, "$.loud must be a boolean, not integer"),
        ({"city": "Oslo", "unit": "k"}, '$.unit must be one of ["c", "f"]'),
        ({"city": "Oslo", "level": True}, "$.level must be an integer, not boolean"),
        ({"city": "Oslo", "tags": []}, "$.tags must have at least 1 items"),
        ({"city": "Oslo", "tags": list("abcd")}, "$.tags must have at most 3 items"),
        ({"city": "Oslo", "tags": ["a", "a"]}, "$.tags must not hold the same item twice"),
        ({"city": "Oslo", "tags": ["a", None]}, "$.tags[1] must be a string, not null"),
        ({"city": "Oslo", "place": {}}, "$.place.lat is required"),
        (
            {"city": "Oslo", "place": {"lat": 1, "lon": 2}},
            "$.place.lon is unknown; known are: lat, name",
        ),
        (
            {"city": "Oslo", "stops": [{"at": "x"}, {"at": 1}]},
            "$.stops[1].at must be a string, not integer",
        ),
        ({"city": "Oslo", "open": {"a": "b"}}, "$.open.a must be an integer, not string"),
        ({"city": "Oslo", "ones": {"a": True}}, "$.ones.a must be one of [1]"),
        ({"city": "Oslo", "\x1b[31m": 1}, "$.\\x1b[31m is unknown"),
    ],
)
def test_invalid_argument_is_refused_with_its_path(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        check(arguments)

    assert problem in caught.value.message
    assert caught.value.message.startswith("The arguments of weather are not valid: ")


def test_first_five_problems_are_reported() -> None:
    with pytest.raises(BadInput, match=r"; and 97 more\.$") as caught:
        check({"days": 0, **{f"x{n}": 1 for n in range(100)}})

    assert "$.city is required; $.days must be at least 1; $.x0 is unknown" in caught.value.message


def test_valid_arguments_are_copied() -> None:
    given = {
        "city": "Oslo",
        "days": 7,
        "ratio": 0.3,
        "unit": "c",
        "tags": ["a", "b"],
        "place": {"lat": 1},
        "extra": {"any": [None, {"deep": 1}]},
        "open": {"n": 1},
    }

    assert check(given) == given
    assert check(given)["place"] is not given["place"]


def test_nulls_of_optional_properties_are_absent_at_every_level() -> None:
    settled = check(
        {
            "city": "Oslo",
            "days": None,
            "tags": None,
            "place": {"lat": 1, "name": None},
            "stops": [{"at": None}, {}],
        }
    )

    assert settled == {"city": "Oslo", "place": {"lat": 1}, "stops": [{}, {}]}


def test_whole_numbers_arrive_as_integers() -> None:
    settled = check({"city": "Oslo", "days": 3.0, "place": {"lat": 3.0}})

    assert repr(settled["days"]) == "3"
    assert repr(settled["place"]["lat"]) == "3.0"


def circle() -> dict[str, Any]:
    found: dict[str, Any] = {"city": "Oslo"}
    found["extra"] = found
    return found


def deep(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(levels):
        found = {"in": found}
    return {"city": "Oslo", "extra": found}


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "Oslo", "extra": {"x": {1, 2}}},
        {"city": "Oslo", "extra": {"x": math.nan}},
        {"city": "Oslo", "ratio": math.inf},
        {"city": "\ud800"},
        {("a", "b"): 1},
        circle(),
        deep(80),
        deep(5000),
    ],
    ids=[
        "set",
        "nan",
        "inf",
        "surrogate",
        "tuple key",
        "circle",
        "deep",
        "very deep",
    ],
)
def test_arguments_that_are_not_json_are_refused(arguments: Any) -> None:
    with pytest.raises(BadInput, match="The arguments of weather cannot be"):
        check(arguments)


@pytest.mark.parametrize("arguments", [[], "x", None, 5])
def test_arguments_must_be_an_object(arguments: Any) -> None:
    with pytest.raises(BadInput, match="must be a JSON object"):
        check(arguments)


def test_keywords_of_another_type_have_no_effect() -> None:
    odd = {
        "type": "object",
        "properties": {"a": {"type": "string", "properties": 5, "required": 7, "items": 3}},
    }

    with pytest.raises(BadInput, match="must be a string, not object"):
        check_arguments("odd", {"a": {"b": None}}, odd)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"days": "3"}, {"days": 3}),
        ({"ratio": "0.5"}, {"ratio": 0.5}),
        ({"loud": "true"}, {"loud": True}),
        ({"tags": '["a"]'}, {"tags": ["a"]}),
        ({"place": '{"lat": "1.5"}'}, {"place": {"lat": 1.5}}),
        ({"stops": ['{"at": "x"}']}, {"stops": [{"at": "x"}]}),
        ({"open": {"n": "5"}}, {"open": {"n": 5}}),
        ({"days": "three"}, {"days": "three"}),
        ({"days": "2.5"}, {"days": "2.5"}),
        ({"city": "5"}, {"city": "5"}),
        ({"loud": "yes"}, {"loud": "yes"}),
        ({"extra": {"n": "5"}}, {"extra": {"n": "5"}}),
        ({"unknown": "5"}, {"unknown": "5"}),
    ],
)
def test_a_text_is_read_as_the_type_only_where_it_says_it_unmistakably(
    given: Any, read: Any
) -> None:
    assert coerce(given, PARAMETERS) == read
