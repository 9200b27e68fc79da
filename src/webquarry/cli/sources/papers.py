"""`webquarry papers`: the tool `academic_search` with a flag for each of its parameters."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from webquarry.cli.completion import complete_index, complete_session
from webquarry.cli.offered_call import offer_call
from webquarry.surfaces.terminal import AsJson, Pager, command_output

Source = Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"]


def papers(
    query: Annotated[
        list[str], typer.Argument(help="What to search for; no quotation marks are needed.")
    ],
    num_results: Annotated[
        int, typer.Option("-n", "--num-results", help="How many papers.", min=1, max=10)
    ] = 5,
    year_from: Annotated[int | None, typer.Option(help="Not older than this year.")] = None,
    year_to: Annotated[int | None, typer.Option(help="Not newer than this year.")] = None,
    source: Annotated[Source, typer.Option(help="Only this index.")] = "all",
    pdf_only: Annotated[bool, typer.Option("--pdf-only", help="Only papers with a PDF.")] = False,
    sort_by: Annotated[
        Literal["relevance", "date"], typer.Option(help="What comes first.")
    ] = "relevance",
    open_access: Annotated[bool, typer.Option("--open-access", help="Only open access.")] = False,
    provider: Annotated[
        str | None,
        typer.Option(help="Ask this index and nobody else.", autocompletion=complete_index),
    ] = None,
    session_id: Annotated[
        str | None,
        typer.Option(
            help="Research session to record the papers in.", autocompletion=complete_session
        ),
    ] = None,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Search scholarly papers in several open indexes at once. Needs no key."""
    arguments = {
        "query": " ".join(query),
        "num_results": num_results,
        "year_from": year_from,
        "year_to": year_to,
        "source": source,
        "pdf_only": pdf_only,
        "sort_by": sort_by,
        "open_access": open_access,
        "provider": provider,
        "sessionId": session_id,
    }
    offer_call("academic_search", arguments)
    with command_output(as_json) as output:
        from webquarry.cli.views.results import show_papers
        from webquarry.surfaces.library import call_with

        with output.show_progress("searching for papers"):
            found = call_with("academic_search", arguments, "research", "fork").as_dict()
        output.show(found, lambda console: show_papers(console, found), pager=pager)
