"""The command line: flags in; text for a person, or one JSON object for a program, out.

Exit codes: 0 done, 1 failed (the reason on stderr, and as `error` in JSON), 2 wrong usage, 130
interrupted. A command's module is imported when the command is used, so that help and completion
start quickly.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from webquarry import __version__
from webquarry.terminal import use_utf8_streams

# By section of the help: name -> module and line of the help.
_SECTIONS = {
    "Everyday": {
        "search": (
            "search",
            "Search the web. Needs no key; with one, that provider is asked first.",
        ),
        "read": ("read", "Read a page or a file as Markdown, with its citation."),
        "cite": ("read", "Cite a page in APA, MLA, BibTeX, RIS or CSL-JSON."),
        "papers": ("search", "Search scholarly papers in several open indexes. Needs no key."),
        "patents": ("search", "Find patents by words, assignee, inventor or number. Needs no key."),
        "demo": (
            "demo",
            "Search, read, cite and research on a recorded web: no keys, no internet.",
        ),
    },
    "Research": {
        "session": ("session", "Create, extend, show and export research sessions."),
        "ask": ("ask", "Ask a model, which may search the web once."),
        "sql": ("sql", "Run SQL with the functions ask, web_search, scrape_page and stps_*."),
        "call": ("call", "Call any tool by its name."),
        "library": ("library", "Show, add, forget or export the pages read on this machine."),
    },
    "Verify": {
        "check": ("check", "Check the quotes, numbers and references of a draft."),
        "pack": ("pack", "Write the sources of a session to an evidence pack."),
        "verify": ("pack", "Check an evidence pack, or with --live its pages."),
        "drift": ("pack", "Alias of `verify --live`."),
    },
    "Serve": {
        "mcp": ("mcp", "Serve a tool set over MCP, on stdio or HTTP."),
        "ui": ("mcp", "Open the local page in a browser: calls, sources, quotes, the bill."),
        "token": ("mcp", "Manage tokens for callers of an HTTP server."),
        "tools": ("tools", "List, check, export and run external tools."),
    },
    "Maintain": {
        "doctor": ("doctor", "Show the configuration, what works and how to repair the rest."),
        "calls": ("store", "Show the log of tool calls of this machine."),
        "cache": ("store", "Show the size of the cache, or clear it."),
    },
}
COMMANDS = {name: line for section in _SECTIONS.values() for name, line in section.items()}
_COMPLETE = "_WEBQUARRY_COMPLETE"
_SHELLS = {  # file and line that install completion
    "bash": ("~/.bashrc", f'eval "$({_COMPLETE}=bash_source webquarry)"'),
    "zsh": ("~/.zshrc", f'eval "$({_COMPLETE}=zsh_source webquarry)"'),
    "fish": (
        "~/.config/fish/completions/webquarry.fish",
        f"{_COMPLETE}=fish_source webquarry | source",
    ),
}


class LazyGroup(click.Group):
    """Imports a command when it is used. The list of commands needs no import."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        names: Any = dict.fromkeys(COMMANDS)
        self.commands = names  # for lists and suggestions

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a file that is not the name of a command is read."""
        is_path = args[0].startswith(("/", "./", "../", "~")) or Path(args[0]).is_file()
        if args[0] not in COMMANDS and is_path:
            args = ["read", *args]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name][1]) for name in names), *options]


def load_command(name: str) -> click.Command:
    """Import the command of this name."""
    module = importlib.import_module(f"webquarry.cli.{COMMANDS[name][0]}")
    command: click.Command = getattr(module, name)
    return command


def install_completion(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Add completion to the start file of the user's shell, once."""
    if not wanted:
        return
    shell = Path(os.environ.get("SHELL", "")).name
    if shell not in _SHELLS:
        raise click.UsageError(f"Completion is available for: {', '.join(_SHELLS)}.")
    name, line = _SHELLS[shell]
    file = Path(name).expanduser()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+", encoding="utf-8") as opened:
        opened.seek(0)
        if line not in opened.read():
            opened.write(f"\n{line}\n")
    click.echo(f"Completion is installed in {file}; it works in new shells.")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="webquarry %(version)s")
@click.option(
    "--install-completion",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=install_completion,
    help="Install shell completion and exit.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Real and verifiable sources from the web: search, read and cite."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run() -> int:
    """Run the command of `sys.argv`; return the exit code."""
    use_utf8_streams()
    instruction = os.environ.get(_COMPLETE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "webquarry", _COMPLETE, instruction)
    try:
        # Not `cli.main`, which changes the exit code of Ctrl-C.
        with cli.make_context("webquarry", sys.argv[1:]) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        sys.stdout.flush()
        return ended.exit_code
    except click.ClickException as error:
        from webquarry.cli.output import print_line

        if isinstance(error, click.UsageError) and error.ctx is not None:
            click.echo(error.ctx.get_usage(), err=True)
        print_line(error.format_message(), "Error: ")
        return error.exit_code
    except click.Abort:
        return 130
    except BrokenPipeError:
        # The reader of the pipe has closed it. The interpreter flushes once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
