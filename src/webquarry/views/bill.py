"""What was spent, and what was had for nothing: by day, tool, provider and model.

Calls of tools come from the log of calls, and are the caller's own. What models cost comes from the
ledger of this machine, which does not tell callers apart, so that only its own user is shown it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from webquarry._search.replies import objects, text_at
from webquarry.ask.ledger import read_bill
from webquarry.caller import LOCAL, caller
from webquarry.sessions.report import SessionBill

if TYPE_CHECKING:
    from webquarry.ask.ledger import SpendingRecord
    from webquarry.store.calls import LoggedCall
    from webquarry.toolkit import Toolkit

DAYS = 30
_MOST_CALLS = 20_000


class BillLine:
    """What comes to one name: calls made, those answered from what is kept, and US dollars."""

    def __init__(self) -> None:
        self.calls = 0
        self.kept = 0
        self.failed = 0
        self.usd = 0.0

    def add_call(self, call: LoggedCall) -> None:
        """Count a call of a tool."""
        self.calls += 1
        self.kept += bool(call.cached)
        self.failed += call.outcome != "ok"
        self.usd += call.cost or 0.0

    def add_spending(self, spent: SpendingRecord) -> None:
        """Count what a model was asked."""
        self.calls += spent.calls
        self.kept += spent.hits
        self.usd += spent.usd + spent.uncertain_usd

    def as_dict(self) -> dict[str, Any]:
        """The line for a program."""
        return {**vars(self), "usd": round(self.usd, 6)}


async def show_bill(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The bill of the last days."""
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
        for line in (total, days[day], groups["tool"][call.tool]):
            line.add_call(call)
        for provider in _list_providers(call):
            groups["provider"][provider].add_call(call)

    answer: dict[str, Any] = {"limits": {}}
    if caller() == LOCAL:
        spent = await kit.records.run(
            lambda database, cipher: read_bill(database, cipher, min(days))
        )
        today = 0.0
        for record in spent:
            of_day = days.get(record.day)
            if of_day is not None:
                of_day.add_spending(record)
            total.add_spending(record)
            groups["model"][record.model or "kept answers"].add_spending(record)
            if record.day == max(days):
                today += record.usd + record.uncertain_usd
        answer["limits"] = {
            "perDay": kit.settings.ask_max_usd_per_day,
            "perStatement": kit.settings.ask_max_usd,
            "today": round(today, 6),
        }
    answer["total"] = total.as_dict()
    answer["days"] = [{"name": day, **line.as_dict()} for day, line in days.items()]
    for name, lines in groups.items():
        answer[name] = _sort_lines(lines.items())
    return answer


async def bill_session(kit: Toolkit, id: str) -> SessionBill:
    """What the log says of the calls that were made for a session."""
    calls = await asyncio.to_thread(kit.calls.list_latest, _MOST_CALLS)
    own = [call for call in calls if call.session == id]
    return SessionBill(
        calls=len(own),
        kept=sum(bool(call.cached) for call in own),
        failed=sum(call.outcome != "ok" for call in own),
        usd=sum(call.cost or 0.0 for call in own),
    )


def _sort_lines(lines: Iterable[tuple[str, BillLine]]) -> list[dict[str, Any]]:
    """The dearest first, then the one that was asked most."""
    ordered = []
    for name, line in lines:
        ordered.append((-line.usd, -line.calls, name, line))
    ordered.sort(key=lambda one: one[:3])
    return [{"name": name, **line.as_dict()} for _, _, name, line in ordered]


def _list_providers(call: LoggedCall) -> list[str]:
    """Who was asked for a call, each once."""
    if call.cached or not call.providers:
        return []
    attempts = objects(call.providers.get("attempts"))
    names = [text_at(attempt, "provider") for attempt in attempts]
    return list(dict.fromkeys(filter(None, names)))
