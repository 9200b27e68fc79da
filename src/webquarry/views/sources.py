"""The sources of one session, or of all of them and of the latest calls: each page once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webquarry._search.identity import identity
from webquarry.views.calls import MOST_CALLS
from webquarry.views.describe import STAGES, describe_page, describe_source
from webquarry.views.sessions import read_sessions

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit


async def show_sources(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The sources of one session, or of all of them and of the latest calls: each page once, as far
    as it was used anywhere.
    """
    id = parameters.get("session")
    if id:
        session = await kit.sessions.read(id)
        return {"sources": [describe_source(source, session) for source in session.sources]}
    pages: dict[str, dict[str, Any]] = {}
    for session in await read_sessions(kit):
        for source in session.sources:
            _merge(pages, describe_source(source, session))
    for call in reversed(await asyncio.to_thread(kit.calls.list_latest, MOST_CALLS)):
        for logged in call.sources:
            fields = describe_page(logged.url, logged.title)
            fields |= {"stage": "read" if logged.read else "found", "tools": [call.tool]}
            _merge(pages, fields)
    return {"sources": list(pages.values())}


def _merge(pages: dict[str, dict[str, Any]], new: dict[str, Any]) -> None:
    """Add a source; one that is there already keeps what says more of it."""
    key = identity(new["url"])
    known = pages.setdefault(key, new)
    if known is new:
        return
    if STAGES.index(new["stage"]) > STAGES.index(known["stage"]):
        pages[key] = {**known, **new}
