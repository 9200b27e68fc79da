"""`webquarry patents`: the tool `patent_search` with a flag for each of its parameters."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from webquarry.cli.completion import complete_register, complete_session
from webquarry.cli.offered_call import offer_call
from webquarry.surfaces.terminal import AsJson, Pager, command_output


def patents(
    query: Annotated[
        list[str] | None, typer.Argument(help="Words, or the number of one patent.")
    ] = None,
    num_results: Annotated[
        int, typer.Option("-n", "--num-results", help="How many patents.", min=1, max=10)
    ] = 5,
    search_type: Annotated[
        Literal["prior_art", "specific", "landscape"],
        typer.Option(help="specific: titles only; landscape: also counts assignees."),
    ] = "prior_art",
    patent_office: Annotated[str, typer.Option(help="US, EP, WO, ... or all.")] = "all",
    assignee: Annotated[str | None, typer.Option(help="Whose they are.")] = None,
    inventor: Annotated[str | None, typer.Option(help="The inventor's name.")] = None,
    cpc_code: Annotated[str | None, typer.Option(help="A class, such as H04W or H04W4/02.")] = None,
    year_from: Annotated[int | None, typer.Option(help="Published not before this year.")] = None,
    year_to: Annotated[int | None, typer.Option(help="Published not after this year.")] = None,
    provider: Annotated[
        str | None,
        typer.Option(help="Ask this one: epo, lens or web.", autocompletion=complete_register),
    ] = None,
    session_id: Annotated[
        str | None,
        typer.Option(
            help="Research session to record the patents in.", autocompletion=complete_session
        ),
    ] = None,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Find patents by words, assignee, inventor or number. Needs no key."""
    arguments = {
        "query": " ".join(query or ()) or None,
        "num_results": num_results,
        "search_type": search_type,
        "patent_office": patent_office,
        "assignee": assignee,
        "inventor": inventor,
        "cpc_code": cpc_code,
        "year_from": year_from,
        "year_to": year_to,
        "provider": provider,
        "sessionId": session_id,
    }
    offer_call("patent_search", arguments)
    with command_output(as_json) as output:
        from webquarry.cli.views.results import show_patents
        from webquarry.surfaces.library import call_with

        with output.show_progress("searching for patents"):
            found = call_with("patent_search", arguments, "research", "fork").as_dict()
        output.show(found, lambda console: show_patents(console, found), pager=pager)
