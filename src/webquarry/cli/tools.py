"""`webquarry tools`: the tool host on the command line.

Tables on a terminal, JSON with --json or when piped; `check` prints one line per finding, as
checkers do. Exit code 1 for a failure or an error found, 2 for a command that was not understood.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from webquarry.cli.views.tool import show_tool
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
from webquarry.surfaces.bridge import bridge
from webquarry.surfaces.terminal import AsJson, command_output, one_line

app = typer.Typer(
    help="The tools on this machine, ours and yours: list, check, export and run them.",
    no_args_is_help=True,
)

_MOST_INPUT_BYTES = 16 * 1024 * 1024
_COLOURS = {"untrusted": "yellow", "overridden": "dim", "broken": "red"}


class Vendor(StrEnum):
    """Whose form the tools are written in."""

    anthropic = "anthropic"
    openai = "openai"
    openai_chat = "openai-chat"
    gemini = "gemini"
    mcp = "mcp"


class GeminiForm(StrEnum):
    """Which of Gemini's two forms."""

    json_schema = "json_schema"
    legacy = "legacy"


@app.command("list")
def list_tools(as_json: AsJson = None) -> None:
    """Every tool that was found, with its state, and the reason if it was skipped."""
    with command_output(as_json) as output:
        host = _discover(log_skips=False)  # the answer has the reasons
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
    """One tool: where it is, what it takes, and what is unusual about its description."""
    with command_output(as_json) as output:
        tool = _discover(log_skips=False).get(name)
        options = find_options(tool.executable, Settings.from_environment())
        row = {**_tool_row(tool), **asdict(options)}
        output.show(
            {**row, "parameters": tool.parameters},
            lambda console: show_tool(console, row, tool.parameters),
        )


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
    """Validate executables or schema files; exit code 1 if any error was found."""
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
    vendor: Annotated[Vendor, typer.Option("--for", help="Whose form.")],
    names: Annotated[list[str] | None, typer.Argument(help="Only these tools.")] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="The form with guaranteed arguments, where it can hold the tool."
        ),
    ] = False,
    form: Annotated[
        GeminiForm, typer.Option("--form", help="Which of Gemini's forms.")
    ] = GeminiForm.json_schema,
) -> None:
    """The tools in a vendor's form, as JSON for its `tools` field."""
    if strict and vendor in (Vendor.gemini, Vendor.mcp):
        raise typer.BadParameter(f"{vendor.value} has no strict form.", param_hint="--strict")
    with command_output(True) as output:
        host = _discover().only(names or [])
        match vendor:
            case Vendor.anthropic:
                tools = host.for_anthropic(strict)
            case Vendor.openai:
                tools = host.for_openai(strict)
            case Vendor.openai_chat:
                tools = host.for_openai_chat(strict)
            case Vendor.gemini:
                tools = host.for_gemini("legacy" if form is GeminiForm.legacy else "json_schema")
            case Vendor.mcp:
                tools = host.for_mcp()
        output.show(tools)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="The tool's name.")], as_json: AsJson = None
) -> None:
    """Run a tool with the arguments given as a JSON object on stdin, under its own names or an
    export's.
    """
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
        host.log_skips(besides=name)  # of that one the error tells
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
    """Write a tool to begin with, in Python, into the folder of your tools."""
    with command_output(as_json) as output:
        settings = Settings.from_environment()
        chosen = settings.project_tools if project else settings.user_tools
        made = write_template(name, expand(folder or chosen, os.environ), os.environ)
        answer = {"name": made.name, "path": str(made.program), "options": str(made.options)}
        path = one_line(str(made.program))
        lines = [f"Written: {path}, and what it gets in {made.options.name} beside it."]
        if needs_trust(made.program.parent, settings, os.environ):
            lines.append("Let it be run, after every change:  webquarry tools trust")
        lines.append(f"See whether it is right:  webquarry tools check {path}")
        lines.append(f"""Run it:  echo '{{"text": "hello"}}' | webquarry tools run {made.name}""")
        output.show(answer, lambda console: console.print("\n".join(lines), soft_wrap=True))


@app.command()
def trust(
    path: Annotated[Path, typer.Argument(help="The project, or its tool folder.")] = Path(),
    as_json: AsJson = None,
) -> None:
    """Let the tools of a project be run, as they are now; any change to them takes that back."""
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
        sentence = one_line(sentence)
        output.show(answer, lambda console: console.print(sentence, soft_wrap=True))


@app.command()
def untrust(
    path: Annotated[Path, typer.Argument(help="The project, or its tool folder.")] = Path(),
    as_json: AsJson = None,
) -> None:
    """Do not run the tools of a project any more."""
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
        sentence = one_line(f"No longer trusted: {forgotten[0]}")
        output.show(
            {"untrusted": str(forgotten[0])},
            lambda console: console.print(sentence, soft_wrap=True),
        )


def _discover(names: Sequence[str] = (), log_skips: bool = True) -> ToolHost:
    """The tools on this machine, or only those of these names."""
    return bridge.run(ToolHost.adiscover(names=names, log_skips=log_skips))


def _list_variables(executables: Sequence[Executable]) -> dict[str, list[str]]:
    """The variables that tools get of their own, by file; of a file that cannot be used `list`
    tells.
    """
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
    """One line a tool, for a person."""
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
        # Of a description the first sentence; `show` has the whole of it.
        about = row.get("reason") or row["description"].partition(". ")[0]
        cells = [one_line(cell) for cell in (name, state, row["origin"], path, about)]
        table.add_row(*cells, style=_COLOURS.get(state))
    console.print(table)
