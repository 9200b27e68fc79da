"""What the tests of seed 004 share: its text, and the tables of its tools' inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SEED = Path(__file__).with_name("004_51f8e3ca2fd4d22f.txt").read_text("utf-8")
Row = tuple[str, str, str, str, str]  # field, type, required, default, constraints


def rows_of(section: str) -> dict[str, Row]:
    """The rows of the first table of inputs, by field."""
    found = re.findall(r"\| `(\w+)` \| (\w+) \| (yes|no) \| (\S+) \| (.*?) (?=\| `|###)", section)
    return {row[0]: row for row in found}


def check_as_in_table(row: Row, parameters: Mapping[str, Any]) -> None:
    """The schema of a tool's parameters has the field with the type, the requirement and the
    default of its row.
    """
    field, kind, required, default, _ = row
    schema = parameters["properties"][field]
    assert schema["type"] == {"string": "string", "int": "integer"}[kind]
    assert (field in parameters["required"]) is (required == "yes")
    assert str(schema.get("default", "—")) == default.strip("`")
