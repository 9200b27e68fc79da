"""Exa's contents: a page that we could not read, as Exa has kept or fetched it, for money.

Only where the user wants it: it costs, and tells a third party the address. A page is asked for
only after a public address has answered us, and answered with something that cannot be read; what
is private, refused by the guard or by robots.txt, or carries a secret is never told.
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
from webquarry.errors import WebquarryError
from webquarry.net.client import Client
from webquarry.net.connect import resolve_allowed_addresses
from webquarry.net.guard import Guard
from webquarry.net.strict_url import port_of
from webquarry.secret import redact

log = logging.getLogger(__name__)

PRICE_USD = 0.001  # of one page's text
_MOST_USD = 0.01  # that one page may turn out to cost
_SOURCES = ("cached", "crawled")
_PAID_UP = 402


class Payments(Protocol):
    """Who pays for pages."""

    async def reserve(self, service: str, usd: float) -> Any:
        """Set aside what one page may cost."""

    async def settle(self, held: Any, usd: float, uncertain_usd: float = 0.0) -> None:
        """Write down what it cost."""


class ExaContents:
    """Asks Exa for pages."""

    def __init__(self, exa: Exa, client: Client, clock: Clock, payments: Payments) -> None:
        self._exa = exa
        self._client = client
        self._clock = clock
        self._payments = payments
        self._guard = Guard()  # whatever the user allows us: others are not told of it

    async def find(self, url: str, reason: WebquarryError) -> Page | None:
        """The page at a URL as Exa has it. What goes wrong with Exa is no answer about the page,
        and is logged.
        """
        try:
            if not await self._is_public(url):
                return None
            return await self._ask(url, reason)
        except WebquarryError as error:
            log.warning("Exa was asked for a page in vain: %s", redact(error.sentence))
            return None

    async def _is_public(self, url: str) -> bool:
        """Whether an address may be told to others: public by its name and all its addresses, and
        without a secret.
        """
        if redact(url) != url:
            return False
        try:
            address = self._guard.check_url(url)
            await resolve_allowed_addresses(address.host, port_of(address), self._guard)
        except (WebquarryError, httpcore2.ConnectError):
            return False
        return True

    async def _ask(self, url: str, reason: WebquarryError) -> Page | None:
        held = await self._payments.reserve("exa contents", _MOST_USD)
        usd = uncertain_usd = 0.0
        try:
            uncertain_usd = PRICE_USD  # until the answer says
            reply = await self._client.send(self._build_request(url))
            if reply.status == 401:
                uncertain_usd = 0.0
                raise self._exa.not_accepted()
            answer = json_object(reply, self._exa.label)
            if reply.status != 200:
                uncertain_usd = 0.0
                words = str(answer.get("error") or "")[:200]
                if reply.status == _PAID_UP:
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
        """The page in an answer; None where Exa has none."""
        status, result = _first(answer.get("statuses")), _first(answer.get("results"))
        text = result.get("text")
        is_there = status.get("status") in (None, "success") and isinstance(text, str)
        if not is_there or not str(text).strip():
            return None
        source = status.get("source")
        if source not in _SOURCES:
            source = "cached"
        note = (
            f"Exa's copy was read ({source}), because the page could not be: "
            f"{redact(reason.sentence)}"
        )
        return Page(
            url=url,
            requested_url=url,
            title=self._exa.conceal(str(result.get("title") or "")),
            text=WrittenText(self._exa.conceal(str(text)).encode("utf-8", "replace")),
            content_type="markdown",
            encoding="utf-8",
            outcome="ok",
            notes=(note,),
            fetched_at=self._clock.now(),
            author=str(result.get("author") or "")[:200],
            tier=f"exa:{source}",
        )


def _first(items: Any) -> dict[str, Any]:
    """The first object of a list; an empty one where there is none."""
    if isinstance(items, list) and items and isinstance(items[0], dict):
        return items[0]
    return {}


def _read_cost(answer: Mapping[str, Any]) -> float:
    """What an answer says that it cost, or what a page usually costs."""
    cost = answer.get("costDollars")
    total = cost.get("total") if isinstance(cost, dict) else None
    if isinstance(total, int | float) and not isinstance(total, bool) and 0 <= total < 1:
        return float(total)
    return PRICE_USD
