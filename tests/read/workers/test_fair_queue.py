"""Whose turn it is: everybody gets one, nobody gets all, and large jobs of one caller come one at a
time.
"""

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
        behind: bool = False,
    ) -> None:
        place = self.places[name] = Place(caller, large, ahead, behind)

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


def test_jobs_of_one_caller_begin_in_the_order_they_came() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for name in ("one", "two", "three", "four"):
            await jobs.ask(name)
        assert jobs.begun == ["one", "two"]
        await jobs.end("two")
        await jobs.end("one")
        assert jobs.begun == ["one", "two", "three", "four"]

    run(test)


def test_a_caller_who_has_no_place_waits_for_nobody_who_has_them_all() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for number in range(10):
            await jobs.ask(f"hostile {number}", "a")
        await jobs.ask("small", "b")
        assert jobs.begun == ["hostile 0", "hostile 1", "small"]

    run(test)


def test_those_who_wait_take_turns_caller_by_caller() -> None:
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


def test_a_job_that_takes_long_gives_its_place_to_the_next_but_never_the_last_one() -> None:
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


def test_large_jobs_of_one_caller_are_done_one_at_a_time_and_small_ones_pass_them() -> None:
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


def test_what_completes_a_call_goes_ahead_of_what_has_not_begun() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        await jobs.ask("first")
        await jobs.ask("second")
        await jobs.ask("third", ahead=True)
        await jobs.end("first")
        assert jobs.begun == ["first", "third"]

    run(test, size=1)


def test_who_leaves_while_waiting_holds_up_nobody() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for name in ("first", "second", "third"):
            await jobs.ask(name)
        await jobs.cancel("second")
        await jobs.end("first")
        assert jobs.begun == ["first", "third"]

    run(test, size=1)


def test_who_leaves_in_the_moment_of_its_turn_passes_it_on() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for name in ("first", "second", "third"):
            await jobs.ask(name)
        queue.leave(jobs.places["first"])
        await jobs.cancel("second")
        assert jobs.begun == ["first", "third"]

    run(test, size=1)


def test_a_queue_that_all_have_left_is_as_new() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for number in range(6):
            await jobs.ask(f"a{number}", large=number % 2 == 0)
        for _ in range(6):
            name = next(name for name in jobs.begun if name in jobs.places)
            await jobs.end(name)
            del jobs.places[name]
        assert (queue._taken, queue._waiting) == (set(), {})

    run(test)


def test_a_job_that_no_call_waits_for_begins_when_nobody_else_waits() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        await jobs.ask("page one")
        await jobs.ask("page two")
        await jobs.ask("index", behind=True)
        await jobs.ask("page three")
        await jobs.end("page one")
        assert jobs.begun == ["page one", "page two", "page three"]
        await jobs.end("page two")
        assert jobs.begun[-1] == "index"

    run(test)


def test_jobs_that_no_call_waits_for_are_done_one_at_a_time() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        for name in ("index one", "index two"):
            await jobs.ask(name, behind=True)
        await jobs.ask("page")
        assert jobs.begun == ["index one", "page"]
        await jobs.end("page")
        assert jobs.begun == ["index one", "page"]
        await jobs.end("index one")
        assert jobs.begun[-1] == "index two"

    run(test)


def test_a_job_that_no_call_waits_for_takes_no_place_beyond_the_cores() -> None:
    async def test(queue: FairQueue) -> None:
        jobs = Jobs(queue)
        await jobs.ask("page one", caller="a")
        await jobs.ask("page two", caller="b")
        await jobs.ask("index", caller="c", behind=True)
        assert jobs.begun == ["page one", "page two"]
        await jobs.end("page one")
        assert jobs.begun[-1] == "index"

    run(test)
