"""Descriptions of tools, generated: every shape that the validation lets through."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]

_words = st.sampled_from(
    ["city", "days", "title", "format", "default", "enum", "type", "properties", "required"]
)
parameter_names = _words | st.sampled_from(
    ["cityName", "file-path", "größe", "9lives", "a b", "$top", "x" * 80, ""]
)
texts = st.text(st.characters(codec="utf-8"), max_size=12)
numbers = st.integers(-50, 50) | st.floats(-50, 50)
json_values = st.none() | st.booleans() | numbers | texts | st.lists(texts, max_size=2)


@st.composite
def _some(draw: st.DrawFn, options: dict[str, st.SearchStrategy[Any]]) -> Schema:
    """A few of these keywords."""
    chosen = draw(st.lists(st.sampled_from(sorted(options)), max_size=4, unique=True))
    return {word: draw(options[word]) for word in chosen}


common = {
    "description": texts,
    "title": texts,
    "default": json_values,
    "examples": st.lists(json_values, max_size=2),
    "deprecated": st.booleans(),
    "$comment": texts,
}
_FORMATS = ["date", "date-time", "uri", "email", "int32", "float", "uuid", "made-up"]
_string = {
    "minLength": st.integers(0, 5),
    "maxLength": st.integers(0, 50),
    "pattern": st.just("^[a-z]+$"),
    "format": st.sampled_from(_FORMATS) | st.just(5),
    "enum": st.lists(texts, min_size=1, max_size=4) | st.lists(json_values, min_size=1, max_size=3),
    "const": texts,
}
_number = {
    "minimum": numbers,
    "maximum": numbers,
    "exclusiveMinimum": numbers,
    "exclusiveMaximum": numbers,
    "multipleOf": st.sampled_from([1, 5, 0.1]),
    "enum": st.lists(st.integers(0, 9), min_size=1, max_size=4),
    "format": st.sampled_from(_FORMATS),
}
_array = {
    "minItems": st.integers(0, 3),
    "maxItems": st.integers(3, 9),
    "uniqueItems": st.booleans(),
}
# Keywords that the format does not use: allowed with a warning, so a translation meets them.
_branches = st.lists(
    _some(
        {
            "type": st.sampled_from(["string", "integer", "null", "object"]),
            "required": st.lists(parameter_names, max_size=2),
            **_string,
        }
    ),
    min_size=1,
    max_size=3,
)
foreign = {
    "anyOf": _branches | st.just("nonsense"),
    "oneOf": _branches,
    "allOf": _branches,
    "not": st.just({"type": "null"}),
    "if": st.just({"required": ["city"]}),
    "then": st.just({"required": ["days"]}),
    "additionalProperties": st.booleans() | st.just({"type": "string"}) | st.just(7),
    "$ref": st.sampled_from(
        ["#/$defs/one", "#/$defs/loop", "#/$defs/none", "https://elsewhere.example/x", "#", 5]
    ),
    "patternProperties": st.just({"^x": {"type": "string"}}),
    "dependentRequired": st.just({"city": ["days"]}),
    "nullable": st.booleans(),
    "x-order": st.integers(),
}


def _typed(kind: str, options: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Schema]:
    return _some({**common, **options, **foreign}).map(lambda found: {"type": kind, **found})


_leaves = st.one_of(
    _typed("string", _string),
    _typed("integer", _number),
    _typed("number", _number),
    _typed("boolean", {}),
    _typed("array", _array),
    _typed("object", {}),
)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Schema], plain: bool = False) -> Schema:
    """An object with properties, some of them required."""
    properties = draw(st.dictionaries(parameter_names, inner, max_size=4))
    required = draw(st.lists(st.sampled_from(sorted(properties)), max_size=4)) if properties else []
    extra = draw(_some(common if plain else {**common, **foreign}))
    return {
        **extra,
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
    }


def _nested(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    arrays = st.tuples(_some({**common, **_array}), inner).map(
        lambda pair: {**pair[0], "type": "array", "items": pair[1]}
    )
    return objects(inner) | arrays


properties = st.recursive(_leaves, _nested, max_leaves=6)
_DEFS = {
    "one": {"type": "string", "minLength": 1},
    "loop": {"type": "object", "properties": {"next": {"$ref": "#/$defs/loop"}}},
}


@st.composite
def tools(draw: st.DrawFn) -> Schema:
    """A whole description."""
    name = draw(st.from_regex(r"[A-Za-z0-9_]{1,20}", fullmatch=True) | st.just("n" * 100))
    parameters = draw(objects(properties))
    defs = draw(
        st.sampled_from(
            [{}, {"$defs": _DEFS, "$schema": "https://json-schema.org/draft/2020-12/schema"}]
        )
    )
    return {"name": name, "description": draw(texts), "parameters": {**parameters, **defs}}
