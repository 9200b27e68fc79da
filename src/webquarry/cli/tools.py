"""`webquarry tools`: external tools and ours. `check` prints one line per finding."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.bridge import bridge
from webquarry.cli.options import AsJson, new_group
from webquarry.cli.output import command_output
from webquarry.errors import BadInput
from webquarry.host.discovery import (
    Folder,
    check_paths,
    executables_in,
    expand,
    folder_to_trust,
    needs_trust,
)
from webquarry.host.environment import escape_unprintable
from webquarry.host.host import ToolHost
from webquarry.host.models import Executable, HostedTool
from webquarry.host.options import BadOptions, find_options
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.host.template import write_template
from webquarry.host.trust import TrustStore
from webquarry.settings import Settings
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from rich.console import Console

app = new_group("List, check, export and run external tools and ours.", no_args_is_help=True)
Vendor = Literal["anthropic", "openai", "openai-chat", "gemini", "mcp"]

_MOST_INPUT_BYTES = 16 * 1024 * 1024
_COLOURS = {"untrusted": "yellow", "overridden": "dim", "broken": "red"}


@app.command("list")
def list_tools(as_json: AsJson = None) -> None:
    """List the tools found, and those skipped with the reason."""
    with command_output(as_json) as output:
        host = _discover(log_skips=False)
        rows = [_tool_row(tool) for tool in host.tools]
        for skipped in host.skipped:
            row = {
                "name": skipped.name,
                "state": skipped.state,
                "origin": skipped.origin,
                "path": str(skipped.path),
                "reason": skipped.reason,
            }
            rows.append(row)
        output.show({"tools": rows}, lambda console: _print_table(console, rows))


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The tool's name.")], as_json: AsJson = None
) -> None:
    """Show one tool: path, parameters, warnings."""
    with command_output(as_json) as output:
        tool = _discover(log_skips=False).get(name)
        options = find_options(tool.executable, Settings.from_environment())
        row = {**_tool_row(tool), **asdict(options)}

        def render(console: Console) -> None:
            from webquarry.cli.views import show_tool

            show_tool(console, row, tool.parameters)

        output.show({**row, "parameters": tool.parameters}, render)


@app.command()
def check(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Executables, folders of them, names of tools, or schema files (.json)."
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON instead of one line per finding.")
    ] = False,
) -> None:
    """Validate executables or schema files; exit code 1 for an error."""
    with command_output(as_json) as output:
        settings = Settings.from_environment()
        report = bridge.run(check_paths(paths, settings, os.environ))
        rows = []
        has_errors = False
        for path, findings in report:
            for finding in findings:
                has_errors = has_errors or finding.severity == "error"
                row = {
                    "path": str(path),
                    "severity": finding.severity,
                    "place": finding.path,
                    "message": finding.message,
                }
                rows.append(row)
                if not as_json:
                    output.write(escape_unprintable(f"{path}: {finding}"))
        if as_json:
            output.show({"checked": len(report), "findings": rows})
        if has_errors:
            raise typer.Exit(1)


@app.command()
def export(
    vendor: Annotated[Vendor, typer.Option("--for", help="The vendor.")],
    names: Annotated[list[str] | None, typer.Argument(help="Only these tools.")] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="The strict form, for tools that it can express."),
    ] = False,
    form: Annotated[
        Literal["json_schema", "legacy"], typer.Option("--form", help="Form of Gemini's schemas.")
    ] = "json_schema",
) -> None:
    """Print the tools as JSON for the `tools` field of a vendor."""
    if strict and vendor in ("gemini", "mcp"):
        raise typer.BadParameter(f"{vendor} has no strict form.", param_hint="--strict")
    with command_output(True) as output:
        host = _discover().only(names or [])
        match vendor:
            case "anthropic":
                tools = host.for_anthropic(strict)
            case "openai":
                tools = host.for_openai(strict)
            case "openai-chat":
                tools = host.for_openai_chat(strict)
            case "gemini":
                tools = host.for_gemini(form)
            case "mcp":
                tools = host.for_mcp()
        output.show(tools)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="The tool's name.")], as_json: AsJson = None
) -> None:
    """Run a tool with a JSON object of arguments from stdin."""
    if sys.stdin.isatty():
        raise typer.BadParameter(
            "Give the arguments as a JSON object on stdin, at least {}.", param_hint="stdin"
        )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the tool like Ctrl-C
    with command_output(as_json) as output:
        try:
            arguments = parse_json(sys.stdin.buffer.read(_MOST_INPUT_BYTES))
        except NotJson as error:
            raise BadInput(f"What came on stdin {error}.") from error
        host = _discover([name], log_skips=False)
        host.log_skips(besides=name)  # the error reports that one
        output.show(bridge.run(host.run(name, arguments)))


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The tool's name, such as file_edit.")],
    project: Annotated[
        bool, typer.Option("--project", help="Into the project's folder instead of your own.")
    ] = False,
    folder: Annotated[Path | None, typer.Option(help="Into this folder.")] = None,
    as_json: AsJson = None,
) -> None:
    """Write the template of a tool in Python to your tool folder."""
    with command_output(as_json) as output:
        settings = Settings.from_environment()
        chosen = settings.project_tools if project else settings.user_tools
        made = write_template(name, expand(folder or chosen, os.environ), os.environ)
        answer = {"name": made.name, "path": str(made.program), "options": str(made.options)}
        path = one_line(str(made.program))
        lines = [f"Written: {path}, and its options in {made.options.name} beside it."]
        if needs_trust(made.program.parent, settings, os.environ):
            lines.append("Allow it to run, after every change:  webquarry tools trust")
        lines.append(f"Check it:  webquarry tools check {path}")
        lines.append(f"""Run it:  echo '{{"text": "hello"}}' | webquarry tools run {made.name}""")
        output.show(answer, lambda console: output.write("\n".join(lines)))


@app.command()
def trust(
    path: Annotated[Path, typer.Argument(help="The project, or its tool folder.")] = Path(),
    as_json: AsJson = None,
) -> None:
    """Allow the tools of a project to run until they change."""
    with command_output(as_json) as output:
        project_tools = Settings.from_environment().project_tools
        folder = folder_to_trust(expand(path, os.environ), project_tools)
        digest = TrustStore.of(os.environ).trust(folder)
        executables, _ = executables_in(Folder(folder, "project"))
        names = [executable.path.name for executable in executables]
        answer: dict[str, Any] = {
            "trusted": str(folder),
            "executables": names,
            "digest": digest,
        }
        sentence = f"Trusted, as long as they do not change: {', '.join(names)} in {folder}"
        variables = _list_variables(executables)
        if variables:
            answer["variables"] = variables
            for tool, given in variables.items():
                sentence += f"; {tool} gets {', '.join(given)}"
        output.show_line(answer, sentence)


@app.command()
def untrust(
    path: Annotated[Path, typer.Argument(help="The project, or its tool folder.")] = Path(),
    as_json: AsJson = None,
) -> None:
    """Stop running the tools of a project."""
    with command_output(as_json) as output:
        store = TrustStore.of(os.environ)
        settings = Settings.from_environment()
        project = expand(path, os.environ)
        tools = project / settings.project_tools
        forgotten = [folder for folder in (tools, project) if store.forget(folder)]
        if not forgotten:
            raise BadInput(
                f"The folder {one_line(str(project))} was not trusted.",
                suggested_action="Name the folder as `webquarry tools list` shows it.",
            )
        folder = str(forgotten[0])
        output.show_line({"untrusted": folder}, f"No longer trusted: {folder}")


def _discover(names: Sequence[str] = (), log_skips: bool = True) -> ToolHost:
    """Find the tools on this machine, or only those with these names."""
    return bridge.run(ToolHost.adiscover(names=names, log_skips=log_skips))


def _list_variables(executables: Sequence[Executable]) -> dict[str, list[str]]:
    """The environment variables of each tool; `list` reports unusable files."""
    settings = Settings.from_environment()
    variables = {}
    for executable in executables:
        with suppress(BadOptions):
            given = find_options(executable, settings).variables
            if given:
                variables[executable.path.name] = list(given)
    return variables


def _tool_row(tool: HostedTool) -> dict[str, Any]:
    """A tool that can be run, as JSON."""
    row: dict[str, Any] = {
        "name": tool.name,
        "state": "ready",
        "origin": tool.origin,
        "path": str(tool.path),
        "description": tool.description,
    }
    warnings = [f"{warning.path}: {warning.message}" for warning in tool.warnings]
    if warnings:
        row["warnings"] = warnings
    return row


def _print_table(console: Console, rows: list[dict[str, Any]]) -> None:
    """Print one row per tool."""
    from rich.table import Table

    if not rows:
        console.print("No tools were found.")
        return
    table = Table()
    for title in ("tool", "state", "from"):
        table.add_column(title, no_wrap=True)
    table.add_column("path", overflow="fold")
    table.add_column("about", overflow="fold")
    for row in rows:
        state = str(row["state"])
        path = str(row["path"])
        name = row["name"] or Path(path).name
        about = row.get("reason") or row["description"].partition(". ")[0]
        cells = [one_line(cell) for cell in (name, state, row["origin"], path, about)]
        table.add_row(*cells, style=_COLOURS.get(state))
    console.print(table)
