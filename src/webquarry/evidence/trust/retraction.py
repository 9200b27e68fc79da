"""Has a paper been retracted or corrected? A DOI -> the request to Crossref; its reply -> the
status, or nothing.

API: GET https://api.crossref.org/works/{doi}, needs no key; whoever gives an address
(WEBQUARRY_CONTACT) is served from a better pool. `updated-by` on the paper lists the notices about
it, those of the publisher and of Retraction Watch; `update-to` on a notice speaks of other papers
and is not looked at. A clean paper and one that Crossref does not know both have no status: only
what is stated is said.
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
_GRAVITY: tuple[Kind, ...] = ("correction", "expression_of_concern", "retraction")
_DATED_SOURCES = frozenset({"publisher", "retraction-watch"})  # others only flag a paper


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
    """The gravest notice that stands; None for a clean paper or one unknown to Crossref. Raises
    what went wrong.
    """
    if reply.status == 404:
        return None
    if reply.status != 200:
        raise failure(reply, LABEL)
    work = json_object(reply, LABEL).get("message")
    if not isinstance(work, dict):
        return None
    return status_of(crossref_notices(work.get("updated-by")))


def status_of(notices: Iterable[Notice]) -> RetractionStatus | None:
    """The gravest of these notices that stands, whoever told of them; None if none does."""
    left = _drop_cancelled(list(notices))
    standing = [notice for notice in left if notice.type in _KIND_OF]
    if not standing:
        return None
    gravest = max(standing, key=_rank)
    source: Literal["retraction-watch", "publisher"] | None = None  # the answer names no others
    if gravest.source == "retraction-watch":
        source = "retraction-watch"
    elif gravest.source == "publisher":
        source = "publisher"
    is_full_date = len(gravest.date) == len("2024-01-31")
    return RetractionStatus(
        retracted=gravest.type in _RETRACTIONS,
        kind=_KIND_OF[gravest.type],
        date=gravest.date if is_full_date else None,
        notice_doi=gravest.doi,
        source=source,
    )


def _rank(notice: Notice) -> tuple[int, bool, str, bool, str]:
    """The gravest first; of equals the whole one, then the latest, then the publisher's own, then
    one that is named.
    """
    gravity = _GRAVITY.index(_KIND_OF[notice.type])
    is_whole = notice.type in _RETRACTIONS
    is_publishers = notice.source == "publisher"
    return (
        gravity,
        is_whole,
        notice.date,
        is_publishers,
        notice.doi or "",
    )


def _drop_cancelled(notices: list[Notice]) -> list[Notice]:
    """A reinstatement cancels the retractions and concerns up to its day; a later one, or one
    without a date, stands.

    An index that only flags a paper does not know of the reinstatement, so its flag does not
    outlive it.
    """
    reinstatements = [notice.date for notice in notices if notice.type == "reinstatement"]
    reinstated = max(reinstatements, default="")
    standing: list[Notice] = []
    for notice in notices:
        if notice.date:
            stands = notice.date > reinstated
        else:
            stands = not reinstated or notice.source in _DATED_SOURCES
        if stands or _KIND_OF.get(notice.type) == "correction":
            standing.append(notice)
    return standing
