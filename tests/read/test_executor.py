"""The work on pages: large ones one at a time, small ones past them."""

from __future__ import annotations

import asyncio
import threading
import time
from contextvars import ContextVar
from functools import partial

import pytest

from webquarry.read.executor import LARGE, PageExecutor


class Work:
    """Work that waits to be let go; all of it together knows how much was under way at once, and in
    which order.
    """

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.most = 0
        self._lock = threading.Lock()
        self._under_way = 0

    def run(self, name: str, go: threading.Event | None = None) -> str:
        with self._lock:
            self.begun.append(name)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        if go is None:
            time.sleep(0.002)  # so that others could begin
        else:
            assert go.wait(30)
        with self._lock:
            self._under_way -= 1
        return name


async def until_begun(work: Work, count: int) -> None:
    while len(work.begun) < count:
        await asyncio.sleep(0.001)


def test_large_pages_are_worked_on_one_at_a_time_in_the_order_they_came() -> None:
    work = Work()
    names = [f"page {number}" for number in range(8)]

    async def run() -> list[str]:
        executor = PageExecutor()
        return await asyncio.gather(
            *(executor.run(LARGE, partial(work.run, name)) for name in names)
        )

    assert asyncio.run(run()) == work.begun == names
    assert work.most == 1


def test_a_small_page_does_not_wait_for_a_large_one() -> None:
    work, go = Work(), threading.Event()

    async def run() -> str:
        executor = PageExecutor()
        large = asyncio.create_task(executor.run(LARGE, lambda: work.run("large", go)))
        await until_begun(work, 1)
        small = await executor.run(LARGE - 1, lambda: work.run("small"))
        go.set()
        await large
        return small

    assert asyncio.run(run()) == "small"
    assert work.most == 2


def test_what_goes_ahead_is_next() -> None:
    work, go = Work(), threading.Event()

    async def run() -> None:
        executor = PageExecutor()
        first = asyncio.create_task(executor.run(LARGE, lambda: work.run("first", go)))
        await until_begun(work, 1)
        second = asyncio.create_task(executor.run(LARGE, lambda: work.run("second")))
        await asyncio.sleep(0)
        third = asyncio.create_task(executor.run(LARGE, lambda: work.run("third"), ahead=True))
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(first, second, third)

    asyncio.run(run())
    assert work.begun == ["first", "third", "second"]


def test_who_leaves_while_waiting_holds_up_nobody() -> None:
    work, go = Work(), threading.Event()

    async def run() -> None:
        executor = PageExecutor()
        first = asyncio.create_task(executor.run(LARGE, lambda: work.run("first", go)))
        await until_begun(work, 1)
        second = asyncio.create_task(executor.run(LARGE, lambda: work.run("second")))
        third = asyncio.create_task(executor.run(LARGE, lambda: work.run("third")))
        await asyncio.sleep(0)
        second.cancel()
        go.set()
        await asyncio.gather(first, third)
        await executor.run(LARGE, lambda: work.run("fourth"))

    asyncio.run(run())
    assert work.begun == ["first", "third", "fourth"]


def test_who_leaves_in_the_moment_of_its_turn_passes_it_on() -> None:
    work = Work()

    async def run() -> None:
        executor = PageExecutor()
        second: asyncio.Task[str] | None = None

        async def first() -> None:
            await executor.run(LARGE, lambda: work.run("first"))
            assert second is not None
            second.cancel()

        begun = asyncio.create_task(first())
        await asyncio.sleep(0)
        second = asyncio.create_task(executor.run(LARGE, lambda: work.run("second")))
        third = asyncio.create_task(executor.run(LARGE, lambda: work.run("third")))
        await asyncio.gather(begun, third)

    asyncio.run(run())
    assert work.begun == ["first", "third"]


def test_work_that_nobody_waits_for_any_more_still_takes_its_room() -> None:
    work, go = Work(), threading.Event()

    async def run() -> None:
        executor = PageExecutor()
        first = asyncio.create_task(executor.run(LARGE, lambda: work.run("first", go)))
        await until_begun(work, 1)
        first.cancel()
        await asyncio.wait([first])
        second = asyncio.create_task(executor.run(LARGE, lambda: work.run("second")))
        await asyncio.sleep(0)
        go.set()
        await second

    asyncio.run(run())
    assert (work.begun, work.most) == (["first", "second"], 1)


def test_work_that_fails_makes_room_and_says_so() -> None:
    async def run() -> str:
        executor = PageExecutor()
        with pytest.raises(ZeroDivisionError):
            await executor.run(LARGE, lambda: str(1 // 0))
        return await executor.run(LARGE, lambda: "next")

    assert asyncio.run(run()) == "next"


def test_the_work_knows_for_whom_it_is_done() -> None:
    caller: ContextVar[str] = ContextVar("caller", default="nobody")

    async def run() -> list[str]:
        caller.set("somebody")
        executor = PageExecutor()
        return [await executor.run(size, caller.get) for size in (0, LARGE)]

    assert asyncio.run(run()) == ["somebody", "somebody"]


def test_a_room_that_is_closed_leaves_no_thread() -> None:
    async def run() -> threading.Thread:
        executor = PageExecutor()
        thread = await executor.run(LARGE, threading.current_thread)
        executor.close()
        return thread

    thread = asyncio.run(run())
    thread.join(30)
    assert not thread.is_alive()
