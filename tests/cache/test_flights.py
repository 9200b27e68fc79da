"""Callers who want the same value at the same time, in one process."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from tests.cache.kept_values import Gate, HandClock, until, with_cache
from webquarry.cache.base import CachedValue
from webquarry.cache.cache import Cache, Made


@pytest.mark.parametrize("may_repeat", [True, False])
def test_fifty_callers_at_once_make_one_value(tmp_path: Path, may_repeat: bool) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        gate = Gate()
        get = partial(cache.get_or_make, "k", gate.make, may_repeat=may_repeat)
        tasks = [asyncio.create_task(get()) for _ in range(50)]
        await until(lambda: gate.begun > 0)
        tasks.pop().cancel()
        gate.open.set()
        assert {kept.value for kept in await asyncio.gather(*tasks)} == {b"value"}
        assert gate.begun == 1

    with_cache(tmp_path, work)


def test_the_first_caller_may_leave_without_taking_the_work_from_the_others(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        gate = Gate()
        first = asyncio.create_task(cache.get_or_make("k", gate.make))
        await until(lambda: gate.begun == 1)
        second = asyncio.create_task(cache.get_or_make("k", gate.make))
        await until(lambda: cache._here._flights["k"].waiting == 2)
        first.cancel()
        gate.open.set()
        assert (await second).value == b"value"
        assert gate.begun == 1
        with pytest.raises(asyncio.CancelledError):
            await first

    with_cache(tmp_path, work)


def test_what_may_be_repeated_is_begun_anew_when_whoever_made_it_gives_up(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        gate = Gate()
        tasks = await _wait_for_the_first(cache, gate)
        tasks[0].cancel()
        await until(lambda: gate.begun == 2)
        gate.open.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError)
        assert [one.value for one in found[1:] if isinstance(one, CachedValue)] == [b"value"] * 2
        assert gate.begun == 2

    with_cache(tmp_path, work)


def test_all_who_wait_are_told_why_what_may_be_repeated_failed(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        gate = Gate(failure=ValueError("no page"))
        tasks = await _wait_for_the_first(cache, gate)
        gate.open.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [str(one) for one in found] == ["no page"] * 3
        assert gate.begun == 1

    with_cache(tmp_path, work)


async def _wait_for_the_first(cache: Cache, gate: Gate) -> list[asyncio.Task[CachedValue]]:
    """Three callers of what may be repeated: the first makes it, and the others wait for it."""
    get = partial(cache.get_or_make, "k", gate.make, may_repeat=True)
    tasks = [asyncio.create_task(get()) for _ in range(3)]
    await until(lambda: gate.begun == 1 and len(cache._here._led["k"]) == 2)
    return tasks


def test_work_that_is_slow_to_end_does_not_take_the_place_of_what_began_after_it(
    tmp_path: Path,
) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        gate = Gate()
        may_end, has_ended = asyncio.Event(), asyncio.Event()

        async def make() -> Made:
            is_first = not gate.begun
            try:
                return await gate.make()
            finally:
                if is_first:  # it was called off, and tidies up
                    await may_end.wait()
                    has_ended.set()

        first = asyncio.create_task(cache.get_or_make("k", make))
        await until(lambda: gate.begun == 1)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        second = asyncio.create_task(cache.get_or_make("k", make))
        await until(lambda: gate.begun == 2)
        may_end.set()
        await has_ended.wait()
        for _ in range(5):
            await asyncio.sleep(0)
        third = asyncio.create_task(cache.get_or_make("k", make))
        for _ in range(5):
            await asyncio.sleep(0)
        gate.open.set()
        assert {(await second).value, (await third).value} == {b"value"}
        assert gate.begun == 2

    with_cache(tmp_path, work)


def test_work_that_nobody_waits_for_is_cancelled(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        started, ended = asyncio.Event(), asyncio.Event()

        async def make() -> Made:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return Made(b"", 0)

        only = asyncio.create_task(cache.get_or_make("k", make))
        await started.wait()
        only.cancel()
        await asyncio.wait_for(ended.wait(), 10)
        assert only.cancelled() or only.cancelling()

    with_cache(tmp_path, work)
