"""Contents API of Exa: its copy of a page that cannot be read here, for a fee.

Only if enabled, because it costs money and discloses the URL. It is requested only if a public page
has answered with something unreadable; private URLs, URLs with secrets, and pages refused by the
guard or robots.txt are never disclosed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

import httpcore2
import httpx2

from webquarry._read.models import Page
from webquarry._read.slices.text import WrittenText
from webquarry._search.providers.exa import KEY, Exa
from webquarry._search.replies import failure, json_object, quota_failure
from webquarry.clock import Clock
from webquarry.errors import (
    Challenge,
    RateLimited,
    ScriptPage,
    SiteRefused,
    ThinPage,
    TooComplex,
    WebquarryError,
)
from webquarry.net.client import Client
from webquarry.net.connect import resolve_allowed_addresses
from webquarry.net.guard import Guard
from webquarry.net.strict_url import port_of
from webquarry.secret import redact

log = logging.getLogger(__name__)

PRICE_USD = 0.001  # of the text of a page
_MAX_USD = 0.01  # reserved for a page
_SOURCES = ("cached", "crawled")
_PAYMENT_REQUIRED = 402


# A public page that cannot be read here answered with these.
_DISCLOSED = (Challenge, SiteRefused, ScriptPage, ThinPage, TooComplex, RateLimited)


class Payments(Protocol):
    """The bill."""

    async def reserve(self, service: str, usd: float) -> Any:
        """Reserve the cost of a page."""

    async def settle(self, held: Any, usd: float, uncertain_usd: float = 0.0) -> None:
        """Record the actual cost."""


class ExaContents:
    """Requests pages from Exa."""

    def __init__(self, exa: Exa, client: Client, clock: Clock, payments: Payments) -> None:
        self._exa = exa
        self._client = client
        self._clock = clock
        self._payments = payments
        self._guard = Guard()  # private addresses are never disclosed

    async def find(self, url: str, reason: WebquarryError) -> Page | None:
        """Return the copy of Exa; None if there is none, if the page is not public, or if Exa
        fails, which is logged.
        """
        if not isinstance(reason, _DISCLOSED):
            return None
        try:
            if not await self._is_public(url):
                return None
            return await self._ask(url, reason)
        except WebquarryError as error:
            log.warning("Exa returned no page: %s", redact(error.sentence))
            return None

    async def _is_public(self, url: str) -> bool:
        """Return whether a URL may be disclosed: without a secret, with public addresses only."""
        if redact(url) != url:
            return False
        try:
            address = self._guard.check_url(url)
            await resolve_allowed_addresses(address.host, port_of(address), self._guard)
        except (WebquarryError, httpcore2.ConnectError):
            return False
        return True

    async def _ask(self, url: str, reason: WebquarryError) -> Page | None:
        held = await self._payments.reserve("exa contents", _MAX_USD)
        usd = uncertain_usd = 0.0
        try:
            uncertain_usd = PRICE_USD  # until there is a response
            reply = await self._client.send(self._build_request(url))
            if reply.status == 401:
                uncertain_usd = 0.0
                raise self._exa.not_accepted()
            answer = json_object(reply, self._exa.label)
            if reply.status != 200:
                uncertain_usd = 0.0
                words = str(answer.get("error") or "")[:200]
                if reply.status == _PAYMENT_REQUIRED:
                    raise quota_failure(self._exa.label, words)
                raise failure(reply, self._exa.label, words)
            usd, uncertain_usd = _read_cost(answer), 0.0
        finally:
            await self._payments.settle(held, usd, uncertain_usd)
        return self._parse(url, answer, reason)

    def _build_request(self, url: str) -> httpx2.Request:
        headers = {"Accept": "application/json", "x-api-key": self._exa.credential(KEY)}
        body = {"urls": [url], "text": True}
        return httpx2.Request("POST", self._exa.endpoint("/contents"), json=body, headers=headers)

    def _parse(self, url: str, answer: Mapping[str, Any], reason: WebquarryError) -> Page | None:
        """Return the page of a response; None if Exa has none."""
        status, result = _first(answer.get("statuses")), _first(answer.get("results"))
        text = result.get("text")
        is_found = status.get("status") in (None, "success")
        if not is_found or not isinstance(text, str) or not text.strip():
            return None
        source = status.get("source") if status.get("source") in _SOURCES else "cached"
        note = (
            f"Exa's copy was read ({source}), because the page could not be: "
            f"{redact(reason.sentence)}"
        )
        return Page(
            url=url,
            requested_url=url,
            title=self._exa.conceal(str(result.get("title") or "")),
            text=WrittenText(self._exa.conceal(text).encode("utf-8", "replace")),
            content_type="markdown",
            encoding="utf-8",
            outcome="ok",
            notes=(note,),
            fetched_at=self._clock.now(),
            author=str(result.get("author") or "")[:200],
            tier=f"exa:{source}",
        )


def _first(items: Any) -> dict[str, Any]:
    """Return the first object of a list, or an empty one."""
    if isinstance(items, list) and items and isinstance(items[0], dict):
        return items[0]
    return {}


def _read_cost(answer: Mapping[str, Any]) -> float:
    """Return the cost in a response; the usual price if there is none."""
    cost = answer.get("costDollars")
    total = cost.get("total") if isinstance(cost, dict) else None
    if isinstance(total, int | float) and not isinstance(total, bool) and 0 <= total < 1:
        return float(total)
    return PRICE_USD
