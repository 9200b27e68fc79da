"""Retraction status of a paper by Crossref.

API: GET https://api.crossref.org/works/{doi}, without a key; requests with a contact address
(WEBQUARRY_CONTACT) use a faster pool. `updated-by` lists the notices of the publisher and of
Retraction Watch; `update-to` on a notice is about other papers. Papers without notices and papers
that Crossref does not know have no status.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal
from urllib.parse import quote

import httpx2

from webquarry._search.provider import at_origin
from webquarry._search.replies import failure, json_object
from webquarry._search.scholarly.models import Notice, crossref_notices
from webquarry.evidence.models import RetractionStatus
from webquarry.net.models import Reply
from webquarry.settings import Settings

LABEL = "Crossref"
ORIGIN = "https://api.crossref.org"
Kind = Literal["retraction", "expression_of_concern", "correction"]

_RETRACTIONS = frozenset({"retraction", "withdrawal", "removal"})
_KIND_OF: dict[str, Kind] = {
    **dict.fromkeys([*sorted(_RETRACTIONS), "partial_retraction"], "retraction"),
    "expression_of_concern": "expression_of_concern",
    **dict.fromkeys(
        ["correction", "corrigendum", "erratum", "addendum", "clarification"], "correction"
    ),
}
_SEVERITY: tuple[Kind, ...] = ("correction", "expression_of_concern", "retraction")
# Sources with dates, which the answer names; others only flag a paper.
_SOURCES: dict[str, Literal["retraction-watch", "publisher"]] = {
    "retraction-watch": "retraction-watch",
    "publisher": "publisher",
}


def build_request(doi: str, settings: Settings) -> httpx2.Request:
    """Return the request for one paper; its DOI is percent-encoded except for slashes."""
    origin = settings.origins.get("crossref", ORIGIN)
    url = at_origin(origin, f"/works/{quote(doi, safe='/')}", "WEBQUARRY_CROSSREF_URL")
    headers = {"Accept": "application/json"}
    if not settings.contact:
        return httpx2.Request("GET", url, headers=headers)
    headers["User-Agent"] = f"{settings.user_agent} (mailto:{settings.contact})"
    return httpx2.Request("GET", url, params={"mailto": settings.contact}, headers=headers)


def parse_reply(reply: Reply) -> RetractionStatus | None:
    """Return the status in a response; None for a paper without notices or unknown to Crossref."""
    if reply.status == 404:
        return None
    if reply.status != 200:
        raise failure(reply, LABEL)
    work = json_object(reply, LABEL).get("message")
    if not isinstance(work, dict):
        return None
    return status_of(crossref_notices(work.get("updated-by")))


def status_of(notices: Iterable[Notice]) -> RetractionStatus | None:
    """Return the status of the most serious notice in force; None if there is none."""
    in_force = [one for one in _drop_cancelled(list(notices)) if one.type in _KIND_OF]
    if not in_force:
        return None
    notice = max(in_force, key=_rank)
    return RetractionStatus(
        retracted=notice.type in _RETRACTIONS,
        kind=_KIND_OF[notice.type],
        date=notice.date if len(notice.date) == len("2024-01-31") else None,
        notice_doi=notice.doi,
        source=_SOURCES.get(notice.source),
    )


def _rank(notice: Notice) -> tuple[int, bool, str, bool, str]:
    """Rank by severity; then whole retractions, the latest, those of the publisher, with a DOI."""
    severity = _SEVERITY.index(_KIND_OF[notice.type])
    is_whole = notice.type in _RETRACTIONS
    return severity, is_whole, notice.date, notice.source == "publisher", notice.doi or ""


def _drop_cancelled(notices: list[Notice]) -> list[Notice]:
    """Return the notices without retractions and concerns that a reinstatement cancels: those up to
    its date, and flags of indexes that do not know of it. Corrections stay.
    """
    reinstated = max((one.date for one in notices if one.type == "reinstatement"), default="")
    return [
        one
        for one in notices
        if _KIND_OF.get(one.type) == "correction"
        or (one.date > reinstated if one.date else not reinstated or one.source in _SOURCES)
    ]
