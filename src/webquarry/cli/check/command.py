"""`webquarry check`: drafts come in, what their quotes, numbers and references are beside their
sources goes out: a table, JSON, or annotations for continuous integration.

Exit codes: 0 nothing that fails, 1 something that fails, or an error; 2 wrong usage.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from webquarry.cli.check.findings import (
    DEFAULT,
    CheckRow,
    count_words,
    find_failing,
    parse_fail_on,
)
from webquarry.cli.completion import complete_session
from webquarry.errors import BadInput
from webquarry.surfaces.terminal import AsJson, command_output, one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.cli.check.run import CheckOptions, CheckReport

_FORMS = ("github", "sarif")
_COMPARED = "Words were compared with words; whether a statement is true is not said."
_LONGEST_CELL = 60  # characters of a quote in the table


def check(
    files: Annotated[
        list[Path],
        typer.Argument(help="Drafts: Markdown, text, HTML, DOCX, .bib.", metavar="FILE"),
    ],
    session: Annotated[
        str | None,
        typer.Option(help="Research session with the sources.", autocompletion=complete_session),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(help="A source: URL, file, or archive (WACZ, WARC). May be repeated."),
    ] = None,
    fail_on: Annotated[
        str, typer.Option(help="Verdicts that make the check fail, with commas; or none.")
    ] = DEFAULT,
    annotations: Annotated[
        str | None, typer.Option(help="For continuous integration: github or sarif.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Fetch nothing: only --source files count.")
    ] = False,
    references: Annotated[
        bool, typer.Option("--references/--no-references", help="Ask indexes for references.")
    ] = True,
    as_json: AsJson = None,
) -> None:
    """Check a draft: its quotes, numbers and references beside their sources."""
    try:
        words = parse_fail_on(fail_on)
    except BadInput as error:
        raise typer.BadParameter(f"{error.sentence} {error.suggested_action}") from None
    if annotations is not None and annotations not in _FORMS:
        raise typer.BadParameter(f"--annotations is one of: {', '.join(_FORMS)}.")
    from webquarry.cli.check.run import CheckOptions

    options = CheckOptions(session, tuple(source or ()), offline, references)
    with command_output(as_json) as output:
        with output.show_progress("reading the sources"):
            report = _run(files, options)
        failing = find_failing(report.rows, words)
        if annotations == "github":
            from webquarry.cli.check.annotations import write_github

            for line in write_github(report.rows, failing):
                output.write(line)
        elif annotations == "sarif":
            from webquarry.cli.check.annotations import build_sarif

            output.json = True
            output.show(build_sarif(report.rows, failing))
        else:
            answer = {
                "compared": _COMPARED,
                "failed": bool(failing),
                "failOn": sorted(words),
                "summary": count_words(report.rows),
                "findings": [row.as_dict() for row in report.rows],
                "sources": report.sources,
                "notes": report.notes,
            }
            output.show(answer, lambda console: _show_table(console, report, failing))
    if failing:
        raise typer.Exit(1)


def _run(files: Sequence[Path], options: CheckOptions) -> CheckReport:
    """Check the files with a toolkit of our own."""
    from webquarry.cli.check.run import check_drafts
    from webquarry.surfaces.bridge import bridge
    from webquarry.toolkit import Toolkit

    async def run() -> CheckReport:
        async with Toolkit.open(runner="fork") as kit:
            return await check_drafts(kit, files, options)

    return bridge.run(run())


def _show_table(console: Console, report: CheckReport, failing: Sequence[CheckRow]) -> None:
    """The rows for a person; what is as it should be, in the last line only."""
    from rich.table import Table
    from rich.text import Text

    table = Table("Where", "What", "Verdict", "Text", "Compared with", box=None, pad_edge=False)
    for row in report.rows:
        text = one_line(row.text)
        if len(text) > _LONGEST_CELL:
            text = text[:_LONGEST_CELL] + "…"
        style = "green"
        if row in failing:
            style = "bold red"
        elif row.is_notable:
            style = "yellow"
        verdict = Text(row.verdict, style)
        told = one_line(" ".join(filter(None, (row.url, row.detail))))
        table.add_row(f"{row.file}:{row.line}", row.kind, verdict, Text(text), Text(told))
    if report.rows:
        console.print(table)
    for source in report.sources:
        if source["state"] == "unreadable":
            console.print(Text(one_line(f"Not read: {source['url']}: {source['reason']}")))
    for note in report.notes:
        console.print(Text(one_line(note)))
    counts = ", ".join(f"{count} {word}" for word, count in count_words(report.rows).items())
    console.print(Text(f"{counts or 'Nothing to check'}. {_COMPARED}"))
