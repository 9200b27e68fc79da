"""`webquarry tools`: external tools. `check` prints one line per finding."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from webquarry.bridge import bridge
from webquarry.cli.output import Output, with_output, with_text_output
from webquarry.errors import BadInput
from webquarry.host.discovery import (
    Folder,
    check_paths,
    executables_in,
    expand,
    folder_to_trust,
    needs_trust,
)
from webquarry.host.host import ToolHost
from webquarry.host.models import Executable, HostedTool
from webquarry.host.options import BadOptions, escape_unprintable, find_options
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.host.template import write_template
from webquarry.host.trust import TrustStore
from webquarry.settings import Settings
from webquarry.terminal import one_line

_MOST_INPUT_BYTES = 16 * 1024 * 1024
_COLOURS = {"ready": "bold", "untrusted": "yellow", "overridden": "dim", "broken": "red"}
_tool_name = click.argument("name")
_folder = click.argument("path", type=click.Path(path_type=Path), default=".")


@click.group()
def tools() -> None:
    """List, check, export and run external tools."""


@tools.command("list")
@with_output
def list_tools(output: Output) -> None:
    """List the tools found, and those skipped with the reason."""
    host = _discover(log_skips=False)
    rows = [_tool_row(tool) for tool in host.tools]
    rows += [{**asdict(skipped), "path": str(skipped.path)} for skipped in host.skipped]

    def render() -> None:
        if not rows:
            output.write("No tools were found.")
        for row in rows:
            name = one_line(row["name"] or Path(row["path"]).name)
            about = row.get("reason") or row["description"].partition(". ")[0]
            output.print(f"{name}: {row['state']}, {row['origin']}", style=_COLOURS[row["state"]])
            output.print(row["path"], "    ")
            output.print(about, "    ")

    output.show({"tools": rows}, render)


@tools.command()
@_tool_name
@with_output
def show(output: Output, name: str) -> None:
    """Show one tool: path, parameters, warnings."""
    tool = _discover(log_skips=False).get(name)
    options = find_options(tool.executable, Settings.from_environment())
    row = {**_tool_row(tool), **asdict(options)}

    def render() -> None:
        from webquarry.cli.render import show_tool

        show_tool(output, row, tool.parameters)

    output.show({**row, "parameters": tool.parameters}, render)


@tools.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="JSON instead of one line per finding.")
@with_text_output
def check(output: Output, paths: Sequence[Path], as_json: bool) -> None:
    """Validate executables, folders of them, tools by name, or schema files (.json).

    Exit code 1 for an error.
    """
    output.json = as_json
    report = bridge.run(check_paths(paths, Settings.from_environment(), os.environ))
    rows = []
    for path, findings in report:
        for finding in findings:
            rows.append({**asdict(finding), "path": str(path), "place": finding.path})
            if not as_json:
                output.write(escape_unprintable(f"{path}: {finding}"))
    if as_json:
        output.show({"checked": len(report), "findings": rows})
    if any(row["severity"] == "error" for row in rows):
        raise click.exceptions.Exit(1)


@tools.command()
@click.option(
    "--for",
    "vendor",
    required=True,
    type=click.Choice(["anthropic", "openai", "openai-chat", "gemini", "mcp"]),
)
@click.argument("names", nargs=-1)
@click.option("--strict", is_flag=True, help="OpenAI's strict form, for tools that fit it.")
@with_text_output
def export(output: Output, vendor: str, names: Sequence[str], strict: bool) -> None:
    """Print the tools as JSON for the `tools` field of a vendor."""
    if strict and not vendor.startswith("openai"):
        raise click.BadParameter(f"{vendor} has no strict form.", param_hint="--strict")
    output.json = True
    host = _discover().only(list(names))
    forms = {
        "anthropic": host.for_anthropic,
        "openai": lambda: host.for_openai(strict),
        "openai-chat": lambda: host.for_openai_chat(strict),
        "gemini": host.for_gemini,
        "mcp": host.for_mcp,
    }
    output.show(forms[vendor]())


@tools.command()
@_tool_name
@with_output
def run(output: Output, name: str) -> None:
    """Run a tool with a JSON object of arguments from stdin."""
    if sys.stdin.isatty():
        raise click.BadParameter(
            "Give the arguments as a JSON object on stdin, at least {}.", param_hint="stdin"
        )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the tool like Ctrl-C
    try:
        arguments = parse_json(sys.stdin.buffer.read(_MOST_INPUT_BYTES))
    except NotJson as error:
        raise BadInput(f"The input on stdin {error}.") from error
    host = _discover([name], log_skips=False)
    host.log_skips(besides=name)  # the error reports that one
    output.show(bridge.run(host.run(name, arguments)))


@tools.command()
@_tool_name
@click.option("--project", is_flag=True, help="Into the project's folder instead of your own.")
@click.option("--folder", type=click.Path(path_type=Path), help="Into this folder.")
@with_output
def new(output: Output, name: str, project: bool, folder: Path | None) -> None:
    """Write the template of a tool in Python to your tool folder."""
    settings = Settings.from_environment()
    chosen = settings.project_tools if project else settings.user_tools
    written = write_template(name, expand(folder or chosen, os.environ))
    path = one_line(str(written.program))
    lines = [f"Written: {path}, and its options in {written.options.name} next to it."]
    if needs_trust(written.program.parent, settings, os.environ):
        lines.append("Allow it to run, after every change:  webquarry tools trust")
    lines.append(f"Check it:  webquarry tools check {path}")
    lines.append(f"""Run it:  echo '{{"text": "hello"}}' | webquarry tools run {written.name}""")
    answer = {
        "name": written.name,
        "path": str(written.program),
        "options": str(written.options),
    }
    output.show(answer, lambda: output.write("\n".join(lines)))


@tools.command()
@_folder
@with_output
def trust(output: Output, path: Path) -> None:
    """Allow the tools of a project to run until they change."""
    settings = Settings.from_environment()
    folder = folder_to_trust(expand(path, os.environ), settings.project_tools)
    digest = TrustStore.of(os.environ).trust(folder)
    executables, _ = executables_in(Folder(folder, "project"))
    names = [executable.path.name for executable in executables]
    answer: dict[str, Any] = {"trusted": str(folder), "executables": names, "digest": digest}
    sentence = f"Trusted, as long as they do not change: {', '.join(names)} in {folder}"
    variables = _list_variables(executables, settings)
    if variables:
        answer["variables"] = variables
        for tool, given in variables.items():
            sentence += f"; {tool} gets {', '.join(given)}"
    output.show_line(answer, sentence)


@tools.command()
@_folder
@with_output
def untrust(output: Output, path: Path) -> None:
    """Stop running the tools of a project."""
    store = TrustStore.of(os.environ)
    project = expand(path, os.environ)
    folders = (project / Settings.from_environment().project_tools, project)
    removed = [str(folder) for folder in folders if store.forget(folder)]
    if not removed:
        raise BadInput(
            f"The folder {one_line(str(project))} was not trusted.",
            suggested_action="Name the folder as `webquarry tools list` shows it.",
        )
    output.show_line({"untrusted": removed[0]}, f"No longer trusted: {removed[0]}")


def _discover(names: Sequence[str] = (), log_skips: bool = True) -> ToolHost:
    """Find the tools on this machine, or only those with these names."""
    return bridge.run(ToolHost.adiscover(names=names, log_skips=log_skips))


def _list_variables(executables: Sequence[Executable], settings: Settings) -> dict[str, list[str]]:
    """The environment variables of each tool; `list` reports unusable files."""
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
    if tool.warnings:
        row["warnings"] = [f"{warning.path}: {warning.message}" for warning in tool.warnings]
    return row
