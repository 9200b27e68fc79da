"""A block that may take so many seconds."""

from __future__ import annotations

import asyncio

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
