"""`webquarry search`: the tool `web_search`, with an option for each of its parameters."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from webquarry.cli.options import (
    AsJson,
    Pager,
    SessionId,
    Words,
    complete,
    list_lenses,
    list_services,
    offer_call,
)
from webquarry.cli.output import Output, command_output
from webquarry.errors import WebquarryError
from webquarry.terminal import one_line


def search(
    query: Words,
    num_results: Annotated[
        int, typer.Option("-n", "--num-results", help="Number of results.", min=1, max=10)
    ] = 5,
    time_range: Annotated[
        Literal["day", "week", "month", "year"] | None, typer.Option(help="Maximum age of pages.")
    ] = None,
    safe: Annotated[Literal["off", "medium", "high"], typer.Option(help="Safe search.")] = "medium",
    language: Annotated[
        str | None, typer.Option(help="Only in this language: an ISO 639-1 code, such as en.")
    ] = None,
    site: Annotated[
        str | None, typer.Option(help="Only from this domain and its subdomains.")
    ] = None,
    exact_terms: Annotated[str | None, typer.Option(help="A phrase that must occur.")] = None,
    exclude_terms: Annotated[str | None, typer.Option(help="Words that must not occur.")] = None,
    country: Annotated[
        str | None, typer.Option(help="Results for this country, such as US.")
    ] = None,
    lens: Annotated[
        str | None,
        typer.Option(
            help="Only from the trusted domains of a field, such as academic.",
            autocompletion=complete(list_lenses),
        ),
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option(
            help="Use only this provider.", autocompletion=complete(lambda: list_services("web"))
        ),
    ] = None,
    session_id: SessionId = None,
    claim: Annotated[
        str | None, typer.Option(help="Show the sentence of each result nearest to this claim.")
    ] = None,
    fresh: Annotated[
        bool | None,
        typer.Option("--fresh", help="Skip the cache, and refresh it.", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which providers were asked, and why.")
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Search the web. Needs no key; with one, that provider is asked first."""
    arguments = {
        "query": " ".join(query),
        "num_results": num_results,
        "time_range": time_range,
        "safe": safe,
        "language": language,
        "site": site,
        "exact_terms": exact_terms,
        "exclude_terms": exclude_terms,
        "country": country,
        "lens": lens,
        "provider": provider,
        "claim": claim,
        "sessionId": session_id,
        "fresh": fresh,
    }
    offer_call("web_search", arguments)
    with command_output(as_json) as output:
        from webquarry.api import call_with

        try:
            with output.show_progress("searching"):
                answer = call_with("web_search", arguments, "research", "fork")
        except WebquarryError as error:
            if explain:
                attempts = [vars(attempt) for attempt in error.attempts]
                _explain(output, {"attempts": attempts}, {})
            raise
        output.show_answer(answer, pager=pager)
        if explain:
            _explain(output, answer.meta["webquarry/trace"], answer.meta)


def _explain(output: Output, trace: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Print the providers asked and their outcomes; beside JSON on stderr."""
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
    if output.json:
        for line in lines:
            sys.stderr.write(f"{one_line(line)}\n")
        return
    from rich.text import Text

    from webquarry.cli.layout import print_hanging

    for line in lines:
        print_hanging(output.console, "", Text(one_line(line), "dim"), indent=3)
