"""`webquarry sql`: a SQL shell on a DuckDB database with our functions in it.

SQL comes from -c, from stdin when it is no terminal, or from a person. Rows go to stdout,
everything else to stderr. Exit codes: 0 done, 1 a statement failed, 130 interrupted.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from webquarry.errors import BadInput
from webquarry.surfaces.terminal import command_output

# Databases that are no files: in memory, or of a service (md:name, s3://...).
_ELSEWHERE = re.compile(r":memory:|[a-z][a-z0-9+.-]+:", re.IGNORECASE)


def sql(
    file: Annotated[
        Path | None,
        typer.Argument(help="A DuckDB database. Not given: in memory."),
    ] = None,
    command: Annotated[
        str | None, typer.Option("-c", "--command", help="Run this SQL and exit.")
    ] = None,
    style: Annotated[
        Literal["table", "csv", "json", "markdown"],
        typer.Option("--format", help="How rows are written."),
    ] = "table",
    create: Annotated[
        bool, typer.Option("--create", help="Make the database if there is none.")
    ] = False,
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
        from webquarry.sql.session import SqlSession
        from webquarry.sql.shell.shell import Shell

        if file is not None and not create:
            _check_there(file, may_ask=command is None and not read_only)
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


def _check_there(file: Path, *, may_ask: bool) -> None:
    """A database that is not there is not made by mistyping its name: a person is asked, and a
    program told how.
    """
    if _ELSEWHERE.match(str(file)) or file.exists():
        return
    if may_ask and sys.stdin.isatty() and sys.stderr.isatty():
        wanted = typer.confirm(f"There is no database {file}. Make it?", default=False, err=True)
        if wanted:
            return
    raise BadInput(
        f"There is no database {file}.",
        suggested_action="Check the path, or add --create to make it.",
    )
