"""Drafts -> rows: their quotes and numbers beside sources, their references beside indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webquarry.cli.check.findings import (
    CheckRow,
    build_reference_row,
    describe_number,
    describe_quote,
)
from webquarry.cli.check.local_sources import read_local
from webquarry.errors import BadInput, WebquarryError
from webquarry.pages.outgoing import filter_answer
from webquarry.verify.drafts.find import DraftClaims, read_claims

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit
    from webquarry.verify.quotes.source import SourceText

_LARGEST = 20_000_000  # bytes of a draft
_NO_TOOL = "References are not checked by this version."


@dataclass(frozen=True)
class CheckOptions:
    """What is asked of a check."""

    session_id: str | None = None
    sources: tuple[str, ...] = ()
    offline: bool = False
    with_references: bool = True


@dataclass
class CheckReport:
    """What came of a check."""

    rows: list[CheckRow] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


async def check_drafts(kit: Toolkit, files: Sequence[Path], options: CheckOptions) -> CheckReport:
    """All that was found out about some files."""
    from webquarry.tools.research.check_quotes import ReadSource, build_output

    report = CheckReport()
    claims = {str(path): read_claims(path.name, _read_file(path)) for path in files}
    sources = await _collect(kit, list(claims.values()), options)
    report.sources = [ReadSource.of(one).as_dict() for one in sources]
    for file, found in claims.items():
        output = build_output(found, sources, with_lines=True)
        filter_answer(output)
        answer = output.as_dict()
        for quote in answer["quotes"]:
            url = quote.get("url")
            line = quote["line"]
            detail = describe_quote(quote)
            row = CheckRow(
                file, line, "quote", (quote["tier"],), quote["quote"], url, detail, quote
            )
            report.rows.append(row)
        for number in answer.get("numbers", ()):
            url = number.get("url")
            line = number["line"]
            words = (number["verdict"],)
            detail = describe_number(number)
            row = CheckRow(file, line, "number", words, number["number"], url, detail, number)
            report.rows.append(row)
        await _check_references(kit, file, found, options, report)
    report.rows.sort(key=lambda row: (row.file, row.line))
    return report


def _read_file(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput(f"{path} is too large to be a draft.")
        return path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read: {error.strerror}.",
            suggested_action="Give the path of a Markdown, text, HTML, DOCX or .bib file.",
        ) from None


async def _collect(
    kit: Toolkit, claims: Sequence[DraftClaims], options: CheckOptions
) -> list[SourceText]:
    """The sources that were named, those of the session, and the pages that the drafts cite."""
    from webquarry._read.plain.words import PageWords
    from webquarry._search.identity import identity
    from webquarry.tools.research.check_quotes import list_cited
    from webquarry.verify.quotes.source import SourceText, collect_sources, find_source

    local: list[SourceText] = []
    urls: list[str] = []
    cited = [url for one in claims for url in list_cited(one)]
    wanted = None
    if all(quote.source for one in claims for quote in one.quotes):
        wanted = set(map(identity, cited))
    for name in options.sources:
        if name.startswith(("http://", "https://")):
            urls.append(name)
        else:
            local += await read_local(kit, Path(name), wanted)
    if options.session_id:
        session = await kit.sessions.read(options.session_id)
        urls += [recorded.source.url for recorded in session.sources]
    named = dict.fromkeys([*urls, *cited])
    missing = [url for url in named if find_source(url, local) is None]
    if not options.offline:
        return local + list(await collect_sources(kit.pages, missing))
    problem = "It was not fetched, because the check is offline."
    return local + [SourceText(url, PageWords(""), problem=problem) for url in missing]


async def _check_references(
    kit: Toolkit, file: str, claims: DraftClaims, options: CheckOptions, report: CheckReport
) -> None:
    """Add the references of a draft, by the tool that asks indexes for them."""
    if not claims.references or not options.with_references or options.offline:
        return
    from webquarry.registry import module_names
    from webquarry.tools import load

    if "check_citations" not in module_names("webquarry.tools.research"):
        if _NO_TOOL not in report.notes:
            report.notes.append(_NO_TOOL)
        return
    tool = load("research", "check_citations")
    given = [reference.text for reference in claims.references]
    try:
        answer = (await tool.call(kit, {"references": given})).as_dict()
    except WebquarryError as error:
        report.notes.append(f"The references of {file} were not checked: {error.sentence}")
        return
    for row in answer.get("references", ()):
        place = int(row.get("place") or row.get("number") or 1)
        line = claims.references[min(place, len(given)) - 1].line
        report.rows.append(build_reference_row(file, line, row))
    report.notes += answer.get("notes", ())
