"""`webquarry cite`: the reference to a page in one of five styles, or its `citation` as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from webquarry.cli.options import AsJson, SessionId, Style, offer_call
from webquarry.cli.output import command_output
from webquarry.cli.read import complete_url
from webquarry.terminal import printable

if TYPE_CHECKING:
    from rich.console import Console


def cite(
    url: Annotated[str, typer.Argument(help="The page to cite. example.org is enough.")],
    style: Style = "apa",
    session_id: SessionId = None,
    as_json: AsJson = None,
) -> None:
    """Cite a page: author, date, title and site as the page states them."""
    arguments = {
        "url": complete_url(url),
        "mode": "preview",
        "citation_style": style,
        "sessionId": session_id,
    }
    offer_call("scrape_page", arguments)
    with command_output(as_json) as output:
        from webquarry.api import call_with

        with output.show_progress("fetching the page"):
            page = call_with("scrape_page", arguments, "research", "fork").as_dict()
        citation = page["citation"]
        status = page.get("retractionStatus")
        if status:
            kind = status["kind"].replace("_", " ")
            typer.echo(f"Warning: Crossref has a notice about this paper: {kind}.", err=True)
        (reference,) = citation["formatted"].values()
        if not isinstance(reference, str):
            reference = json.dumps(reference, ensure_ascii=False, indent=2)
        text = printable(reference).rstrip("\n")

        def render(console: Console) -> None:
            from webquarry.cli.layout import link_urls, print_hanging

            if "\n" in text:  # BibTeX and the like keep their lines
                console.print(link_urls(text), soft_wrap=True)
            else:
                print_hanging(console, "", link_urls(text), indent=4)

        output.show(citation, render)
