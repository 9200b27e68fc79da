"""Door: `webquarry read`, the tool `scrape_page` with a flag for each of its parameters.

What is printed as JSON is the tool's answer. For a person there is the Markdown, a line to cite it
by, and, where the text was cut or is only a part, how to get the rest.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from webquarry.surfaces.cli.terminal import AsJson, Output, command_output, one_line


def read(
    url: Annotated[
        str, typer.Argument(help="The page to read: HTML, PDF, Office, a video, a thread.")
    ],
    outline: Annotated[
        bool, typer.Option("--outline", help="Only the headings, with their sizes.")
    ] = False,
    section: Annotated[
        str | None, typer.Option(help="Only this section: its heading or its number.")
    ] = None,
    find: Annotated[
        str | None, typer.Option(help="Only the blocks with this text, and their neighbours.")
    ] = None,
    cursor: Annotated[str | None, typer.Option(help="Go on where a cut answer ended.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="What the server sent, as it is.")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="The first 5,000 bytes.")] = False,
    max_length: Annotated[int, typer.Option(help="Most bytes.", min=1)] = 50_000,
    session_id: Annotated[
        str | None, typer.Option(help="Research session to record the source in.")
    ] = None,
    as_json: AsJson = None,
) -> None:
    """Read a page as Markdown, with a line to cite it by."""
    if raw and preview:
        raise typer.BadParameter("--raw and --preview are two modes; choose one.")
    arguments = {
        "url": url,
        "mode": "raw" if raw else "preview" if preview else "full",
        "max_length": max_length,
        "sessionId": session_id,
        "outline": outline or None,
        "section": section,
        "find": find,
        "cursor": cursor,
    }
    with command_output(as_json) as output:
        from webquarry.surfaces.library import call_with

        answer = call_with("scrape_page", arguments, "research")
        found = answer.as_dict()
        notes = answer.meta["webquarry/routing"]["notes"]
        output.show(found, lambda console: _show(output, found, notes, url))


def _show(output: Output, found: Mapping[str, Any], notes: list[str], url: str) -> None:
    """The text, and what belongs to it, for a person."""
    from rich.text import Text

    from webquarry.surfaces.cli.page_view import show_markdown

    show_markdown(output.console, found["content"].rstrip("\n"))
    lines = [("Cite: ", found["citation"]["formatted"]["apa"])]
    if status := found.get("retractionStatus"):
        lines.append(
            (
                "Warning: ",
                f"Crossref has a notice about this paper: {status['kind'].replace('_', ' ')}.",
            )
        )
    lines += [("Note: ", note) for note in notes]
    if "matches" in found:
        lines.append(("Found: ", f"in {found['matches']} of the page's blocks."))
    if "nextCursor" in found:
        more = f"webquarry read {shlex.quote(url)} --cursor {found['nextCursor']}"
        more += " --raw" if found.get("raw") else ""
        lines.append(
            (
                "Cut: ",
                f"{found['contentLength']} bytes are shown, the page has {found['totalLength']}. "
                f"{more}",
            )
        )
    output.console.print()
    for name, text in lines:
        output.console.print(Text(name, "bold") + Text(one_line(text), "dim"), soft_wrap=True)
