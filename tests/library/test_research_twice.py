"""The same piece of research done twice on the recorded web: nobody is asked a second time, and a
page that the session has read is not sent again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from webquarry.clock import FrozenClock
from webquarry.evidence.models import estimate_tokens
from webquarry.net.archive.replay import Replay, demo_recording
from webquarry.net.client import Client
from webquarry.toolkit import Toolkit
from webquarry.tools import load

QUERY = "tidal energy storage"
PAGES = (
    "https://tidelines.example/2026/09/storing-the-tide",
    "https://stats.marine-office.example/reports/tidal-storage-outlook",
    "https://wiki.openwaters.example/wiki/Tidal_energy_storage",
)


class CountedWeb(httpx2.AsyncBaseTransport):
    """The recorded web, and how often it was asked."""

    def __init__(self, replay: Replay) -> None:
        self._recorded = replay.transport()
        self.requests = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests += 1
        return await self._recorded.handle_async_request(request)


@asynccontextmanager
async def kit_on_recorded_web(folder: Path) -> AsyncIterator[tuple[Toolkit, CountedWeb]]:
    """A toolkit as of a process of its own: all that it keeps is on the disk."""
    replay = Replay(demo_recording())
    environ = {"HOME": str(folder), "BRAVE_API_KEY": "canary-brave-1234"}
    async with Toolkit.open(environ=environ) as kit:
        web = CountedWeb(replay)
        kit.clock = FrozenClock(replay.moment)
        kit.client = Client(kit.settings, kit.clock, pages=web, providers=web)
        yield kit, web


async def call(kit: Toolkit, name: str, **arguments: Any) -> dict[str, Any]:
    answer = await load("research", name).call(kit, arguments)
    return answer.as_dict()


async def do_research(kit: Toolkit, session: str | None) -> tuple[str, int, list[str]]:
    """Search, and read pages; the session, the tokens of the pages, and what was found."""
    step = {"searchStep": "What stores the tide?", "stepNumber": 1, "nextStepNeeded": True}
    if session is not None:
        step["sessionId"] = session
    begun = await call(kit, "sequential_search", **step)
    id = str(begun["sessionId"])
    found = await call(kit, "web_search", query=QUERY, sessionId=id)
    await call(kit, "search_and_scrape", query=QUERY, sessionId=id)
    tokens = 0
    for url in PAGES:
        page = await call(kit, "scrape_page", url=url, sessionId=id)
        tokens += estimate_tokens(len(str(page).encode()))
    return id, tokens, found["urls"]


def test_the_second_time_costs_no_request_and_few_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run() -> list[tuple[int, int, list[str]]]:
        figures = []
        session = None
        for _ in range(2):
            async with kit_on_recorded_web(tmp_path) as (kit, web):
                session, tokens, found = await do_research(kit, session)
                figures.append((web.requests, tokens, found))
        return figures

    first, second = asyncio.run(run())
    with capsys.disabled():
        sys.stdout.write(
            f"\nthe same research twice: {first[0]} requests, then {second[0]}; "
            f"{first[1]} tokens of pages, then {second[1]}\n"
        )

    assert first[0] > len(PAGES)
    assert second[0] == 0
    assert second[1] <= 0.4 * first[1]
    assert second[2] == first[2]


def test_another_session_gets_the_texts_without_a_request(tmp_path: Path) -> None:
    async def run() -> list[tuple[int, int, list[str]]]:
        figures = []
        for _ in range(2):
            async with kit_on_recorded_web(tmp_path) as (kit, web):
                _, tokens, found = await do_research(kit, None)
                figures.append((web.requests, tokens, found))
        return figures

    first, second = asyncio.run(run())

    assert second[0] == 0
    assert second[1] == pytest.approx(first[1], rel=0.01)
