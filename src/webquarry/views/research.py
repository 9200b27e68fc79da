"""The views of research by name: a name and parameters -> data of the caller.

Nothing here fetches a page except the view `page` with `read`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from webquarry._search.identity import identity
from webquarry.errors import BadInput
from webquarry.pages.clean import clean_line
from webquarry.sessions.views import export_session, format_time, status_of
from webquarry.views.bill import bill_session, show_bill
from webquarry.views.describe import STAGES, describe_page, describe_source, read_sessions
from webquarry.views.page import show_page

if TYPE_CHECKING:
    from webquarry.store.calls import LoggedCall
    from webquarry.toolkit import Toolkit

ShowView = Callable[["Toolkit", Mapping[str, str]], Awaitable[dict[str, Any]]]
MOST_CALLS = 200  # that are shown at once


async def answer_view(
    views: Mapping[str, ShowView], kit: Toolkit, name: str, parameters: Mapping[str, str]
) -> dict[str, Any]:
    """Return the data of a view; raise `BadInput` for an unknown name."""
    show = views.get(name)
    if show is None:
        raise BadInput(
            f"There is no view {clean_line(name)[:60]!r}.",
            suggested_action=f"Ask for one of: {', '.join(views)}.",
        )
    return await show(kit, parameters)


async def show_calls(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the latest calls, the oldest first."""
    calls = await asyncio.to_thread(kit.calls.list_latest, MOST_CALLS)
    return {"enabled": kit.settings.call_log, "calls": [describe_call(call) for call in calls]}


def describe_call(call: LoggedCall) -> dict[str, Any]:
    """Return a call without its caller and absent arguments."""
    fields = call.as_dict()
    fields.pop("caller", None)
    given = {name: value for name, value in call.arguments.items() if value is not None}
    return {**fields, "arguments": given}


async def show_sessions(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return all sessions, the last used first."""
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
        listed.append(summary | {stage: stages.count(stage) for stage in STAGES})
    return {"sessions": listed}


async def show_session(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return a session: its steps with their revisions and branches, its sources, its calls."""
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
        "kept": bill.cached,
        "usd": round(bill.usd, 6),
    }


async def show_sources(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the sources of one session, or of all sessions and the latest calls, each page once
    with its furthest stage.
    """
    id = parameters.get("session")
    if id:
        session = await kit.sessions.read(id)
        return {"sources": [describe_source(source, session) for source in session.sources]}
    found = []
    for session in await read_sessions(kit):
        found += [describe_source(source, session) for source in session.sources]
    for call in reversed(await asyncio.to_thread(kit.calls.list_latest, MOST_CALLS)):
        for logged in call.sources:
            fields = describe_page(logged.url, logged.title)
            stage = "read" if logged.read else "found"
            found.append(fields | {"stage": stage, "tools": [call.tool]})
    pages: dict[str, dict[str, Any]] = {}
    for source in found:
        known = pages.setdefault(identity(source["url"]), source)
        if STAGES.index(source["stage"]) > STAGES.index(known["stage"]):
            pages[identity(source["url"])] = {**known, **source}
    return {"sources": list(pages.values())}


VIEWS: dict[str, ShowView] = {
    "sources": show_sources,
    "page": show_page,
    "sessions": show_sessions,
    "session": show_session,
    "bill": show_bill,
}
