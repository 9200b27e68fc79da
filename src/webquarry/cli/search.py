"""`webquarry search`: the tool `web_search` with a flag for each of its parameters.

What is printed as JSON is the tool's answer, byte for byte. `--explain` adds who was asked, in
which order, and why: after the results for a person, on stderr where JSON is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from webquarry.cli.completion import (
    complete_lens,
    complete_provider,
    complete_session,
)
from webquarry.cli.offered_call import offer_call
from webquarry.errors import WebquarryError
from webquarry.surfaces.terminal import AsJson, Output, Pager, command_output, one_line

Count = Annotated[int, typer.Option("-n", "--num-results", help="How many results.", min=1, max=10)]
TimeRange = Annotated[
    Literal["day", "week", "month", "year"] | None, typer.Option(help="How recent pages must be.")
]
Safe = Annotated[Literal["off", "medium", "high"], typer.Option(help="Safe search.")]
Language = Annotated[
    str | None, typer.Option(help="Only in this language: an ISO 639-1 code, such as en.")
]
Site = Annotated[str | None, typer.Option(help="Only from this domain and those below it.")]
ExactTerms = Annotated[str | None, typer.Option(help="A phrase that must occur as it is.")]
ExcludeTerms = Annotated[str | None, typer.Option(help="Words that must not occur.")]
Country = Annotated[str | None, typer.Option(help="As seen from this country, such as US.")]
LensName = Annotated[
    str | None,
    typer.Option(
        help="Only from a field's trusted domains, such as academic.",
        autocompletion=complete_lens,
    ),
]
ProviderName = Annotated[
    str | None,
    typer.Option(help="Ask this provider and no other.", autocompletion=complete_provider),
]
SessionId = Annotated[
    str | None,
    typer.Option(
        help="Research session to record the sources in.", autocompletion=complete_session
    ),
]
Claim = Annotated[
    str | None, typer.Option(help="Show the sentence of each result that is nearest to this.")
]
Fresh = Annotated[
    bool | None,
    typer.Option("--fresh", help="Go past the cache, and refresh it.", show_default=False),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Say who was asked, in which order, and why.")
]


def search(
    query: Annotated[
        list[str], typer.Argument(help="What to search for; no quotation marks are needed.")
    ],
    num_results: Count = 5,
    time_range: TimeRange = None,
    safe: Safe = "medium",
    language: Language = None,
    site: Site = None,
    exact_terms: ExactTerms = None,
    exclude_terms: ExcludeTerms = None,
    country: Country = None,
    lens: LensName = None,
    provider: ProviderName = None,
    session_id: SessionId = None,
    claim: Claim = None,
    fresh: Fresh = None,
    explain: Explain = False,
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
        from webquarry.cli.views.results import show_results
        from webquarry.surfaces.library import call_with

        try:
            with output.show_progress("searching"):
                answer = call_with("web_search", arguments, "research", "fork")
        except WebquarryError as error:
            if explain:
                attempts = [vars(attempt) for attempt in error.attempts]
                _explain(output, {"attempts": attempts}, {})
            raise
        found = answer.as_dict()
        output.show(found, lambda console: show_results(console, found), pager=pager)
        if explain:
            _explain(output, answer.meta["webquarry/trace"], answer.meta)


def _explain(output: Output, trace: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Who was asked and what came of it, line by line."""
    lines = []
    if trace.get("order"):
        lines.append(f"Order: {', '.join(trace['order'])} ({trace['because']})")
    cache = meta.get("webquarry/cache", {})
    if cache.get("cached"):
        lines.append(f"From the cache, {cache['ageSeconds']} seconds old; when it was found:")
    for number, attempt in enumerate(trace["attempts"], 1):
        outcome = f"{attempt['provider']}: {attempt['outcome']}"
        lines.append(f"{number}. {outcome}, {attempt['seconds']:.2f} s. {attempt['reason']}")
    if not trace["attempts"]:
        lines.append("Nobody was asked.")
    for note in meta.get("webquarry/routing", {}).get("notes", []):
        lines.append(f"Note: {note}")
    if output.json:
        for line in lines:
            sys.stderr.write(f"{one_line(line)}\n")
        return
    from rich.text import Text

    from webquarry.surfaces.display.layout import print_hanging

    for line in lines:
        print_hanging(output.console, "", Text(one_line(line), "dim"), indent=3)
