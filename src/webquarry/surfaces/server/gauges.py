"""Figures that nobody tells but that can be looked up: how the providers are doing, what was spent."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from webquarry.ask.billing.ledger import spent_since
from webquarry.errors import WebquarryError

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)


def read_gauges(kit: Toolkit) -> list[tuple[str, dict[str, str], float]]:
    """(name, labels, value) of each."""
    found = [
        ("webquarry_breaker_open", {"provider": name}, float(state == "open"))
        for name, state in kit.router.states().items()
    ]
    if kit.link is not None:
        found.append(("webquarry_redis_up", {}, float(kit.link.up)))
    return [*found, *_spent(kit)]


def _spent(kit: Toolkit) -> list[tuple[str, dict[str, str], float]]:
    """What the ledger of this machine says of today; nothing where it cannot be read."""
    day = f"{kit.clock.now():%Y-%m-%d}"
    try:
        rows = kit.records.do(lambda database, _: spent_since(database, day))
    except WebquarryError as error:
        log.warning("what was spent is not known: %s", error.message)
        return []
    return [("webquarry_spend_usd_today", {}, sum(row.usd for row in rows))]
