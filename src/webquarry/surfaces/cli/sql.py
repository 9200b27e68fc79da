"""`webquarry sql`: a SQL shell on a DuckDB database with our functions in it.

SQL comes from -c, from stdin when it is no terminal, or from a person. Rows go to stdout,
everything else to stderr. Exit codes: 0 done, 1 a statement failed, 130 interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from webquarry.surfaces.terminal import command_output


def sql(
    file: Annotated[
        Path | None,
        typer.Argument(help="A DuckDB database; made if there is none. Not given: in memory."),
    ] = None,
    command: Annotated[
        str | None, typer.Option("-c", "--command", help="Run this SQL and exit.")
    ] = None,
    style: Annotated[
        Literal["table", "csv", "json", "markdown"],
        typer.Option("--format", help="How rows are written."),
    ] = "table",
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Open the file without changing it.")
    ] = False,
    progress: Annotated[
        bool | None,
        typer.Option(
            "--progress/--no-progress",
            help="Show progress. On a terminal when not given.",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Do not say what a statement cost.")
    ] = False,
) -> None:
    """Run SQL with webquarry's functions: ask, web_search, scrape_page and the stps_* family."""
    with command_output(False):
        from webquarry.surfaces.sql.session import SqlSession
        from webquarry.surfaces.sql.shell.shell import Shell

        with SqlSession.open(file or ":memory:", read_only=read_only) as session:
            session.show_progress(progress)
            shell = Shell(session, style, spend=not quiet)
            if command is not None:
                shell.run_text(command)
            elif sys.stdin.isatty():
                shell.run_interactive()
                return
            else:
                shell.run_text(sys.stdin.read())
            if shell.failed:
                raise typer.Exit(130 if shell.interrupted else 1)
