"""The command line: flags in; text for a person, or one JSON object for a program, out.

Exit codes: 0 done, 1 failed (the reason on stderr, and as `error` in JSON), 2 wrong usage, 130
interrupted. A command's module is imported when the command is used, so that help and completion
start quickly.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from webquarry.terminal import use_utf8_streams

# Name -> line of the help. Each command is `NAME`, or the Typer app `app`, of its module.
COMMANDS = {
    "search": "Search the web. Needs no key; with one, that provider is asked first.",
    "read": "Read a page as Markdown, with its citation.",
    "cite": "Cite a page in APA, MLA, BibTeX, RIS or CSL-JSON.",
    "check": "Check the quotes, numbers and references of a draft.",
    "papers": "Search scholarly papers in several open indexes. Needs no key.",
    "patents": "Find patents by words, assignee, inventor or number. Needs no key.",
    "ask": "Ask a model, which may search the web once.",
    "sql": "Run SQL with the functions ask, web_search, scrape_page and stps_*.",
    "call": "Call any tool by its name.",
    "pack": "Write the sources of a session to an evidence pack.",
    "verify": "Check an evidence pack, or with --live its pages.",
    "drift": "Alias of `verify --live`.",
    "calls": "Show the log of tool calls of this machine.",
    "ui": "Open the local page in a browser: calls, sources, quotes, the bill.",
    "doctor": "Show what is configured, what works and what to do about the rest.",
    "demo": "Search, read, cite and research on a recorded web: no keys, no internet.",
    "tools": "List, check, export and run external tools and ours.",
    "cache": "Show the size of the cache, or clear it.",
    "library": "Show, add, forget or export the pages read on this machine.",
    "session": "Begin, extend, show and export research sessions.",
    "mcp": "Serve a tool set over MCP, on stdio or HTTP.",
    "token": "Manage tokens for callers of an HTTP server.",
}
_MODULES = {"drift": "verify"}


class LazyGroup(typer.core.TyperGroup):
    """Imports a command when it is used. The list of commands needs no import."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        names: dict[str, Any] = dict.fromkeys(COMMANDS)
        self.commands = names  # for lists and suggestions; `get_command` imports

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        name = _MODULES.get(cmd_name, cmd_name)
        module = importlib.import_module(f"webquarry.cli.{name}")
        app = getattr(module, "app", None)
        if app is None:
            app = typer.Typer(add_completion=False, rich_markup_mode=None)
            # `call TOOL --help` describes the tool: the command handles it.
            register = app.command(cmd_name, add_help_option=cmd_name != "call")
            register(getattr(module, cmd_name))
        command = typer.main.get_command(app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="webquarry",
    cls=LazyGroup,
    help="Real and verifiable sources from the web: search, read and cite.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def run() -> int:
    """Run the command of `sys.argv`; return the exit code."""
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
        # The reader of the pipe has closed it. The interpreter flushes once more at exit.
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
