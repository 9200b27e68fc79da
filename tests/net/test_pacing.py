from __future__ import annotations

import asyncio

import pytest

from tests.net.doubles import FakeClock
from webquarry.clock import Clock
from webquarry.net.pacing import Pacing


class StandingClock(FakeClock):
    """Time moves only when the test moves it; whoever waits is woken by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.sleepers: list[asyncio.Future[None]] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.sleepers.append(asyncio.get_running_loop().create_future())
        await self.sleepers[-1]


async def let_all_run() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def starts_of(per_second: float, count: int, concurrency: int = 100) -> list[float]:
    """When each of so many turns, all wanted at once, begins."""
    clock = FakeClock()
    turns = Pacing(concurrency, per_second, clock)
    starts = []
    for _ in range(count):
        async with turns.slot("site.example"):
            starts.append(clock.seconds)
    return starts


@pytest.mark.parametrize(
    ("per_second", "starts"), [(20, [0.0] * 20 + [1.0] * 20 + [2.0]), (2, [0, 0, 1, 1, 2])]
)
def test_requests_per_second_are_limited(per_second: float, starts: list[float]) -> None:
    assert asyncio.run(starts_of(per_second, len(starts))) == pytest.approx(starts)


def test_concurrency_is_limited_per_host() -> None:
    async def run() -> None:
        turns = Pacing(2, 100, Clock())
        release = asyncio.Event()
        inside: list[str] = []

        async def visit(host: str) -> None:
            async with turns.slot(host):
                inside.append(host)
                await release.wait()

        tasks = [asyncio.create_task(visit(host)) for host in ["a", "a", "a", "a", "b"]]
        await let_all_run()
        assert sorted(inside) == ["a", "a", "b"]
        release.set()
        await asyncio.gather(*tasks)
        assert len(inside) == 5

    asyncio.run(run())


def test_cancelled_waiter_releases_its_slot() -> None:
    async def run() -> None:
        clock = StandingClock()
        turns = Pacing(10, 1, clock)
        inside = []

        async def visit(name: str) -> None:
            async with turns.slot("a"):
                inside.append(name)

        await visit("first")
        quitter = asyncio.create_task(visit("quitter"))
        await let_all_run()
        quitter.cancel()
        await asyncio.gather(quitter, return_exceptions=True)
        patient = asyncio.create_task(visit("patient"))
        await let_all_run()
        assert clock.waits == pytest.approx([1.0, 1.0])
        clock.sleepers[-1].set_result(None)
        await patient
        assert inside == ["first", "patient"]

    asyncio.run(run())


def test_a_host_of_our_own_is_asked_without_pauses() -> None:
    async def run() -> list[float]:
        clock = FakeClock()
        turns = Pacing(100, 2, clock)
        for _ in range(10):
            async with turns.slot("127.0.0.1", is_local=True):
                pass
        return clock.waits

    assert asyncio.run(run()) == []
