"""Records of a reference sorted by the work that they describe, and the fields they confirm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from webquarry._search.scholarly.models import ARXIV_DOI, Record
from webquarry.verify.references.identifiers import is_valid_isbn
from webquarry.verify.references.models import FieldCheck, Reference, ReferenceEvidence
from webquarry.verify.references.text import fold_letters
from webquarry.verify.references.venues import classify_venue
from webquarry.verify.references.work import (
    Comparison,
    check_fields,
    compare_work,
    identify,
)

SEARCHES = frozenset({"title", "text"})
# Those whose own record it is: what they register is theirs to say. The others gather.
AGENCIES = frozenset(
    {"crossref", "datacite", "arxiv", "pubmed", "europepmc", "openlibrary", "rfceditor"}
)
# The number that a record of these was found by.
_NUMBER_OF = {"arxiv": "arxiv", "pubmed": "pmid", "europepmc": "pmid", "openlibrary": "isbn"}
_PREPRINT_SERVERS = frozenset({"arxiv", "datacite"})
_MOST_PREPRINT_DAYS = 180  # in which a publication may be missing from the indexes


@dataclass
class Findings:
    """The records of one reference by the work that they describe."""

    same: list[Comparison] = field(default_factory=list)  # of the work that is cited
    foreign: list[Comparison] = field(default_factory=list)  # of its number, but of another work
    maybe: list[Comparison] = field(default_factory=list)  # found by the title, and not sure
    checks: list[FieldCheck] = field(default_factory=list)
    is_registered: bool | None = None  # the DOI; None: not asked, or no answer
    by_number: bool = False  # a record of the work was found by its number

    @property
    def differing(self) -> list[FieldCheck]:
        return [check for check in self.checks if check.agrees == "no"]

    @property
    def records(self) -> list[Record]:
        return [comparison.record for comparison in self.same]

    def sources(self) -> list[str]:
        """The indexes that have the work."""
        return list(dict.fromkeys(record.source for record in self.records))

    def check(self, name: str) -> FieldCheck | None:
        for check in self.checks:
            if check.field == name:
                return check
        return None


def weigh(evidence: ReferenceEvidence, today: date) -> Findings:
    """Sort the records and compare each field."""
    reference = evidence.reference
    findings = Findings(is_registered=_read_registration(evidence))
    own_numbers = list_numbers(reference)
    numbered: list[Comparison] = []
    misnamed: list[Comparison] = []
    for reply in evidence.replies:
        if reply.index in ("doi", "wayback") or reply.question.topic == "updates":
            continue
        by_title = reply.question.value not in own_numbers
        for record in reply.records:
            comparison = compare_work(reference, record, today.year)
            identity = identify(comparison, by_title=by_title)
            if identity == "same":
                findings.same.append(comparison)
                findings.by_number = findings.by_number or not by_title
            elif identity == "same_misnamed":
                named = misnamed if by_title else numbered
                named.append(comparison)
            elif not by_title:
                findings.foreign.append(comparison)
            elif identity == "maybe":
                findings.maybe.append(comparison)
    _add_misnamed(findings, numbered, misnamed)
    if findings.by_number:
        # A record that has the number but is of another work says nothing where the agency's own
        # record is of the work: an index that gathers may have mixed two up.
        findings.foreign = [one for one in findings.foreign if one.record.source in AGENCIES]
    findings.checks = check_fields(reference, findings.same, today.year)
    if reference.isbn and findings.same and not findings.by_number:
        findings.checks += _check_isbn(reference)
    if findings.by_number:
        findings.checks += [_check_number(reference, one) for one in findings.foreign]
    return findings


def list_numbers(reference: Reference) -> frozenset[str]:
    """Return the identifiers of the reference itself; those of records may be of another work."""
    numbers = {
        reference.doi,
        reference.other_doi,
        reference.arxiv_id,
        reference.pmid,
        reference.pmcid,
        reference.isbn,
        reference.rfc,
    }
    if reference.arxiv_id:
        numbers.add(ARXIV_DOI + reference.arxiv_id)
    return frozenset(numbers - {""})


def _add_misnamed(
    findings: Findings, numbered: Sequence[Comparison], misnamed: Sequence[Comparison]
) -> None:
    """Add records with the identifier but another title, those of the agency first; records with a
    near title are added if nothing better was found.
    """
    has_own_title = any(one.record.source in AGENCIES for one in findings.same)
    if numbered and not (has_own_title and findings.by_number):
        findings.same += numbered
        findings.by_number = True
    if not findings.same and not findings.foreign:
        findings.same += misnamed
    else:
        findings.maybe += misnamed


def _check_isbn(reference: Reference) -> list[FieldCheck]:
    if is_valid_isbn(reference.isbn):
        return []
    note = "the check digit is wrong"
    return [FieldCheck("isbn", "no", reference.isbn, "", "", note)]


def _check_number(reference: Reference, foreign: Comparison) -> FieldCheck:
    """Return the check of an identifier that is registered for another work."""
    record = foreign.record
    name = _NUMBER_OF.get(record.source, "doi")
    field_name = {"arxiv": "arxiv_id"}.get(name, name)
    given = getattr(reference, field_name)
    note = "the number of another work"
    return FieldCheck(name, "no", given, record.title, record.source, note)


def _read_registration(evidence: ReferenceEvidence) -> bool | None:
    """Return whether the DOI is registered, None if unknown."""
    asked = [one for one in evidence.replies if one.index == "doi" and not one.failure]
    if any(one.records for one in asked):
        return True
    for reply in evidence.replies:
        if reply.index in AGENCIES and reply.question.topic == "doi" and reply.records:
            return True
    return False if asked else None


def is_settled(findings: Findings, check: FieldCheck) -> bool:
    """Return whether at least two indexes contradict a field."""
    speaking = {one.record.source for one in findings.same if _contradicts(one, check.field)}
    return len(speaking) > 1


def _contradicts(comparison: Comparison, name: str) -> bool:
    if name == "title":
        return comparison.title.likeness not in ("same", "short")
    if name == "author":
        return comparison.authors is not None
    if name in ("doi", "arxiv", "pmid", "isbn"):
        return True  # the agency has said so
    if name == "year":
        return comparison.year == "no"
    return comparison.venue == "no"


def claims_publication(reference: Reference) -> bool:
    """Return whether a reference names a venue that is not a repository."""
    return bool(reference.venue) and classify_venue(reference.venue) == "venue"


def is_preprint_only(findings: Findings) -> bool:
    """Return whether all records are of a preprint."""
    return bool(findings.same) and all(_is_preprint(one.record) for one in findings.same)


def _is_preprint(record: Record) -> bool:
    if record.is_preprint:
        return True
    kinds = [classify_venue(name) for name in record.venues]
    return bool(kinds) and "venue" not in kinds and "repository" in kinds


def preprint_witnesses(findings: Findings, today: date) -> list[str]:
    """Return the indexes other than preprint servers that have the work as a preprint only; none
    for recent works.
    """
    recent = (today - timedelta(days=_MOST_PREPRINT_DAYS)).isoformat()
    dates = [record.date for record in findings.records if record.date]
    if dates and min(dates) > recent:
        return []
    witnesses = {one.source for one in findings.records} - _PREPRINT_SERVERS
    return sorted(witnesses)


def same_title(left: Record, right: Record) -> bool:
    """Return whether two records have the same title."""
    return fold_letters(left.title) == fold_letters(right.title)
