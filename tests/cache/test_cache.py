"""Memory in front of an encrypted file, as one cache."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.cache.kept_values import HandClock, making, with_cache
from webquarry.store.cache import (
    Cache,
    CacheEntry,
    Made,
    MemoryStore,
    key_of,
)


def test_value_is_made_once_and_cached_with_its_age(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        calls: list[bytes] = []
        fresh = await cache.get_or_make("k", making(b"v", calls))
        clock.advance(5)
        kept = await cache.get_or_make("k", making(b"w", calls))
        assert (fresh.value, fresh.cached, fresh.age_seconds, fresh.max_age_seconds) == (
            b"v",
            False,
            0,
            60,
        )
        assert (kept.value, kept.cached, kept.age_seconds, kept.max_age_seconds) == (
            b"v",
            True,
            5,
            60,
        )
        assert calls == [b"v"]

    with_cache(tmp_path, work)


def test_value_cached_by_a_clock_ahead_is_made_again(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        calls: list[bytes] = []
        clock.advance(86_400)
        await cache.get_or_make("k", making(b"ahead", calls))
        clock.advance(-86_400)
        assert not await cache.is_kept_for_all("k")
        again = await cache.get_or_make("k", making(b"now", calls))
        assert (again.value, again.cached) == (b"now", False)
        kept = await cache.get("k")
        assert kept is not None
        assert kept.value == b"now"

    with_cache(tmp_path, work)


def test_another_process_finds_a_cached_value(tmp_path: Path) -> None:
    async def keep(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))

    async def find(cache: Cache, clock: HandClock) -> None:
        kept = await cache.get("k")
        assert kept is not None
        assert kept.value == b"v"

    with_cache(tmp_path, keep)
    with_cache(tmp_path, find)


def test_failure_is_not_cached(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        async def fail() -> Made:
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            await cache.get_or_make("k", fail)
        calls: list[bytes] = []
        assert (await cache.get_or_make("k", making(b"v", calls))).cached is False

    with_cache(tmp_path, work)


def test_value_without_a_lifetime_is_not_cached(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        calls: list[bytes] = []
        await cache.get_or_make("k", making(b"v", calls, ttl=0))
        await cache.get_or_make("k", making(b"v", calls, ttl=0))
        assert len(calls) == 2

    with_cache(tmp_path, work)


def test_memory_forgets_the_least_recently_used_first() -> None:
    async def run() -> None:
        store = MemoryStore(30)
        for key in "abc":
            await store.put(key, CacheEntry(b"0123456789", 0, 100))
        await store.get("a", 1)
        await store.put("d", CacheEntry(b"0123456789", 0, 100))
        assert [key for key in "abcd" if await store.get(key, 1)] == ["a", "c", "d"]
        await store.put("huge", CacheEntry(b"x" * 31, 0, 100))
        assert await store.get("huge", 1) is None

    asyncio.run(run())


def test_keys_differ_by_every_part() -> None:
    keys = {
        key_of("search", 1, {"q": "a"}),
        key_of("search", 2, {"q": "a"}),
        key_of("read", 1, {"q": "a"}),
        key_of("search", 1, {"q": "b"}),
        key_of("search", 1, {"q": "a", "n": None}),
    }
    assert len(keys) == 5
    assert key_of("search", 1, {"a": 1, "b": 2}) == key_of("search", 1, {"b": 2, "a": 1})


class SlowStore(MemoryStore):
    """A far store that keeps nothing before it is let."""

    def __init__(self) -> None:
        super().__init__(1_000_000)
        self.may_keep = asyncio.Event()
        self.kept: list[str] = []

    async def put(self, key: str, entry: CacheEntry) -> None:
        await self.may_keep.wait()
        self.kept.append(key)
        await super().put(key, entry)


def test_far_store_is_written_in_the_background_until_close() -> None:
    async def run() -> tuple[list[str], list[str]]:
        far = SlowStore()
        cache = Cache([MemoryStore(1_000_000), far], HandClock())
        calls: list[bytes] = []
        await cache.get_or_make("k", making(b"v", calls))
        again = await cache.get_or_make("k", making(b"w", calls))
        assert (again.value, again.cached, calls) == (b"v", True, [b"v"])
        before = list(far.kept)
        far.may_keep.set()
        await cache.aclose()
        return before, far.kept

    assert asyncio.run(run()) == ([], ["k"])
