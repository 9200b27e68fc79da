"""Notices about papers: what a record says of retractions, concerns and corrections, in one shape
for all indexes.

Crossref lists them with date and notice (`updated-by`); the other indexes only flag that there is
one, some with the DOI of the notice. What they come to together is for `evidence.retraction` to
say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from webquarry.search.replies.body import objects
from webquarry.search.replies.doi import DOI, normal_doi, trim_doi

# What PubMed and Europe PMC call them, in letters alone and lower case.
_TYPES = {
    "retractedpublication": "retraction",
    "retractionin": "retraction",
    "partialretractionin": "partial_retraction",
    "expressionofconcernin": "expression_of_concern",
    "erratumin": "erratum",
    "correctedandrepublishedin": "correction",
}


@dataclass(frozen=True, order=True)
class Notice:
    """One notice. `type` is Crossref's word for it; `source` is who says so."""

    type: str
    date: str = ""  # YYYY-MM-DD, as far as it was supplied
    doi: str | None = None
    source: str = ""
    preprint: bool = False  # speaks of the preprint alone, not of a paper that was published since


def crossref_notices(entries: Any) -> list[Notice]:
    """The notices of Crossref's `updated-by`."""
    return [
        Notice(
            type=str(entry.get("type") or "").strip().lower().replace("-", "_").replace(" ", "_"),
            date=_date(entry.get("updated")),
            doi=normal_doi(entry.get("DOI")),
            source=str(entry.get("source") or ""),
        )
        for entry in objects(entries)
    ]


def parse_flag(words: object, source: str, reference: str = "") -> Notice | None:
    """The notice that a type of publication or of comment stands for; its DOI where the reference
    names one.
    """
    kind = _TYPES.get(re.sub(r"[^a-z]", "", str(words).lower()))
    found = DOI.search(reference)
    if kind:
        return Notice(kind, doi=trim_doi(found[0]).lower() if found else None, source=source)
    return None


def _date(updated: Any) -> str:
    parts = None
    if isinstance(updated, dict):
        parts = updated.get("date-parts")
    first = []
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        first = parts[0]
    numbers = [part for part in first[:3] if isinstance(part, int) and 0 < part < 10_000]
    return "-".join(f"{number:0{width}}" for number, width in zip(numbers, (4, 2, 2), strict=False))
