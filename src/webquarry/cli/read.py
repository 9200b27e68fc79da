"""`webquarry read`: the tool `scrape_page`, with an option for each of its parameters.

Text output is the Markdown, its citation and, if the text is incomplete, how to get the rest.
"""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.cli.options import AsJson, Pager, SessionId, Style, complete, offer_call
from webquarry.cli.output import command_output, open_console

if TYPE_CHECKING:
    from rich.console import Console

# Hosts without a scheme: names with a dot, this machine.
_BARE_HOST = re.compile(
    r"(?!\d+(?:\.\d+)?$)(?:[^\W_](?:[\w-]*\w)?\.)+[^\W_][\w-]*\w\.?(?::\d{1,5})?(?:[/?#].*)?"
)
_BARE_LOCAL = re.compile(r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?:[/?#].*)?")

_RENDER = {None: "auto", True: "always", False: "never"}


def read(
    url: Annotated[
        str,
        typer.Argument(
            help="The page to read: HTML, PDF, Office, a video, a thread. example.org is enough."
        ),
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
    cursor: Annotated[str | None, typer.Option(help="Continue where a cut answer ended.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="The bytes that the server sent.")] = False,
    whole: Annotated[bool, typer.Option("--whole", help="Include menus and the rest.")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="The first 5,000 bytes.")] = False,
    max_length: Annotated[int, typer.Option(help="Maximum length in bytes.", min=1)] = 50_000,
    question: Annotated[
        str | None, typer.Option(help="Only the passages relevant to this question.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="Maximum length in tokens: UTF-8 bytes / 4.", min=1)
    ] = None,
    links: Annotated[
        str | None,
        typer.Option(
            help="Show link targets: list (at the end) or inline.",
            autocompletion=complete(lambda: ("list", "inline")),
        ),
    ] = None,
    citation_style: Style = "apa",
    structured: Annotated[
        bool, typer.Option("--structured", help="With --json: all of its structured data.")
    ] = False,
    session_id: SessionId = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Skip the cache, and refresh it.")] = False,
    render: Annotated[
        bool | None,
        typer.Option(
            "--render/--no-render",
            help="Always or never run the page's scripts in a browser. Default: if needed.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="The text even if the session has it.")
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Read a page as Markdown, with its citation."""
    url = complete_url(url)
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
        "render": _RENDER[render],
        "again": again or None,
    }
    offer_call("scrape_page", arguments)
    with command_output(as_json) as output:
        from webquarry.api import call_with

        with output.show_progress("fetching the page"):
            answer = call_with("scrape_page", arguments, "research", "fork")
        page = answer.as_dict()
        notes = answer.meta["webquarry/routing"]["notes"]
        if raw and not output.json and not output.console.is_terminal:
            _write_raw(page, notes, url)
            return

        def render_page(console: Console) -> None:
            from webquarry.cli.views import show_page

            show_page(console, page, notes, url)

        output.show(page, render_page, pager=pager)


def complete_url(url: str) -> str:
    """Add a scheme to a host without one; return other values unchanged."""
    bare = url.strip()
    if _BARE_LOCAL.fullmatch(bare):
        return f"http://{bare}"
    if _BARE_HOST.fullmatch(bare):
        return f"https://{bare}"
    return url


def _choose_mode(modes: Mapping[str, bool]) -> str:
    """Return the mode of the flag that is set, or the default."""
    chosen = [name for name, is_wanted in modes.items() if is_wanted]
    if len(chosen) > 1:
        names = " and ".join(f"--{name}" for name in chosen)
        raise typer.BadParameter(f"{names} are different modes; choose one.")
    return chosen[0] if chosen else "full"


def _write_raw(page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Write the server's bytes to stdout, and notes on them to stderr."""
    from webquarry.cli.views import show_foot

    if page.get("encoding") == "base64":
        data = base64.b64decode(page["content"])
    else:
        data = page["content"].encode("utf-8", "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    show_foot(open_console(stderr=True), page, notes, url)
