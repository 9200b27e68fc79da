"""Door: `webquarry tools`, the tool host on the command line.

Tables on a terminal, JSON with --json or when piped; `check` prints one line per finding, as
checkers do. Exit code 1 for a failure or an error found, 2 for a command that was not understood.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from webquarry.errors import BadInput
from webquarry.host.checking import check_paths
from webquarry.host.environment import escape_unprintable
from webquarry.host.folders import Folder, executables_in, expand
from webquarry.host.host import ToolHost
from webquarry.host.models import HostedTool, Skipped
from webquarry.host.strict_json import NotJson, parse_json
from webquarry.host.trust import TrustStore, folder_to_trust
from webquarry.settings import Settings
from webquarry.surfaces.bridge import bridge
from webquarry.surfaces.cli.terminal import AsJson, answering, one_line

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
    with answering(as_json) as output:
        host = _discover()
        rows = [_tool_row(tool) for tool in host.tools] + [
            _skipped_row(one) for one in host.skipped
        ]
        output.show({"tools": rows}, lambda console: _print_table(console, rows))


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="The tool's name.")], as_json: AsJson = None
) -> None:
    """One tool: where it is, what it takes, and what is unusual about its description."""
    with answering(as_json) as output:
        tool = _discover().get(name)
        output.show({**_tool_row(tool), "parameters": tool.parameters})


@app.command()
def check(
    paths: Annotated[
        list[Path], typer.Argument(help="Executables, folders of them, or schema files (.json).")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON instead of one line per finding.")
    ] = False,
) -> None:
    """Validate executables or schema files; exit code 1 if any error was found."""
    with answering(as_json) as output:
        settings = Settings.from_environment()
        report = bridge.run(check_paths(paths, settings, os.environ))
        found = [(path, finding) for path, findings in report for finding in findings]
        if as_json:
            rows = [
                {
                    "path": str(path),
                    "severity": one.severity,
                    "place": one.path,
                    "message": one.message,
                }
                for path, one in found
            ]
            output.show({"checked": len(report), "findings": rows})
        for path, finding in () if as_json else found:
            output.write(escape_unprintable(f"{path}: {finding}"))
        if any(finding.severity == "error" for _, finding in found):
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
    with answering(True) as output:
        output.show(_exported(_discover().only(names or []), vendor, strict, form))


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="The tool's name.")], as_json: AsJson = None
) -> None:
    """Run a tool with the arguments given as a JSON object on stdin."""
    if sys.stdin.isatty():
        raise typer.BadParameter(
            "Give the arguments as a JSON object on stdin, at least {}.", param_hint="stdin"
        )
    with answering(as_json) as output:
        try:
            arguments = parse_json(sys.stdin.buffer.read(_MOST_INPUT_BYTES))
        except NotJson as error:
            raise BadInput(f"What came on stdin {error}.") from error
        output.show(bridge.run(_discover().run(name, arguments)))


@app.command()
def trust(
    path: Annotated[Path, typer.Argument(help="The project, or its tool folder.")] = Path(),
    as_json: AsJson = None,
) -> None:
    """Let the tools of a project be run, as they are now; any change to them takes that back."""
    with answering(as_json) as output:
        folder = folder_to_trust(
            expand(path, os.environ), Settings.from_environment().project_tools
        )
        digest = TrustStore.of(os.environ).trust(folder)
        names = [one.path.name for one in executables_in(Folder(folder, "project"))[0]]
        said = f"Trusted, as long as they do not change: {', '.join(names)} in {folder}"
        answer = {"trusted": str(folder), "executables": names, "digest": digest}
        output.show(answer, lambda console: console.print(one_line(said), soft_wrap=True))


@app.command()
def untrust(
    path: Annotated[Path, typer.Argument(help="The project, or its tool folder.")] = Path(),
    as_json: AsJson = None,
) -> None:
    """Do not run the tools of a project any more."""
    with answering(as_json) as output:
        given, store = expand(path, os.environ), TrustStore.of(os.environ)
        folder = given / Settings.from_environment().project_tools
        forgotten = [one for one in (folder, given) if store.forget(one)]
        if not forgotten:
            raise BadInput(
                f"The folder {one_line(str(given))} was not trusted.",
                suggested_action="Name the folder as `webquarry tools list` shows it.",
            )
        said = f"No longer trusted: {forgotten[0]}"
        output.show(
            {"untrusted": str(forgotten[0])},
            lambda console: console.print(one_line(said), soft_wrap=True),
        )


def _discover() -> ToolHost:
    with _without_echo():
        return bridge.run(ToolHost.adiscover())


@contextmanager
def _without_echo() -> Iterator[None]:
    """The reasons for skipping are in the answer; at the usual level the log would only repeat
    them.
    """
    logger = logging.getLogger("webquarry.host.discovery")
    before = logger.level
    if logger.getEffectiveLevel() >= logging.WARNING:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _exported(
    host: ToolHost, vendor: Vendor, strict: bool, form: GeminiForm
) -> list[dict[str, Any]]:
    if vendor is Vendor.anthropic:
        return host.for_anthropic(strict)
    if vendor is Vendor.openai:
        return host.for_openai(strict)
    if vendor is Vendor.openai_chat:
        return host.for_openai_chat(strict)
    if vendor is Vendor.gemini:
        return host.for_gemini("legacy" if form is GeminiForm.legacy else "json_schema")
    return host.for_mcp()


def _tool_row(tool: HostedTool) -> dict[str, Any]:
    row = {"name": tool.name, "state": "ready", "origin": tool.origin, "path": str(tool.path)}
    warnings = [f"{one.path}: {one.message}" for one in tool.warnings]
    return {**row, "description": tool.description, **({"warnings": warnings} if warnings else {})}


def _skipped_row(one: Skipped) -> dict[str, Any]:
    return {
        "name": one.name,
        "state": one.state,
        "origin": one.origin,
        "path": str(one.path),
        "reason": one.reason,
    }


def _print_table(console: Console, rows: list[dict[str, Any]]) -> None:
    if not rows:
        console.print("No tools were found.")
        return
    table = Table()
    for title in ("tool", "state", "from"):
        table.add_column(title, no_wrap=True)
    table.add_column("path", overflow="fold")
    table.add_column("about", overflow="fold")
    for row in rows:
        state, path = str(row["state"]), str(row["path"])
        about = (
            row.get("reason") or row["description"].partition(". ")[0]
        )  # `show` has the whole of it
        cells = (row["name"] or Path(path).name, state, row["origin"], path, about)
        table.add_row(*map(one_line, cells), style=_COLOURS.get(state))
    console.print(table)
