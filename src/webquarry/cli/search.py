"""`webquarry search`, `papers` and `patents`: the tools of the same purpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from webquarry.cli.options import ToolCommand
from webquarry.cli.output import Output, print_line
from webquarry.errors import WebquarryError

if TYPE_CHECKING:
    from webquarry.tool import Answer


def show(output: Output, answer: Answer, options: Mapping[str, Any]) -> None:
    """Print results, papers or patents."""

    def render() -> None:
        from webquarry.cli.render import show_answer

        show_answer(output, answer)

    output.show(answer.as_dict(), render, pager=options["pager"])
    if options.get("explain"):
        _explain(output, answer.meta["webquarry/trace"], answer.meta)


def explain_failure(output: Output, error: WebquarryError, options: Mapping[str, Any]) -> None:
    """Print which providers failed."""
    if options["explain"]:
        _explain(output, {"attempts": [vars(attempt) for attempt in error.attempts]}, {})


def _explain(output: Output, trace: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Print the requested providers and their outcomes; next to JSON on stderr."""
    lines = []
    if trace.get("order"):
        lines.append(f"Order: {', '.join(trace['order'])} ({trace['because']})")
    cache = meta.get("webquarry/cache", {})
    if cache.get("cached"):
        lines.append(f"From the cache, {cache['ageSeconds']} seconds old. Originally:")
    for number, attempt in enumerate(trace["attempts"], 1):
        outcome = f"{attempt['provider']}: {attempt['outcome']}"
        lines.append(f"{number}. {outcome}, {attempt['seconds']:.2f} s. {attempt['reason']}")
    if not trace["attempts"]:
        lines.append("No provider was asked.")
    for note in meta.get("webquarry/routing", {}).get("notes", []):
        lines.append(f"Note: {note}")
    for line in lines:
        if output.json:
            print_line(line)
        else:
            output.print(line)


_WORDS = click.Argument(["query"], nargs=-1, required=True, metavar="WORDS...")
_EXPLAIN = click.Option(
    ["--explain"], is_flag=True, help="Show which providers were asked, and why."
)
search = ToolCommand(
    "web_search",
    _WORDS,
    show,
    fail=explain_failure,
    params=[_EXPLAIN],
    progress="searching",
    help="Search the web. Needs no key; with one, that provider is asked first.",
)
papers = ToolCommand(
    "academic_search",
    _WORDS,
    show,
    progress="searching for papers",
    help="Search scholarly papers in several open indexes at once. Needs no key.",
)
patents = ToolCommand(
    "patent_search",
    click.Argument(["query"], nargs=-1, metavar="[WORDS|NUMBER]..."),
    show,
    progress="searching for patents",
    help="Find patents by words, assignee, inventor or number. Needs no key.",
)
