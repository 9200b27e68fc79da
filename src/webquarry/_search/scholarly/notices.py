"""Notices about papers: what a record says of retractions, concerns and corrections, in one shape
for all indexes.

Crossref lists them with date and notice (`updated-by`); the other indexes only flag that there is
one, some with the DOI of the notice. What they come to together is for `evidence.retraction` to
say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from webquarry._search.replies.body import object_at, objects
from webquarry._search.replies.doi import DOI, normal_doi, trim_doi
from webquarry._search.replies.text import join_date

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
    """A notice. `type` is Crossref's term; `source` is the index."""

    type: str
    date: str = ""  # YYYY-MM-DD, as far as it was supplied
    doi: str | None = None
    source: str = ""
    preprint: bool = False  # speaks of the preprint alone, not of a paper that was published since


def crossref_notices(entries: Any) -> list[Notice]:
    """Return the notices of Crossref's `updated-by`."""
    notices = []
    for entry in objects(entries):
        kind = str(entry.get("type") or "").strip().lower()
        # `[[year, month, day]]`, as far as they are there.
        parts = object_at(entry, "updated").get("date-parts")
        first = []
        if isinstance(parts, list) and parts and isinstance(parts[0], list):
            first = parts[0]
        numbers = []
        for part in first[:3]:
            if isinstance(part, int) and 0 < part < 10_000:
                numbers.append(part)
        notice = Notice(
            type=kind.replace("-", "_").replace(" ", "_"),
            date=join_date(numbers),
            doi=normal_doi(entry.get("DOI")),
            source=str(entry.get("source") or ""),
        )
        notices.append(notice)
    return notices


def parse_flag(words: object, source: str, reference: str = "") -> Notice | None:
    """Return the notice of a publication or comment type, with the DOI of its reference."""
    kind = _TYPES.get(re.sub(r"[^a-z]", "", str(words).lower()))
    if not kind:
        return None
    doi = None
    found = DOI.search(reference)
    if found:
        doi = trim_doi(found[0]).lower()
    return Notice(kind, doi=doi, source=source)


def combine_flags(
    comments: Iterable[Notice | None], types: Iterable[Notice | None]
) -> list[Notice]:
    """Return the notices of comments, and those of types that no comment has."""
    notices = [notice for notice in comments if notice]
    named = {notice.type for notice in notices}
    for notice in types:
        if notice and notice.type not in named:
            notices.append(notice)
    return notices
