"""`webquarry read`: the tool `scrape_page` with a flag for each of its parameters.

What is printed as JSON is the tool's answer. For a person there is the Markdown, a line to cite it
by, and, where the text was cut or is only a part, how to get the rest.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.surfaces.terminal import AsJson, command_output, one_line

if TYPE_CHECKING:
    from rich.console import Console


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
    whole: Annotated[bool, typer.Option("--whole", help="With menus and the rest.")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="The first 5,000 bytes.")] = False,
    max_length: Annotated[int, typer.Option(help="Most bytes.", min=1)] = 50_000,
    question: Annotated[
        str | None, typer.Option(help="Only the passages that bear on this question.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Most tokens: UTF-8 bytes / 4.", min=1)
    ] = None,
    links: Annotated[
        str | None, typer.Option(help="Show link targets: list (at the end) or inline.")
    ] = None,
    citation_style: Annotated[
        str, typer.Option(help="How to cite it: apa, mla, bibtex, ris or csl-json.")
    ] = "apa",
    structured: Annotated[
        bool, typer.Option("--structured", help="With --json: all of its structured data.")
    ] = False,
    session_id: Annotated[
        str | None, typer.Option(help="Research session to record the source in.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Go past the cache.")] = False,
    as_json: AsJson = None,
) -> None:
    """Read a page as Markdown, with a line to cite it by."""
    arguments = {
        "url": url,
        "mode": _choose_mode({"raw": raw, "whole": whole, "preview": preview}),
        "max_length": max_length,
        "sessionId": session_id,
        "outline": outline or None,
        "section": section,
        "find": find,
        "cursor": cursor,
        "links": links,
        "citation_style": citation_style,
        "structured": structured or None,
        "question": question,
        "max_tokens": max_tokens,
        "fresh": fresh or None,
    }
    with command_output(as_json) as output:
        from webquarry.surfaces.library import call_with

        answer = call_with("scrape_page", arguments, "research", "fork")
        page = answer.as_dict()
        notes = answer.meta["webquarry/routing"]["notes"]
        output.show(page, lambda console: _show_page(console, page, notes, url))


def _choose_mode(modes: Mapping[str, bool]) -> str:
    """The one mode that is wanted, or the usual one."""
    chosen = [name for name, is_wanted in modes.items() if is_wanted]
    if len(chosen) > 1:
        names = " and ".join(f"--{name}" for name in chosen)
        raise typer.BadParameter(f"{names} are different modes; choose one.")
    return chosen[0] if chosen else "full"


def _show_page(console: Console, page: Mapping[str, Any], notes: list[str], url: str) -> None:
    """The text, and what belongs to it, for a person."""
    from rich.text import Text

    from webquarry.surfaces.cli.page_view import show_markdown

    def show(name: str, text: str) -> None:
        line = Text(name, "bold") + Text(one_line(text), "dim")
        console.print(line, soft_wrap=True)

    show_markdown(console, page["content"].rstrip("\n"))
    console.print()
    (reference,) = page["citation"]["formatted"].values()
    if not isinstance(reference, str):
        reference = json.dumps(reference, ensure_ascii=False)
    show("Cite: ", reference)
    status = page.get("retractionStatus")
    if status:
        kind = status["kind"].replace("_", " ")
        show("Warning: ", f"Crossref has a notice about this paper: {kind}.")
    if "note" in page:
        show("Note: ", page["note"])
    for note in notes:
        show("Note: ", note)
    for passage in page.get("passages", ()):
        command = f"webquarry read {shlex.quote(url)} --cursor {passage['cursor']}"
        show(f"From {one_line(passage.get('section', 'the beginning'))}: ", command)
    if "linksLeftOut" in page:
        links_left_out = page["linksLeftOut"]
        show(
            "Links: ", f"{links_left_out} targets are left out; --links list or inline shows them."
        )
    if "leftOut" in page:
        left_out = page["leftOut"]
        parts = [f"{left_out['bytes']} bytes", *left_out["headings"]]
        show("Left out: ", f"{'; '.join(parts)}. --whole shows it.")
    if "matches" in page:
        show("Found: ", f"in {page['matches']} of the page's blocks.")
    if "nextCursor" in page:
        sizes = f"{page['contentLength']} bytes are shown, the page has {page['totalLength']}."
        command = f"webquarry read {shlex.quote(url)} --cursor {page['nextCursor']}"
        for mode in ("raw", "whole"):
            if page.get(mode):
                command += f" --{mode}"
        show("Cut: ", f"{sizes} {command}")
