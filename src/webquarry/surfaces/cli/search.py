"""Door: `webquarry search`, the tool `web_search` with a flag for each of its parameters.

What is printed as JSON is the tool's answer, byte for byte. `--explain` adds who was asked, in
which order, and why: after the results for a person, on stderr where JSON is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import typer

from webquarry.errors import WebquarryError
from webquarry.surfaces.cli.terminal import AsJson, Output, command_output, one_line


def search(
    query: Annotated[str, typer.Argument(help="What to search for.")],
    num_results: Annotated[
        int, typer.Option("-n", "--num-results", help="How many results.", min=1, max=10)
    ] = 5,
    time_range: Annotated[
        Literal["day", "week", "month", "year"] | None,
        typer.Option(help="How recent pages must be."),
    ] = None,
    safe: Annotated[Literal["off", "medium", "high"], typer.Option(help="Safe search.")] = "medium",
    language: Annotated[
        str | None, typer.Option(help="Only in this language: an ISO 639-1 code, such as en.")
    ] = None,
    site: Annotated[
        str | None, typer.Option(help="Only from this domain and those below it.")
    ] = None,
    exact_terms: Annotated[
        str | None, typer.Option(help="A phrase that must occur as it is.")
    ] = None,
    exclude_terms: Annotated[str | None, typer.Option(help="Words that must not occur.")] = None,
    country: Annotated[
        str | None, typer.Option(help="As seen from this country, such as US.")
    ] = None,
    lens: Annotated[
        str | None,
        typer.Option(
            help="Only from a field's trusted domains, such as academic.",
            autocompletion=lambda incomplete: _lenses(incomplete),
        ),
    ] = None,
    provider: Annotated[str | None, typer.Option(help="Ask this provider and no other.")] = None,
    session_id: Annotated[
        str | None, typer.Option(help="Research session to record the sources in.")
    ] = None,
    claim: Annotated[
        str | None, typer.Option(help="Show the sentence of each result that is nearest to this.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say who was asked, in which order, and why.")
    ] = False,
    as_json: AsJson = None,
) -> None:
    """Search the web. Needs no key; with one, that provider is asked first."""
    given = {
        name: value
        for name, value in locals().items()
        if name not in ("explain", "as_json", "session_id")
    }
    with command_output(as_json) as output:
        from webquarry.surfaces.library import call_with

        try:
            answer = call_with("web_search", given | {"sessionId": session_id}, "research")
        except WebquarryError as error:
            if explain:
                _explain(output, {"attempts": [vars(attempt) for attempt in error.attempts]}, {})
            raise
        found = answer.as_dict()
        output.show(found, lambda console: _show(output, found))
        if explain:
            _explain(output, answer.meta["webquarry/trace"], answer.meta)


def _show(output: Output, found: Mapping[str, Any]) -> None:
    """A numbered list for a person."""
    from rich.text import Text

    show = output.console.print
    for number, result in enumerate(found["results"], 1):
        show(
            Text(f"{number:>2}. ", "dim") + Text(one_line(result["title"]), "bold"), soft_wrap=True
        )
        known = [result.get("publishedAt"), _tier(result.get("sourceReputation"))]
        beside = "".join(f"  {one_line(part)}" for part in known if part)
        show(Text(f"    {one_line(result['url'])}", "cyan") + Text(beside, "dim"), soft_wrap=True)
        if result["snippet"]:
            show(Text(f"    {one_line(result['snippet'])}"), soft_wrap=True)
        if result.get("claimSignal"):
            show(Text(f"    > {one_line(result['claimSignal'])}", "green"), soft_wrap=True)
    if not found["results"]:
        show(Text("Nothing was found.", "yellow"))
        for action in found["hints"]["suggestedActions"]:
            show(Text(f"  Try: {_wording(action)}"), soft_wrap=True)


def _explain(output: Output, trace: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Who was asked and what came of it, line by line."""
    lines = []
    if trace.get("order"):
        lines.append(f"Order: {', '.join(trace['order'])} ({trace['because']})")
    if meta.get("webquarry/cache", {}).get("cached"):
        lines.append(
            f"From the cache, {meta['webquarry/cache']['ageSeconds']} seconds old; when it was "
            "found:"
        )
    lines += _attempts(trace["attempts"])
    lines += [f"Note: {note}" for note in meta.get("webquarry/routing", {}).get("notes", [])]
    stream = sys.stderr if output.json else sys.stdout
    stream.write("".join(f"{one_line(line)}\n" for line in lines))


def _attempts(attempts: Sequence[Mapping[str, Any]]) -> list[str]:
    return [
        f"{number}. {one['provider']}: {one['outcome']}, {one['seconds']:.2f} s. {one['reason']}"
        for number, one in enumerate(attempts, 1)
    ] or ["Nobody was asked."]


def _tier(reputation: Mapping[str, str] | None) -> str:
    if reputation:
        return f"reputation: {reputation['tier']}"
    return ""


def _wording(action: Mapping[str, str]) -> str:
    if action["action"] == "remove-filter":
        return f"without --{action['filter'].replace('_', '-')}"
    return f"--provider {action['provider']}"


def _lenses(incomplete: str) -> list[str]:
    from webquarry.search.query.lenses import load_lenses
    from webquarry.settings import Settings

    return [
        name
        for name in load_lenses(Settings.from_environment().lenses)
        if name.startswith(incomplete)
    ]
