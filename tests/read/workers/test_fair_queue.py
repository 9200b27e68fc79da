"""Order of jobs: callers take turns, and large jobs of one caller run one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from webquarry._read.workers.pool import FairQueue, Place


def run(test: Callable[[FairQueue], Coroutine[Any, Any, None]], size: int = 2) -> None:
    async def with_queue() -> None:
        await test(FairQueue(size))

    asyncio.run(with_queue())


class Jobs:
    """Jobs that ask for a place, and in which order they were let in."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue = queue
        self.begun: list[str] = []
        self.places: dict[str, Place] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(
        self,
        name: str,
        caller: str = "a",
        *,
        large: bool = False,
        ahead: bool = False,
    ) -> None:
        place = self.places[name] = Place(caller, large, ahead)

        async def enter() -> None:
            await self.queue.enter(place)
            self.begun.append(name)

        self.tasks[name] = asyncio.create_task(enter())
        await asyncio.sleep(0)

    async def end(self, name: str) -> None:
        self.queue.leave(self.places[name])
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def cancel(self, name: str) -> None:
        self.tasks[name].cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)


def test_jobs_of_one_caller_start_in_order() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for name in ("one", "two", "three", "four"):
            await jobs.ask(name)
        assert jobs.begun == ["one", "two"]
        await jobs.end("two")
        await jobs.end("one")
        assert jobs.begun == ["one", "two", "three", "four"]

    run(test)


def test_caller_without_a_place_gets_the_last_one() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for number in range(10):
            await jobs.ask(f"hostile {number}", "a")
        await jobs.ask("small", "b")
        assert jobs.begun == ["hostile 0", "hostile 1", "small"]

    run(test)


def test_waiting_callers_take_turns() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for number in range(3):
            await jobs.ask(f"a{number}", "a")
        for number in range(2):
            await jobs.ask(f"b{number}", "b")
        assert jobs.begun == ["a0", "b0"]
        for name in ("b0", "a0", "b1", "a1"):
            await jobs.end(name)
        assert jobs.begun[2:] == ["b1", "a1", "a2"]

    run(test, size=1)


def test_slow_job_frees_its_place_except_the_last_one() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for number in range(5):
            await jobs.ask(f"a{number}", "a")
        assert jobs.begun == ["a0", "a1"]
        for name in ("a0", "a1"):
            queue.mark_slow(jobs.places[name])
        await asyncio.sleep(0)
        assert jobs.begun == ["a0", "a1", "a2"]
        await jobs.ask("b0", "b")
        assert jobs.begun == ["a0", "a1", "a2", "b0"]

    run(test)


def test_large_jobs_of_one_caller_run_one_at_a_time_and_small_ones_pass_them() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        await jobs.ask("large one", large=True)
        await jobs.ask("large two", large=True)
        await jobs.ask("small")
        await jobs.ask("large of another", "b", large=True)
        assert jobs.begun == ["large one", "small", "large of another"]
        await jobs.end("small")
        assert "large two" not in jobs.begun
        await jobs.end("large one")
        assert jobs.begun[-1] == "large two"

    run(test)


def test_job_that_completes_a_call_comes_first() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        await jobs.ask("first")
        await jobs.ask("second")
        await jobs.ask("third", ahead=True)
        await jobs.end("first")
        assert jobs.begun == ["first", "third"]

    run(test, size=1)


def test_cancelled_waiting_job_is_skipped() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for name in ("first", "second", "third"):
            await jobs.ask(name)
        await jobs.cancel("second")
        await jobs.end("first")
        assert jobs.begun == ["first", "third"]

    run(test, size=1)


def test_job_cancelled_after_its_grant_frees_its_place() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for name in ("first", "second", "third"):
            await jobs.ask(name)
        queue.leave(jobs.places["first"])
        await jobs.cancel("second")
        assert jobs.begun == ["first", "third"]

    run(test, size=1)
