"""A tool -> what a person needs to call it: what it does, what it takes, what must be given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from webquarry.surfaces.display.layout import link_urls, print_hanging
from webquarry.surfaces.terminal import one_line

_LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
}


def show_tool(console: Console, row: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
    """Name and description, the other fields of `row`, and the parameters, one a paragraph."""
    console.print(Text(one_line(row["name"]), "bold"), soft_wrap=True)
    print_hanging(console, "  ", link_urls(one_line(row.get("description", ""))))
    for name, value in row.items():
        if name in ("name", "description"):
            continue
        lines = value if isinstance(value, list) else [value]
        for line in lines:
            print_hanging(console, Text(f"  {name}: ", "bold"), Text(one_line(str(line))), 4)
    properties = parameters.get("properties") or {}
    if not isinstance(properties, Mapping) or not properties:
        console.print("  It takes no parameters.")
        return
    console.print(Text("Parameters", "bold"))
    required = parameters.get("required") or ()
    for name, schema in properties.items():
        _show_parameter(console, name, schema, is_required=name in required)


def _show_parameter(console: Console, name: str, schema: Any, *, is_required: bool) -> None:
    """A line for one parameter: type, whether it must be given, its choices and limits."""
    facts = []
    description = ""
    if isinstance(schema, Mapping):
        kind = schema.get("type")
        if kind is not None:
            kinds = kind if isinstance(kind, list) else [kind]
        facts.append(" or ".join(map(str, kinds)))
        if is_required:
            facts.append("required")
        if schema.get("enum"):
            facts.append(f"one of {', '.join(map(str, schema['enum']))}")
        for keyword, words in _LIMITS.items():
            if keyword in schema:
                facts.append(words.format(schema[keyword]))
        if schema.get("default") is not None:
            facts.append(f"default {schema['default']}")
        description = one_line(str(schema.get("description") or ""))
    limits = f"({one_line('; '.join(facts))})"
    line = Text.assemble(f"{description} ".lstrip(), (limits, "dim"))
    print_hanging(console, Text(f"  {one_line(name)}  ", "cyan"), line, indent=6)
