"""Toolkits whose records lie in one folder, and sessions made for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.net.doubles import FakeClock
from tests.search.engines import HOMELESS, KEYS, Engines, brave
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.sessions.sessions import Sessions
from webquarry.settings import Settings
from webquarry.store.cache import Cache, MemoryStore
from webquarry.store.journals import FileJournals
from webquarry.store.records import RecordFile
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit
from webquarry.tools import load

A, B, C = "https://a.org/1", "https://b.org/2", "https://c.org/3"


@asynccontextmanager
async def kit_on(
    folder: Path,
    engines: httpx2.AsyncBaseTransport | None = None,
    clock: FakeClock | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Toolkit]:
    """A toolkit with these engines, its records in a folder, its cache in memory."""
    engines = engines or Engines(brave=brave(A, B))
    given = {
        "retries": "0",
        "SEARCH_PROVIDER": "brave",
        "WEBQUARRY_STATE_FOLDER": str(folder),
    }
    async with Toolkit.open(environ=HOMELESS | KEYS | given | dict(environ or {})) as kit:
        kit.clock = clock or FakeClock()
        kit.client = Client(kit.settings, kit.clock, pages=engines, providers=engines)
        kit.cache = Cache([MemoryStore(10_000_000)], kit.clock)
        yield kit


@asynccontextmanager
async def sessions_in(
    folder: Path | None, clock: Clock | None = None, **settings: Any
) -> AsyncIterator[Sessions]:
    """The engine alone."""
    file = RecordFile(folder)
    try:
        yield Sessions(FileJournals(file), clock or FakeClock(), Settings(**settings))
    finally:
        file.close()


async def run(kit: Toolkit, name: str, **arguments: Any) -> Answer:
    return await load("research", name).call(kit, arguments)


async def step(
    kit: Toolkit, number: int, session: str | None = None, **arguments: Any
) -> dict[str, Any]:
    """A step by way of the tool."""
    given = {
        "searchStep": f"Look at part {number}.",
        "stepNumber": number,
        "sessionId": session,
    } | arguments
    return (await run(kit, "sequential_search", **given)).as_dict()
