"""The Wayback Machine: an address and a moment in, the copy nearest to it out, if there is one.

Its first answer has false negatives, so a "none" is confirmed by the index of captures.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import httpx2

from webquarry.errors import WebquarryError
from webquarry.verify.drift.models import DriftArchiveCopy

if TYPE_CHECKING:
    from webquarry.net.client import Client
    from webquarry.settings import Settings

_ORIGIN = "https://archive.org"
_INDEX_ORIGIN = "https://web.archive.org"
_SECONDS = 20.0
_STAMP_DIGITS = 14


async def find_copy(
    client: Client, settings: Settings, url: str, near: datetime | None
) -> DriftArchiveCopy | None:
    """The nearest good copy; None where there is none, or the archive does not answer."""
    parameters = {"url": url}
    if near is not None:
        parameters["timestamp"] = f"{near:%Y%m%d%H%M%S}"
    own = settings.origins.get("wayback", "").rstrip("/")
    try:
        answer = await _ask(client, f"{own or _ORIGIN}/wayback/available", parameters)
        stamp = _read_closest(answer)
        if stamp is None:
            captures = {
                "url": url,
                "output": "json",
                "filter": "statuscode:200",
                "limit": "-1",
            }
            rows = await _ask(client, f"{own or _INDEX_ORIGIN}/cdx/search/cdx", captures)
            stamp = _read_last_capture(rows)
    except WebquarryError:
        return None
    if stamp is None:
        return None
    date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
    return DriftArchiveCopy(url=f"{own or _INDEX_ORIGIN}/web/{stamp}/{url}", date=date)


def original_address(copy: DriftArchiveCopy) -> str:
    """Where the copy is as it was received, without what the archive adds to a page."""
    before, _, url = copy.url.partition("/web/")
    stamp, _, address = url.partition("/")
    return f"{before}/web/{stamp}id_/{address}"


async def _ask(client: Client, address: str, parameters: dict[str, str]) -> Any:
    request = httpx2.Request("GET", address, params=parameters)
    reply = await client.send(request, timeout_seconds=_SECONDS)
    if reply.status != httpx2.codes.OK:
        return None
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):
        return None


def _read_closest(answer: Any) -> str | None:
    """The moment of the nearest copy that was good."""
    try:
        closest = answer["archived_snapshots"]["closest"]
        is_good = closest["available"] and str(closest.get("status", "200")) == "200"
        stamp = str(closest["timestamp"])
    except (KeyError, TypeError):
        return None
    return stamp if is_good and _is_stamp(stamp) else None


def _read_last_capture(rows: Any) -> str | None:
    """The moment of the last capture; the first row names the columns."""
    try:
        stamp = str(rows[-1][1])
    except (KeyError, TypeError, IndexError):
        return None
    return stamp if _is_stamp(stamp) else None


def _is_stamp(stamp: str) -> bool:
    return len(stamp) == _STAMP_DIGITS and stamp.isdecimal() and stamp.isascii()
