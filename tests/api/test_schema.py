"""Generated schemas: they equal the signatures, and the text reads as documented."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.schema_text import pretty, schema_text

from webquarry.tool import Tool
from webquarry.tools import toolset

ROOT = Path(__file__).parent.parent.parent
SCHEMAS = ROOT / "src" / "webquarry" / "schemas"
EXECUTABLES = toolset("executables")


@pytest.mark.parametrize("tool", EXECUTABLES, ids=lambda tool: tool.name)
def test_the_shipped_schema_equals_the_signature(tool: Tool) -> None:
    assert (SCHEMAS / f"{tool.name}.json").read_bytes() == schema_text(tool).encode()


def test_every_shipped_schema_has_its_tool() -> None:
    shipped = {path.stem for path in SCHEMAS.glob("*.json")}

    assert shipped == {tool.name for tool in EXECUTABLES}


def test_the_generated_files_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate.py", "--check", "schemas"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        (["a", 1, None], '["a", 1, null]'),
        ({"a": ["b"]}, '{\n  "a": ["b"]\n}'),
        ([{"a": 1}, 2], '[\n  {\n    "a": 1\n  },\n  2\n]'),
        ({"a": {"b": {}}}, '{\n  "a": {\n    "b": {}\n  }\n}'),
        ("é\n", '"é\\n"'),
    ],
)
def test_objects_are_indented_and_lists_of_plain_values_are_not(value: object, text: str) -> None:
    assert pretty(value) == text
    assert json.loads(pretty(value)) == value
