"""`webquarry cite`: a page comes in, the reference to it goes out, in one of five styles.

The text goes to stdout and nothing else, so that `webquarry cite URL --style bibtex --text` can be
added to a file. As JSON it is the `citation` of `scrape_page`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from webquarry.cli.completion import complete_session, complete_style
from webquarry.cli.offered_call import offer_call
from webquarry.cli.read import complete_url
from webquarry.surfaces.terminal import AsJson, command_output, printable

if TYPE_CHECKING:
    from rich.console import Console


def cite(
    url: Annotated[str, typer.Argument(help="The page to cite. example.org is enough.")],
    style: Annotated[
        str,
        typer.Option(help="How: apa, mla, bibtex, ris or csl-json.", autocompletion=complete_style),
    ] = "apa",
    session_id: Annotated[
        str | None,
        typer.Option(
            help="Research session to record the source in.", autocompletion=complete_session
        ),
    ] = None,
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
        from webquarry.surfaces.library import call_with

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
        output.show(citation, lambda console: _show_reference(console, text))


def _show_reference(console: Console, text: str) -> None:
    """The reference; BibTeX and its like are for other programs, and keep their lines."""
    from webquarry.surfaces.display.layout import link_urls, print_hanging

    if "\n" in text:
        console.print(link_urls(text), soft_wrap=True)
    else:
        print_hanging(console, "", link_urls(text), indent=4)
