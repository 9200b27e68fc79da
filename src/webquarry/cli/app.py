"""The command line. Flags come in; colours for a person, or one JSON object for a program, go out.

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

from webquarry.cli import cache, mcp, token
from webquarry.cli.ask import ask
from webquarry.cli.call import call
from webquarry.cli.check.command import check
from webquarry.cli.demo.command import demo
from webquarry.cli.doctor.command import doctor
from webquarry.cli.evidence.calls import calls
from webquarry.cli.evidence.pack import pack
from webquarry.cli.evidence.verify import drift, verify
from webquarry.cli.pages import app as library_app
from webquarry.cli.read import read
from webquarry.cli.search import search
from webquarry.cli.session.command import app as session_app
from webquarry.cli.sources.cite import cite
from webquarry.cli.sources.papers import papers
from webquarry.cli.sources.patents import patents
from webquarry.cli.sql import sql
from webquarry.cli.ui.command import ui
from webquarry.surfaces.terminal import use_utf8_streams


class LateGroup(typer.core.TyperGroup):
    """The commands of `tools`, which are loaded when one of them is wanted."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        from webquarry.cli.tools import app as tools_app

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
app.add_typer(cache.app, name="cache", no_args_is_help=True)
app.add_typer(library_app, name="library")
app.add_typer(session_app, name="session", no_args_is_help=True)
app.add_typer(mcp.app, name="mcp")
app.add_typer(token.app, name="token", no_args_is_help=True)
# Help lists them in this order.
for command in (search, read, cite, check, papers, patents, ask, sql):
    app.command()(command)
# `call TOOL --help` is about the tool, so that the command answers it.
app.command(add_help_option=False)(call)
app.command()(pack)
app.command()(verify)
app.command()(drift)
app.command()(calls)
app.command()(ui)
app.command()(doctor)
app.command()(demo)


def run() -> int:
    """Run the command that `sys.argv` names; the exit code comes back."""
    use_utf8_streams()
    try:
        try:
            app(prog_name="webquarry")
        except SystemExit as ended:
            sys.stdout.flush()
            if isinstance(ended.code, int):
                return ended.code
            return int(ended.code is not None)
    except BrokenPipeError:
        # The reader has gone, which is its right; nor may the interpreter's last flush complain.
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
