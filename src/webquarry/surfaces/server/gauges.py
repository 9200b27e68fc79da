"""Figures that nobody reports but that can be looked up: how the providers are doing, what was
spent.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from webquarry.ask.billing.ledger import spent_since
from webquarry.errors import WebquarryError

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

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
    try:
        rows = kit.records.do(lambda database, _: spent_since(database, day))
    except WebquarryError as error:
        log.warning("what was spent is not known: %s", error.message)
    else:
        spent = sum(row.usd for row in rows)
        gauges.append(("webquarry_spend_usd_today", {}, spent))
    return gauges
