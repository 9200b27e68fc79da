"""OpenReview: papers of conferences that are reviewed in the open (ICLR, NeurIPS, TMLR). Needs no
key.

API: GET https://api2.openreview.net/notes/search?term=...&content=title. A note whose venue says
"Submitted to" was not accepted there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import httpx2

from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    parse_hits,
    quote_words,
)
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import CANDIDATES, WorkIndex, build_author
from webquarry.net.models import Reply

_YEAR = re.compile(r"\b(20\d\d)\b")
_NOT_ACCEPTED = re.compile(r"submitted to|withdrawn|desk rejected|rejected", re.IGNORECASE)


class OpenReview(WorkIndex):
    name = "openreview"
    label = "OpenReview"
    origin = "https://api2.openreview.net"
    topics = frozenset({"title"})
    min_interval_seconds = 1.0

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        parameters = {
            "term": questions[0].value,
            "content": "title",
            "source": "forum",
            "limit": str(CANDIDATES),
        }
        return self.get("/notes/search", parameters)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        if reply.status != 200:
            raise failure(reply, self.label, quote_words(answer.get("message")))
        return parse_hits(answer.get("notes"), self._record, self.label)

    def _record(self, note: dict[str, Any]) -> Record | None:
        content = object_at(note, "content")
        title = _value(content.get("title"))
        if not isinstance(title, str):
            return None
        names = _value(content.get("authors"))
        venue = str(_value(content.get("venue")) or "")
        is_accepted = bool(venue) and not _NOT_ACCEPTED.search(venue)
        years: list[object] = list(_YEAR.findall(venue))
        for moment in (note.get("pdate"), note.get("cdate")):
            if isinstance(moment, int) and not years:
                years.append(datetime.fromtimestamp(moment / 1000, UTC).year)
        return self.build_record(
            titles=[title],
            authors=[build_author(name) for name in names if isinstance(name, str)]
            if isinstance(names, list)
            else [],
            years=years,
            venues=[venue if is_accepted else "OpenReview"],
            url=f"https://openreview.net/forum?id={note.get('forum') or note.get('id')}",
            kind="paper-conference",
            is_preprint=not is_accepted,
            remarks="" if is_accepted else venue,
            abstract=str(_value(content.get("abstract")) or "")[:10_000],
        )


def _value(field: object) -> object:
    """A field of either version of the API."""
    if isinstance(field, dict):
        return field.get("value")
    return field
