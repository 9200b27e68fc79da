"""A block that may take so many seconds."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest

from webquarry.clock import TimeLimit
from webquarry.errors import NetworkFailure


def explain() -> NetworkFailure:
    return NetworkFailure("The time is over")


async def wait_for_ever() -> None:
    await asyncio.Event().wait()


def test_a_block_is_stopped_when_its_time_is_over() -> None:
    async def run() -> int:
        with pytest.raises(NetworkFailure, match="over"):
            async with TimeLimit(0.001, explain):
                await wait_for_ever()
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    assert asyncio.run(run()) == 0  # who comes after it is not stopped as well


def test_the_inner_of_two_limits_speaks_for_itself() -> None:
    async def run() -> None:
        async with TimeLimit(60, AssertionError):
            with pytest.raises(NetworkFailure):
                async with TimeLimit(0, explain):
                    await wait_for_ever()

    asyncio.run(run())


def test_whoever_is_called_off_is_not_told_that_the_time_is_over() -> None:
    async def limited() -> None:
        async with TimeLimit(60, explain):
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
        async with TimeLimit(60, explain):
            raise TimeoutError("a socket")

    with pytest.raises(TimeoutError, match="a socket"):
        asyncio.run(run())


def test_without_seconds_there_is_no_limit() -> None:
    async def run() -> str:
        async with TimeLimit(None, explain):
            await asyncio.sleep(0)
        return "done"

    assert asyncio.run(run()) == "done"


def test_each_of_several_limits_is_reached_at_its_own_time() -> None:
    stopped: list[str] = []

    async def limited(name: str, seconds: float) -> None:
        with pytest.raises(NetworkFailure):
            async with TimeLimit(seconds, explain):
                await wait_for_ever()
        stopped.append(name)

    async def run() -> None:
        limits = {"last": 0.04, "first": 0.0, "third": 0.02, "second": 0.01}
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            for name, seconds in limits.items():
                group.create_task(limited(name, seconds))

    asyncio.run(run())
    assert stopped == ["first", "second", "third", "last"]


def test_a_limit_is_reached_after_others_that_were_not() -> None:
    async def run() -> None:
        async with TimeLimit(0.005, AssertionError):
            pass
        async with TimeLimit(60, AssertionError):
            with pytest.raises(NetworkFailure):
                async with asyncio.timeout(30), TimeLimit(0.02, explain):
                    await wait_for_ever()
            with pytest.raises(NetworkFailure):
                async with asyncio.timeout(30), TimeLimit(0.005, explain):
                    await wait_for_ever()

    asyncio.run(run())


def test_limits_that_nobody_reaches_share_one_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[float] = []

    async def run() -> None:
        loop = asyncio.get_running_loop()
        call_at = loop.call_at

        def count(when: float, *arguments: Any, **options: Any) -> asyncio.TimerHandle:
            timers.append(when)
            return call_at(when, *arguments, **options)

        monkeypatch.setattr(loop, "call_at", count)
        for _ in range(100):
            async with TimeLimit(60, explain), TimeLimit(90, explain):
                pass

    asyncio.run(run())
    assert len(timers) == 1


def test_a_loop_that_is_gone_leaves_nothing_behind() -> None:
    async def run() -> weakref.ref[asyncio.AbstractEventLoop]:
        async with TimeLimit(60, explain):
            return weakref.ref(asyncio.get_running_loop())

    loop = asyncio.run(run())
    gc.collect()
    assert loop() is None
