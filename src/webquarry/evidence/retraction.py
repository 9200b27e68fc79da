"""Has a paper been retracted or corrected? A DOI -> the request to Crossref; its reply -> the status, or nothing.

API: GET https://api.crossref.org/works/{doi}, needs no key; whoever gives an address (WEBQUARRY_CONTACT) is served from
a better pool. `updated-by` on the paper lists the notices about it, those of the publisher and of Retraction Watch;
`update-to` on a notice speaks of other papers and is not looked at. A clean paper and one that Crossref does not know
both have no status: only what is stated is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

import httpx2

from webquarry.evidence.doi import normal_doi
from webquarry.evidence.models import RetractionStatus
from webquarry.net.models import Reply
from webquarry.search.body import failure, json_object, objects
from webquarry.search.provider import at_origin
from webquarry.settings import Settings

LABEL = "Crossref"
ORIGIN = "https://api.crossref.org"
Kind = Literal["retraction", "expression_of_concern", "correction"]

_RETRACTIONS = frozenset({"retraction", "withdrawal", "removal"})
_KIND_OF: dict[str, Kind] = {
    **dict.fromkeys([*sorted(_RETRACTIONS), "partial_retraction"], "retraction"),
    "expression_of_concern": "expression_of_concern",
    **dict.fromkeys(["correction", "corrigendum", "erratum", "addendum", "clarification"], "correction"),
}
_GRAVITY: tuple[Kind, ...] = ("correction", "expression_of_concern", "retraction")


@dataclass(frozen=True)
class _Notice:
    type: str
    date: str  # YYYY-MM-DD, as far as it was supplied
    doi: str | None
    source: str

    @property
    def rank(self) -> tuple[int, bool, str, bool]:
        """The gravest first; of equals the whole one, then the latest, then the publisher's own."""
        return (_GRAVITY.index(_KIND_OF[self.type]), self.type in _RETRACTIONS, self.date, self.source == "publisher")


def build_request(doi: str, settings: Settings) -> httpx2.Request:
    """The request for one paper. The DOI's own slash stays; everything else in it is encoded."""
    origin = settings.origins.get("crossref", ORIGIN)
    url = at_origin(origin, f"/works/{quote(doi, safe='/')}", "WEBQUARRY_CROSSREF_URL")
    headers = {"Accept": "application/json"}
    if not settings.contact:
        return httpx2.Request("GET", url, headers=headers)
    headers["User-Agent"] = f"{settings.user_agent} (mailto:{settings.contact})"
    return httpx2.Request("GET", url, params={"mailto": settings.contact}, headers=headers)


def parse_reply(reply: Reply) -> RetractionStatus | None:
    """The gravest notice that stands; None for a clean paper or one unknown to Crossref. Raises what went wrong."""
    if reply.status == 404:
        return None
    if reply.status != 200:
        raise failure(reply, LABEL)
    work = json_object(reply, LABEL).get("message")
    notices = _notices(work.get("updated-by")) if isinstance(work, dict) else []
    standing = [notice for notice in _not_cancelled(notices) if notice.type in _KIND_OF]
    if not standing:
        return None
    gravest = max(standing, key=lambda notice: notice.rank)
    return RetractionStatus(
        retracted=gravest.type in _RETRACTIONS,
        kind=_KIND_OF[gravest.type],
        date=gravest.date if len(gravest.date) == 10 else None,
        notice_doi=gravest.doi,
        source=_source(gravest.source),
    )


def _source(name: str) -> Literal["retraction-watch", "publisher"] | None:
    return "retraction-watch" if name == "retraction-watch" else "publisher" if name == "publisher" else None


def _notices(entries: Any) -> list[_Notice]:
    return [
        _Notice(
            type=str(entry.get("type") or "").strip().lower().replace("-", "_").replace(" ", "_"),
            date=_date(entry.get("updated")),
            doi=normal_doi(entry.get("DOI")),
            source=str(entry.get("source") or ""),
        )
        for entry in objects(entries)
    ]


def _not_cancelled(notices: list[_Notice]) -> list[_Notice]:
    """A reinstatement cancels the retractions and concerns up to its day; a later one, or one without a date, stands."""
    reinstated = max((notice.date for notice in notices if notice.type == "reinstatement"), default="")
    return [
        notice
        for notice in notices
        if not notice.date or notice.date > reinstated or _KIND_OF.get(notice.type) == "correction"
    ]


def _date(updated: Any) -> str:
    parts = updated.get("date-parts") if isinstance(updated, dict) else None
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [part for part in first[:3] if isinstance(part, int) and 0 < part < 10_000]
    return "-".join(f"{number:0{width}}" for number, width in zip(numbers, (4, 2, 2), strict=False))
