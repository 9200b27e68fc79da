"""The magics of a notebook: `%%ask` asks what stands in the cell, `%web` searches, reads and cites
by the words of the command line.
"""

# mypy: disable-error-code="no-untyped-call,untyped-decorator"
# IPython's own parts have no types.

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from webquarry.ask.models import MAX_TOKENS
from webquarry.errors import BadInput
from webquarry.notebook.web_lines import run_web_line


@magics_class
class WebquarryMagics(Magics):
    """What `%load_ext webquarry` adds to a notebook."""

    @magic_arguments()
    @argument("--context", default="", help="What the question is about.")
    @argument("--table", help="A variable: ask about each of its rows.")
    @argument("--column", help="The column of the table that the question is about.")
    @argument("--model", help="The model to ask, such as ollama/qwen3.")
    @argument("--max-tokens", type=int, default=MAX_TOKENS, help="Longest answer, in tokens.")
    @argument("--no-search", action="store_true", help="Answer without a search.")
    @argument("--schema", help='Fields of a typed answer, such as \'{"ceo": "VARCHAR"}\'.')
    @argument("--max-usd", type=float, help="Most US dollars that the cell may cost.")
    @argument("--fresh", action="store_true", help="Take no answer that was kept.")
    @argument("--dry-run", action="store_true", help="Ask nobody; say what it may cost at most.")
    @argument("-o", "--output", help="The variable that the answer is put into.")
    @cell_magic
    def ask(self, line: str, cell: str) -> Any:
        """Ask a model what stands in the cell, as it is written there: nothing in it is filled in.

        In the line {name} is the value of a variable.
        """
        chosen = _parse_line(self.ask, line)
        prompt = cell.strip()
        if not prompt:
            raise UsageError("The cell is empty: write the question below %%ask.")
        shell: Any = self.shell
        variables: dict[str, Any] = shell.user_ns
        answer = _ask(chosen, prompt, variables)
        if chosen.output:
            variables[chosen.output] = answer
        return answer

    @line_magic
    def web(self, line: str) -> Any:
        """Search, read and cite by the words of the command line; `%web` alone lists them.

        found = %web search tidal energy storage -n 3
        %web read https://example.org --question "What is it for?"
        %web cite https://example.org --style bibtex
        """
        try:
            words = shlex.split(line)
        except ValueError:
            raise UsageError(
                "A quotation mark in the line has no end; leave it out, or write it as \\' or \\\"."
            ) from None
        try:
            return run_web_line(words)
        except BadInput as error:
            raise UsageError(error.sentences) from None


def _ask(chosen: argparse.Namespace, prompt: str, variables: Mapping[str, Any]) -> Any:
    """Ask once, or about each row of a table."""
    from webquarry.notebook.asking import CellOptions, ask_about, ask_rows

    options = CellOptions(
        model=chosen.model,
        max_tokens=chosen.max_tokens,
        search=False if chosen.no_search else None,
        schema=chosen.schema,
        fresh=chosen.fresh,
        max_usd=chosen.max_usd,
        dry_run=chosen.dry_run,
    )
    if chosen.table is None:
        if chosen.column is not None:
            raise UsageError("--column is one of a table; name that with --table.")
        return ask_about(chosen.context, prompt, options)
    if chosen.context:
        raise UsageError("--context and --table exclude each other: each row is the context.")
    if chosen.table not in variables:
        raise UsageError(f"There is no variable {chosen.table}; --table takes the name of one.")
    return ask_rows(variables[chosen.table], chosen.column, prompt, options)


def _parse_line(magic: Any, line: str) -> argparse.Namespace:
    """The options of a line, without the quotation marks around their values."""
    chosen: argparse.Namespace = parse_argstring(magic, line)
    for name, value in vars(chosen).items():
        is_quoted = isinstance(value, str) and len(value) > 1 and value[0] in "'\""
        if is_quoted and value[0] == value[-1]:
            setattr(chosen, name, value[1:-1])
    if chosen.max_tokens < 1:
        raise UsageError("--max-tokens is a number from 1 on.")
    if chosen.max_usd is not None and not chosen.max_usd >= 0:
        raise UsageError("--max-usd is a number from 0 on.")
    if chosen.output and not chosen.output.isidentifier():
        raise UsageError(f"{chosen.output!r} cannot be the name of a variable.")
    return chosen
