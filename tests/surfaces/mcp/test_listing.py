"""What `tools/list` shows, and what it costs a model to see it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from webquarry.errors import BadInput
from webquarry.registry import module_names
from webquarry.surfaces.mcp import listing
from webquarry.surfaces.mcp.listing import (
    GENERATED,
    ServedTools,
    describe,
    render_list,
    toolset_names,
)

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("set_name", "limit"), [("research", 12_500), ("core", 4_500)])
def test_what_a_model_sees_of_a_set_stays_small(
    set_name: str, limit: int, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        for tool in ServedTools(set_name).describe_all()
    ]
    size = len(json.dumps(seen, ensure_ascii=False, separators=(",", ":")).encode())
    with capsys.disabled():
        sys.stdout.write(f"\n{set_name}: {len(seen)} tools, {size} bytes of {limit}\n")

    assert size <= limit


@pytest.mark.parametrize("set_name", GENERATED)
def test_the_list_that_ships_is_the_one_that_the_signatures_describe(set_name: str) -> None:
    shipped = (ROOT / "src" / "webquarry" / "data" / "mcp" / f"{set_name}.json").read_text("utf-8")

    assert shipped == render_list(set_name), "run: make generate"


def test_a_list_that_names_other_tools_than_there_are_is_left_aside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listing, "_read_generated_list", lambda package: {"web_search": {}})

    assert ServedTools("research").describe_all() == [
        describe(tool) for tool in ServedTools("research").values()
    ]


def test_core_is_a_part_of_research_in_its_order() -> None:
    core = list(ServedTools("core"))

    assert core[:2] == ["web_search", "scrape_page"]
    assert set(core) <= {"web_search", "scrape_page", "search_and_scrape"}
    assert ServedTools("core")["web_search"] is ServedTools("research")["web_search"]


def test_every_set_and_part_is_known_by_name_and_no_other() -> None:
    assert toolset_names() == sorted([*module_names("webquarry.tools"), "core"])
    with pytest.raises(BadInput, match="no tool set 'weather'"):
        ServedTools("weather")


@pytest.mark.parametrize("name", module_names("webquarry.tools.research"))
def test_every_research_tool_is_described_with_its_output_and_its_nature(name: str) -> None:
    tool = describe(ServedTools("research")[name])

    assert tool.description
    assert tool.title
    assert tool.annotations or tool.meta  # a tool with an app has none: see test_app.py
    assert tool.output_schema
    assert tool.output_schema["type"] == "object"


@pytest.mark.parametrize("name", module_names("webquarry.tools.research"))
def test_every_parameter_of_a_research_tool_says_what_to_give(name: str) -> None:
    fields = describe(ServedTools("research")[name]).input_schema["properties"]

    assert fields
    for field, schema in fields.items():
        described = schema.get("description", "")
        assert described.endswith("."), field
        assert len(described.split()) >= 2, field


def test_input_schemas_of_research_are_closed_as_they_are_enforced() -> None:
    for name, tool in ServedTools("research").items():
        assert describe(tool).input_schema["additionalProperties"] is False, name
        with pytest.raises(BadInput, match="'surplus' is unknown"):
            tool.check({"surplus": 1})
    core = ServedTools("core").describe_all()
    assert all(tool.input_schema["additionalProperties"] is False for tool in core)


@pytest.mark.parametrize("set_name", ["duckduckgo", "executables"])
def test_input_schemas_that_others_wrote_stay_as_they_are(set_name: str) -> None:
    for tool in ServedTools(set_name).values():
        assert describe(tool).input_schema == tool.parameters
        assert set(tool.parameters) == {"type", "properties", "required"}


def parts_of(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and every schema in it."""
    yield schema
    for keyword in ("properties", "$defs"):
        for part in schema.get(keyword, {}).values():
            yield from parts_of(part)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from parts_of(schema[keyword])
    for keyword in ("anyOf", "allOf", "oneOf", "prefixItems"):
        for part in schema.get(keyword, []):
            yield from parts_of(part)


@pytest.mark.parametrize("name", module_names("webquarry.tools.research"))
def test_output_schemas_have_neither_titles_nor_nulls(name: str) -> None:
    schema = describe(ServedTools("research")[name]).output_schema

    for part in parts_of(schema):
        assert "title" not in part
        assert part.get("type") != "null"
        assert part.get("default", 1) is not None


def test_a_field_by_the_name_of_title_stays_in_an_output_schema() -> None:
    schema = ServedTools("research")["scrape_page"].output_schema

    assert schema["$defs"]["Metadata"]["properties"]["title"] == {"type": "string"}
    assert schema["properties"]["nextCursor"] == {"type": "string"}


def test_the_list_is_shown_without_importing_a_tool() -> None:
    code = (
        "import sys; from webquarry.surfaces.mcp.server import build_server; build_server('x', "
        "'research');"
        "print([name for name in sys.modules if name.startswith(('webquarry.tools.research.', "
        "'lxml'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
