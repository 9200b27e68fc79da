"""`webquarry check`: drafts -> a table, JSON, or annotations of GitHub or SARIF.

Exit codes: 0 no failing verdict, 1 a failing verdict or an error, 2 wrong usage.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry import __version__
from webquarry.cli.check_draft import (
    DEFAULT,
    CheckOptions,
    CheckReport,
    CheckRow,
    check_drafts,
    count_words,
    find_failing,
    parse_fail_on,
)
from webquarry.cli.options import AsJson, complete_session
from webquarry.cli.output import command_output
from webquarry.errors import BadInput
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from rich.console import Console

_FORMS = ("github", "sarif")
_COMPARED = "Words were compared with words; whether a statement is true is not said."
_LONGEST_CELL = 60  # characters of a quote in the table
_LONGEST = 300  # characters of a text in a message
_RULES = {
    "quote": "A quotation beside the words of its source",
    "number": "A number beside the numbers of the source that is cited with it",
    "reference": "A reference beside the records of indexes",
}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


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
        str, typer.Option(help="Verdicts that make the check fail, separated by commas; or none.")
    ] = DEFAULT,
    annotations: Annotated[
        str | None, typer.Option(help="For continuous integration: github or sarif.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Fetch nothing: use only --source files.")
    ] = False,
    references: Annotated[
        bool, typer.Option("--references/--no-references", help="Ask indexes for references.")
    ] = True,
    as_json: AsJson = None,
) -> None:
    """Check the quotes, numbers and references of a draft."""
    try:
        words = parse_fail_on(fail_on)
    except BadInput as error:
        raise typer.BadParameter(f"{error.sentence} {error.suggested_action}") from None
    if annotations is not None and annotations not in _FORMS:
        raise typer.BadParameter(f"--annotations is one of: {', '.join(_FORMS)}.")
    options = CheckOptions(session, tuple(source or ()), offline, references)
    with command_output(as_json) as output:
        with output.show_progress("reading the sources"):
            report = _run(files, options)
        failing = find_failing(report.rows, words)
        if annotations == "github":
            for line in write_github(report.rows, failing):
                output.write(line)
        elif annotations == "sarif":
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
    from webquarry.bridge import bridge
    from webquarry.toolkit import Toolkit

    async def run() -> CheckReport:
        async with Toolkit.open(runner="fork") as kit:
            return await check_drafts(kit, files, options)

    return bridge.run(run())


def _show_table(console: Console, report: CheckReport, failing: Sequence[CheckRow]) -> None:
    """Print the rows, unread sources, notes and counts."""
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


def write_github(rows: Sequence[CheckRow], failing: Sequence[CheckRow]) -> list[str]:
    """One workflow command per failing or notable row."""
    lines = []
    for row in rows:
        is_failing = row in failing
        if not is_failing and not row.is_notable:
            continue
        level = "error" if is_failing else "warning"
        place = f"file={_escape(row.file, property=True)},line={row.line}"
        title = _escape(f"{row.kind}: {row.verdict}", property=True)
        lines.append(f"::{level} {place},title={title}::{_escape(say(row))}")
    return lines


def _escape(text: str, *, property: bool = False) -> str:
    """Escape a text, so that it cannot end the command."""
    text = one_line(text).replace("%", "%25")
    if property:
        text = text.replace(":", "%3A").replace(",", "%2C")
    return text


def say(row: CheckRow) -> str:
    """A row as one sentence."""
    text = one_line(row.text)
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + "…"
    said = f"{row.verdict}: “{text}”"
    if row.url:
        said += f" in {row.url}"
    if row.detail:
        said += f": {row.detail}"
    return said


def build_sarif(rows: Sequence[CheckRow], failing: Sequence[CheckRow]) -> dict[str, Any]:
    """The failing and notable rows as SARIF 2.1.0."""
    results: list[dict[str, Any]] = []
    for row in rows:
        is_failing = row in failing
        if not is_failing and not row.is_notable:
            continue
        location = {
            "physicalLocation": {
                "artifactLocation": {"uri": row.file.replace("\\", "/")},
                "region": {"startLine": max(1, row.line)},
            }
        }
        results.append(
            {
                "ruleId": f"{row.kind}/{row.verdict}",
                "level": "error" if is_failing else "warning",
                "message": {"text": say(row)},
                "locations": [location],
            }
        )
    names = sorted({result["ruleId"] for result in results})
    rules = []
    for name in names:
        kind = name.partition("/")[0]
        rules.append({"id": name, "shortDescription": {"text": _RULES[kind]}})
    driver = {
        "name": "webquarry check",
        "version": __version__,
        "rules": rules,
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
