"""`webquarry papers`: the tool `academic_search`, with an option for each of its parameters."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from webquarry.cli.options import (
    AsJson,
    Pager,
    SessionId,
    Words,
    complete,
    list_services,
    offer_call,
)
from webquarry.cli.output import command_output

Source = Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"]


def papers(
    query: Words,
    num_results: Annotated[
        int, typer.Option("-n", "--num-results", help="Number of papers.", min=1, max=10)
    ] = 5,
    year_from: Annotated[int | None, typer.Option(help="First year.")] = None,
    year_to: Annotated[int | None, typer.Option(help="Last year.")] = None,
    source: Annotated[Source, typer.Option(help="Only this index.")] = "all",
    pdf_only: Annotated[bool, typer.Option("--pdf-only", help="Only papers with a PDF.")] = False,
    sort_by: Annotated[
        Literal["relevance", "date"], typer.Option(help="Order of the papers.")
    ] = "relevance",
    open_access: Annotated[bool, typer.Option("--open-access", help="Only open access.")] = False,
    provider: Annotated[
        str | None,
        typer.Option(
            help="Ask only this index.", autocompletion=complete(lambda: list_services("papers"))
        ),
    ] = None,
    session_id: SessionId = None,
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
        from webquarry.api import call_with

        with output.show_progress("searching for papers"):
            answer = call_with("academic_search", arguments, "research", "fork")
        output.show_answer(answer, pager=pager)
