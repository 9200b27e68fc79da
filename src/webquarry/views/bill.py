"""The bill: calls and costs by day, tool, provider and model.

Calls of tools come from the call log and are the caller's own. The costs of models come from the
ledger of this machine, which does not record callers: only the local user sees them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from webquarry._search.replies import objects, text_at
from webquarry.ask.ledger import read_bill
from webquarry.caller import LOCAL, caller
from webquarry.sessions.report import SessionBill

if TYPE_CHECKING:
    from webquarry.store.calls import LoggedCall
    from webquarry.toolkit import Toolkit

DAYS = 30
_MOST_CALLS = 20_000


@dataclass
class BillLine:
    """Calls, cached answers, failures and US dollars of one name."""

    calls: int = 0
    kept: int = 0
    failed: int = 0
    usd: float = 0.0

    def add(self, calls: int, kept: int, failed: int, usd: float) -> None:
        """Add to the line."""
        self.calls += calls
        self.kept += kept
        self.failed += failed
        self.usd += usd

    def as_dict(self) -> dict[str, Any]:
        """The line as JSON."""
        return {**asdict(self), "usd": round(self.usd, 6)}


async def show_bill(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the bill of the last days."""
    now = datetime.now(UTC)  # calls are logged by the clock of the machine
    first = now - timedelta(days=DAYS - 1)
    days = {f"{first + timedelta(days=number):%Y-%m-%d}": BillLine() for number in range(DAYS)}
    groups: dict[str, dict[str, BillLine]] = {
        name: defaultdict(BillLine) for name in ("tool", "provider", "model")
    }
    total = BillLine()
    for call in kit.calls.list_latest(_MOST_CALLS):
        day = f"{datetime.fromtimestamp(call.at, UTC):%Y-%m-%d}"
        if day not in days:
            continue
        providers = [groups["provider"][name] for name in _list_providers(call)]
        for line in (total, days[day], groups["tool"][call.tool], *providers):
            line.add(1, bool(call.cached), call.outcome != "ok", call.cost or 0.0)

    answer: dict[str, Any] = {"limits": {}}
    if caller() == LOCAL:
        spent = await kit.records.run(
            lambda database, cipher: read_bill(database, cipher, min(days))
        )
        today = 0.0
        for record in spent:
            usd = record.usd + record.uncertain_usd
            of_model = groups["model"][record.model or "kept answers"]
            for line in (total, of_model, days.get(record.day, BillLine())):
                line.add(record.calls, record.hits, 0, usd)
            today += usd * (record.day == max(days))
        answer["limits"] = {
            "perDay": kit.settings.ask_max_usd_per_day,
            "perStatement": kit.settings.ask_max_usd,
            "today": round(today, 6),
        }
    answer["total"] = total.as_dict()
    answer["days"] = [{"name": day, **line.as_dict()} for day, line in days.items()]
    for kind, lines in groups.items():  # the most expensive first, then the most used
        ordered = sorted(lines, key=lambda name: (-lines[name].usd, -lines[name].calls, name))
        answer[kind] = [{"name": name, **lines[name].as_dict()} for name in ordered]
    return answer


async def bill_session(kit: Toolkit, id: str) -> SessionBill:
    """Return the calls of a session in the call log."""
    calls = await asyncio.to_thread(kit.calls.list_latest, _MOST_CALLS)
    own = [call for call in calls if call.session == id]
    return SessionBill(
        calls=len(own),
        cached=sum(bool(call.cached) for call in own),
        failed=sum(call.outcome != "ok" for call in own),
        usd=sum(call.cost or 0.0 for call in own),
    )


def _list_providers(call: LoggedCall) -> list[str]:
    """Return the requested providers of a call, each once."""
    if call.cached or not call.providers:
        return []
    attempts = objects(call.providers.get("attempts"))
    names = [text_at(attempt, "provider") for attempt in attempts]
    return list(dict.fromkeys(filter(None, names)))
