"""`webquarry read` and `cite`: the tool `scrape_page`.

Text output of `read` is the Markdown, its citation and, if the text is incomplete, how to get the
rest.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webquarry.bridge import bridge
from webquarry.cli.options import ToolCommand
from webquarry.cli.output import Output, print_line
from webquarry.errors import BadInput
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


class ReadCommand(ToolCommand):
    """`read` and `cite`, which take a local file as well as a URL."""

    def call(self, arguments: Mapping[str, Any]) -> Answer:
        path = _find_file(str(arguments["url"]))
        if path is None:
            return super().call(arguments)
        given = {name: value for name, value in arguments.items() if value is not None}
        return bridge.run(_read_file(path, given))


async def _read_file(path: Path, arguments: Mapping[str, Any]) -> Answer:
    from webquarry.toolkit import Toolkit
    from webquarry.tools.research.scrape_page import read_local_file

    async with Toolkit.open(runner="fork") as kit:
        return await read_local_file(kit, path, arguments)


def _find_file(place: str) -> Path | None:
    """Return the file that an argument names; None for a URL. Raises BadInput."""
    if "://" in place:
        return None
    path = Path(place).expanduser()
    if path.is_file():
        return path
    if place.startswith(("/", "./", "../", "~")):
        kind = "a folder" if path.is_dir() else "not a file"
        raise BadInput(f"{place} is {kind}.", suggested_action="Give the path of a file, or a URL.")
    return None


_URL = click.Argument(["url"], metavar="URL|FILE")
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
read = ReadCommand(
    "scrape_page",
    _URL,
    show_page,
    params=_FLAGS,
    progress="fetching the page",
    help="Read a page or a local file as Markdown, with its citation: HTML, PDF, Office, Markdown, "
    "CSV, a video, a thread. `webquarry read example.org` and `webquarry FILE` are enough.",
)
cite = ReadCommand(
    "scrape_page",
    _URL,
    show_reference,
    only=("citation_style", "sessionId"),
    fixed={"mode": "preview"},
    progress="fetching the page",
    help="Cite a page: author, date, title and site as the page states them.",
)
