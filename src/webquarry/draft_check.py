"""Check of drafts: quotes and numbers against their sources, references against indexes.

`check_drafts` returns a report with a row for each finding, the worst first, and one headline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import field as struct_field

from webquarry._read.plain.words import PageWords
from webquarry._search.identity import identity
from webquarry.draft_sources import read_local
from webquarry.errors import BadInput, WebquarryError
from webquarry.evidence.models import TRUST, fixed
from webquarry.pages.outgoing import filter_answer
from webquarry.terminal import count_noun
from webquarry.tool import Answer
from webquarry.tools import load
from webquarry.tools.research.check_quotes import ReadSource, build_output, list_cited
from webquarry.verify.drafts import DraftClaims, read_claims
from webquarry.verify.quotes.source import SourceText, collect_sources, find_source

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

# The verdicts, and what a row with each is called in the headline; empty if it is no problem.
VERDICTS = {
    "exact": "", "typography": "", "letters": "", "elided": "", "too_short": "",
    "near": "quote altered", "absent": "quote invented", "elsewhere": "quote of another source",
    "found": "", "rounded": "", "different": "number different",
    "confirmed": "", "differs": "reference differing", "conflict": "reference of another work",
    "not_registered": "reference invented", "retracted": "reference retracted",
    "concern": "reference with a concern", "corrected": "", "reinstated": "",
    "gone": "link gone", "soft-404": "link gone", "wrong-page": "link to another page",
    "moved": "", "blocked": "", "unreachable": "",
    "unchecked": "quote unverified", "not_found": "reference unverified",
    "could_not_verify": "reference unverified", "unreadable": "source not read",
}  # fmt: skip
# Words for several verdicts.
GROUPS = {
    "number": {"different"},
    "conflict": {"conflict", "not_registered"},
    "withdrawn": {"retracted"},
    "unverified": {"unchecked", "not_found", "could_not_verify", "unreadable"},
    "all": {verdict for verdict, problem in VERDICTS.items() if problem},
    "none": set(),
}
DEFAULT_FAIL_ON = "near,absent,number,conflict,differs,retracted"
COMPARED = "Words were compared with words; whether a statement is true is not said."
_LARGEST = 20_000_000  # bytes of a draft
_NOTICES = ("retracted", "withdrawn", "concern", "corrected", "reinstated")


class CheckOutput(Answer, kw_only=True):
    """The findings in drafts, problems first; `failed` if one of them is in `failOn`."""

    headline: str
    failed: bool
    fail_on: list[str]
    summary: dict[str, int]
    findings: list[dict[str, Any]]
    read: list[dict[str, Any]] = struct_field(name="sources")
    notes: list[str]
    compared: str = COMPARED
    trust: str = fixed(TRUST)


@dataclass(frozen=True)
class CheckRow:
    """One quote, number or reference of a draft, or a source that could not be read."""

    file: str
    line: int
    kind: str  # quote, number, reference, source
    verdicts: tuple[str, ...]  # the first is shown
    text: str
    url: str | None
    detail: str
    answer: Mapping[str, Any]

    @property
    def is_problem(self) -> bool:
        """Whether the row is at least a warning."""
        return any(VERDICTS.get(verdict) for verdict in self.verdicts)

    def fails(self, fail_on: frozenset[str]) -> bool:
        """Whether a verdict is in `fail_on`."""
        return not fail_on.isdisjoint(self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON."""
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


@dataclass
class CheckReport:
    """Result of a check."""

    fail_on: frozenset[str]
    rows: list[CheckRow] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Whether a row fails the check."""
        return any(row.fails(self.fail_on) for row in self.rows)

    def headline(self) -> str:
        """Return the number of problems, and of each kind."""
        problems: Counter[str] = Counter()
        for row in self.rows:
            problems.update([VERDICTS[one] for one in row.verdicts if VERDICTS.get(one)][:1])
        if not problems:
            return f"No problems in {count_noun(len(self.rows), 'finding')}."
        kinds = []
        for problem, count in problems.items():
            noun, _, state = problem.partition(" ")
            kinds.append(f"{count_noun(count, noun)} {state}")
        return f"{count_noun(problems.total(), 'problem')}: {', '.join(kinds)}."

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each verdict."""
        return dict(Counter(row.verdicts[0] for row in self.rows))

    def sort(self) -> None:
        """Order the rows: failures, then other problems, each by file and line."""
        self.rows.sort(
            key=lambda row: (not row.fails(self.fail_on), not row.is_problem, row.file, row.line)
        )

    def as_answer(self) -> CheckOutput:
        """Return the report as an answer."""
        return CheckOutput(
            headline=self.headline(),
            failed=self.has_failed,
            fail_on=sorted(self.fail_on),
            summary=self.counts(),
            findings=[row.as_dict() for row in self.rows],
            read=self.sources,
            notes=self.notes,
        )


def read_draft(draft: str | Path) -> DraftClaims:
    """Find the quotes, numbers and references of a file, or of a text in Markdown."""
    if isinstance(draft, str):
        return read_claims("draft.md", draft.encode("utf-8", "replace"))
    if draft.stat().st_size > _LARGEST:
        raise BadInput(f"{draft} is too large to be a draft ({_LARGEST // 10**6} MB at most).")
    return read_claims(draft.name, draft.read_bytes())


def parse_fail_on(written: str) -> frozenset[str]:
    """Return the verdicts that words stand for. Raises `BadInput`."""
    words = {word.strip().lower() for word in written.split(",") if word.strip()}
    unknown = words - set(VERDICTS) - set(GROUPS)
    if unknown:
        known = ", ".join(dict.fromkeys([*GROUPS, *VERDICTS]))
        raise BadInput(
            f"Unknown verdicts: {', '.join(sorted(unknown))}.",
            suggested_action=f"Use some of: {known}.",
        )
    return frozenset().union(*(GROUPS.get(word, {word}) for word in words))


async def check_drafts(
    kit: Toolkit,
    drafts: Mapping[str, DraftClaims],
    *,
    session: str | None = None,
    sources: Sequence[str] = (),
    fail_on: str = DEFAULT_FAIL_ON,
    references: bool = True,
    offline: bool = False,
) -> CheckReport:
    """Compare drafts with their sources, and their references with indexes."""
    report = CheckReport(parse_fail_on(fail_on))
    claims = list(drafts.values())
    texts = await _collect_sources(kit, claims, session, sources, offline=offline)
    report.sources = [ReadSource.of(one).as_dict() for one in texts]
    for file, found in drafts.items():
        report.rows += _compare(file, found, texts)
        if found.references and references and not offline:
            await _check_references(kit, file, found, report)
    if not offline:
        report.rows += _list_unread(report, drafts)
    report.sort()
    return report


async def _collect_sources(
    kit: Toolkit,
    claims: Sequence[DraftClaims],
    session_id: str | None,
    names: Sequence[str],
    *,
    offline: bool,
) -> list[SourceText]:
    """Read the named sources, those of the session, and the pages that the drafts cite."""
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


def _compare(file: str, claims: DraftClaims, sources: Sequence[SourceText]) -> list[CheckRow]:
    """Return the rows of the quotes and numbers of a draft."""
    found = build_output(claims, sources, with_lines=True)
    filter_answer(found)
    answer = found.as_dict()
    rows = []
    for kind, verdict in (("quote", "tier"), ("number", "verdict")):
        for one in answer.get(f"{kind}s", ()):
            url, detail = one.get("url"), _describe_difference(one)
            rows.append(
                CheckRow(file, one["line"], kind, (one[verdict],), one[kind], url, detail, one)
            )
    return rows


def _describe_difference(answer: Mapping[str, Any]) -> str:
    """Return the differences or warnings of a quote or a number, in one line."""
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
    """Return the row of a reference, from the answer of `check_citations`."""
    verdicts = [str(answer.get("verdict", "could_not_verify"))]
    status = answer.get("status")
    if status in _NOTICES and status not in ("withdrawn", *verdicts):
        verdicts.append(status)
    link = answer.get("link") or {}
    if link.get("state") not in (None, "alive"):
        verdicts.append(link["state"])
    detail = "; ".join(filter(None, [str(answer.get("reason") or ""), *verdicts[1:]]))
    line = first_line + int(answer.get("line") or 1) - 1
    text = str(answer.get("key") or answer.get("input") or "")
    return CheckRow(file, line, "reference", tuple(verdicts), text, link.get("url"), detail, answer)


def _list_unread(report: CheckReport, drafts: Mapping[str, DraftClaims]) -> list[CheckRow]:
    """Return a row for each source that could not be read and that no other row names."""
    named = {row.url for row in report.rows if row.verdicts[0] == "unchecked"}
    rows = []
    for source in report.sources:
        url = source["url"]
        if source["state"] == "unreadable" and url not in named:
            citing = [file for file, claims in drafts.items() if url in list_cited(claims)]
            file = (citing or list(drafts))[0]
            reason = str(source.get("reason") or "")
            rows.append(CheckRow(file, 1, "source", ("unreadable",), url, url, reason, source))
    return rows
