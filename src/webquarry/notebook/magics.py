"""`%load_ext webquarry`: `%%ask` asks a model, `%web` searches, reads and cites.

`%web` takes the words of the command line, and the command line parses them.
"""

# mypy: disable-error-code="no-untyped-call,untyped-decorator"
# IPython has no types for these.

from __future__ import annotations

import argparse
import shlex
from typing import Any

import click
from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from webquarry.ask.models import MAX_TOKENS, Question
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

    @magic_arguments()
    @argument("--context", default="", help="Text that the question is about.")
    @argument("--table", help="A variable: ask about each of its rows.")
    @argument("--column", help="The column of the table to ask about.")
    @argument("--model", help="The model, such as ollama/qwen3.")
    @argument("--max-tokens", type=int, default=MAX_TOKENS, help="Maximum length of an answer.")
    @argument("--no-search", action="store_true", help="Answer without a search.")
    @argument("--schema", help='Fields of a typed answer, such as \'{"ceo": "VARCHAR"}\'.')
    @argument("--max-usd", type=float, help="Maximum cost of the cell in US dollars.")
    @argument("--fresh", action="store_true", help="Skip stored answers.")
    @argument("--dry-run", action="store_true", help="Show the maximum cost without asking.")
    @argument("-o", "--output", help="The variable for the answer.")
    @cell_magic
    def ask(self, line: str, cell: str) -> Any:
        """Ask a model the question in the cell, in which nothing is expanded.

        In the line {name} is the value of a variable.
        """
        chosen = _parse_line(self.ask, line)
        prompt = cell.strip()
        if not prompt:
            raise UsageError("The cell is empty: write the question below %%ask.")
        shell: Any = self.shell
        answer = _ask(chosen, prompt, shell.user_ns)
        if chosen.output:
            shell.user_ns[chosen.output] = answer
        return answer

    @line_magic
    def web(self, line: str) -> Any:
        """Search, read and cite with the words of the command line; `%web` alone lists them.

        found = %web search tidal energy storage -n 3
        %web read https://example.org --question "What is it for?"
        %web cite https://example.org --style bibtex
        """
        try:
            words = shlex.split(line)
        except ValueError:
            raise UsageError(
                "A quotation mark in the line is not closed; remove it, or write it as \\' or \\\"."
            ) from None
        try:
            return _run_web(words)
        except BadInput as error:
            raise UsageError(error.sentences) from None


def _parse_line(magic: Any, line: str) -> argparse.Namespace:
    """Parse the options of a line, and remove the quotation marks around their values."""
    chosen: argparse.Namespace = parse_argstring(magic, line)
    for name, value in vars(chosen).items():
        is_quoted = isinstance(value, str) and len(value) > 1 and value[0] in "'\""
        if is_quoted and value[0] == value[-1]:
            setattr(chosen, name, value[1:-1])
    if chosen.max_tokens < 1:
        raise UsageError("--max-tokens must be at least 1.")
    if chosen.max_usd is not None and not chosen.max_usd >= 0:
        raise UsageError("--max-usd must be at least 0.")
    if chosen.output and not chosen.output.isidentifier():
        raise UsageError(f"{chosen.output!r} cannot be the name of a variable.")
    return chosen


def _ask(chosen: argparse.Namespace, prompt: str, variables: dict[str, Any]) -> Any:
    """Ask once, or about each row of a table."""
    from webquarry.notebook.asking import ask_about, ask_rows

    question = Question(
        chosen.context,
        prompt,
        model=chosen.model,
        max_tokens=chosen.max_tokens,
        search=False if chosen.no_search else None,
        schema=chosen.schema,
        fresh=chosen.fresh,
    )
    if chosen.table is None:
        if chosen.column is not None:
            raise UsageError("--column is one of a table; name that with --table.")
        return ask_about(question, chosen.max_usd, chosen.dry_run)
    if chosen.context:
        raise UsageError("--context and --table exclude each other: each row is the context.")
    if chosen.table not in variables:
        raise UsageError(f"There is no variable {chosen.table}; --table takes the name of one.")
    table = variables[chosen.table]
    return ask_rows(table, chosen.column, question, chosen.max_usd, chosen.dry_run)


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
    try:
        options = command.make_context(f"%web {name}", rest).params
    except click.exceptions.Exit:
        return None
    except click.UsageError as error:
        action = f"%web {name} --help lists the options."
        raise BadInput(error.format_message(), suggested_action=action) from None
    if name == "bill":
        from webquarry.notebook.asking import share_instance
        from webquarry.sql.setters import list_usage

        return list_usage(share_instance(), options["days"])
    answer: Any = call_with(command.tool, command.build_arguments(options), "research")
    return CiteOutput.of(answer, options["citation_style"]) if name == "cite" else answer


@click.command()
@click.option("--days", type=click.IntRange(min=1), default=1, help="Number of days.")
def _bill(days: int) -> None:
    """Show what was spent, by all interfaces and processes."""
