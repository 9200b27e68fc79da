"""A tool -> the text of its schema, as `--schema` prints it and as the files in `schemas/` hold it.

Two-space indent, and lists of plain values on one line, so that the text equals the documented one
to the byte.
"""

from __future__ import annotations

import json
from typing import Any

from webquarry.tool import Tool


def schema_text(tool: Tool) -> str:
    """The schema of a tool, with one newline at the end."""
    return (
        pretty({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
        + "\n"
    )


def pretty(value: Any, indent: str = "") -> str:
    """JSON for people: objects and lists of objects over several lines, lists of plain values on
    one.
    """
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        members = [
            f"{deeper}{json.dumps(name, ensure_ascii=False)}: {pretty(part, deeper)}"
            for name, part in value.items()
        ]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        return "[\n" + ",\n".join(deeper + pretty(part, deeper) for part in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
