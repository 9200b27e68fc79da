"""Pace: calls to a touchy provider go one after the other, with a pause, over all tasks."""

from __future__ import annotations

import asyncio
from datetime import datetime

import httpx2

from tests.search.replies import MOMENT, recorded
from webquarry._search.models import Query
from webquarry._search.providers.duckduckgo import DuckDuckGo
from webquarry._search.router import Router
from webquarry._search.services import Pace
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.settings import Settings


class HandClock(Clock):
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return MOMENT

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        await asyncio.sleep(0)


def test_calls_of_many_tasks_go_one_after_the_other_with_the_pause_between_them() -> None:
    clock, starts, under_way = HandClock(), [], 0
    provider = DuckDuckGo.configure(Settings.from_environment({}), {})

    async def run() -> None:
        pace = Pace(clock)

        async def call() -> None:
            nonlocal under_way
            async with pace.hold(provider):
                under_way += 1
                starts.append(clock.seconds)
                await asyncio.sleep(0)
                assert under_way == 1
                under_way -= 1

        await asyncio.gather(*(call() for _ in range(4)))

    asyncio.run(run())
    assert starts == [0, 1, 2, 3]


def test_the_router_keeps_the_pace_between_pages_and_between_the_two_ways() -> None:
    clock, starts = HandClock(), []

    def answer(request: httpx2.Request) -> httpx2.Response:
        starts.append((request.url.host.partition(".")[0], clock.seconds))
        if request.url.host.startswith("html"):
            return httpx2.Response(202, content=recorded("duckduckgo/challenge_202_html_anomaly"))
        return httpx2.Response(200, content=recorded("duckduckgo/ok_200_lite"))

    async def run() -> None:
        settings = Settings.from_environment({"retries": "0"})
        transport = httpx2.MockTransport(answer)
        async with Client(settings, clock, pages=transport, providers=transport) as client:
            await Router(client, settings, {}, clock).search("duckduckgo", Query("x", count=5))

    asyncio.run(run())
    assert starts == [("html", 0), ("lite", 1), ("lite", 2), ("lite", 3)]
