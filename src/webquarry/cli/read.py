"""`webquarry read`: the tool `scrape_page` with a flag for each of its parameters.

What is printed as JSON is the tool's answer. For a person there is the Markdown, a line to cite it
by, and, where the text was cut or is only a part, how to get the rest.
"""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from webquarry.cli.completion import (
    complete_link_form,
    complete_session,
    complete_style,
)
from webquarry.cli.offered_call import offer_call
from webquarry.surfaces.terminal import AsJson, Pager, command_output

# A host with a dot in it, or this machine, where no scheme stands before it.
_BARE_HOST = re.compile(
    r"(?!\d+(?:\.\d+)?$)(?:[^\W_](?:[\w-]*\w)?\.)+[^\W_][\w-]*\w\.?(?::\d{1,5})?(?:[/?#].*)?"
)
_BARE_LOCAL = re.compile(r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?:[/?#].*)?")

LinkForm = Annotated[
    str | None,
    typer.Option(
        help="Show link targets: list (at the end) or inline.",
        autocompletion=complete_link_form,
    ),
]
Style = Annotated[
    str,
    typer.Option(
        help="How to cite it: apa, mla, bibtex, ris or csl-json.",
        autocompletion=complete_style,
    ),
]
SessionId = Annotated[
    str | None,
    typer.Option(help="Research session to record the source in.", autocompletion=complete_session),
]
Question = Annotated[str | None, typer.Option(help="Only the passages that bear on this question.")]
Render = Annotated[
    bool | None,
    typer.Option(
        "--render/--no-render",
        help="Always run its scripts in a browser, or never; else where the page needs them.",
    ),
]
_RENDER = {None: "auto", True: "always", False: "never"}
MaxTokens = Annotated[int | None, typer.Option(help="Most tokens: UTF-8 bytes / 4.", min=1)]


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
    cursor: Annotated[str | None, typer.Option(help="Go on where a cut answer ended.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="What the server sent, as it is.")] = False,
    whole: Annotated[bool, typer.Option("--whole", help="With menus and the rest.")] = False,
    preview: Annotated[bool, typer.Option("--preview", help="The first 5,000 bytes.")] = False,
    max_length: Annotated[int, typer.Option(help="Most bytes.", min=1)] = 50_000,
    question: Question = None,
    max_tokens: MaxTokens = None,
    links: LinkForm = None,
    citation_style: Style = "apa",
    structured: Annotated[
        bool, typer.Option("--structured", help="With --json: all of its structured data.")
    ] = False,
    session_id: SessionId = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Go past the cache.")] = False,
    render: Render = None,
    again: Annotated[
        bool, typer.Option("--again", help="The text, although the session has it.")
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Read a page as Markdown, with a line to cite it by."""
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
        from webquarry.cli.views.page import show_page
        from webquarry.surfaces.library import call_with

        with output.show_progress("fetching the page"):
            answer = call_with("scrape_page", arguments, "research", "fork")
        page = answer.as_dict()
        notes = answer.meta["webquarry/routing"]["notes"]
        if raw and not output.json and not output.console.is_terminal:
            _write_raw(page, notes, url)
            return
        output.show(page, lambda console: show_page(console, page, notes, url), pager=pager)


def complete_url(url: str) -> str:
    """An address as a browser completes it: a host alone gets a scheme. Anything else stays as it
    is, for the tool to judge.
    """
    bare = url.strip()
    if _BARE_LOCAL.fullmatch(bare):
        return f"http://{bare}"
    if _BARE_HOST.fullmatch(bare):
        return f"https://{bare}"
    return url


def _choose_mode(modes: Mapping[str, bool]) -> str:
    """The one mode that is wanted, or the usual one."""
    chosen = [name for name, is_wanted in modes.items() if is_wanted]
    if len(chosen) > 1:
        names = " and ".join(f"--{name}" for name in chosen)
        raise typer.BadParameter(f"{names} are different modes; choose one.")
    return chosen[0] if chosen else "full"


def _write_raw(page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """What the server sent, to stdout, byte for byte; what there is to know of it, to stderr."""
    from rich.console import Console

    from webquarry.cli.views.page import show_foot

    if page.get("encoding") == "base64":
        data = base64.b64decode(page["content"])
    else:
        data = page["content"].encode("utf-8", "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    show_foot(console, page, notes, url)
