"""Door: the command line. Flags come in; colours for a person, or one JSON object for a program, go
out.

Exit codes: 0 done, 1 failed (the reason on stderr, and as `error` in JSON), 2 wrong usage, 130
interrupted. What is heavy is imported inside the commands, so that help and completion answer at
once.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from webquarry.surfaces.cli import ask as ask_cli
from webquarry.surfaces.cli import cache as cache_cli
from webquarry.surfaces.cli import mcp as mcp_cli
from webquarry.surfaces.cli import read as read_cli
from webquarry.surfaces.cli import search as search_cli
from webquarry.surfaces.cli import session as session_cli
from webquarry.surfaces.cli import sql as sql_cli
from webquarry.surfaces.cli import token as token_cli
from webquarry.surfaces.cli.terminal import AsJson, answering, speak_utf8


class LateGroup(typer.core.TyperGroup):
    """The commands of `tools`, which are loaded when one of them is wanted."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        from webquarry.surfaces.cli.tools import app as tools_app

        self.commands.update(typer.main.get_group(tools_app).commands)
        return super().make_context(*args, **extra)


app = typer.Typer(
    name="webquarry",
    help="Real and verifiable sources from the web: search, read and cite.",
    context_settings={"help_option_names": ["-h", "--help"]},
    # a traceback with colours is still a traceback; commands turn errors into words
    pretty_exceptions_enable=False,
)
tools = typer.Typer(
    cls=LateGroup,
    help="The tools on this machine, ours and yours: list, check, export and run them.",
)
app.add_typer(tools, name="tools", no_args_is_help=True)
app.add_typer(cache_cli.app, name="cache", no_args_is_help=True)
app.add_typer(session_cli.app, name="session", no_args_is_help=True)
app.add_typer(mcp_cli.app, name="mcp")
app.add_typer(token_cli.app, name="token", no_args_is_help=True)

app.command()(search_cli.search)
app.command()(read_cli.read)
app.command()(ask_cli.ask)
app.command()(sql_cli.sql)


def run() -> int:
    """Run the command that `sys.argv` names; the exit code comes back."""
    speak_utf8()
    try:
        try:
            app(prog_name="webquarry")
        except SystemExit as ended:
            sys.stdout.flush()
            if isinstance(ended.code, int):
                return ended.code
            return int(ended.code is not None)
    except (
        BrokenPipeError
    ):  # the reader has gone, which is its right; nor may the interpreter's last flush complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        from webquarry import __version__

        sys.stdout.write(f"webquarry {__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


@app.command()
def call(
    tool: Annotated[
        str,
        typer.Argument(
            help="The tool's name.", autocompletion=lambda incomplete: _tools(incomplete)
        ),
    ],
    arguments: Annotated[
        str, typer.Argument(help="Its arguments as a JSON object; - reads them from stdin.")
    ] = "-",
    toolset: Annotated[str | None, typer.Option(help="The tool set to look in.")] = None,
    as_json: AsJson = None,
) -> None:
    """Call any tool of the registry."""
    with answering(as_json) as output:
        from webquarry.surfaces.arguments import MAX_BYTES, parse_arguments

        if arguments == "-":
            given = parse_arguments(sys.stdin.buffer.read(MAX_BYTES + 1))
        else:
            given = parse_arguments(
                arguments.encode("utf-8", "surrogateescape"), "after the tool's name"
            )
        output.show(_call(tool, given, toolset))


@app.command()
def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Ask no provider.")] = False,
    as_json: AsJson = None,
) -> None:
    """Say what is configured, what works and what to do about the rest."""
    with answering(as_json) as output:
        from webquarry.surfaces.bridge import bridge
        from webquarry.surfaces.cli.doctor.command import examine
        from webquarry.surfaces.cli.doctor.view import show_report

        report = bridge.run(examine(offline=offline))
        output.show(report.as_dict(), lambda console: show_report(console, report))
        if not report.ok:
            raise typer.Exit(1)


@app.command()
def demo() -> None:
    """Search, read, cite and research on a recorded web: no keys, no internet."""
    with answering(False) as output:
        from webquarry.surfaces.bridge import bridge
        from webquarry.surfaces.cli.demo import tell

        bridge.run(tell(output.console))


def _call(name: str, arguments: dict[str, Any], toolset: str | None = None) -> dict[str, Any]:
    from webquarry.surfaces.library import call_with

    return call_with(name, arguments, toolset).as_dict()


def _tools(incomplete: str) -> list[str]:
    from webquarry.surfaces.library import tool_names

    return [name for name in tool_names() if name.startswith(incomplete)]
