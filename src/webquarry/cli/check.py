"""`webquarry check`: drafts -> a line per finding, JSON, or annotations of GitHub or SARIF.

Exit codes: 0 no failing verdict, 1 a failing verdict or an error, 2 wrong usage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webquarry import __version__
from webquarry.bridge import bridge
from webquarry.cli.output import Output, with_output
from webquarry.errors import BadInput, WebquarryError
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit
    from webquarry.verify.drafts import DraftClaims
    from webquarry.verify.quotes.source import SourceText

# The verdicts, and whether one is a warning if it does not fail the check.
VERDICTS = {
    "exact": False, "typography": False, "letters": False, "elided": False, "near": True,
    "elsewhere": True, "absent": True, "too_short": False, "unchecked": True,  # quotes
    "found": False, "rounded": True, "different": True,  # numbers
    "confirmed": False, "differs": True, "conflict": True, "not_registered": True,
    "not_found": True, "could_not_verify": True, "retracted": True, "withdrawn": True,
    "concern": True, "corrected": False, "reinstated": False, "gone": True, "soft-404": True,
    "wrong-page": True, "moved": False, "blocked": False, "unreachable": False,  # references
}  # fmt: skip
_NOTICES = ("retracted", "withdrawn", "concern", "corrected", "reinstated")
_COMPARED = "Words were compared with words; whether a statement is true is not said."
_LONGEST = 300  # characters of a text in a message
_LARGEST = 20_000_000  # bytes of a draft
_RULES = {
    "quote": "A quotation compared with the words of its source",
    "number": "A number compared with the numbers of the cited source",
    "reference": "A reference compared with the records of indexes",
}


@dataclass(frozen=True)
class CheckRow:
    """One quote, number or reference of a draft."""

    file: str
    line: int
    kind: str  # quote, number, reference
    verdicts: tuple[str, ...]  # the first is shown
    text: str
    url: str | None
    detail: str
    answer: Mapping[str, Any]

    @property
    def is_warning(self) -> bool:
        """Whether the row is at least a warning."""
        return any(VERDICTS.get(verdict) for verdict in self.verdicts)

    def fails(self, fail_on: frozenset[str]) -> bool:
        """Whether a verdict is in `fail_on`."""
        return not fail_on.isdisjoint(self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        row = {
            "file": self.file,
            "line": self.line,
            "kind": self.kind,
            "verdict": self.verdicts[0],
            "text": self.text,
            "url": self.url,
            "detail": self.detail,
            "answer": self.answer,
        }
        return {name: value for name, value in row.items() if value or name == "answer"}

    def sentence(self) -> str:
        """The row as one sentence."""
        text = one_line(self.text)[:_LONGEST]
        place = f" in {self.url}" if self.url else ""
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.verdicts[0]}: “{text}”{place}{detail}"


@dataclass
class CheckReport:
    """Result of a check."""

    rows: list[CheckRow] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Number of rows of each verdict."""
        return dict(Counter(row.verdicts[0] for row in self.rows))


def parse_fail_on(context: click.Context, param: click.Parameter, written: str) -> frozenset[str]:
    """Parse the verdicts of --fail-on."""
    words = {word.strip() for word in written.split(",") if word.strip()} - {"none"}
    unknown = words - set(VERDICTS)
    if unknown:
        raise click.BadParameter(
            f"Unknown verdicts: {', '.join(sorted(unknown))}. Use some of: {', '.join(VERDICTS)}; "
            "or none."
        )
    return frozenset(words)


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
    default="near,absent,conflict",
    show_default=True,
    callback=parse_fail_on,
    help="Verdicts that make the check fail, separated by commas; or none.",
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
    fail_on: frozenset[str],
    annotations: str | None,
    offline: bool,
    references: bool,
) -> None:
    """Check the quotes, numbers and references of drafts: Markdown, text, HTML, DOCX, .bib."""
    from webquarry.toolkit import Toolkit

    async def run() -> CheckReport:
        async with Toolkit.open(runner="fork") as kit:
            drafts = {str(path): _read_draft(path) for path in files}
            claims = list(drafts.values())
            found = await _collect_sources(kit, claims, session, sources, offline=offline)
            return await _compare(kit, drafts, found, references=references and not offline)

    with output.show_progress("reading the sources"):
        report = bridge.run(run())
    has_failed = any(row.fails(fail_on) for row in report.rows)
    if annotations == "github":
        for line in write_github(report.rows, fail_on):
            output.write(line)
    elif annotations == "sarif":
        output.show(build_sarif(report.rows, fail_on))
    else:
        answer = {
            "compared": _COMPARED,
            "failed": has_failed,
            "failOn": sorted(fail_on),
            "summary": report.counts(),
            "findings": [row.as_dict() for row in report.rows],
            "sources": report.sources,
            "notes": report.notes,
        }
        output.show(answer, lambda: _show_rows(output, report, fail_on))
    if has_failed:
        raise click.exceptions.Exit(1)


def _read_draft(path: Path) -> DraftClaims:
    """Find the quotes, numbers and references of a file."""
    from webquarry.verify.drafts import read_claims

    if path.stat().st_size > _LARGEST:
        raise BadInput(f"{path} is too large to be a draft.")
    return read_claims(path.name, path.read_bytes())


async def _collect_sources(
    kit: Toolkit,
    claims: Sequence[DraftClaims],
    session_id: str | None,
    names: Sequence[str],
    *,
    offline: bool,
) -> list[SourceText]:
    """Read --source, the sources of the session, and the pages that the drafts cite."""
    from webquarry._read.plain.words import PageWords
    from webquarry._search.identity import identity
    from webquarry.cli.check_sources import read_local
    from webquarry.tools.research.check_quotes import list_cited
    from webquarry.verify.quotes.source import SourceText, collect_sources, find_source

    local: list[SourceText] = []
    urls: list[str] = []
    cited = [url for one in claims for url in list_cited(one)]
    wanted = None
    if all(quote.source for one in claims for quote in one.quotes):
        wanted = set(map(identity, cited))
    for name in names:
        if name.startswith(("http://", "https://")):
            urls.append(name)
        else:
            local += await read_local(kit, Path(name), wanted)
    if session_id:
        session = await kit.sessions.read(session_id)
        urls += [recorded.source.url for recorded in session.sources]
    named = dict.fromkeys([*urls, *cited])
    missing = [url for url in named if find_source(url, local) is None]
    if not offline:
        return local + list(await collect_sources(kit.pages, missing))
    problem = "Not fetched: the check is offline."
    return local + [SourceText(url, PageWords(""), problem=problem) for url in missing]


async def _compare(
    kit: Toolkit,
    drafts: Mapping[str, DraftClaims],
    sources: Sequence[SourceText],
    *,
    references: bool,
) -> CheckReport:
    """Compare drafts with their sources, and their references with indexes."""
    from webquarry.pages.outgoing import filter_answer
    from webquarry.tools.research.check_quotes import ReadSource, build_output

    report = CheckReport(sources=[ReadSource.of(one).as_dict() for one in sources])
    for file, claims in drafts.items():
        found = build_output(claims, sources, with_lines=True)
        filter_answer(found)
        answer = found.as_dict()
        for kind in ("quote", "number"):
            for one in answer.get(f"{kind}s", ()):
                verdicts = (one["tier" if kind == "quote" else "verdict"],)
                url, detail = one.get("url"), _describe_difference(one)
                row = CheckRow(file, one["line"], kind, verdicts, one[kind], url, detail, one)
                report.rows.append(row)
        if claims.references and references:
            await _check_references(kit, file, claims, report)
    report.rows.sort(key=lambda row: (row.file, row.line))
    return report


def _describe_difference(answer: Mapping[str, Any]) -> str:
    """The differences or warnings of a quote or a number, in one line."""
    if answer.get("verdict") == "rounded":
        return f"the source has {answer['matched']}"
    parts = []
    for change in answer.get("differs", ()):
        own, other = change["quote"] or "nothing", change["source"] or "nothing"
        parts.append(f"{change['kind']}: “{own}” is “{other}” in the source")
    parts += answer.get("warnings", ())
    return "; ".join(parts or [str(answer.get("reason") or "")])


async def _check_references(
    kit: Toolkit, file: str, claims: DraftClaims, report: CheckReport
) -> None:
    """Add rows of the references of a draft."""
    from webquarry.tools import load

    given = [reference.text for reference in claims.references]
    try:
        checked = await load("research", "check_citations").call(kit, {"references": given})
    except WebquarryError as error:
        report.notes.append(f"The references of {file} were not checked: {error.sentence}")
        return
    answer = checked.as_dict()
    for row in answer.get("references", ()):
        place = int(row.get("place") or row.get("number") or 1)
        line = claims.references[min(place, len(given)) - 1].line
        report.rows.append(build_reference_row(file, line, row))
    report.notes += answer.get("notes", ())


def build_reference_row(file: str, first_line: int, answer: Mapping[str, Any]) -> CheckRow:
    """Build the row of a reference, from the answer of `check_citations`."""
    verdicts = [str(answer.get("verdict", "could_not_verify"))]
    if answer.get("status") in _NOTICES:
        verdicts.append(answer["status"])
    link = answer.get("link") or {}
    if link.get("state") not in (None, "alive"):
        verdicts.append(link["state"])
    detail = "; ".join(filter(None, [str(answer.get("reason") or ""), *verdicts[1:]]))
    line = first_line + int(answer.get("line") or 1) - 1
    text = str(answer.get("key") or answer.get("input") or "")
    return CheckRow(file, line, "reference", tuple(verdicts), text, link.get("url"), detail, answer)


def _show_rows(output: Output, report: CheckReport, fail_on: frozenset[str]) -> None:
    """Print the rows, unread sources, notes and counts."""
    for row in report.rows:
        style = "yellow" if row.is_warning else "green"
        if row.fails(fail_on):
            style = "bold red"
        output.print(row.sentence(), f"{row.file}:{row.line}: {row.kind} ", style)
    for source in report.sources:
        if source["state"] == "unreadable":
            output.print(f"{source['url']}: {source['reason']}", "Not read: ")
    for note in report.notes:
        output.print(note)
    counts = ", ".join(f"{count} {word}" for word, count in report.counts().items())
    output.print(f"{counts or 'Nothing to check'}. {_COMPARED}")


def write_github(rows: Sequence[CheckRow], fail_on: frozenset[str]) -> list[str]:
    """Return one workflow command per failing row or warning."""
    lines = []
    for row in rows:
        if row.fails(fail_on) or row.is_warning:
            level = "error" if row.fails(fail_on) else "warning"
            file, title = _escape(row.file), _escape(f"{row.kind}: {row.verdicts[0]}")
            message = one_line(row.sentence()).replace("%", "%25")
            lines.append(f"::{level} file={file},line={row.line},title={title}::{message}")
    return lines


def _escape(text: str) -> str:
    """Escape a property of a workflow command."""
    return one_line(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def build_sarif(rows: Sequence[CheckRow], fail_on: frozenset[str]) -> dict[str, Any]:
    """Return the failing rows and warnings as SARIF 2.1.0."""
    results: list[dict[str, Any]] = []
    rules: dict[str, dict[str, Any]] = {}
    for row in rows:
        if not row.fails(fail_on) and not row.is_warning:
            continue
        rule = f"{row.kind}/{row.verdicts[0]}"
        rules[rule] = {"id": rule, "shortDescription": {"text": _RULES[row.kind]}}
        location = {
            "artifactLocation": {"uri": row.file.replace("\\", "/")},
            "region": {"startLine": max(1, row.line)},
        }
        result = {
            "ruleId": rule,
            "level": "error" if row.fails(fail_on) else "warning",
            "message": {"text": row.sentence()},
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
