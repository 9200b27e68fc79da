"""Notices about a work, from whoever told of them -> the state of its record today.

Any source that says retracted counts, and those that were asked are named. A correction or a
concern is no retraction; a later reinstatement wins over what came before it; a notice is not the
work that it speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass

from webquarry._search.scholarly.models import ARXIV_DOI, Record
from webquarry._search.scholarly.notices import Notice
from webquarry.evidence.trust.retraction import status_of
from webquarry.verify.references.models import ReferenceEvidence, State
from webquarry.verify.references.weigh import Findings

_WITHDRAWALS = frozenset({"withdrawal", "removal"})
# Those who would know of a notice.
_INFORMED = frozenset({"crossref", "pubmed", "europepmc", "arxiv"})


@dataclass(frozen=True)
class RecordState:
    """The state of a record, the notices behind it, and who was asked."""

    state: State = "unknown"
    notices: tuple[Notice, ...] = ()
    asked: tuple[str, ...] = ()
    is_notice: bool = False  # the reference cites the notice itself
    published: str = ""  # of a preprint: the DOI, or the venue, of the article that it became


def read_state(evidence: ReferenceEvidence, findings: Findings) -> RecordState:
    """The state of the record that a reference is about."""
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
    """Whether somebody was asked who would know, and answered."""
    if not any(record.source in _INFORMED for record in records):
        return False
    updates = [one for one in evidence.replies if one.question.topic == "updates"]
    return not any(one.failure for one in updates)


def _find_published(records: list[Record]) -> str:
    """Where a preprint appeared since, if a record tells."""
    cited = records[0] if records else None
    if cited is None or not (cited.is_preprint or cited.doi.startswith(ARXIV_DOI)):
        return ""
    for record in records:
        if record.published_doi:
            return record.published_doi
        if not record.is_preprint and record.doi and not record.doi.startswith(ARXIV_DOI):
            return record.doi
    return ""
