"""A block that may take so many seconds."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest

from webquarry.clock import TimeLimit, get_alarms
from webquarry.errors import NetworkFailure


def explain() -> NetworkFailure:
    return NetworkFailure("The time is over")


async def wait_for_ever() -> None:
    await asyncio.Event().wait()


def test_a_block_is_stopped_when_its_time_is_over() -> None:
    async def run() -> int:
        with pytest.raises(NetworkFailure, match="over"), TimeLimit(0.001, explain):
            await wait_for_ever()
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    assert asyncio.run(run()) == 0  # who comes after it is not stopped as well


def test_the_inner_of_two_limits_speaks_for_itself() -> None:
    async def run() -> None:
        outer, inner = TimeLimit(60, AssertionError), TimeLimit(0, explain)
        with outer, pytest.raises(NetworkFailure), inner:
            await wait_for_ever()

    asyncio.run(run())


def test_whoever_is_called_off_is_not_told_that_the_time_is_over() -> None:
    async def limited() -> None:
        with TimeLimit(60, explain):
            await wait_for_ever()

    async def run() -> None:
        task = asyncio.create_task(limited())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_what_ran_out_of_its_own_time_within_a_limit_says_so_itself() -> None:
    async def run() -> None:
        with TimeLimit(60, explain):
            raise TimeoutError("a socket")

    with pytest.raises(TimeoutError, match="a socket"):
        asyncio.run(run())


def test_without_seconds_there_is_no_limit() -> None:
    async def run() -> str:
        with TimeLimit(None, explain):
            await asyncio.sleep(0)
        return "done"

    assert asyncio.run(run()) == "done"


def test_what_is_planned_is_done_in_the_order_of_its_time_and_not_where_it_was_called_off() -> None:
    async def run() -> list[str]:
        done: list[str] = []
        is_over = asyncio.Event()
        alarms = get_alarms()
        alarms.plan("last", 0.03, is_over.set)
        alarms.plan("second", 0.02, lambda: done.append("second"))
        alarms.plan("first", 0.01, lambda: done.append("first"))
        alarms.plan("unwanted", 0.015, lambda: done.append("unwanted"))
        alarms.call_off("unwanted")
        await is_over.wait()
        return done

    assert asyncio.run(run()) == ["first", "second"]


def test_one_timer_of_the_loop_serves_all_that_is_planned_later_than_it_rings() -> None:
    async def run() -> int:
        loop = asyncio.get_running_loop()
        timers = 0
        real = loop.call_later

        def call_later(*arguments: Any, **more: Any) -> asyncio.TimerHandle:
            nonlocal timers
            timers += 1
            return real(*arguments, **more)

        setattr(loop, "call_later", call_later)  # noqa: B010 - mypy does not see it
        for _ in range(20):
            with TimeLimit(30, explain), TimeLimit(60, explain):
                await asyncio.sleep(0)
        return timers

    assert asyncio.run(run()) == 1


def test_a_limit_that_is_entered_after_a_timer_rang_in_vain_is_kept() -> None:
    async def run() -> None:
        with TimeLimit(0.001, AssertionError):
            pass
        has_rung = asyncio.Event()
        asyncio.get_running_loop().call_later(0.002, has_rung.set)
        await has_rung.wait()  # nothing was due before it
        with pytest.raises(NetworkFailure, match="over"), TimeLimit(0.001, explain):
            await wait_for_ever()

    asyncio.run(run())


def test_a_loop_that_is_gone_leaves_nothing_behind() -> None:
    async def run() -> weakref.ref[asyncio.AbstractEventLoop]:
        with TimeLimit(60, explain):
            return weakref.ref(asyncio.get_running_loop())

    loop = asyncio.run(run())
    gc.collect()
    assert loop() is None


def test_each_of_several_limits_is_reached_at_its_own_time() -> None:
    stopped: list[str] = []

    async def limited(name: str, seconds: float) -> None:
        with pytest.raises(NetworkFailure), TimeLimit(seconds, explain):
            await wait_for_ever()
        stopped.append(name)

    async def run() -> None:
        limits = {"last": 0.04, "first": 0.0, "third": 0.02, "second": 0.01}
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            for name, seconds in limits.items():
                group.create_task(limited(name, seconds))

    asyncio.run(run())
    assert stopped == ["first", "second", "third", "last"]
