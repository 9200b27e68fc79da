"""The limiter: how many at once, and one pause for all."""

from __future__ import annotations

import asyncio
from typing import Any

from webquarry.ask.limiter import Limiter
from webquarry.clock import Clock


class Watch(Clock):
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.time = 1000.0

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        end = self.time + seconds
        while self.time < end:
            await asyncio.sleep(0)


def run(work: Any) -> None:
    asyncio.run(work(Watch()))


def test_complaint_halves_the_limit_once_however_many_calls_heard_it() -> None:
    async def work(clock: Watch) -> None:
        limiter = Limiter(64, clock)
        sent = [await limiter.acquire() for _ in range(64)]
        clock.time += 1
        for moment in sent[:32]:
            limiter.record_throttled(moment, 0.0)
            limiter.release()
        assert limiter.limit == 32

        clock.time += 1
        limiter.record_throttled(clock.time, 0.0)
        assert limiter.limit == 16

    run(work)


def test_limit_grows_by_one_after_ten_successes_for_each_slot() -> None:
    async def work(clock: Watch) -> None:
        limiter = Limiter(8, clock)
        limiter.record_throttled(clock.time, 0.0)
        for _ in range(10 * 4):
            limiter.record_success()
        assert limiter.limit == 5
        for _ in range(10 * 5 - 1):
            limiter.record_success()
        assert limiter.limit == 5
        limiter.record_success()
        assert limiter.limit == 6

    run(work)


def test_no_slot_is_assigned_during_a_pause() -> None:
    async def work(clock: Watch) -> None:
        limiter = Limiter(1, clock)
        limiter.record_throttled(clock.time, 30.0)
        waiting = asyncio.ensure_future(limiter.acquire())
        await asyncio.sleep(0)
        assert not waiting.done()
        assert limiter.pause_seconds == 30.0

        clock.time += 31
        await waiting

    run(work)


def test_slot_of_a_cancelled_caller_goes_to_the_next() -> None:
    async def work(clock: Watch) -> None:
        limiter = Limiter(1, clock)
        await limiter.acquire()
        gone, waiting = (asyncio.ensure_future(limiter.acquire()) for _ in range(2))
        await asyncio.sleep(0)
        limiter.release()
        gone.cancel()
        await asyncio.wait_for(waiting, 5)
        assert limiter.in_flight == 1

    run(work)
