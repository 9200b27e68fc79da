"""Callers who want the same value at the same time, in one process."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from tests.cache.kept_values import Gate, HandClock, until, with_cache
from webquarry.store.cache import Cache, Made


def test_fifty_callers_at_once_make_one_value(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        gate = Gate()
        get = partial(cache.get_or_make, "k", gate.make)
        tasks = [asyncio.create_task(get()) for _ in range(50)]
        await until(lambda: gate.begun > 0)
        tasks.pop().cancel()
        gate.open.set()
        assert {kept.value for kept in await asyncio.gather(*tasks)} == {b"value"}
        assert gate.begun == 1

    with_cache(tmp_path, work)


def test_all_waiting_callers_get_the_exception(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        gate = Gate(failure=ValueError("no page"))
        tasks = [asyncio.create_task(cache.get_or_make("k", gate.make)) for _ in range(3)]
        await until(lambda: "k" in cache._flights._flights)
        await until(lambda: cache._flights._flights["k"].waiting == 3)
        gate.open.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [str(one) for one in found] == ["no page"] * 3
        assert gate.begun == 1

    with_cache(tmp_path, work)


def test_work_without_callers_is_cancelled(tmp_path: Path) -> None:
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
