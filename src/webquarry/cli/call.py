"""`webquarry call`: any tool by its name, with its arguments as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from webquarry.cli.options import AsJson, Pager, complete
from webquarry.cli.output import Output, command_output
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from rich.console import Console


def _list_tool_names() -> Iterable[str]:
    from webquarry.api import tool_names

    return tool_names()


def _list_tool_sets() -> Iterable[str]:
    from webquarry.registry import module_names

    return module_names("webquarry.tools")


def call(
    context: typer.Context,
    tool: Annotated[
        str | None,
        typer.Argument(help="The tool's name.", autocompletion=complete(_list_tool_names)),
    ] = None,
    arguments: Annotated[
        str | None,
        typer.Argument(help="Its arguments as a JSON object; - or nothing reads them from stdin."),
    ] = None,
    toolset: Annotated[
        str | None,
        typer.Option(help="The tool set to look in.", autocompletion=complete(_list_tool_sets)),
    ] = None,
    list_tools: Annotated[bool, typer.Option("--list", help="List the tools.")] = False,
    help_: Annotated[
        bool,
        typer.Option("--help", "-h", help="Show this, or the parameters of the tool."),
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Call any tool by its name. `--help` after the name shows its parameters."""
    with command_output(as_json) as output:
        if list_tools:
            _list_tools(output, toolset)
            return
        if help_ and tool is None:
            sys.stdout.write(context.get_help() + "\n")
            return
        if tool is None:
            raise typer.BadParameter(
                "Name a tool; `webquarry call --list` shows them.",
                param_hint="TOOL",
            )
        if help_:
            output.json = bool(as_json)  # help is text, also in a pipe
            _describe_tool(output, tool, toolset)
            return
        _call(output, tool, arguments, toolset, pager=pager)


def _call(
    output: Output, tool: str, arguments: str | None, toolset: str | None, *, pager: bool
) -> None:
    """Call the tool and show its answer."""
    from webquarry.api import call_with, find_tool
    from webquarry.executable import MAX_BYTES, parse_arguments

    find_tool(tool, toolset)  # an unknown name is reported before stdin is read
    if arguments is None and sys.stdin.isatty():
        raise typer.BadParameter(
            f"Give the arguments as a JSON object; `webquarry call {tool} --help` shows them. "
            "For none: '{}'",
            param_hint="ARGUMENTS",
        )
    if arguments in (None, "-"):
        parsed = parse_arguments(sys.stdin.buffer.read(MAX_BYTES + 1))
    else:
        data = str(arguments).encode("utf-8", "surrogateescape")
        parsed = parse_arguments(data, "after the tool's name")
    with output.show_progress(f"calling {tool}"):
        answer = call_with(tool, parsed, toolset, "fork")
    output.show_answer(answer, pager=pager)


def _list_tools(output: Output, toolset: str | None) -> None:
    """Print each tool with the first sentence of its description."""
    from webquarry.api import find_tool, tool_names

    rows = []
    for name in tool_names(toolset):
        rows.append({"name": name, "description": find_tool(name, toolset).description})

    def render(console: Console) -> None:
        from rich.text import Text

        from webquarry.cli.layout import print_hanging

        width = max(len(row["name"]) for row in rows)
        for row in rows:
            sentence = f"{row['description'].partition('. ')[0].rstrip('.')}."
            lead = Text(f"{row['name']:<{width}}  ", "bold")
            print_hanging(console, lead, Text(one_line(sentence)))
        print_hanging(console, "", Text("Parameters: webquarry call TOOL --help", "dim"))

    output.show({"tools": rows}, render)


def _describe_tool(output: Output, name: str, toolset: str | None) -> None:
    """Print the description and parameters of a tool."""
    from webquarry.api import find_tool

    tool = find_tool(name, toolset)
    row = {"name": tool.name, "description": tool.description}

    def render(console: Console) -> None:
        from rich.text import Text

        from webquarry.cli.layout import print_command
        from webquarry.cli.views import show_tool

        show_tool(console, row, tool.parameters)
        fields = [f'"{field}": ...' for field in tool.parameters["required"]]
        words = ["webquarry", "call", tool.name, f"'{{{', '.join(fields)}}}'"]
        print_command(console, Text("Call it: ", "bold"), words, "")

    output.show({**row, "parameters": tool.parameters}, render)
