"""`webquarry ui`: the local page in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from webquarry.cli.output import command_output


def ui(
    port: Annotated[
        int, typer.Option(help="The port; 0 takes any free port.", min=0, max=65535)
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address without opening a browser.")
    ] = False,
) -> None:
    """Open a page in the browser: calls, sources, quotes in their texts, the bill."""
    with command_output(False):
        import webbrowser

        from webquarry.ui.local import serve_page

        serve_page(port, None if no_open else webbrowser.open)
