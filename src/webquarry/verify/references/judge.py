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
from webquarry.verify.references.models import (
    OUTSIDE,
    FieldCheck,
    ReferenceEvidence,
    State,
    Verdict,
)
from webquarry.verify.references.weigh import (
    AGENCIES,
    SEARCHES,
    Findings,
    claims_publication,
    is_preprint_only,
    preprint_witnesses,
    same_title,
    weigh,
)

Existence = Literal["yes", "not_found", "unknown"]
_ENOUGH_WITNESSES = 2
_NOT_HELD = OUTSIDE | {"book", "chapter", "dataset"}
_NAMES = {
    "crossref": "Crossref", "openalex": "OpenAlex", "dblp": "DBLP", "arxiv": "arXiv",
    "semanticscholar": "Semantic Scholar", "datacite": "DataCite", "doi": "doi.org",
    "pubmed": "PubMed", "europepmc": "Europe PMC", "openlibrary": "Open Library",
    "openreview": "OpenReview", "rfceditor": "RFC Editor", "wayback": "Wayback Machine",
    "page": "the page itself",
}  # fmt: skip


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
    without = sorted(answered - set(having) - {"doi", "wayback"})
    failed = evidence.failed
    verdict, reason = _decide(evidence, findings, today)
    checks = findings.checks
    if verdict == "differs" and not findings.differing:
        checks = _mark_venue(findings, today)
    record, other = _choose_records(evidence, findings, verdict)
    exists: Existence = "unknown"
    if having:
        exists = "yes"
    elif verdict == "not_found":
        exists = "not_found"
    if verdict in ("conflict", "not_registered") and not having:
        checks = []
    return Judgement(
        verdict,
        reason,
        exists,
        checks,
        record,
        other,
        having,
        without,
        {index: kind for index, kind in failed.items() if index not in having},
    )


def _decide(evidence: ReferenceEvidence, findings: Findings, today: date) -> tuple[Verdict, str]:
    reference = evidence.reference
    if findings.foreign and not findings.by_number:
        return _decide_foreign(findings)
    if findings.is_registered is False and not findings.by_number:
        doi = reference.doi or f"10.48550/arxiv.{reference.arxiv_id}"
        return "not_registered", f"doi.org answered that {doi} is not registered."
    if findings.same:
        return _decide_fields(evidence, findings, today)
    return _decide_missing(evidence, findings)


def _decide_foreign(findings: Findings) -> tuple[Verdict, str]:
    """Return a conflict if the agency or two indexes have another work for the identifier."""
    agency = [one for one in findings.foreign if one.record.source in AGENCIES]
    first = (agency or findings.foreign)[0].record
    sources = {one.record.source for one in findings.foreign if same_title(one.record, first)}
    if agency or len(sources) > 1:
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
        is_alone = len(findings.sources()) == 1 and not findings.by_number
        if is_alone and evidence.failed:
            return "could_not_verify", (
                f"{sources} alone has the work, with another {names}; "
                f"{_name_all(evidence.failed)} did not answer."
            )
        return "differs", f"Compared with {sources}: {names} differ{'s' * (len(differing) == 1)}."
    venue = findings.check("venue")
    is_open = venue is not None and venue.agrees == "not_checked"
    if is_open and claims_publication(reference) and is_preprint_only(findings):
        witnesses = preprint_witnesses(findings, today)
        if len(witnesses) >= _ENOUGH_WITNESSES:
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
    if evidence.failed:
        return "could_not_verify", (
            f"{_name_all(evidence.failed)} did not answer, so that nothing can be said."
        )
    if not evidence.replies:
        if reference.kind in OUTSIDE:
            return (
                "could_not_verify",
                f"The indexes do not hold works of this kind ({reference.kind}).",
            )
        return "could_not_verify", "Nothing in it can be looked up: no identifier and no title."
    asked = [one.index for one in evidence.replies if one.question.topic != "updates"]
    names = _name_all(asked)
    if findings.is_registered:
        return "could_not_verify", (
            f"The DOI is registered, but none of the indexes that were asked ({names}) has its "
            "record."
        )
    if reference.kind in _NOT_HELD:
        return "could_not_verify", (
            f"Not found in {names}, which hold few works of this kind ({reference.kind})."
        )
    if findings.maybe:
        nearest = findings.maybe[0].record
        return "could_not_verify", (
            f"Not found in {names}; the nearest record is “{nearest.title}”, which may be another "
            "work."
        )
    searched = [one for one in evidence.replies if one.question.topic in SEARCHES]
    if not searched and not reference.has_identifier:
        return "could_not_verify", "Nothing in it can be looked up: no identifier and no title."
    return "not_found", f"Not found in {names}, which all answered."


def _mark_venue(findings: Findings, today: date) -> list[FieldCheck]:
    """Return the checks with the venue of a work that is known as a preprint only."""
    witnesses = preprint_witnesses(findings, today)
    checks = []
    for check in findings.checks:
        if check.field == "venue":
            named = [record.venues[0] for record in findings.records if record.venues]
            venue = next(iter(named), "preprint")
            check = replace(
                check,
                agrees="no",
                record=f"{venue} (preprint)",
                source=", ".join(witnesses),
                note="no record of a publication",
            )
        checks.append(check)
    return checks


def _choose_records(
    evidence: ReferenceEvidence, findings: Findings, verdict: Verdict
) -> tuple[Record | None, Record | None]:
    """Return the record to show, and another relevant work."""
    cited = _choose_best(findings)
    if verdict == "conflict":
        agency = [one for one in findings.foreign if one.record.source in AGENCIES]
        return (agency or findings.foreign)[0].record, cited
    if verdict == "not_registered":
        return None, cited
    if cited is not None:
        return cited, None
    others = findings.maybe or findings.foreign
    if not others:
        return None, None
    return None, others[0].record


def _choose_best(findings: Findings) -> Record | None:
    """Return the best record: published, of an agency, with a DOI."""
    records = findings.records
    if not records:
        return None

    def rank(record: Record) -> tuple[bool, bool, bool]:
        return record.is_preprint, record.source not in AGENCIES, not record.doi

    return min(records, key=rank)


def _name_all(indexes: Iterable[str]) -> str:
    """Return names of indexes for a sentence, each once."""
    names = [_NAMES.get(index, index) for index in dict.fromkeys(indexes)]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


_WITHDRAWALS = frozenset({"withdrawal", "removal"})
# Those who would know of a notice.
_INFORMED = frozenset({"crossref", "pubmed", "europepmc", "arxiv"})


@dataclass(frozen=True)
class RecordState:
    """The state of a record, its notices, and the indexes that were asked."""

    state: State = "unknown"
    notices: tuple[Notice, ...] = ()
    asked: tuple[str, ...] = ()
    is_notice: bool = False  # the reference cites the notice itself
    published: str = ""  # of a preprint: the DOI, or the venue, of the article that it became


def read_state(evidence: ReferenceEvidence, findings: Findings) -> RecordState:
    """Return the state of the record of a reference."""
    records = findings.records or [one.record for one in findings.foreign]
    asked = [record.source for record in records]
    is_notice = any(record.updates for record in records)
    notices: list[Notice] = []
    for record in records:
        if not record.updates:  # a notice speaks of other works than itself
            notices += record.notices
    for reply in evidence.replies:
        if reply.question.topic != "updates" or reply.failure:
            continue
        asked.append(reply.index)
        for record in reply.records:
            notices += record.notices
    has_published = any(not record.is_preprint for record in records)
    if has_published:
        notices = [notice for notice in notices if not notice.preprint]
    unique = tuple(dict.fromkeys(sorted(notices)))
    state = _name_state(unique, _is_informed(evidence, records))
    return RecordState(
        state, unique, tuple(dict.fromkeys(asked)), is_notice, _find_published(records)
    )


def _name_state(notices: tuple[Notice, ...], is_informed: bool) -> State:
    status = status_of(notices)
    reinstated = any(notice.type == "reinstatement" for notice in notices)
    if status is not None and status.kind == "retraction":
        standing = {notice.type for notice in notices}
        if not status.retracted:  # of a part
            return "concern"
        return (
            "withdrawn"
            if standing & _WITHDRAWALS and "retraction" not in standing
            else ("retracted")
        )
    if reinstated:
        return "reinstated"
    if status is not None:
        return "concern" if status.kind == "expression_of_concern" else "corrected"
    return "clean" if is_informed else "unknown"


def _is_informed(evidence: ReferenceEvidence, records: list[Record]) -> bool:
    """Return whether an index that knows notices answered."""
    if not any(record.source in _INFORMED for record in records):
        return False
    updates = [one for one in evidence.replies if one.question.topic == "updates"]
    return not any(one.failure for one in updates)


def _find_published(records: list[Record]) -> str:
    """Return the DOI of the publication of a preprint, if a record states it."""
    cited = records[0] if records else None
    if cited is None or not (cited.is_preprint or cited.doi.startswith(ARXIV_DOI)):
        return ""
    for record in records:
        if record.published_doi:
            return record.published_doi
        if not record.is_preprint and record.doi and not record.doi.startswith(ARXIV_DOI):
            return record.doi
    return ""
