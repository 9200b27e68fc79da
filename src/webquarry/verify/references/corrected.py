"""A corrected BibTeX entry for a reference that differs from its record; a suggestion only."""

from __future__ import annotations

from collections.abc import Sequence

from webquarry._search.scholarly.models import Author, Record
from webquarry.evidence.page.people import Name, parse_person
from webquarry.evidence.styles.exchange import to_bibtex
from webquarry.evidence.styles.work import Work
from webquarry.verify.references.models import FieldCheck, Reference

_KINDS = {
    "article": "article-journal",
    "paper": "paper-conference",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
}


def correct_bibtex(reference: Reference, record: Record, checks: Sequence[FieldCheck]) -> str:
    """Return an entry with the record's values in the fields that differ."""
    differing = {check.field for check in checks if check.agrees == "no"}
    kind = _KINDS.get(reference.kind) or record.kind
    if record.is_preprint and "venue" in differing:
        kind = "article"
    year, venue, title = reference.year, reference.venue, reference.title
    if record.years and ("year" in differing or not year):
        year = record.years[-1]
    if "venue" in differing or reference.is_free_text or not venue:
        venue = next(iter(record.venues), "")
    if "title" in differing or not title:
        title = record.title
    work = Work(
        kind=kind or "document",
        title=title,
        authors=tuple(map(_name_author, record.authors or reference.authors)),
        container=venue,
        publisher=record.publisher or reference.publisher,
        volume=record.volume,
        issue=record.issue,
        pages=record.pages,
        doi=record.doi,
        url="" if record.doi else record.url,
        issued=(year,) if year else (),
    )
    return to_bibtex(work, reference.key)


def _name_author(author: Author) -> Name:
    if author.family:
        return Name(family=author.family, given=author.given)
    return parse_person(author.written) or Name(literal=author.written)
