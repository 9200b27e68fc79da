"""Costs of pages from paid services: reserved in the ledger before the request, settled after it.

The daily limit is that of `ask`; the pages of a day are one statement in the bill.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webquarry.ask.billing import ledger
from webquarry.ask.billing.ledger import OverLimit, Reservation, ReservationRequest, Settlement
from webquarry.ask.models import AskLimits, Usage
from webquarry.clock import Clock
from webquarry.errors import LimitReached
from webquarry.settings import Settings
from webquarry.store.records import RecordFile

DOOR = "pages"


class PagePayments:
    """Reserves and settles the costs of pages."""

    def __init__(
        self, get_records: Callable[[], RecordFile], settings: Settings, clock: Clock
    ) -> None:
        self._get_records = get_records
        self._limits = AskLimits(max_usd_per_day=settings.ask_max_usd_per_day)
        self._clock = clock

    async def reserve(self, service: str, usd: float) -> Reservation:
        """Reserve the cost of one page. Raises LimitReached above the daily limit."""
        now = self._clock.now()
        day = now.date().isoformat()
        request = ReservationRequest(f"{DOOR} {day}", DOOR, service, usd, self._limits)

        def work(database: Any, cipher: Any) -> Reservation:
            return ledger.reserve(database, request, now.timestamp(), day)

        try:
            return await self._get_records().run(work)
        except OverLimit as error:
            raise LimitReached(
                f"A page of {service} may cost {error.wanted:.4f} USD, and of the "
                f"{error.limit:g} USD for the day {error.spent:.4f} are spent or set aside.",
                suggested_action="Raise WEBQUARRY_ASK_MAX_USD_PER_DAY, or choose another source.",
            ) from None

    async def settle(self, held: Reservation, usd: float, uncertain_usd: float = 0.0) -> None:
        """Settle the actual cost; `uncertain_usd` may have been billed."""
        now = self._clock.now().timestamp()
        settlement = Settlement(held, Usage(calls=1, usd=usd), uncertain_usd, questions=0)

        def work(database: Any, cipher: Any) -> None:
            ledger.settle(database, settlement, now)

        await self._get_records().run(work)
