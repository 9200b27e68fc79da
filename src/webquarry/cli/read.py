"""`webquarry read` and `cite`: the tool `scrape_page`.

Text output of `read` is the Markdown, its citation and, if the text is incomplete, how to get the
rest.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from webquarry.cli.options import ToolCommand
from webquarry.cli.output import Output, print_line
from webquarry.terminal import printable

if TYPE_CHECKING:
    from webquarry.tool import Answer


def show_page(output: Output, answer: Answer, options: Mapping[str, Any]) -> None:
    """Print a page, or write the server's bytes to a pipe."""
    page, url = answer.as_dict(), options["url"]
    notes = answer.meta["webquarry/routing"]["notes"]
    if page.get("raw") and not output.json and not output.is_terminal:
        _write_raw(page, notes, url)
        return

    def render() -> None:
        from webquarry.cli.render import show_page

        show_page(output, page, notes, url)

    output.show(page, render, pager=options["pager"])


def _write_raw(page: Mapping[str, Any], notes: Sequence[str], url: str) -> None:
    """Write the server's bytes to stdout, and notes on them to stderr."""
    from webquarry.cli.render import show_foot

    if page.get("encoding") == "base64":
        data = base64.b64decode(page["content"])
    else:
        data = page["content"].encode("utf-8", "replace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    show_foot(print_line, page, notes, url)


def show_reference(output: Output, answer: Answer, options: Mapping[str, Any]) -> None:
    """Print the reference to a page."""
    from webquarry.cli.render import write_reference

    page = answer.as_dict()
    status = page.get("retractionStatus")
    if status:
        kind = status["kind"].replace("_", " ")
        print_line(f"Crossref has a notice about this paper: {kind}.", "Warning: ")
    text = printable(write_reference(page["citation"], indent=2)).rstrip("\n")
    is_line = "\n" not in text  # other styles depend on their whitespace
    output.show(page["citation"], lambda: (output.print if is_line else output.write)(text))


_URL = click.Argument(["url"])
_MODES = {
    "raw": "The bytes that the server sent.",
    "whole": "Include menus and the rest of the page.",
    "preview": "The first 5,000 bytes.",
}
_FLAGS = [
    *(click.Option([f"--{mode}", "mode"], flag_value=mode, help=_MODES[mode]) for mode in _MODES),
    click.Option(["--render", "render"], flag_value="always", help="Run the page's scripts."),
    click.Option(["--no-render", "render"], flag_value="never", help="Never run scripts."),
]
read = ToolCommand(
    "scrape_page",
    _URL,
    show_page,
    params=_FLAGS,
    progress="fetching the page",
    help="Read a page as Markdown, with its citation: HTML, PDF, Office, a video, a thread. "
    "`webquarry read example.org` is enough.",
)
cite = ToolCommand(
    "scrape_page",
    _URL,
    show_reference,
    only=("citation_style", "sessionId"),
    rename={"citation_style": "style"},
    fixed={"mode": "preview"},
    progress="fetching the page",
    help="Cite a page: author, date, title and site as the page states them.",
)
