"""Schemas of tools as text: the output of `--schema` and the files in `schemas/`.

Two-space indent, and lists of scalars on one line, as documented.
"""

from __future__ import annotations

import json
from typing import Any

from webquarry.tool import Tool


def schema_text(tool: Tool) -> str:
    """The schema of a tool, with one newline at the end."""
    schema = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return pretty(schema) + "\n"


def pretty(value: Any, indent: str = "") -> str:
    """Serialize JSON with objects and lists of objects on several lines, lists of scalars on one."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        members = []
        for name, part in value.items():
            quoted = json.dumps(name, ensure_ascii=False)
            members.append(f"{deeper}{quoted}: {pretty(part, deeper)}")
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        items = [deeper + pretty(part, deeper) for part in value]
        return "[\n" + ",\n".join(items) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
