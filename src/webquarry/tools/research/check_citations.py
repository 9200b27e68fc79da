"""The `check_citations` tool: references are compared with the records of the indexes.

Each value of a record is shown next to the value of the reference. Corrections are suggestions.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from msgspec import Meta

from webquarry._search.scholarly.models import Record
from webquarry.errors import BadInput
from webquarry.evidence.language.claims import claim_signal
from webquarry.evidence.models import TRUST, AnswerPart, fixed
from webquarry.evidence.styles.csl import to_csl
from webquarry.pages.clean import clean_line, clean_url
from webquarry.sessions.views import list_works
from webquarry.terminal import count_noun
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import build_part, deadline_for, list_authors
from webquarry.verify.references.checker import Checked
from webquarry.verify.references.corrected import correct_bibtex
from webquarry.verify.references.models import Reference, State
from webquarry.verify.references.read import read_references

_MOST = 2000  # references in one call
_LONGEST_INPUT = 300
ShownVerdict = Literal[
    "confirmed", "retracted", "differs", "conflict", "not_registered", "not_found",
    "could_not_verify",
]  # fmt: skip
_HINT = "The sentence that shares most words with the claim: a hint where to read, not a verdict."


class Existence(AnswerPart, kw_only=True):
    """The indexes that have the work, answered without it, or failed."""

    state: Literal["yes", "not_found", "unknown"]
    indexes: list[str]
    without: list[str] | None = None
    failed: dict[str, str] | None = None


class CheckedField(AnswerPart, kw_only=True):
    """A field of the reference next to that of the record."""

    field: str
    agrees: Literal["yes", "no", "not_checked"]
    given: str
    record: str | None = None
    source: str | None = None
    note: str | None = None


class ShownRecord(AnswerPart, kw_only=True):
    """The record of a work in an index."""

    source: str
    title: str | None = None
    authors: list[str] | None = None
    year: int | None = None
    venue: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    pmid: str | None = None
    isbn: str | None = None
    url: str | None = None

    @classmethod
    def of(cls, record: Record) -> ShownRecord:
        return build_part(
            cls,
            record,
            authors=list_authors(author.written for author in record.authors) or None,
            year=record.years[-1] if record.years else None,
            venue=clean_line(record.venues[0]) if record.venues else None,
        )


class ShownNotice(AnswerPart, kw_only=True):
    """A notice about the work."""

    type: str
    date: str | None = None
    doi: str | None = None
    source: str | None = None


class ArchiveCopy(AnswerPart, kw_only=True):
    """A copy of the page in an archive."""

    url: str
    date: str


class CheckedLink(AnswerPart, kw_only=True):
    """The state of a link today."""

    url: str
    state: str
    http_status: int | None = None
    moved_to: str | None = None
    archive: ArchiveCopy | None = None


class ClaimHint(AnswerPart, kw_only=True):
    """The sentence of the abstract that shares most words with a claim."""

    sentence: str | None = None
    source: str
    note: str = fixed(_HINT)


class PublishedVersion(AnswerPart, kw_only=True):
    """The article that a cited preprint became."""

    published: str


class CheckedReference(AnswerPart, kw_only=True):
    """One reference: whether it exists, agrees with its record, and its status."""

    number: int
    place: int
    line: int
    key: str | None = None
    input: str
    verdict: ShownVerdict
    reason: str
    exists: Existence
    fields: list[CheckedField]
    record: ShownRecord | None = None
    other: ShownRecord | None = None
    status: State
    status_asked: list[str] | None = None
    notices: list[ShownNotice] | None = None
    is_notice: bool | None = None
    preprint: PublishedVersion | None = None
    link: CheckedLink | None = None
    corrected: str | None = None
    claim_hint: ClaimHint | None = None

    @classmethod
    def of(cls, number: int, checked: Checked) -> CheckedReference:
        """Return one reference as it is shown."""
        reference, judgement, state = checked.reference, checked.judgement, checked.state
        notices = [build_part(ShownNotice, notice) for notice in state.notices]
        corrected = None
        if judgement.verdict == "differs" and judgement.record is not None:
            corrected = correct_bibtex(reference, judgement.record, judgement.checks)
        verdict: ShownVerdict = judgement.verdict
        if verdict in ("confirmed", "differs") and state.state in ("retracted", "withdrawn"):
            verdict = "retracted"
        published = clean_line(state.published)
        return build_part(
            cls,
            reference,
            number=number,
            input=_shorten(reference.text),
            verdict=verdict,
            reason=clean_line(judgement.reason),
            exists=Existence(
                state=judgement.exists,
                indexes=judgement.having,
                without=judgement.without or None,
                failed=judgement.failed or None,
            ),
            fields=[build_part(CheckedField, check) for check in judgement.checks],
            record=ShownRecord.of(judgement.record) if judgement.record else None,
            other=ShownRecord.of(judgement.other) if judgement.other else None,
            status=state.state,
            status_asked=list(state.asked) or None,
            notices=notices or None,
            is_notice=state.is_notice or None,
            preprint=PublishedVersion(published=published) if published else None,
            link=_show_link(checked),
            corrected=corrected,
            claim_hint=_find_hint(checked),
        )


class CitationsOutput(Answer, kw_only=True):
    """The references in their order, and the number of each verdict."""

    checked: int
    summary: dict[str, int]
    references: list[CheckedReference]
    notes: list[str] | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, results: list[Checked], notes: list[str]) -> CitationsOutput:
        shown = [CheckedReference.of(number, one) for number, one in enumerate(results, 1)]
        summary: Counter[str] = Counter()
        for one in shown:
            summary[one.verdict] += 1
            if one.status not in ("clean", "unknown", one.verdict):
                summary[one.status] += 1
        return cls(checked=len(shown), summary=dict(summary), references=shown, notes=notes or None)

    def how_to_read_on(self) -> str:
        return "Call check_citations with some of the references at a time."


def _shorten(text: str) -> str:
    line = clean_line(text[: 4 * _LONGEST_INPUT])
    if len(line) > _LONGEST_INPUT:
        return line[: _LONGEST_INPUT - 1] + "…"
    return line


def _show_link(checked: Checked) -> CheckedLink | None:
    link = checked.link
    if link is None:
        return None
    archive = None
    if link.archive:
        archive = ArchiveCopy(url=clean_url(link.archive), date=link.archived_on)
    return build_part(
        CheckedLink,
        link,
        http_status=link.status,
        moved_to=clean_url(link.moved_to) or None,
        archive=archive,
    )


def _find_hint(checked: Checked) -> ClaimHint | None:
    claim = checked.reference.claim
    if not claim.strip():
        return None
    text = checked.abstract
    if checked.judgement.record is not None:
        text = f"{checked.judgement.record.title}. {text}"
    sentence = claim_signal(claim, text) if text.strip() else ""
    source = "abstract" if checked.abstract else "title"
    return ClaimHint(sentence=clean_line(sentence) or None, source=source)


@tool(recorded=False)
async def check_citations(
    kit: Toolkit,
    references: Annotated[
        list[str | dict[str, Any]] | None,
        Meta(
            description="References as DOI, id, URL, BibTeX, RIS, CSL-JSON, free text or "
            "{reference, claim}."
        ),
    ] = None,
    sessionId: Annotated[
        str | None, Meta(description="Session whose sources are checked instead.")
    ] = None,
) -> CitationsOutput:
    """Check references against scholarly indexes. Returns for each whether the work exists, which
    fields differ from its record, and whether it was retracted.
    """
    started = kit.clock.monotonic()
    given: list[str | dict[str, Any]] = list(references or [])
    if sessionId:
        session = await kit.sessions.read(sessionId)
        given += [to_csl(work) for work in list_works(session)]
    found: list[Reference] = []
    for place, item in enumerate(given, 1):
        found += read_references(item, place)
        if len(found) > _MOST:
            break
    if not 1 <= len(found) <= _MOST:
        number = "There is no reference" if not found else f"There are more than {_MOST} references"
        raise BadInput(
            f"{number}; 1 to {_MOST} can be checked in one call.",
            suggested_action="Give references, or the sessionId of a session with sources.",
        )
    deadline = deadline_for(kit, "check_citations", started)
    results = await kit.citations.check(found, deadline)
    answer = CitationsOutput.of(results, _list_notes(results))
    asked = sorted(kit.citations.indexes)
    sent = sum(one.requests for one in results)
    return answer.add_meta(routing={"indexes": asked, "requests": sent})


def _list_notes(results: list[Checked]) -> list[str]:
    """Return notes on unfinished references and failed indexes."""
    notes: list[str] = []
    unfinished = sum(not one.is_finished for one in results)
    if unfinished:
        notes.append(
            f"The time was over before {unfinished} of {len(results)} references were done: call "
            "again, and what is known is not asked for twice."
        )
    failed = Counter(index for one in results for index in one.judgement.failed)
    for index, count in sorted(failed.items()):
        notes.append(f"{index} did not answer for {count_noun(count, 'reference')}.")
    return notes
