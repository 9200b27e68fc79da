"""Ways to spoil the description of a tool for certain: each takes a good one and gives what the tool
prints.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
Spoiler = Callable[[Schema], bytes]


def list_spoilers(rng: random.Random) -> list[Spoiler]:
    """Every way there is; what is drawn by lot is drawn anew each time."""
    return [*_spoil_text(rng), *_spoil_fields(rng), *_spoil_properties(rng), *_spoil_numbers()]


def _spoil_text(rng: random.Random) -> list[Spoiler]:
    """What is printed is no JSON, or not JSON alone."""

    def cut(schema: Schema) -> bytes:
        whole = json.dumps(schema).encode()
        return whole[: rng.randrange(1, len(whole))]

    def make_noise(schema: Schema) -> bytes:
        return b"\x00" + rng.randbytes(rng.randrange(1, 4000))

    return [
        cut,
        make_noise,
        _put_around(b"\xef\xbb\xbf", b""),
        _put_around(b"note: ", b""),
        _put_around(b"", b"\nbye"),
        _put_around(b"", b"{}"),
        _put_around(b"", b" " * 9000),
        _put_around(b"\xff", b""),
        _put_around(b"[" * rng.randrange(65, 2000), b""),
    ]


def _spoil_fields(rng: random.Random) -> list[Spoiler]:
    """A field is missing, twice there, or something else."""
    names = ["", "a b", "ü", "a-b", "a\n", None, 5, ["x"], "\ud800"]
    no_object = {"type": "string", "properties": {}}
    parameters: list[Any] = [None, [], "x", {}, {"type": "object"}, no_object]
    return [
        _print_changed(lambda schema: [schema]),
        _print_changed(lambda schema: {key: schema[key] for key in ("name", "description")}),
        _print_changed(lambda schema: {key: schema[key] for key in ("name", "parameters")}),
        _set_field("name", rng.choice(names)),
        _set_field("description", rng.choice([None, 5, [], {}])),
        _set_field("parameters", rng.choice(parameters)),
        lambda schema: b'{"name": "a", ' + json.dumps(schema).encode()[1:],
    ]


def _spoil_properties(rng: random.Random) -> list[Spoiler]:
    """A property, at some depth, is none."""
    odd = rng.choice([None, True, 5, 1.5, [], "x", [None]])
    no_properties = rng.choice([None, True, 5, 1.5, "x", [None]])
    values: list[Any] = [
        odd,
        {},
        {"type": odd},
        {"type": "text"},
        {"type": ["string", "null"]},
        {"type": "array", "items": odd},
        {"type": "object", "properties": no_properties},
        {"type": "object", "properties": {}, "required": ["missing"]},
        {"type": "object", "properties": {}, "required": "missing"},
        {"type": "string", "enum": rng.choice([[], None, "a", 5])},
        {"type": "string", "minLength": rng.choice([-1, "1", None, 1.5, True])},
        {"type": "number", "minimum": rng.choice(["1", None, [], True])},
        {"type": "string", "description": rng.choice([None, 5, [], {}])},
    ]
    return [_add_property(rng, value) for value in values]


def _spoil_numbers() -> list[Spoiler]:
    """A number is none in JSON, or larger than any."""
    return [_write_minimum("NaN"), _write_minimum("1e999"), _write_minimum("9" * 5000)]


def _print_changed(change: Callable[[Schema], Any]) -> Spoiler:
    return lambda schema: json.dumps(change(schema)).encode()


def _set_field(field: str, value: Any) -> Spoiler:
    return _print_changed(lambda schema: {**schema, field: value})


def _put_around(before: bytes, after: bytes) -> Spoiler:
    return lambda schema: before + json.dumps(schema).encode() + after


def _write_minimum(number: str) -> Spoiler:
    written = f'"minimum": {number}'
    return lambda schema: json.dumps(schema).replace('"minimum": 1', written).encode()


def _add_property(rng: random.Random, value: Any) -> Spoiler:
    """A property with this value, up to three objects deep."""

    def change(schema: Schema) -> Schema:
        place = schema["parameters"]["properties"]
        for _ in range(rng.randrange(4)):
            inner: Schema = {}
            as_items = rng.random() < 0.3
            place["deep"] = {"type": "object", "properties": inner}
            if as_items:
                place["deep"] = {"type": "array", "items": place["deep"]}
            place = inner
        place["bad"] = value
        return schema

    return _print_changed(change)
