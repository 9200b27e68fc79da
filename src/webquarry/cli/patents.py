"""`webquarry patents`: the tool `patent_search`, with an option for each of its parameters."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from webquarry.cli.options import AsJson, Pager, SessionId, complete, list_services, offer_call
from webquarry.cli.output import command_output


def patents(
    query: Annotated[
        list[str] | None, typer.Argument(help="Words, or the number of one patent.")
    ] = None,
    num_results: Annotated[
        int, typer.Option("-n", "--num-results", help="Number of patents.", min=1, max=10)
    ] = 5,
    search_type: Annotated[
        Literal["prior_art", "specific", "landscape"],
        typer.Option(help="specific: titles only; landscape: also counts assignees."),
    ] = "prior_art",
    patent_office: Annotated[str, typer.Option(help="US, EP, WO, ... or all.")] = "all",
    assignee: Annotated[str | None, typer.Option(help="Name of the assignee.")] = None,
    inventor: Annotated[str | None, typer.Option(help="Name of the inventor.")] = None,
    cpc_code: Annotated[str | None, typer.Option(help="A class, such as H04W or H04W4/02.")] = None,
    year_from: Annotated[int | None, typer.Option(help="First year of publication.")] = None,
    year_to: Annotated[int | None, typer.Option(help="Last year of publication.")] = None,
    provider: Annotated[
        str | None,
        typer.Option(
            help="Ask only this register: epo, lens or web.",
            autocompletion=complete(lambda: [*list_services("patents"), "web"]),
        ),
    ] = None,
    session_id: SessionId = None,
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
        from webquarry.api import call_with

        with output.show_progress("searching for patents"):
            answer = call_with("patent_search", arguments, "research", "fork")
        output.show_answer(answer, pager=pager)
