"""References that were checked -> the shape in which they leave.

Every value of a record stands beside the value that was given; what is offered as a correction is
offered, and changes nothing.
"""

from __future__ import annotations

from typing import Any, Literal

from webquarry._search.scholarly.models import Record
from webquarry.evidence.language.claims import claim_signal
from webquarry.evidence.models import TRUST, AnswerPart, fixed
from webquarry.pages.clean import clean_line, clean_url
from webquarry.terminal import count_noun
from webquarry.tool import Answer
from webquarry.verify.references.checker import Checked
from webquarry.verify.references.corrected import correct_bibtex
from webquarry.verify.references.models import FieldCheck, State, Verdict

_LONGEST_INPUT = 300
_MOST_AUTHORS = 20
_HINT = "The sentence that shares most words with the claim: a hint where to read, not a verdict."


class Existence(AnswerPart, kw_only=True):
    """Which indexes have the work, which answered without it, which did not answer."""

    state: Literal["yes", "not_found", "unknown"]
    indexes: list[str]
    without: list[str] | None = None
    failed: dict[str, str] | None = None


class CheckedField(AnswerPart, kw_only=True):
    """What the reference says beside what the record says."""

    field: str
    agrees: Literal["yes", "no", "not_checked"]
    given: str
    record: str | None = None
    source: str | None = None
    note: str | None = None

    @classmethod
    def of(cls, check: FieldCheck) -> CheckedField:
        return cls(
            field=check.field,
            agrees=check.agrees,
            given=clean_line(check.given),
            record=clean_line(check.record) or None,
            source=check.source or None,
            note=clean_line(check.note) or None,
        )


class ShownRecord(AnswerPart, kw_only=True):
    """What an index has about a work."""

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
        names = [clean_line(author.written) for author in record.authors[:_MOST_AUTHORS]]
        if len(record.authors) > _MOST_AUTHORS:
            names.append(f"et al. ({len(record.authors)} authors)")
        return cls(
            source=record.source,
            title=clean_line(record.title) or None,
            authors=names or None,
            year=record.years[-1] if record.years else None,
            venue=clean_line(record.venues[0]) if record.venues else None,
            doi=clean_line(record.doi) or None,
            arxiv_id=record.arxiv_id or None,
            pmid=record.pmid or None,
            isbn=record.isbn or None,
            url=clean_url(record.url) or None,
        )


class ShownNotice(AnswerPart, kw_only=True):
    """A notice about the work: what kind, of when, and who says so."""

    type: str
    date: str | None = None
    doi: str | None = None
    source: str | None = None


class ArchiveCopy(AnswerPart, kw_only=True):
    """A copy of the page in an archive."""

    url: str
    date: str


class CheckedLink(AnswerPart, kw_only=True):
    """What the address leads to today."""

    url: str
    state: str
    http_status: int | None = None
    moved_to: str | None = None
    archive: ArchiveCopy | None = None


class ClaimHint(AnswerPart, kw_only=True):
    """The sentence of the work's abstract nearest to a claim, by its words alone."""

    sentence: str | None = None
    source: str
    note: str = fixed(_HINT)


class PublishedVersion(AnswerPart, kw_only=True):
    """The article that a cited preprint became."""

    published: str


class CheckedReference(AnswerPart, kw_only=True):
    """One reference: does it exist, is it described as in the record, what is its state."""

    number: int
    place: int
    line: int
    key: str | None = None
    input: str
    verdict: Verdict
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
        """One reference as it is shown."""
        reference, judgement, state = checked.reference, checked.judgement, checked.state
        notices = []
        for notice in state.notices:
            shown = ShownNotice(
                type=clean_line(notice.type),
                date=notice.date or None,
                doi=notice.doi,
                source=clean_line(notice.source) or None,
            )
            notices.append(shown)
        preprint = None
        if state.published:
            preprint = PublishedVersion(published=clean_line(state.published))
        return cls(
            number=number,
            place=reference.place,
            line=reference.line,
            key=clean_line(reference.key) or None,
            input=_shorten(reference.text),
            verdict=judgement.verdict,
            reason=clean_line(judgement.reason),
            exists=Existence(
                state=judgement.exists,
                indexes=judgement.having,
                without=judgement.without or None,
                failed=judgement.failed or None,
            ),
            fields=[CheckedField.of(check) for check in judgement.checks],
            record=ShownRecord.of(judgement.record) if judgement.record else None,
            other=ShownRecord.of(judgement.other) if judgement.other else None,
            status=state.state,
            status_asked=list(state.asked) or None,
            notices=notices or None,
            is_notice=state.is_notice or None,
            preprint=preprint,
            link=_show_link(checked),
            corrected=_offer_correction(checked),
            claim_hint=_find_hint(checked),
        )


class CitationsOutput(Answer, kw_only=True):
    """The references in their order, and how many of each verdict there are."""

    checked: int
    summary: dict[str, int]
    references: list[CheckedReference]
    notes: list[str] | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, results: list[Checked], notes: list[str]) -> CitationsOutput:
        shown = [CheckedReference.of(number, one) for number, one in enumerate(results, 1)]
        summary: dict[str, int] = {}
        for one in shown:
            summary[one.verdict] = summary.get(one.verdict, 0) + 1
            if one.status not in ("clean", "unknown"):
                summary[one.status] = summary.get(one.status, 0) + 1
        return cls(checked=len(shown), summary=summary, references=shown, notes=notes or None)

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
    return CheckedLink(
        url=clean_url(link.url),
        state=link.state,
        http_status=link.status,
        moved_to=clean_url(link.moved_to) or None,
        archive=archive,
    )


def _offer_correction(checked: Checked) -> str | None:
    """The entry with the record's values, for a reference that differs."""
    record = checked.judgement.record
    if checked.judgement.verdict != "differs" or record is None:
        return None
    return correct_bibtex(checked.reference, record, checked.judgement.checks)


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


def list_notes(results: list[Checked]) -> list[str]:
    """What to know of the whole: what was not reached, and who did not answer."""
    notes: list[str] = []
    unfinished = sum(not one.is_finished for one in results)
    if unfinished:
        notes.append(
            f"The time was over before {unfinished} of {len(results)} references were done: call "
            "again, and what is known is not asked for twice."
        )
    failed: dict[str, int] = {}
    for one in results:
        for index in one.judgement.failed:
            failed[index] = failed.get(index, 0) + 1
    for index, count in sorted(failed.items()):
        notes.append(f"{index} did not answer for {count_noun(count, 'reference')}.")
    return notes


AnyReference = str | dict[str, Any]
