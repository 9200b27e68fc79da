"""Seed 002, row by row: what a tool says of itself. Each test is named after the row it stands
for.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.host.workbench import Workbench
from webquarry.host.discovery import judge_schema
from webquarry.host.models import TYPES, ToolSchema
from webquarry.host.schema import check_schema
from webquarry.host.vendors import to_anthropic, to_responses

SEED = Path(__file__).with_name("002_b465963aded01e92.txt").read_text("utf-8")
BLOCKS = re.findall(r"```json\n(.*?\n)```", SEED, re.DOTALL)
SKELETON, FILE_EDIT = (json.loads(block) for block in BLOCKS[:2])
PRIMITIVES = [json.loads(line) for line in BLOCKS[2].splitlines()]
ENUM, ARRAY, OBJECT = (json.loads(block) for block in BLOCKS[3:6])
UNSUPPORTED = re.findall(
    r"`([$\w]+)`", SEED.partition("## What We Do NOT Support")[2].partition("##")[0]
)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    made = Workbench(tmp_path)
    monkeypatch.chdir(made.project)
    return made


def tool_with(schema: Any, required: tuple[str, ...] = ()) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"param1": schema}, "required": list(required)}
    return {"name": "tool_name", "description": "What the tool does", "parameters": parameters}


def error_places(value: Any) -> list[str]:
    return [one.path for one in check_schema(value) if one.severity == "error"]


def warning_places(value: Any, binary: str | None = None) -> list[str]:
    return [one.path for one in check_schema(value, binary) if one.severity == "warning"]


def without(value: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: part for name, part in value.items() if name != field}


def test_external_tools_describe_themselves_via_the_schema_flag(bench: Workbench) -> None:
    bench.tool(FILE_EDIT)

    assert bench.host().get("file_edit").parameters == FILE_EDIT["parameters"]


def test_the_complete_schema_structure_is_valid() -> None:
    assert check_schema(SKELETON) == []


@pytest.mark.parametrize("field", ["name", "description", "parameters"])
def test_a_top_level_field_is_required(field: str) -> None:
    assert error_places(without(SKELETON, field)) == [f"$.{field}"]


@pytest.mark.parametrize(("field", "value"), [("name", 1), ("description", 1), ("parameters", "x")])
def test_a_top_level_field_has_its_type(field: str, value: Any) -> None:
    assert error_places({**SKELETON, field: value}) == [f"$.{field}"]


def test_parameters_type_is_always_object() -> None:
    assert error_places({**SKELETON, "parameters": {"type": "array", "properties": {}}}) == [
        "$.parameters.type"
    ]


def test_parameters_properties_is_required() -> None:
    assert error_places({**SKELETON, "parameters": {"type": "object"}}) == [
        "$.parameters.properties"
    ]


def test_parameters_required_may_be_left_out() -> None:
    assert (
        check_schema({**SKELETON, "parameters": without(SKELETON["parameters"], "required")}) == []
    )


def test_a_property_needs_a_type() -> None:
    assert error_places(tool_with({"description": "x"})) == ["$.parameters.properties.param1.type"]


def test_a_property_description_is_only_recommended() -> None:
    assert check_schema(tool_with({"type": "string"})) == []


def test_a_property_enum_is_an_array() -> None:
    assert error_places(tool_with({"type": "string", "enum": "x"})) == [
        "$.parameters.properties.param1.enum"
    ]


def test_a_property_items_is_the_schema_of_array_elements() -> None:
    place = "$.parameters.properties.param1.items.type"

    assert error_places(tool_with({"type": "array", "items": {"type": "x"}})) == [place]


def test_a_property_properties_are_nested_schemas() -> None:
    nested = {"type": "object", "properties": {"a": {"type": "x"}}}

    assert error_places(tool_with(nested)) == ["$.parameters.properties.param1.properties.a.type"]


def test_a_property_required_lists_nested_properties() -> None:
    nested = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}

    assert error_places(tool_with(nested)) == ["$.parameters.properties.param1.required[0]"]


def test_the_concrete_example_is_valid() -> None:
    assert check_schema(FILE_EDIT, "file-edit") == []


def test_the_supported_types_are_these_six() -> None:
    assert set(TYPES) == {"string", "integer", "number", "boolean", "array", "object"}


@pytest.mark.parametrize(
    "schema", [*PRIMITIVES, ENUM, ARRAY, OBJECT], ids=lambda schema: str(schema["description"])
)
def test_a_supported_type_is_valid(schema: dict[str, Any]) -> None:
    assert check_schema(tool_with(schema)) == []


@pytest.mark.parametrize("keyword", UNSUPPORTED)
def test_a_feature_that_is_not_supported_is_a_warning(keyword: str) -> None:
    schema = tool_with({"type": "string", keyword: {}})

    assert error_places(schema) == []
    assert warning_places(schema) == [f"$.parameters.properties.param1.{keyword}"]


def test_all_features_that_are_not_supported_are_known() -> None:
    assert len(UNSUPPORTED) == 12


def test_additional_properties_is_added_during_translation() -> None:
    tool = ToolSchema(**FILE_EDIT)

    assert to_anthropic(tool)["input_schema"]["additionalProperties"] is False
    assert to_responses(tool)["parameters"]["additionalProperties"] is False


def test_a_tool_name_is_snake_case_by_convention() -> None:
    assert warning_places({**SKELETON, "name": "fileEdit"}) == ["$.name"]


def test_a_binary_name_is_kebab_case_by_convention() -> None:
    assert warning_places(SKELETON, "file_edit") == ["$"]
    assert warning_places(SKELETON, "file-edit") == []


def test_parameter_names_are_snake_case_by_convention() -> None:
    odd = {
        **SKELETON,
        "parameters": {"type": "object", "properties": {"filePath": {"type": "string"}}},
    }

    assert warning_places(odd) == ["$.parameters.properties.filePath"]


def test_rule_1_valid_json_must_parse() -> None:
    assert judge_schema(b'{"name": ').reason.startswith("its output is not JSON")


def test_rule_2_required_fields_are_present() -> None:
    assert error_places({}) == ["$.name", "$.description", "$.parameters"]


@pytest.mark.parametrize("name", ["file-edit", "file edit", "datei_ö", ""])
def test_rule_3_a_name_is_alphanumeric_and_underscore_only(name: str) -> None:
    assert error_places({**SKELETON, "name": name}) == ["$.name"]


def test_rule_4_parameters_have_type_object_and_properties() -> None:
    assert error_places({**SKELETON, "parameters": {}}) == [
        "$.parameters.type",
        "$.parameters.properties",
    ]


def test_rule_5_each_property_has_a_valid_type() -> None:
    assert error_places(tool_with({"type": "date"})) == ["$.parameters.properties.param1.type"]


def test_rule_6_required_only_lists_defined_properties() -> None:
    assert error_places(tool_with({"type": "string"}, ("param1", "param2"))) == [
        "$.parameters.required[1]"
    ]


def test_a_valid_tool_is_registered_however_long_its_description_is(bench: Workbench) -> None:
    words = "What this parameter is for, in as many words as a model needs to fill it in well. "
    properties = {
        f"parameter_{number}": {"type": "string", "description": words * 2} for number in range(60)
    }
    parameters = {"type": "object", "properties": properties}
    schema = {**SKELETON, "parameters": parameters}
    assert len(json.dumps(schema)) > 8192
    bench.tool(schema)

    assert bench.host().get("tool_name").parameters == parameters


def test_a_valid_tool_is_registered_however_busy_the_machine_is(bench: Workbench) -> None:
    """A tool that takes more than a second, as one in Python does where many start at once."""
    bench.script("file-edit", f"sleep 1.2; echo {shlex.quote(json.dumps(FILE_EDIT))}")

    assert bench.host().get("file_edit").description == FILE_EDIT["description"]


@pytest.mark.parametrize("command", [["export", "--for", "mcp"], ["run", "broken"]], ids=" ".join)
def test_commands_show_an_error_with_tool_path_and_reason(
    command: list[str], bench: Workbench
) -> None:
    path = bench.script("broken", "echo '{}'")
    bench.tool(FILE_EDIT)
    program = Path(sysconfig.get_path("scripts")) / "webquarry"
    done = subprocess.run(
        [program, "tools", *command],
        input="{}",
        env=bench.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr.count(str(path)) == 1
    assert done.stderr.count("its schema is not valid: $.name: is missing") == 1


def test_invalid_output_is_not_registered_logged_with_path_and_reason_and_the_others_load(
    bench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    path = bench.script("broken", "echo '{}'")
    bench.tool(FILE_EDIT)
    with caplog.at_level(logging.WARNING):
        host = bench.host()

    assert [tool.name for tool in host.tools] == ["file_edit"]
    assert f"{path} is skipped: its schema is not valid: $.name: is missing" in caplog.text
    assert asyncio.run(
        host.run("file_edit", {"file_path": "a", "old_string": "b", "new_string": "c"})
    )
