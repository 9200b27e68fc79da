"""`webquarry call`: any tool by its name, with its arguments as JSON."""

from __future__ import annotations

import sys

import click

from webquarry.cli.output import Output, pager_option, with_output
from webquarry.cli.search import show
from webquarry.tools import toolset_names


# `call TOOL --help` describes the tool: the command handles the option.
@click.command(add_help_option=False)
@click.argument("tool", required=False)
@click.argument("arguments", required=False)
@click.option("--toolset", type=click.Choice(toolset_names()), help="The tool set to look in.")
@click.option("--list", "list_tools", is_flag=True, help="List the tools.")
@click.option(
    "-h", "--help", "help_", is_flag=True, help="Show this, or the parameters of the tool."
)
@pager_option
@with_output
def call(
    output: Output,
    tool: str | None,
    arguments: str | None,
    toolset: str | None,
    list_tools: bool,
    help_: bool,
    pager: bool,
) -> None:
    """Call any tool by its name. `--help` after the name shows its parameters.

    ARGUMENTS is a JSON object; - or nothing reads it from stdin.
    """
    from webquarry.api import call_with, find_tool
    from webquarry.executable import MAX_BYTES, parse_arguments

    if list_tools:
        _list_tools(output, toolset)
        return
    if help_ and tool is None:
        output.write(click.get_current_context().get_help())
        return
    if tool is None:
        raise click.BadParameter("Name a tool; `webquarry call --list` shows them.")
    found = find_tool(tool, toolset)  # an unknown name is reported before stdin is read
    if help_:
        from webquarry.cli.render import show_tool

        row = {"name": found.name, "description": found.description}
        show_tool(output, row, found.parameters)
        fields = ", ".join(f'"{field}": ...' for field in found.parameters["required"])
        output.write(f"Call it: webquarry call {found.name} '{{{fields}}}'")
        return
    if arguments in (None, "-"):
        if arguments is None and sys.stdin.isatty():
            raise click.BadParameter(
                f"Give the arguments as a JSON object; `webquarry call {tool} --help` shows them. "
                "For none: '{}'"
            )
        parsed = parse_arguments(sys.stdin.buffer.read(MAX_BYTES + 1))
    else:
        data = str(arguments).encode("utf-8", "surrogateescape")
        parsed = parse_arguments(data, "after the tool's name")
    with output.show_progress(f"calling {tool}"):
        answer = call_with(tool, parsed, toolset, "fork")
    show(output, answer, {"pager": pager})


def _list_tools(output: Output, toolset: str | None) -> None:
    """Print each tool with the first sentence of its description."""
    from webquarry.api import find_tool, tool_names

    descriptions = {name: find_tool(name, toolset).description for name in tool_names(toolset)}

    def render() -> None:
        width = max(map(len, descriptions))
        for name, description in descriptions.items():
            sentence = f"{description.partition('. ')[0].rstrip('.')}."
            output.print(sentence, f"{name:<{width}}  ")
        output.write("Parameters: webquarry call TOOL --help")

    rows = [{"name": name, "description": text} for name, text in descriptions.items()]
    output.show({"tools": rows}, render)
