"""From a tool's own schema to each vendor's form."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.host import vendor_rules
from tests.host.schemas import tools
from webquarry.host.models import ToolSchema
from webquarry.host.schema import check_schema
from webquarry.host.vendors import (
    ALL_RULES,
    ANTHROPIC,
    GEMINI,
    alias,
    rename,
    restore,
    to_anthropic,
    to_chat,
    to_gemini,
    to_mcp,
    to_responses,
)

FIXTURES = Path(__file__).parent / "translation_fixtures"
FORMS: dict[str, Callable[[ToolSchema], dict[str, Any]]] = {
    "anthropic": to_anthropic,
    "openai_responses_nonstrict": to_responses,
    "openai_responses_strict": lambda tool: to_responses(tool, strict=True),
    "openai_chat_strict": lambda tool: to_chat(tool, strict=True),
    "gemini_json_schema": lambda tool: to_gemini([tool]),
    "mcp": to_mcp,
}
each_form = pytest.mark.parametrize("form", FORMS)
more_examples = settings(
    max_examples=int(os.environ.get("WEBQUARRY_FUZZ_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def recorded(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))


def tool_with(**properties: Any) -> ToolSchema:
    return ToolSchema("probe", "Probes.", {"type": "object", "properties": properties})


def parameters_of(form: str, tool: ToolSchema) -> dict[str, Any]:
    """The schema inside the envelope of a form."""
    made = FORMS[form](tool)
    made = made.get("functionDeclarations", [made])[0]
    made = made.get("function", made)
    words = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
    found: dict[str, Any] = next(made[word] for word in words if word in made)
    return found


def property_of(form: str, **schema: Any) -> dict[str, Any]:
    """How a form writes one required property."""
    tool = ToolSchema(
        "probe", "Probes.", {"type": "object", "properties": {"p": schema}, "required": ["p"]}
    )
    found: dict[str, Any] = parameters_of(form, tool)["properties"]["p"]
    return found


def check_by_rules(form: str, made: dict[str, Any]) -> None:
    if form.startswith("anthropic"):
        vendor_rules.check_anthropic(made)
    elif form.startswith("openai"):
        assert made["type"] == "function"
        inner = (
            made["function"]
            if "chat" in form
            else {key: made[key] for key in made if key != "type"}
        )
        vendor_rules.check_openai(inner)
    elif form.startswith("gemini"):
        vendor_rules.check_gemini(made["functionDeclarations"][0])
    else:
        vendor_rules.check_mcp(made)


@each_form
def test_the_worked_example_comes_out_as_recorded(form: str) -> None:
    tool = ToolSchema(**recorded("generic_tool"))

    assert FORMS[form](tool) == recorded(form)


@more_examples
@given(tool=tools())
def test_fuzz_any_valid_schema_becomes_one_that_every_vendor_accepts_and_is_left_as_it_was(
    tool: dict[str, Any],
) -> None:
    assert [one for one in check_schema(tool) if one.severity == "error"] == []
    before = copy.deepcopy(tool)

    for form, translate in FORMS.items():
        made = translate(ToolSchema(**tool))
        check_by_rules(form, made)
        assert json.loads(json.dumps(made)) == made

    assert tool == before


@pytest.mark.parametrize(
    ("form", "made"),
    [
        ("anthropic", {"type": "object", "properties": {}, "additionalProperties": False}),
        ("openai_responses_strict", {"type": "object", "properties": {}, "required": [], "additionalProperties": False}),
        ("mcp", {"type": "object", "properties": {}}),
    ],
)  # fmt: skip
def test_a_tool_without_arguments(form: str, made: dict[str, Any]) -> None:
    assert parameters_of(form, tool_with()) == made


def test_for_gemini_a_tool_without_arguments_has_no_parameters() -> None:
    [declaration] = to_gemini([tool_with()])["functionDeclarations"]

    assert declaration == {"name": "probe", "description": "Probes."}


@pytest.mark.parametrize(
    ("schema", "description"),
    [
        ({"type": "string", "maxLength": 9, "description": "A"}, "A (maxLength: 9)"),
        ({"type": "string", "format": "uri", "default": "x"}, '(format: "uri"; default: "x")'),
    ],
)
def test_keywords_without_a_strict_form_move_into_the_description(
    schema: dict[str, Any], description: str
) -> None:
    assert property_of("openai_responses_strict", **schema)["description"] == description


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "string", "const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "multipleOf": 5}, {"type": "integer", "multipleOf": 5, "description": "(multipleOf: 5)"}),
        ({"type": "object", "properties": {}, "additionalProperties": True}, {"type": "object", "properties": {}, "additionalProperties": True}),
    ],
)  # fmt: skip
def test_geminis_json_schema_form(schema: dict[str, Any], written: dict[str, Any]) -> None:
    assert property_of("gemini_json_schema", **schema) == written


FREE = [
    {"type": "object"},
    {"type": "object", "properties": {}, "additionalProperties": True},
    {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": {"type": "string"},
    },
    {"type": "array"},
    {"type": "array", "items": {"type": "object"}},
]


@pytest.mark.parametrize("schema", FREE, ids=str)
def test_a_schema_that_strict_mode_cannot_hold_goes_without_it(schema: dict[str, Any]) -> None:
    tool = tool_with(p=schema)

    assert to_responses(tool, strict=True) == to_responses(tool, strict=False)
    assert to_responses(tool, strict=True)["strict"] is False
    assert to_chat(tool, strict=True)["function"]["strict"] is False


def test_an_object_of_which_no_properties_are_known_is_not_closed() -> None:
    assert property_of("anthropic", type="object") == {"type": "object"}
    assert property_of("anthropic", type="object", properties={})["additionalProperties"] is False


@pytest.mark.parametrize(("levels", "strict"), [(9, True), (10, False)])
def test_openai_limit_on_levels_is_observed(levels: int, strict: bool) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels - 1):
        schema = {"type": "array", "items": schema}

    assert to_responses(tool_with(p=schema), strict=True)["strict"] is strict


NAMES = ["city", "file-path", "größe", "9lives", "a b", "", "x" * 80, "a.b", "_"]


@pytest.mark.parametrize("rules", ALL_RULES)
def test_an_alias_is_one_that_the_vendor_accepts_and_a_good_name_is_its_own(rules: Any) -> None:
    for name in NAMES:
        for rule in (rules.tool, rules.parameter):
            made = alias(name, rule)
            assert rule is None or rule.fullmatch(made)
            assert made == name or not rule.fullmatch(name)
    assert len({alias(name, GEMINI.parameter) for name in NAMES}) == len(NAMES)


def test_arguments_come_back_under_the_tools_own_names() -> None:
    inner = {"type": "object", "properties": {name: {"type": "string"} for name in NAMES}}
    schema = {
        "type": "object",
        "properties": {"file-path": {"type": "array", "items": inner}, "city": inner},
    }
    own = {"file-path": [dict.fromkeys(NAMES, "x")], "city": {"größe": "y"}, "unknown": 1}

    for rules in (GEMINI, ANTHROPIC):
        sent = {
            alias("file-path", rules.parameter): [
                {alias(name, rules.parameter): "x" for name in NAMES}
            ],
            "city": {alias("größe", rules.parameter): "y"},
            "unknown": 1,
        }
        assert set(sent) - {"unknown"} == set(rename(schema, rules)["properties"])
        assert restore(sent, schema) == own
