"""`%load_ext webquarry`: `%%ask` asks a model, `%web` searches, reads and cites.

`%web` takes the words of the command line, and the command line parses them.
"""

# mypy: disable-error-code="no-untyped-call,untyped-decorator"
# IPython has no types for these.

from __future__ import annotations

import shlex
from typing import Any

import click
from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from webquarry.ask.models import Question
from webquarry.errors import BadInput

_COMMANDS = ("search", "read", "cite", "papers", "patents")
_KNOWN = ", ".join((*_COMMANDS, "bill"))


def load(shell: Any) -> None:
    """Register the magics."""
    shell.register_magics(WebquarryMagics)


def unload(shell: Any) -> None:
    """Remove the magics and close the engine."""
    from webquarry.notebook.asking import release_instance

    magics = shell.magics_manager.magics
    magics["cell"].pop("ask", None)
    magics["line"].pop("web", None)
    release_instance()


@magics_class
class WebquarryMagics(Magics):
    """The magics of `%load_ext webquarry`."""

    @cell_magic
    def ask(self, line: str, cell: str) -> Any:
        """Ask a model the question in the cell, in which nothing is expanded.

        In the line {name} is the value of a variable. `%%ask --help` lists the options.
        """
        options = _parse(_build_ask(), "%%ask", _split(line))
        prompt = cell.strip()
        if options is None:
            return None
        if not prompt:
            raise UsageError("The cell is empty: write the question below %%ask.")
        shell: Any = self.shell
        output = options.pop("output")
        if output and not output.isidentifier():
            raise UsageError(f"{output!r} cannot be the name of a variable.")
        answer = _ask(options, prompt, shell.user_ns)
        if output:
            shell.user_ns[output] = answer
        return answer

    @line_magic
    def web(self, line: str) -> Any:
        """Search, read and cite with the words of the command line; `%web` alone lists them.

        found = %web search tidal energy storage -n 3
        %web read https://example.org --question "Who may use it?"
        %web cite https://example.org --style bibtex
        """
        try:
            return _run_web(_split(line))
        except BadInput as error:
            raise UsageError(error.sentences) from None


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        raise UsageError(
            "A quotation mark in the line is not closed; remove it, or write it as \\' or \\\"."
        ) from None


def _parse(command: click.Command, name: str, words: list[str]) -> dict[str, Any] | None:
    """Parse the options of a line; return None if it only asked for help."""
    try:
        return command.make_context(name, words).params
    except click.exceptions.Exit:
        return None
    except click.UsageError as error:
        raise UsageError(f"{error.format_message()} {name} --help lists the options.") from None


def _build_ask() -> click.Command:
    """The options of `%%ask`: those of `webquarry ask`, a table and a variable."""
    from webquarry.cli.ask import ask

    own = [param for param in ask.params if param.name not in ("question", "pager", "as_json")]
    table = click.Option(["--table"], help="A variable: ask about each of its rows.")
    column = click.Option(["--column"], help="The column of the table to ask about.")
    output = click.Option(["-o", "--output"], help="The variable for the answer.")
    return click.Command("%%ask", params=[*own, table, column, output])


def _ask(options: dict[str, Any], prompt: str, variables: dict[str, Any]) -> Any:
    """Ask once, or about each row of a table."""
    from webquarry.notebook.asking import ask_about, ask_rows

    table, column = options["table"], options["column"]
    question = Question(
        options["context"],
        prompt,
        model=options["model"],
        max_tokens=options["max_tokens"],
        search=False if options["no_search"] else None,
        schema=options["schema"],
        fresh=options["fresh"],
    )
    limits = (options["max_usd"], options["dry_run"])
    if table is None:
        if column is not None:
            raise UsageError("--column is one of a table; name that with --table.")
        return ask_about(question, *limits)
    if question.context:
        raise UsageError("--context and --table exclude each other: each row is the context.")
    if table not in variables:
        raise UsageError(f"There is no variable {table}; --table takes the name of one.")
    return ask_rows(variables[table], column, question, *limits)


def _run_web(words: list[str]) -> Any:
    """Run the words of a `%web` line; return None if they only asked for help."""
    from webquarry.api import CiteOutput, call_with
    from webquarry.cli.app import load_command

    if not words or words[0] not in (*_COMMANDS, "bill"):
        problem = f"%web has no command {words[0]!r}." if words else "%web needs a command."
        action = f"Use one of {_KNOWN}; %web search --help lists the options of one."
        raise BadInput(problem, suggested_action=action)
    name, *rest = words
    command: Any = _bill if name == "bill" else load_command(name)
    options = _parse(command, f"%web {name}", rest)
    if options is None:
        return None
    if name == "bill":
        from webquarry.notebook.asking import share_instance
        from webquarry.sql.setters import list_usage

        return list_usage(share_instance(), options["days"])
    answer: Any = call_with(command.tool, command.build_arguments(options), "research")
    return CiteOutput.of(answer, options["citation_style"]) if name == "cite" else answer


@click.command()
@click.option("--days", type=click.IntRange(min=1), default=1, help="Number of days.")
def _bill(days: int) -> None:
    """Show the cost of all interfaces and processes."""
