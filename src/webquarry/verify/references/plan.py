"""The next lookup for a reference; None if the replies are enough.

Identifiers come first, at their registration agency. A record that agrees in everything ends the
search; a field that differs or is missing is checked at another index, because one index may be
wrong. Without an identifier the title is searched in indexes for the kind of work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from webquarry._search.scholarly.models import ARXIV_DOI, WorkQuestion
from webquarry.verify.references.compare import (
    ENOUGH_WITNESSES,
    Findings,
    is_settled,
    preprint_witnesses,
    weigh,
)
from webquarry.verify.references.models import OUTSIDE, Reference, ReferenceEvidence
from webquarry.verify.references.read import is_valid_isbn

MAX_LOOKUPS = 7  # for one reference; some take two requests
_MAX_TITLE = 400
# Not searched in indexes of papers, which would find another work of that title.
_NOT_SCHOLARLY = frozenset({"webpage", "standard", "law", "patent"})
_OPEN_REVIEW = re.compile(r"(?i)iclr|neurips|nips|tmlr|learning representations|colm")
_SCHOLARLY = re.compile(
    r"(?i:journal|conference|proceedings|transactions|symposium|workshop|letters|review|annals)"
    r"|(?i:arxiv)|\b[A-Z]{3,8}\b"
)

Step = tuple[str, WorkQuestion]  # an index and the lookup


def next_step(evidence: ReferenceEvidence, indexes: frozenset[str], today: date) -> Step | None:
    """Return the next lookup."""
    most = MAX_LOOKUPS - bool(evidence.reference.url)  # the archive takes two requests
    if len(evidence.replies) >= most:
        return None
    asked = [(reply.index, reply.question) for reply in evidence.replies]
    steps = _list_steps(evidence, today)
    return next((one for one in steps if one[0] in indexes and one not in asked), None)


def _list_steps(evidence: ReferenceEvidence, today: date) -> Iterator[Step]:
    """Yield the lookups in order, with those that were made."""
    reference = evidence.reference
    yield from _list_identifiers(evidence)
    findings = weigh(evidence, today)
    title = WorkQuestion("title", " ".join(reference.title.split())[:_MAX_TITLE])
    if findings.by_number:
        for step in _list_opinions(reference, title):
            if step[0] in findings.sources() or step[0] in evidence.failed:
                continue
            if _is_complete(reference, findings, today):
                break
            yield step
    elif findings.foreign or findings.is_registered is False:
        if reference.title:  # is there a work of this title?
            yield "openalex", title
            if not findings.foreign:
                yield "crossref", title
        return
    elif reference.title or reference.is_free_text:
        for step in _list_searches(reference, title):
            yield step
            findings = weigh(evidence, today)
            if findings.same and _is_complete(reference, findings, today):
                break
    # A work's own record does not always state a retraction.
    for record in findings.records:
        if record.doi and not record.doi.startswith(ARXIV_DOI) and record.source != "datacite":
            yield "crossref", WorkQuestion("doi", record.doi)
            yield "crossref", WorkQuestion("updates", record.doi)
            return


def _list_identifiers(evidence: ReferenceEvidence) -> Iterator[Step]:
    reference = evidence.reference
    if reference.arxiv_id:
        yield "arxiv", WorkQuestion("arxiv", reference.arxiv_id)
        if evidence.lacks("arxiv", reference.arxiv_id):
            doi = ARXIV_DOI + reference.arxiv_id
            yield "doi", WorkQuestion("doi", doi)
            if not evidence.is_empty("doi", doi):
                yield "datacite", WorkQuestion("doi", doi)
    if reference.doi and not reference.doi.startswith(ARXIV_DOI):
        yield from _list_doi(evidence, reference.doi)
        if reference.other_doi and evidence.lacks("doi", reference.doi):
            yield from _list_doi(evidence, reference.other_doi)
    if reference.pmid:
        yield "pubmed", WorkQuestion("pmid", reference.pmid)
        if evidence.lacks("pubmed", reference.pmid):
            yield "europepmc", WorkQuestion("pmid", reference.pmid)
    if reference.pmcid:
        yield "europepmc", WorkQuestion("pmcid", reference.pmcid)
    if reference.isbn and is_valid_isbn(reference.isbn):
        yield "openlibrary", WorkQuestion("isbn", reference.isbn)
    if reference.rfc:
        yield "rfceditor", WorkQuestion("rfc", reference.rfc)


def _list_doi(evidence: ReferenceEvidence, doi: str) -> Iterator[Step]:
    """Yield the lookup at Crossref; if it has none, those at other agencies."""
    question = WorkQuestion("doi", doi)
    yield "crossref", question
    if not evidence.lacks("crossref", doi):
        return
    yield "doi", question
    if evidence.is_empty("doi", doi):
        return
    if evidence.is_empty("crossref", doi):
        yield "datacite", question
        if not evidence.lacks("datacite", doi):
            return
    yield "openalex", question


def _list_opinions(reference: Reference, title: WorkQuestion) -> Iterator[Step]:
    """Yield lookups at other indexes."""
    is_arxiv = bool(reference.arxiv_id)
    if reference.doi and not is_arxiv:
        yield "openalex", WorkQuestion("doi", reference.doi)
    if reference.pmid:
        yield "openalex", WorkQuestion("pmid", reference.pmid)
    if not reference.title:
        return
    if reference.kind != "book":
        yield "dblp", title
    if is_arxiv:
        yield "semanticscholar", WorkQuestion("arxiv", reference.arxiv_id)
        yield "openalex", title
    elif reference.doi:
        yield "semanticscholar", WorkQuestion("doi", reference.doi)


def _is_complete(reference: Reference, findings: Findings, today: date) -> bool:
    """Return whether differences are settled and the venue is known."""
    if not all(is_settled(findings, check) for check in findings.differing):
        return False
    if not findings.is_unpublished_at(reference):
        return True
    is_enough = len(preprint_witnesses(findings, today)) >= ENOUGH_WITNESSES
    return findings.is_preprint_only and is_enough


def _list_searches(reference: Reference, title: WorkQuestion) -> Iterator[Step]:
    """Yield the searches in indexes for the kind of work."""
    kind = reference.kind
    if reference.is_free_text and kind not in _NOT_SCHOLARLY:
        yield "crossref", WorkQuestion("text", " ".join(reference.text.split())[:_MAX_TITLE])
    if not reference.title or kind in _NOT_SCHOLARLY:
        return
    if kind in ("book", "chapter"):
        indexes = ["openlibrary", "crossref", "openalex"]
    elif kind in ("dataset", "software"):
        indexes = ["datacite", "openalex"]
    elif kind in OUTSIDE:
        indexes = ["openalex"]
    else:
        indexes = ["openalex", "dblp", "crossref", "semanticscholar", "arxiv"]
        if kind == "article":
            indexes = ["openalex", "crossref", "dblp", "semanticscholar", "arxiv"]
        if reference.is_free_text:  # Crossref was asked above
            indexes.remove("crossref")
        if _OPEN_REVIEW.search(reference.venue):
            indexes.append("openreview")
        elif kind == "article":
            indexes.append("europepmc")
        elif not kind and not _SCHOLARLY.search(reference.venue):
            indexes.append("openlibrary")  # it may be a book
    for index in indexes:
        yield index, title
