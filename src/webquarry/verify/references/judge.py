"""The verdict on a reference and the state of its record, from the replies of the indexes.

    confirmed         a record, and every field agrees or the record is silent
    differs           a record that is surely of the work, and a field that it contradicts
    conflict          the identifier is registered for another work
    not_registered    doi.org says that there is no such DOI
    not_found         every index that was asked answered, and none has it
    could_not_verify  an index did not answer, or the indexes do not hold works of this kind

Any source that says retracted counts. A correction or a concern is not a retraction; a later
reinstatement takes precedence; a notice is not the work that it is about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from webquarry._search.scholarly.models import ARXIV_DOI, Notice, Record
from webquarry.evidence.trust.retraction import status_of
from webquarry.verify.references.compare import (
    AGENCIES,
    ENOUGH_WITNESSES,
    SEARCHES,
    Findings,
    preprint_witnesses,
    weigh,
)
from webquarry.verify.references.models import (
    OUTSIDE,
    FieldCheck,
    ReferenceEvidence,
    State,
    Verdict,
)
from webquarry.verify.references.text import fold_letters

Existence = Literal["yes", "not_found", "unknown"]
_RARELY_HELD = OUTSIDE | {"book", "chapter", "dataset"}
_NAMES = {
    "crossref": "Crossref", "openalex": "OpenAlex", "dblp": "DBLP", "arxiv": "arXiv",
    "semanticscholar": "Semantic Scholar", "datacite": "DataCite", "doi": "doi.org",
    "pubmed": "PubMed", "europepmc": "Europe PMC", "openlibrary": "Open Library",
    "openreview": "OpenReview", "rfceditor": "RFC Editor", "wayback": "Wayback Machine",
    "page": "the page itself",
}  # fmt: skip
_NOTHING = "Nothing in it can be looked up: no identifier and no title."


@dataclass(frozen=True)
class Judgement:
    """The verdict on one reference and its reasons."""

    verdict: Verdict
    reason: str
    exists: Existence
    checks: list[FieldCheck] = field(default_factory=list)
    record: Record | None = None  # that it was compared with
    other: Record | None = None  # the work of that title, or the nearest one
    having: list[str] = field(default_factory=list)  # indexes that have the work
    without: list[str] = field(default_factory=list)  # that answered and do not have it
    failed: dict[str, str] = field(default_factory=dict)


def judge(evidence: ReferenceEvidence, today: date) -> Judgement:
    """Return the verdict on a reference."""
    findings = weigh(evidence, today)
    having = findings.sources()
    answered = {
        one.index for one in evidence.replies if not one.failure and one.question.topic != "updates"
    }
    verdict, reason = _decide(evidence, findings, today)
    checks = findings.checks
    if verdict == "differs" and not findings.differing:
        checks = _mark_venue(findings, today)
    if verdict in ("conflict", "not_registered") and not having:
        checks = []
    exists: Existence = "unknown"
    if having:
        exists = "yes"
    elif verdict == "not_found":
        exists = "not_found"
    record = min(findings.records, key=_rank, default=None)
    other = None
    if verdict == "conflict":
        record, other = _list_foreign(findings)[0], record
    elif verdict == "not_registered":
        record, other = None, record
    elif record is None:
        nearest = findings.maybe or findings.foreign
        other = nearest[0].record if nearest else None
    return Judgement(
        verdict,
        reason,
        exists,
        checks,
        record,
        other,
        having,
        sorted(answered - set(having) - {"doi", "wayback"}),
        {index: kind for index, kind in evidence.failed.items() if index not in having},
    )


def _rank(record: Record) -> tuple[bool, bool, bool]:
    """Order records: published, of an agency, with a DOI first."""
    return record.is_preprint, record.source not in AGENCIES, not record.doi


def _list_foreign(findings: Findings) -> list[Record]:
    """Return the records of another work, those of the agency first."""
    records = [one.record for one in findings.foreign]
    return sorted(records, key=lambda record: record.source not in AGENCIES)


def _decide(evidence: ReferenceEvidence, findings: Findings, today: date) -> tuple[Verdict, str]:
    reference = evidence.reference
    if findings.foreign and not findings.by_number:
        return _decide_foreign(findings)
    if findings.is_registered is False and not findings.by_number:
        doi = reference.doi or ARXIV_DOI + reference.arxiv_id
        return "not_registered", f"doi.org answered that {doi} is not registered."
    if findings.same:
        return _decide_fields(evidence, findings, today)
    return _decide_missing(evidence, findings)


def _decide_foreign(findings: Findings) -> tuple[Verdict, str]:
    """Return a conflict if the agency or two indexes have another work for the identifier."""
    records = _list_foreign(findings)
    first = records[0]
    title = fold_letters(first.title)
    sources = {record.source for record in records if fold_letters(record.title) == title}
    if first.source in AGENCIES or len(sources) > 1:
        return "conflict", (
            f"The identifier is registered for another work: {_name_all(sources)} "
            f"has it as “{first.title}”, with no author in common."
        )
    return "could_not_verify", (
        f"{_name_all(sources)} alone has another work under this identifier, and the agency that "
        "registered it did not say."
    )


def _decide_fields(
    evidence: ReferenceEvidence, findings: Findings, today: date
) -> tuple[Verdict, str]:
    """Return the verdict if a record of the work was found."""
    reference = evidence.reference
    sources = _name_all(findings.sources())
    differing = findings.differing
    if differing:
        names = ", ".join(check.field for check in differing)
        if len(findings.sources()) == 1 and not findings.by_number and evidence.failed:
            return "could_not_verify", (
                f"{sources} alone has the work, with another {names}; "
                f"{_name_all(evidence.failed)} did not answer."
            )
        return "differs", f"Compared with {sources}: {names} differ{'s' * (len(differing) == 1)}."
    if findings.is_unpublished_at(reference) and findings.is_preprint_only:
        witnesses = preprint_witnesses(findings, today)
        if len(witnesses) >= ENOUGH_WITNESSES:
            return "differs", (
                f"{_name_all(witnesses)} have the work as a preprint only; "
                "no record of the publication that is cited was found."
            )
        return "could_not_verify", (
            f"The work is in {sources} as a preprint; whether it appeared at "
            f"{reference.venue} could not be checked."
        )
    agreeing = [check.field for check in findings.checks if check.agrees == "yes"]
    if not agreeing:
        return "confirmed", f"The identifier is registered in {sources}; nothing else was claimed."
    return "confirmed", f"Compared with {sources}: {', '.join(agreeing)} agree."


def _decide_missing(evidence: ReferenceEvidence, findings: Findings) -> tuple[Verdict, str]:
    """Return the verdict if no record of the work was found."""
    reference = evidence.reference
    questions = [one for one in evidence.replies if one.question.topic != "updates"]
    names = _name_all(one.index for one in questions)
    is_searched = any(one.question.topic in SEARCHES for one in questions)
    if evidence.failed:
        reason = f"{_name_all(evidence.failed)} did not answer, so that nothing can be said."
    elif findings.is_registered:
        reason = f"The DOI is registered, but {names} have no record of it."
    elif reference.kind in _RARELY_HELD:
        reason = f"The indexes hold few works of this kind ({reference.kind})."
    elif findings.maybe:
        nearest = findings.maybe[0].record.title
        reason = f"Not found in {names}; the nearest record, “{nearest}”, may be another work."
    elif is_searched or (evidence.replies and reference.has_identifier):
        return "not_found", f"Not found in {names}, which all answered."
    else:
        reason = _NOTHING
    return "could_not_verify", reason


def _mark_venue(findings: Findings, today: date) -> list[FieldCheck]:
    """Return the checks with the venue of a work that is known as a preprint only."""
    venue = next((record.venues[0] for record in findings.records if record.venues), "preprint")
    witnesses = ", ".join(preprint_witnesses(findings, today))
    marked = FieldCheck("venue", "no", "", f"{venue} (preprint)", witnesses)
    return [
        replace(marked, given=check.given, note="no record of a publication")
        if check.field == "venue"
        else check
        for check in findings.checks
    ]


def _name_all(indexes: Iterable[str]) -> str:
    """Return names of indexes for a sentence, each once."""
    names = [_NAMES.get(index, index) for index in dict.fromkeys(indexes)]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


# Indexes that have retraction notices.
_INFORMED = frozenset({"crossref", "pubmed", "europepmc", "arxiv"})


@dataclass(frozen=True)
class RecordState:
    """The state of a record, its notices, and the indexes that were asked."""

    state: State = "unknown"
    notices: tuple[Notice, ...] = ()
    asked: tuple[str, ...] = ()
    is_notice: bool = False  # the reference cites the notice itself
    published: str = ""  # DOI of the publication of a preprint


def read_state(evidence: ReferenceEvidence, findings: Findings) -> RecordState:
    """Return the state of the record of a reference."""
    records = findings.records or [one.record for one in findings.foreign]
    updates = [one for one in evidence.replies if one.question.topic == "updates"]
    answered = [one for one in updates if not one.failure]
    # The notices of a notice are about other works.
    stating = [record for record in records if not record.updates]
    stating += [record for reply in answered for record in reply.records]
    notices = _list_notices(stating, is_published=not all(one.is_preprint for one in records))
    sources = [record.source for record in records]
    is_informed = len(answered) == len(updates) and not _INFORMED.isdisjoint(sources)
    asked = [*sources, *(reply.index for reply in answered)]
    return RecordState(
        _name_state(notices, is_informed),
        notices,
        tuple(dict.fromkeys(asked)),
        any(record.updates for record in records),
        _find_published(records),
    )


def _list_notices(records: list[Record], *, is_published: bool) -> tuple[Notice, ...]:
    """Return all notices in order, without those of the preprint of a published work."""
    notices = sorted({notice for record in records for notice in record.notices})
    return tuple(notice for notice in notices if not (is_published and notice.preprint))


def _name_state(notices: tuple[Notice, ...], is_informed: bool) -> State:
    status = status_of(notices)
    types = {notice.type for notice in notices}
    if status is not None and status.kind == "retraction":
        if not status.retracted:  # of a part
            return "concern"
        is_withdrawn = types & {"withdrawal", "removal"} and "retraction" not in types
        return "withdrawn" if is_withdrawn else "retracted"
    if "reinstatement" in types:
        return "reinstated"
    if status is not None:
        return "concern" if status.kind == "expression_of_concern" else "corrected"
    return "clean" if is_informed else "unknown"


def _find_published(records: list[Record]) -> str:
    """Return the DOI of the publication of a preprint, if a record states it."""
    if not records or not (records[0].is_preprint or records[0].doi.startswith(ARXIV_DOI)):
        return ""
    for record in records:
        is_published = not record.is_preprint and not record.doi.startswith(ARXIV_DOI)
        doi = record.published_doi or (record.doi if is_published else "")
        if doi:
            return doi
    return ""
