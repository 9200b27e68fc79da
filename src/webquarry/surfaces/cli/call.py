"""`webquarry call`: any tool of the registry by its name, with its arguments as JSON."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from webquarry.surfaces.terminal import AsJson, command_output


def complete_tool(incomplete: str) -> list[str]:
    """The names of tools that begin with what was typed, for the shell's completion."""
    from webquarry.surfaces.library import tool_names

    return [name for name in tool_names() if name.startswith(incomplete)]


def call(
    tool: Annotated[str, typer.Argument(help="The tool's name.", autocompletion=complete_tool)],
    arguments: Annotated[
        str, typer.Argument(help="Its arguments as a JSON object; - reads them from stdin.")
    ] = "-",
    toolset: Annotated[str | None, typer.Option(help="The tool set to look in.")] = None,
    as_json: AsJson = None,
) -> None:
    """Call any tool of the registry."""
    with command_output(as_json) as output:
        from webquarry.surfaces.arguments import MAX_BYTES, parse_arguments
        from webquarry.surfaces.library import call_with

        if arguments == "-":
            parsed = parse_arguments(sys.stdin.buffer.read(MAX_BYTES + 1))
        else:
            data = arguments.encode("utf-8", "surrogateescape")
            parsed = parse_arguments(data, "after the tool's name")
        output.show(call_with(tool, parsed, toolset, "fork").as_dict())
