"""Drafts -> rows: quotes and numbers compared with sources, references with indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webquarry.errors import BadInput, WebquarryError

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit
    from webquarry.verify.drafts.find import DraftClaims
    from webquarry.verify.quotes.source import SourceText

QUOTE_WORDS = (
    "exact", "typography", "letters", "elided", "near", "elsewhere", "absent", "too_short",
    "unchecked",
)  # fmt: skip
NUMBER_WORDS = ("found", "rounded", "different")
REFERENCE_WORDS = (
    "confirmed", "differs", "conflict", "not_registered", "not_found", "could_not_verify",
    "retracted", "withdrawn", "concern", "corrected", "reinstated", "gone", "soft-404",
    "wrong-page", "moved", "blocked", "unreachable",
)  # fmt: skip
KNOWN = frozenset({*QUOTE_WORDS, *NUMBER_WORDS, *REFERENCE_WORDS})
DEFAULT = "near,absent,conflict"
# Shown as a warning even if they do not fail the check.
_SEEN = frozenset({
    "near", "elsewhere", "absent", "unchecked", "rounded", "different", "differs", "conflict",
    "not_registered", "not_found", "could_not_verify", "retracted", "withdrawn", "concern", "gone",
    "soft-404", "wrong-page",
})  # fmt: skip
_STATES = ("retracted", "withdrawn", "concern", "corrected", "reinstated")
_LARGEST = 20_000_000  # bytes of a draft


@dataclass(frozen=True)
class CheckRow:
    """One quote, number or reference of a draft."""

    file: str
    line: int
    kind: str  # quote, number, reference
    words: tuple[str, ...]  # verdicts; the first is shown
    text: str
    url: str | None = None
    detail: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The verdict that is shown."""
        return self.words[0]

    @property
    def is_notable(self) -> bool:
        """Whether the row is at least a warning."""
        return not _SEEN.isdisjoint(self.words)

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        row: dict[str, Any] = {
            "file": self.file,
            "line": self.line,
            "kind": self.kind,
            "verdict": self.verdict,
            "text": self.text,
        }
        if self.url:
            row["url"] = self.url
        if self.detail:
            row["detail"] = self.detail
        return row | {"answer": dict(self.more)}


def parse_fail_on(written: str) -> frozenset[str]:
    """Parse the verdicts of --fail-on."""
    words = [word.strip() for word in written.split(",") if word.strip()]
    unknown = [word for word in words if word not in KNOWN and word != "none"]
    if unknown:
        raise BadInput(
            f"Unknown verdicts in --fail-on: {', '.join(unknown)}.",
            suggested_action=f"Use some of: {', '.join(sorted(KNOWN))}; or none.",
        )
    return frozenset(words) - {"none"}


def describe_quote(answer: Mapping[str, Any]) -> str:
    """The differences or warnings of a quote, in one line."""
    parts = []
    for change in answer.get("differs", ()):
        own = change["quote"] or "nothing"
        other = change["source"] or "nothing"
        parts.append(f"{change['kind']}: “{own}” is “{other}” in the source")
    parts += answer.get("warnings", ())
    if not parts and answer.get("reason"):
        parts.append(answer["reason"])
    return "; ".join(parts)


def describe_number(answer: Mapping[str, Any]) -> str:
    """The difference of a number, in one line."""
    if answer["verdict"] == "rounded":
        return f"the source has {answer['matched']}"
    return str(answer.get("reason") or "")


def build_reference_row(file: str, first_line: int, answer: Mapping[str, Any]) -> CheckRow:
    """The row of a reference, from the answer of `check_citations`."""
    words = [str(answer.get("verdict", "could_not_verify"))]
    if answer.get("status") in _STATES:
        words.append(answer["status"])
    link = answer.get("link") or {}
    if link.get("state") not in (None, "alive"):
        words.append(link["state"])
    parts = [str(answer.get("reason") or "")]
    parts += words[1:]
    line = first_line + int(answer.get("line") or 1) - 1
    text = str(answer.get("key") or answer.get("input") or "")
    return CheckRow(
        file,
        line,
        "reference",
        tuple(words),
        text,
        link.get("url"),
        "; ".join(part for part in parts if part),
        answer,
    )


def count_words(rows: Iterable[CheckRow]) -> dict[str, int]:
    """Count each verdict."""
    return dict(Counter(row.verdict for row in rows))


def find_failing(rows: Sequence[CheckRow], fail_on: frozenset[str]) -> list[CheckRow]:
    """The rows with a verdict in `fail_on`."""
    return [row for row in rows if not fail_on.isdisjoint(row.words)]


@dataclass(frozen=True)
class CheckOptions:
    """Options of a check."""

    session_id: str | None = None
    sources: tuple[str, ...] = ()
    offline: bool = False
    with_references: bool = True


@dataclass
class CheckReport:
    """Result of a check."""

    rows: list[CheckRow] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


async def check_drafts(kit: Toolkit, files: Sequence[Path], options: CheckOptions) -> CheckReport:
    """Check the quotes, numbers and references of files."""
    from webquarry.pages.outgoing import filter_answer
    from webquarry.tools.research.check_quotes import ReadSource, build_output
    from webquarry.verify.drafts.find import read_claims

    report = CheckReport()
    claims = {str(path): read_claims(path.name, _read_file(path)) for path in files}
    sources = await _collect(kit, list(claims.values()), options)
    report.sources = [ReadSource.of(one).as_dict() for one in sources]
    for file, found in claims.items():
        output = build_output(found, sources, with_lines=True)
        filter_answer(output)
        answer = output.as_dict()
        for quote in answer["quotes"]:
            words, text = (quote["tier"],), quote["quote"]
            detail = describe_quote(quote)
            row = CheckRow(
                file, quote["line"], "quote", words, text, quote.get("url"), detail, quote
            )
            report.rows.append(row)
        for number in answer.get("numbers", ()):
            words, text = (number["verdict"],), number["number"]
            detail = describe_number(number)
            row = CheckRow(
                file, number["line"], "number", words, text, number.get("url"), detail, number
            )
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
    """Collect --source, the sources of the session, and the pages that the drafts cite."""
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
    problem = "Not fetched: the check is offline."
    return local + [SourceText(url, PageWords(""), problem=problem) for url in missing]


async def _check_references(
    kit: Toolkit, file: str, claims: DraftClaims, options: CheckOptions, report: CheckReport
) -> None:
    """Add rows of the references of a draft."""
    if not claims.references or not options.with_references or options.offline:
        return
    from webquarry.tools import load

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
