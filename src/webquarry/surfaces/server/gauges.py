"""Figures that nobody reports but that can be looked up: how the providers are doing, what was
spent.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from webquarry.ask.billing.ledger import spent_since
from webquarry.errors import WebquarryError

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

Gauge = tuple[str, dict[str, str], float]  # its name, its labels, its value


def read_gauges(kit: Toolkit) -> list[Gauge]:
    """What each gauge shows now. What cannot be read is left out."""
    gauges: list[Gauge] = []
    for provider, state in kit.router.states().items():
        is_open = float(state == "open")
        gauges.append(("webquarry_breaker_open", {"provider": provider}, is_open))
    if kit.redis is not None:
        gauges.append(("webquarry_redis_up", {}, float(kit.redis.is_up)))
    day = f"{kit.clock.now():%Y-%m-%d}"
    with suppress(WebquarryError):  # which the records have logged, once
        rows = kit.records.do(lambda database, _: spent_since(database, day))
        spent = sum(row.usd for row in rows)
        gauges.append(("webquarry_spend_usd_today", {}, spent))
    return gauges + _read_records(kit)


def _read_records(kit: Toolkit) -> list[Gauge]:
    """Whether what must not be lost can be written, wherever that is, and why not."""
    reason: str | None = kit.records.trouble
    if kit.redis is not None:
        reason = kit.redis.refusal
        if not kit.redis.is_up:
            reason = "unavailable"
    elif reason is None and kit.records.has_damaged_rows:
        reason = "damaged"
    gauges: list[Gauge] = [("webquarry_records_up", {}, float(reason is None))]
    if reason is not None:
        gauges.append(("webquarry_records_trouble", {"reason": str(reason)}, 1.0))
    return gauges
