"""Status codes: what an answer that is no success means.

2xx                    fine
3xx                    NetworkFailure   a redirect that leads nowhere (no Location); not repeated
401 402 403 406 451    SiteRefused      and every other 4xx, and codes above 599 of bot walls
404 410                NotFound
407                    AuthFailure      the proxy wants a password
408 425 5xx            NetworkFailure   worth repeating, except 501 and 505
429                    RateLimited
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import httpx2

from webquarry.errors import (
    LONGEST_WAIT_SECONDS,
    PASSING_FAULT,
    SERVER_FAULT,
    WAIT,
    AuthFailure,
    NetworkFailure,
    NotFound,
    RateLimited,
    SiteRefused,
)
from webquarry.net.models import Reply

_SECONDS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)
_GONE = frozenset({404, 410})
_PASSING = frozenset({408, 425})
_LASTING = frozenset({501, 505})


def raise_for_status(reply: Reply) -> None:
    """Raise the error that a reply's status stands for; a success passes."""
    if 200 <= reply.status < 300:
        return
    text = f"{httpx2.URL(reply.url).host} answered {_describe_status(reply.status)}"
    wait = retry_after_seconds(reply.headers, reply.fetched_at)
    if reply.status in _GONE:
        raise NotFound(text)
    if reply.status == 429:
        raise RateLimited(
            text,
            retry_after_seconds=wait,
            suggested_action=f"Wait {WAIT} and try again, or choose another source.",
        )
    if reply.status == 407:
        raise AuthFailure(
            f"The proxy answered {_describe_status(407)}",
            suggested_action="Put the proxy's user and password into WEBQUARRY_HTTP_PROXY or "
            "WEBQUARRY_HTTPS_PROXY.",
        )
    if reply.status < 400:
        raise NetworkFailure(
            f"{text}, a redirect that leads nowhere",
            retryable=False,
            suggested_action=SERVER_FAULT,
        )
    if 500 <= reply.status < 600 or reply.status in _PASSING:
        raise NetworkFailure(
            text,
            retryable=reply.status not in _LASTING,
            retry_after_seconds=wait,
            suggested_action=_advise_on_fault(reply.status, wait),
        )
    raise SiteRefused(text)


def retry_after_seconds(headers: httpx2.Headers, now: datetime) -> float | None:
    """How long the server asks us to wait, an hour at most: seconds or an HTTP date; None when it
    does not say, or not clearly.
    """
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if _SECONDS.fullmatch(value):
        return min(float(value), LONGEST_WAIT_SECONDS)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    wait = (moment - now).total_seconds()
    return min(max(wait, 0.0), LONGEST_WAIT_SECONDS)


def _advise_on_fault(status: int, wait: float | None) -> str:
    """What to do about a fault of the server's."""
    if status in _LASTING:
        return SERVER_FAULT
    if wait is None:
        return PASSING_FAULT
    return f"The fault is the server's: try again in {WAIT}, or choose another source."


def _describe_status(status: int) -> str:
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
