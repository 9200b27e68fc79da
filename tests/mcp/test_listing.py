"""What `tools/list` shows, and how many bytes of it a model sees."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from webquarry.errors import BadInput
from webquarry.mcp.listing import SETS, build_listing, load_listing
from webquarry.registry import module_names
from webquarry.tools import load
from webquarry.tools._describe import describe_tool

ROOT = Path(__file__).parents[2]
RESEARCH = module_names("webquarry.tools.research")


def describe(name: str) -> dict[str, Any]:
    return describe_tool(load("research", name))


@pytest.mark.parametrize(("set_name", "limit"), [("research", 17_000), ("core", 5_500)])
def test_listing_stays_small_for_a_model(set_name: str, limit: int) -> None:
    fields = ("name", "description", "inputSchema")
    seen = [{key: one[key] for key in fields} for one in load_listing(set_name).lists["tools"]]

    assert len(json.dumps(seen, ensure_ascii=False, separators=(",", ":")).encode()) <= limit


@pytest.mark.parametrize("set_name", SETS)
def test_generated_file_matches_the_code(set_name: str) -> None:
    file = ROOT / "src" / "webquarry" / "data" / "mcp" / f"{set_name}.json"

    assert json.loads(file.read_bytes()) == build_listing(set_name), "run: make generate"


@pytest.mark.parametrize("name", RESEARCH)
def test_research_tool_is_described_completely(name: str) -> None:
    described = describe(name)

    assert described["description"]
    assert described["title"]
    assert "annotations" in described or "_meta" in described  # an app excludes annotations
    assert described["outputSchema"]["type"] == "object"
    assert described["inputSchema"]["properties"]
    for field, schema in described["inputSchema"]["properties"].items():
        assert schema.get("description", "").endswith("."), field
        assert len(schema["description"].split()) >= 2, field


def test_input_schemas_of_research_refuse_unknown_fields() -> None:
    for name in RESEARCH:
        assert describe(name)["inputSchema"]["additionalProperties"] is False, name
        with pytest.raises(BadInput, match="'surplus' is unknown"):
            load("research", name).check({"surplus": 1})


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


@pytest.mark.parametrize("name", RESEARCH)
def test_output_schemas_have_neither_titles_nor_nulls(name: str) -> None:
    for part in parts_of(describe(name)["outputSchema"]):
        assert "title" not in part
        assert part.get("type") != "null"
        assert part.get("default", 1) is not None


def test_listing_is_loaded_without_importing_a_tool() -> None:
    code = (
        "import sys; from webquarry.mcp.listing import load_listing; load_listing('research');"
        "print([name for name in sys.modules"
        " if name.startswith(('webquarry.tools', 'pydantic', 'lxml'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
