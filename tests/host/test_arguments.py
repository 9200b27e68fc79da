"""Arguments against a tool's schema: what is refused, what is left out, what is read from texts."""

from __future__ import annotations

import math
from typing import Any

import pytest

from webquarry.errors import BadInput
from webquarry.host.run import check_arguments

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2, "maxLength": 10},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "ratio": {"type": "number", "exclusiveMinimum": 0},
        "loud": {"type": "boolean"},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "tags": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
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
        ({"city": None}, "$: 'city' is a required property"),
        ({"city": 5}, "$.city: 5 is not of type 'string'"),
        ({"city": "O"}, "$.city: 'O' is too short"),
        ({"city": "Oslo", "town": 1}, "$: Additional properties are not allowed ('town' was"),
        ({"city": "Oslo", "days": 2.5}, "$.days: 2.5 is not of type 'integer'"),
        ({"city": "Oslo", "days": True}, "$.days: True is not of type 'integer'"),
        ({"city": "Oslo", "days": 8}, "$.days: 8 is greater than the maximum of 7"),
        ({"city": "Oslo", "unit": "k"}, "$.unit: 'k' is not one of ['c', 'f']"),
        ({"city": "Oslo", "tags": ["a", None]}, "$.tags[1]: None is not of type 'string'"),
        ({"city": "Oslo", "place": {"lat": 1, "lon": 2}}, "$.place: Additional properties"),
        ({"city": "Oslo", "stops": [{"at": "x"}, {"at": 1}]}, "$.stops[1].at: 1 is not of type"),
        ({"city": "Oslo", "open": {"a": "b"}}, "$.open.a: 'b' is not of type 'integer'"),
        ({"city": "Oslo", "ones": {"a": True}}, "$.ones.a: True is not one of [1]"),
        ({"city": "Oslo", "\x1b[31m": 1}, "('\\x1b[31m' was unexpected)"),
    ],
)
def test_invalid_argument_is_refused_with_its_path(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        check(arguments)

    assert problem in caught.value.message
    assert caught.value.message.startswith("The arguments of weather are not valid: ")


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


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"days": "3"}, {"days": 3}),
        ({"loud": "true"}, {"loud": True}),
        ({"place": '{"lat": "1.5"}'}, {"place": {"lat": 1.5}}),
        ({"stops": ['{"at": "x"}']}, {"stops": [{"at": "x"}]}),
        ({"open": {"n": "5"}}, {"open": {"n": 5}}),
        ({"city": "55"}, {"city": "55"}),
        ({"extra": {"n": "5"}}, {"extra": {"n": "5"}}),
    ],
)
def test_text_is_converted_to_the_type_of_the_schema(given: Any, read: Any) -> None:
    assert check({"city": "Oslo", **given}) == {"city": "Oslo", **read}


@pytest.mark.parametrize("given", [{"days": "three"}, {"days": "2.5"}, {"loud": "yes"}])
def test_text_of_another_type_is_refused(given: Any) -> None:
    with pytest.raises(BadInput, match="is not of type"):
        check({"city": "Oslo", **given})
