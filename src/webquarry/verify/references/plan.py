"""The next index to ask about a reference, and the question; None if the replies are enough.

Identifiers come first, at their registration agency. A record that agrees in everything ends the
search; a field that differs or is missing is checked at another index, because one index may be
wrong. Without an identifier the title is searched in indexes for the kind of work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from webquarry._search.scholarly.models import ARXIV_DOI, WorkQuestion
from webquarry.verify.references.identifiers import is_valid_isbn
from webquarry.verify.references.models import OUTSIDE, IndexReply, Reference, ReferenceEvidence
from webquarry.verify.references.weigh import (
    Findings,
    claims_publication,
    is_preprint_only,
    is_settled,
    preprint_witnesses,
    weigh,
)

MOST_QUESTIONS = 7  # for one reference; some lead to a second request
_ENOUGH_WITNESSES = 2
_LONGEST_TITLE = 400
# Not looked for in indexes of papers: what they would find is another work of that name.
_NOT_SCHOLARLY = frozenset({"webpage", "standard", "law", "patent"})
_REVIEWED_IN_THE_OPEN = ("iclr", "neurips", "nips", "tmlr", "learning representations", "colm")

_SCHOLARLY = re.compile(
    r"(?i:journal|conference|proceedings|transactions|symposium|workshop|letters|review|annals)"
    r"|(?i:arxiv)|\b[A-Z]{3,8}\b"
)

Step = tuple[str, WorkQuestion]  # an index, and what it is asked


def next_step(evidence: ReferenceEvidence, indexes: frozenset[str], today: date) -> Step | None:
    """Return the next lookup."""
    most = MOST_QUESTIONS
    if evidence.reference.url:  # the archive may be asked about it, which takes two requests
        most -= 1
    if len(evidence.replies) >= most:
        return None
    asked = [(reply.index, reply.question) for reply in evidence.replies]
    for index, question in _list_steps(evidence, today):
        if index in indexes and (index, question) not in asked:
            return index, question
    return None


def _list_steps(evidence: ReferenceEvidence, today: date) -> Iterator[Step]:
    """Yield the lookups in order, with those that were made."""
    reference = evidence.reference
    yield from _ask_by_number(evidence)
    findings = weigh(evidence, today)
    if findings.by_number:
        yield from _ask_for_second_opinions(evidence, findings, today)
        yield from _ask_for_status(findings)
        return
    if findings.foreign:  # the number is that of another work: is there one of this title?
        if reference.title:
            yield "openalex", _title_question(reference)
        return
    if findings.is_registered is False and reference.title:
        yield "openalex", _title_question(reference)
        yield "crossref", _title_question(reference)
        return
    yield from _search_title(evidence, today)
    yield from _ask_for_status(weigh(evidence, today))


def _ask_by_number(evidence: ReferenceEvidence) -> Iterator[Step]:
    reference = evidence.reference
    if reference.arxiv_id:
        yield from _ask_arxiv(evidence, reference.arxiv_id)
    doi = reference.doi
    if doi and not doi.startswith(ARXIV_DOI):
        yield from _ask_doi(evidence, doi)
        if reference.other_doi and _lacks(evidence, "doi", doi):
            yield from _ask_doi(evidence, reference.other_doi)
    if reference.pmid:
        yield "pubmed", WorkQuestion("pmid", reference.pmid)
        if _lacks(evidence, "pubmed", reference.pmid):
            yield "europepmc", WorkQuestion("pmid", reference.pmid)
    if reference.pmcid:
        yield "europepmc", WorkQuestion("pmcid", reference.pmcid)
    if reference.isbn and is_valid_isbn(reference.isbn):
        yield "openlibrary", WorkQuestion("isbn", reference.isbn)
    if reference.rfc:
        yield "rfceditor", WorkQuestion("rfc", reference.rfc)


def _ask_arxiv(evidence: ReferenceEvidence, number: str) -> Iterator[Step]:
    """Yield the lookup at arXiv; if it has none, whether the DOI is registered."""
    yield "arxiv", WorkQuestion("arxiv", number)
    if not _lacks(evidence, "arxiv", number):
        return
    doi = ARXIV_DOI + number
    yield "doi", WorkQuestion("doi", doi)
    if not _is_empty(evidence, "doi", doi):
        yield "datacite", WorkQuestion("doi", doi)


def _ask_doi(evidence: ReferenceEvidence, doi: str) -> Iterator[Step]:
    """Yield the lookup at Crossref; if it has none, those at other agencies."""
    yield "crossref", WorkQuestion("doi", doi)
    if not _lacks(evidence, "crossref", doi):
        return
    yield "doi", WorkQuestion("doi", doi)
    if _is_empty(evidence, "doi", doi):
        return
    if not _has_failed(evidence, "crossref", doi):
        yield "datacite", WorkQuestion("doi", doi)
        if not _lacks(evidence, "datacite", doi):
            return
    yield "openalex", WorkQuestion("doi", doi)


def _ask_for_second_opinions(
    evidence: ReferenceEvidence, findings: Findings, today: date
) -> Iterator[Step]:
    """Yield other indexes while a field differs or the venue is unknown."""
    reference = evidence.reference
    for step in _list_opinions(reference):
        if step[0] in findings.sources() or step[0] in evidence.failed:
            continue
        if not _needs_more(reference, findings, today):
            return
        yield step


def _list_opinions(reference: Reference) -> Iterator[Step]:
    is_arxiv = bool(reference.arxiv_id)
    if reference.doi and not is_arxiv:
        yield "openalex", WorkQuestion("doi", reference.doi)
    if reference.pmid:
        yield "openalex", WorkQuestion("pmid", reference.pmid)
    if not reference.title:
        return
    if reference.kind != "book":
        yield "dblp", _title_question(reference)
    if is_arxiv:
        yield "semanticscholar", WorkQuestion("arxiv", reference.arxiv_id)
        yield "openalex", _title_question(reference)
    elif reference.doi:
        yield "semanticscholar", WorkQuestion("doi", reference.doi)


def _needs_more(reference: Reference, findings: Findings, today: date) -> bool:
    for check in findings.differing:
        if not is_settled(findings, check):
            return True
    venue = findings.check("venue")
    if venue is None or venue.agrees != "not_checked" or not claims_publication(reference):
        return False
    if is_preprint_only(findings):
        return len(preprint_witnesses(findings, today)) < _ENOUGH_WITNESSES
    return True


def _search_title(evidence: ReferenceEvidence, today: date) -> Iterator[Step]:
    """Yield searches for the title until a record agrees."""
    reference = evidence.reference
    if not reference.title and not reference.is_free_text:
        return
    for step in _list_searches(reference):
        yield step
        findings = weigh(evidence, today)
        if findings.same and not _needs_more(reference, findings, today):
            return


def _list_searches(reference: Reference) -> Iterator[Step]:
    """Yield the searches in indexes for the kind of work."""
    title = _title_question(reference)
    if reference.is_free_text and reference.kind not in _NOT_SCHOLARLY:
        yield "crossref", WorkQuestion("text", " ".join(reference.text.split())[:_LONGEST_TITLE])
    if not reference.title:
        return
    if reference.kind in ("book", "chapter"):
        yield "openlibrary", title
        yield "crossref", title
        yield "openalex", title
        return
    if reference.kind in ("dataset", "software"):
        yield "datacite", title
        yield "openalex", title
        return
    if reference.kind in _NOT_SCHOLARLY:
        return
    yield "openalex", title
    if reference.kind in OUTSIDE:
        return
    at_crossref = [] if reference.is_free_text else [("crossref", title)]  # asked above
    if reference.kind == "article":
        yield from at_crossref
        yield "dblp", title
    else:
        yield "dblp", title
        yield from at_crossref
    yield "semanticscholar", title
    yield "arxiv", title
    if any(name in reference.venue.lower() for name in _REVIEWED_IN_THE_OPEN):
        yield "openreview", title
    elif reference.kind == "article":
        yield "europepmc", title
    elif not reference.kind and not _SCHOLARLY.search(reference.venue):
        yield "openlibrary", title  # it may be a book


def _ask_for_status(findings: Findings) -> Iterator[Step]:
    """Yield the lookups of the publisher's record and of the notices about it, because a work's own
    record does not always state a retraction.
    """
    for record in findings.records:
        if not record.doi or record.doi.startswith(ARXIV_DOI):
            continue
        if record.source == "datacite":
            continue
        yield "crossref", WorkQuestion("doi", record.doi)
        yield "crossref", WorkQuestion("updates", record.doi)
        return


def _title_question(reference: Reference) -> WorkQuestion:
    return WorkQuestion("title", " ".join(reference.title.split())[:_LONGEST_TITLE])


def _replies(evidence: ReferenceEvidence, index: str, value: str) -> list[IndexReply]:
    """Return the replies of an index about an identifier, without those about notices."""
    found = []
    for one in evidence.replies:
        is_about = one.question.value == value and one.question.topic != "updates"
        if one.index == index and is_about:
            found.append(one)
    return found


def _lacks(evidence: ReferenceEvidence, index: str, value: str) -> bool:
    """Return whether the index was asked and returned no record."""
    return any(not one.records for one in _replies(evidence, index, value))


def _is_empty(evidence: ReferenceEvidence, index: str, value: str) -> bool:
    return any(one.is_empty for one in _replies(evidence, index, value))


def _has_failed(evidence: ReferenceEvidence, index: str, value: str) -> bool:
    return any(one.failure for one in _replies(evidence, index, value))
