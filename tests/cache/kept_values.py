"""A cache in a folder, and values that are made for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from webquarry.clock import Clock
from webquarry.store.cache import Cache, Made, MemoryStore
from webquarry.store.disk_cache import DiskStore


class HandClock(Clock):
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def advance(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


def with_cache(folder: Path, work: Callable[[Cache, HandClock], Awaitable[None]]) -> None:
    async def run() -> None:
        clock = HandClock()
        cache = Cache([MemoryStore(1_000_000), DiskStore(folder, 1_000_000)], clock)
        try:
            await work(cache, clock)
        finally:
            await cache.aclose()

    asyncio.run(run())


def making(value: bytes, calls: list[bytes], ttl: float = 60) -> Callable[[], Awaitable[Made]]:
    async def make() -> Made:
        calls.append(value)
        return Made(value, ttl)

    return make


class Gate:
    """Work that begins, is counted, and ends when it is told to: with a value, or with an error."""

    def __init__(self, ttl: float = 60, failure: Exception | None = None) -> None:
        self.begun = 0
        self.open = asyncio.Event()
        self._ttl = ttl
        self._failure = failure

    async def make(self) -> Made:
        self.begun += 1
        await self.open.wait()
        if self._failure is not None:
            raise self._failure
        return Made(b"value", self._ttl)


async def until(is_so: Callable[[], bool]) -> None:
    """Let others go on until something is so."""
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0)
