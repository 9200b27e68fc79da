"""Research sessions -> what is shown of all of them, and of one with its steps and sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webquarry.errors import NotFound
from webquarry.pages.clean import clean_line
from webquarry.sessions.export import export_session
from webquarry.sessions.models import ResearchSession
from webquarry.sessions.views import format_time, status_of
from webquarry.views.bill import bill_session
from webquarry.views.describe import STAGES, describe_source

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_MOST_SESSIONS = 50  # that are gathered at once


async def show_sessions(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The sessions that there are, the one used last first."""
    listed = []
    for session in await read_sessions(kit):
        stages = [source.stage for source in session.sources]
        summary: dict[str, Any] = {
            "id": session.id,
            "status": status_of(session),
            "goal": clean_line(session.goal or session.steps[0].text),
            "steps": len(session.steps),
            "touchedAt": format_time(session.touched_at),
            "endsAt": format_time(kit.sessions.ends_at(session)),
        }
        for stage in STAGES:
            summary[stage] = stages.count(stage)
        listed.append(summary)
    return {"sessions": listed}


async def show_session(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """A whole session: its steps with their revisions and branches, its sources, its calls."""
    session = await kit.sessions.read(parameters.get("id", ""))
    export = export_session(session, format_time(kit.clock.now()))
    bill = await bill_session(kit, session.id)
    return {
        "id": session.id,
        "status": export.status,
        "goal": export.goal,
        "summary": export.summary,
        "beganAt": export.began_at,
        "touchedAt": format_time(session.touched_at),
        "steps": [step.model_dump(by_alias=True) for step in export.steps],
        "times": [format_time(step.at) for step in session.steps],
        "sources": [describe_source(source, session) for source in session.sources],
        "errors": [error.model_dump(by_alias=True) for error in export.errors],
        "unplaced": [
            {"quote": clean_line(quote.text), "tier": quote.tier, "reason": quote.reason}
            for quote in session.quotes
            if not quote.url
        ],
        "calls": bill.calls,
        "kept": bill.kept,
        "usd": round(bill.usd, 6),
    }


async def read_sessions(kit: Toolkit) -> list[ResearchSession]:
    """The sessions that there are, the one used last first."""
    sessions = []
    for id, _ in (await kit.sessions.list())[:_MOST_SESSIONS]:
        try:
            sessions.append(await kit.sessions.read(id))
        except NotFound:  # it has ended while we look
            continue
    return sessions
