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
    venue = reference.venue
    if "venue" in differing or not venue:
        venue = next(iter(record.venues), "")
    title = reference.title
    if "title" in differing or not title:
        title = record.title
    url = record.url
    if record.doi:
        url = ""
    year = reference.year
    if ("year" in differing or not year) and record.years:
        year = record.years[-1]
    if record.is_preprint and "venue" in differing:
        kind = "article"
    work = Work(
        kind=kind or "document",
        title=title,
        authors=_name_authors(record.authors or reference.authors),
        container=venue,
        publisher=record.publisher or reference.publisher,
        volume=record.volume,
        issue=record.issue,
        pages=record.pages,
        doi=record.doi,
        url=url,
        issued=(year,) if year else (),
    )
    return to_bibtex(work, reference.key)


def _name_authors(authors: Sequence[Author]) -> tuple[Name, ...]:
    names = []
    for author in authors:
        if author.family:
            names.append(Name(family=author.family, given=author.given))
        else:
            names.append(parse_person(author.written) or Name(literal=author.written))
    return tuple(names)
