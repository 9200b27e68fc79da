"""`webquarry check`: drafts -> a line per finding, JSON, or annotations of GitHub or SARIF.

Exit codes: 0 no failing verdict, 1 a failing verdict or an error, 2 wrong usage.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webquarry import __version__
from webquarry.bridge import bridge
from webquarry.cli.output import Output, with_output
from webquarry.errors import BadInput
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from webquarry.draft_check import CheckReport, CheckRow

_DEFAULT_FAIL_ON = "near,absent,number,conflict,differs,retracted"
_LONGEST = 300  # characters of a text in an annotation
_RULES = {
    "quote": "A quotation compared with the words of its source",
    "number": "A number compared with the numbers of the cited source",
    "reference": "A reference compared with the records of indexes",
    "source": "A source that is cited or given",
}


def check_fail_on(context: click.Context, param: click.Parameter, written: str) -> str:
    """Validate the verdicts of --fail-on."""
    from webquarry.draft_check import parse_fail_on

    try:
        parse_fail_on(written)
    except BadInput as error:
        raise click.BadParameter(error.sentences) from None
    return written


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--session", help="Research session with the sources.")
@click.option(
    "--source",
    "sources",
    multiple=True,
    help="A source: URL, file, or archive (WACZ, WARC). May be repeated.",
)
@click.option(
    "--fail-on",
    default=_DEFAULT_FAIL_ON,
    show_default=True,
    callback=check_fail_on,
    help="Verdicts that make the check fail, separated by commas; or all, or none.",
)
@click.option(
    "--annotations", type=click.Choice(["github", "sarif"]), help="For continuous integration."
)
@click.option("--offline", is_flag=True, help="Fetch nothing: use only --source files.")
@click.option("--references/--no-references", default=True, help="Ask indexes for references.")
@with_output
def check(
    output: Output,
    files: Sequence[Path],
    session: str | None,
    sources: Sequence[str],
    fail_on: str,
    annotations: str | None,
    offline: bool,
    references: bool,
) -> None:
    """Check the quotes, numbers and references of drafts: Markdown, text, HTML, DOCX, .bib."""
    from webquarry.draft_check import check_drafts, read_draft
    from webquarry.toolkit import Toolkit

    async def run() -> CheckReport:
        async with Toolkit.open(runner="fork") as kit:
            drafts = {str(path): read_draft(path) for path in files}
            return await check_drafts(
                kit,
                drafts,
                session=session,
                sources=sources,
                fail_on=fail_on,
                references=references,
                offline=offline,
            )

    with output.show_progress("reading the sources"):
        report = bridge.run(run())
    if annotations == "github":
        for line in write_github(report):
            output.write(line)
    elif annotations == "sarif":
        output.show(build_sarif(report))
    else:
        output.show(report.as_answer().as_dict(), lambda: _show_report(output, report))
    if report.has_failed:
        raise click.exceptions.Exit(1)


def _show_report(output: Output, report: CheckReport) -> None:
    """Print the headline, then the findings, problems first, and the notes."""
    from webquarry.draft_check import COMPARED

    output.print(report.headline(), "", "bold red" if report.has_failed else "bold")
    for row in report.rows:
        style = "yellow" if row.is_problem else "green"
        if row.fails(report.fail_on):
            style = "bold red"
        output.print(_describe(row), f"{row.file}:{row.line}: {row.kind} ", style)
    for note in report.notes:
        output.print(note)
    output.print(COMPARED)


def _describe(row: CheckRow, longest: int | None = None) -> str:
    """Return a finding as one sentence."""
    text = one_line(row.text)[:longest]
    place = f" in {row.url}" if row.url and row.url != row.text else ""
    detail = f": {row.detail}" if row.detail else ""
    return f"{row.verdicts[0]}: “{text}”{place}{detail}"


def write_github(report: CheckReport) -> list[str]:
    """Return one workflow command per failing row or warning."""
    lines = []
    for row in report.rows:
        if row.is_problem or row.fails(report.fail_on):
            level = "error" if row.fails(report.fail_on) else "warning"
            file, title = _escape(row.file), _escape(f"{row.kind}: {row.verdicts[0]}")
            message = one_line(_describe(row, _LONGEST)).replace("%", "%25")
            lines.append(f"::{level} file={file},line={row.line},title={title}::{message}")
    return lines


def _escape(text: str) -> str:
    """Escape a property of a workflow command."""
    return one_line(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def build_sarif(report: CheckReport) -> dict[str, Any]:
    """Return the failing rows and warnings as SARIF 2.1.0."""
    results: list[dict[str, Any]] = []
    rules: dict[str, dict[str, Any]] = {}
    for row in report.rows:
        if not row.is_problem and not row.fails(report.fail_on):
            continue
        rule = f"{row.kind}/{row.verdicts[0]}"
        rules[rule] = {"id": rule, "shortDescription": {"text": _RULES[row.kind]}}
        location = {
            "artifactLocation": {"uri": row.file.replace("\\", "/")},
            "region": {"startLine": max(1, row.line)},
        }
        result = {
            "ruleId": rule,
            "level": "error" if row.fails(report.fail_on) else "warning",
            "message": {"text": _describe(row, _LONGEST)},
            "locations": [{"physicalLocation": location}],
        }
        results.append(result)
    driver = {
        "name": "webquarry check",
        "version": __version__,
        "rules": [rules[name] for name in sorted(rules)],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
