"""`webquarry call`: any tool of the registry by its name, with its arguments as JSON.

`--list` names the tools, and `--help` behind a tool's name says what that tool takes.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from webquarry.cli.completion import complete_tool, complete_tool_set
from webquarry.surfaces.terminal import AsJson, Output, Pager, command_output, one_line

if TYPE_CHECKING:
    from rich.console import Console


def call(
    context: typer.Context,
    tool: Annotated[
        str | None, typer.Argument(help="The tool's name.", autocompletion=complete_tool)
    ] = None,
    arguments: Annotated[
        str | None,
        typer.Argument(help="Its arguments as a JSON object; - or nothing reads them from stdin."),
    ] = None,
    toolset: Annotated[
        str | None,
        typer.Option(help="The tool set to look in.", autocompletion=complete_tool_set),
    ] = None,
    list_tools: Annotated[bool, typer.Option("--list", help="Name the tools.")] = False,
    help_: Annotated[
        bool,
        typer.Option("--help", "-h", help="Show this, or behind a tool's name what it takes."),
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Call any tool of the registry."""
    with command_output(as_json) as output:
        if list_tools:
            _list_tools(output, toolset)
            return
        if help_ and tool is None:
            sys.stdout.write(context.get_help() + "\n")
            return
        if tool is None:
            raise typer.BadParameter(
                "Name a tool; `webquarry call --list` shows those that there are.",
                param_hint="TOOL",
            )
        if help_:
            output.json = bool(as_json)  # help is to be read, also in a pipe
            _describe_tool(output, tool, toolset)
            return
        _call(output, tool, arguments, toolset, pager=pager)


def _call(
    output: Output, tool: str, arguments: str | None, toolset: str | None, *, pager: bool
) -> None:
    """Call the tool and show its answer."""
    from webquarry.cli.views.answer import show_answer
    from webquarry.surfaces.arguments import MAX_BYTES, parse_arguments
    from webquarry.surfaces.library import call_with, find_tool

    find_tool(tool, toolset)  # one that is not there is told before anything is waited for
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
    output.show(answer.as_dict(), lambda console: show_answer(console, answer), pager=pager)


def _list_tools(output: Output, toolset: str | None) -> None:
    """Each tool with the first sentence of its description."""
    from rich.text import Text

    from webquarry.surfaces.display.layout import print_hanging
    from webquarry.surfaces.library import find_tool, tool_names

    rows = []
    for name in tool_names(toolset):
        rows.append({"name": name, "description": find_tool(name, toolset).description})

    def render(console: Console) -> None:
        width = max(len(row["name"]) for row in rows)
        for row in rows:
            sentence = f"{row['description'].partition('. ')[0].rstrip('.')}."
            lead = Text(f"{row['name']:<{width}}  ", "bold")
            print_hanging(console, lead, Text(one_line(sentence)))
        print_hanging(console, "", Text("What one takes: webquarry call TOOL --help", "dim"))

    output.show({"tools": rows}, render)


def _describe_tool(output: Output, name: str, toolset: str | None) -> None:
    """What a tool does and takes."""
    from rich.text import Text

    from webquarry.cli.views.tool import show_tool
    from webquarry.surfaces.display.layout import print_command
    from webquarry.surfaces.library import find_tool

    tool = find_tool(name, toolset)
    row = {"name": tool.name, "description": tool.description}

    def render(console: Console) -> None:
        show_tool(console, row, tool.parameters)
        fields = [f'"{field}": ...' for field in tool.parameters["required"]]
        words = ["webquarry", "call", tool.name, f"'{{{', '.join(fields)}}}'"]
        print_command(console, Text("Call it: ", "bold"), words, "")

    output.show({**row, "parameters": tool.parameters}, render)
