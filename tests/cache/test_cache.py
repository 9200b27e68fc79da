"""Memory in front of an encrypted file, as one cache."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cache.kept_values import HandClock, making, with_cache
from webquarry.cache.base import CachedValue, CacheEntry, key_of, name_variant
from webquarry.cache.cache import Cache, Made
from webquarry.cache.disk import DiskStore
from webquarry.cache.memory import MemoryStore
from webquarry.cache.turns import Turns
from webquarry.clock import Clock


def test_a_value_is_made_once_and_then_kept_with_its_age(tmp_path: Path) -> None:
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


def test_a_value_past_its_time_is_made_again(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        calls: list[bytes] = []
        await cache.get_or_make("k", making(b"v", calls))
        clock.advance(60)
        again = await cache.get_or_make("k", making(b"w", calls))
        assert (again.value, again.cached) == (b"w", False)

    with_cache(tmp_path, work)


def test_a_value_that_was_kept_by_a_clock_ahead_is_made_again(tmp_path: Path) -> None:
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


def test_another_process_finds_what_was_kept(tmp_path: Path) -> None:
    async def keep(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))

    async def find(cache: Cache, clock: HandClock) -> None:
        kept = await cache.get("k")
        assert kept is not None
        assert kept.value == b"v"

    with_cache(tmp_path, keep)
    with_cache(tmp_path, find)


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        async def fail() -> Made:
            raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            await cache.get_or_make("k", fail)
        calls: list[bytes] = []
        assert (await cache.get_or_make("k", making(b"v", calls))).cached is False

    with_cache(tmp_path, work)


def test_a_value_without_a_lifetime_is_not_kept(tmp_path: Path) -> None:
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


def test_clear_forgets_everything_and_stats_count_it(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))
        assert [stats.entries for stats in await cache.stats()] == [1, 1]
        assert await cache.clear() == 1
        assert [stats.entries for stats in await cache.stats()] == [0, 0]

    with_cache(tmp_path, work)


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


def test_nobody_waits_for_a_far_store_to_keep_what_was_made_and_closing_does() -> None:
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


def test_what_is_forgotten_stays_forgotten_though_a_far_store_was_slow() -> None:
    async def run() -> bool:
        far = SlowStore()
        far.may_keep.set()
        cache = Cache([MemoryStore(1_000_000), far], HandClock())
        await cache.get_or_make("k", making(b"v", []))
        await cache.clear()
        kept = await cache.get("k")
        await cache.aclose()
        return kept is None and far.kept == ["k"]

    assert asyncio.run(run())


def test_when_too_much_waits_to_be_kept_whoever_brings_more_waits_too() -> None:
    async def run() -> int:
        far = SlowStore()
        cache = Cache([MemoryStore(1_000_000), far], HandClock())
        for number in range(32):
            await cache.keep(f"k{number}", Made(b"v", 60))
        last = asyncio.create_task(cache.keep("last", Made(b"v", 60)))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not last.done()
        far.may_keep.set()
        await last
        await cache.aclose()
        return len(far.kept)

    assert asyncio.run(run()) == 33


class CountingStore(DiskStore):
    """Counts how often its thread was given something to do."""

    times_asked = 0

    async def _run(self, work, otherwise):  # type: ignore[no-untyped-def]
        self.times_asked += 1
        return await super()._run(work, otherwise)


def test_of_several_keys_the_first_that_is_kept_is_found_by_asking_a_file_once(
    tmp_path: Path,
) -> None:
    async def run() -> tuple[list[tuple[str, bytes] | None], int]:
        store = CountingStore(tmp_path, 1_000_000)
        clock = HandClock()
        now = clock.now().timestamp()
        await store.put_all([("b", CacheEntry(b"B", now, now + 60))])
        await store.put_all([("c", CacheEntry(b"C", now, now + 60))])
        cache = Cache([MemoryStore(1_000_000), store], clock)
        store.times_asked = 0
        found = await cache.get_first(["a", "b", "c"])
        missed = await cache.get_first(["x", "y"])
        told: list[tuple[str, bytes] | None] = [None, None]
        if found is not None:
            told[0] = (found[0], found[1].value)
        if missed is not None:
            told[1] = (missed[0], missed[1].value)
        times = store.times_asked
        await cache.aclose()
        return told, times

    # that neither of the last two is there is seen without its thread
    assert asyncio.run(run()) == ([("b", b"B"), None], 1)


def look_for(store: CountingStore, clock: Clock, names: str) -> list[bytes | None]:
    """What a store has under each of these names, for one who looks for one after the other."""

    async def look() -> list[bytes | None]:
        found = []
        for name in names:
            entry = await store.get_first([name], clock.now().timestamp())
            found.append(entry[1].value if entry is not None else None)
        await store.aclose()
        return found

    return asyncio.run(look())


def test_a_disk_that_was_slow_is_left_to_its_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CountingStore(tmp_path, 1_000_000)
    seconds = itertools.count()
    monkeypatch.setattr("webquarry.cache.disk.time", SimpleNamespace(monotonic=seconds.__next__))
    monkeypatch.setattr("webquarry.cache.disk.resource", count_waits(itertools.count()))

    assert look_for(store, HandClock(), "abcd") == [None] * 4

    # the first opens the file, the second is seen to take a second
    assert store.times_asked == 3


def test_a_look_that_took_long_without_waiting_was_not_held_up_by_the_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = CountingStore(tmp_path, 1_000_000)
    seconds = itertools.count()
    monkeypatch.setattr("webquarry.cache.disk.time", SimpleNamespace(monotonic=seconds.__next__))
    monkeypatch.setattr("webquarry.cache.disk.resource", count_waits(itertools.repeat(7)))

    assert look_for(store, HandClock(), "abcd") == [None] * 4

    assert store.times_asked == 1  # which opens the file


def count_waits(numbers: Iterator[int]) -> SimpleNamespace:
    """What a system says of a thread that has waited so often."""
    return SimpleNamespace(
        RUSAGE_THREAD=1, getrusage=lambda _: SimpleNamespace(ru_nvcsw=next(numbers))
    )


def test_a_file_that_another_thread_uses_is_not_waited_for(tmp_path: Path) -> None:
    store = CountingStore(tmp_path, 1_000_000)

    async def look() -> int:
        await store.get_first(["a"], 0.0)
        with store._is_free:
            looking = asyncio.ensure_future(store.get_first(["b"], 0.0))
            await asyncio.sleep(0)
            times = store.times_asked
        assert await looking is None
        await store.aclose()
        return times

    assert asyncio.run(look()) == 2


def test_an_entry_of_another_process_is_seen_and_so_is_a_file_that_was_deleted(
    tmp_path: Path,
) -> None:
    now = HandClock().now().timestamp()

    def delete_file() -> None:
        for path in tmp_path.glob("cache.sqlite3*"):
            path.unlink()

    async def run() -> list[bytes | None]:
        store, other = DiskStore(tmp_path, 1_000_000), DiskStore(tmp_path, 1_000_000)
        told: list[bytes | None] = []

        async def look() -> None:
            found = await store.get_first(["k"], now)
            told.append(found[1].value if found is not None else None)

        await look()
        await other.put("k", CacheEntry(b"v", now, now + 60))
        await look()
        delete_file()
        await look()
        await other.put("k", CacheEntry(b"w", now, now + 60))
        await look()
        await store.aclose()
        await other.aclose()
        return told

    assert asyncio.run(run()) == [None, b"v", None, b"w"]


def test_variants_of_an_entry_are_kept_apart_and_one_look_tells_whether_there_is_any(
    tmp_path: Path,
) -> None:
    async def run() -> tuple[list[bytes | None], list[bool]]:
        store = DiskStore(tmp_path, 1_000_000)
        for variant in ("a", "b c"):
            key = name_variant("page", variant)
            await store.put(key, CacheEntry(variant.encode(), 0, 60))
        await store.put("other", CacheEntry(b"other", 0, 60))
        keys = [name_variant("page", "a"), name_variant("page", "b c"), "page", "other"]
        entries = [await store.get(key, 1) for key in keys]
        # whether there is none at all is seen at once; of any other the thread is asked
        groups = (["page"], [name_variant("page", "z")], ["pag"], ["pages", "x"], ["x", "other"])
        absent = [store._is_absent(group) for group in groups]
        await store.aclose()
        return [entry.value if entry else None for entry in entries], absent

    assert asyncio.run(run()) == ([b"a", b"b c", None, b"other"], [False, False, True, True, False])


def test_in_its_turn_a_value_is_looked_for_once(tmp_path: Path) -> None:
    async def run() -> tuple[int, int]:
        store = CountingStore(tmp_path, 1_000_000)
        cache = Cache([MemoryStore(1_000_000), store], HandClock(), turns=Turns(tmp_path))
        await cache.get_or_make("k", making(b"v", []))
        first = store.times_asked
        await cache.get_or_make("l", making(b"v", []))
        times = store.times_asked
        await cache.aclose()
        return first, times

    # the first opens the file; what is made is written later
    assert asyncio.run(run()) == (1, 1)


@pytest.mark.parametrize("with_turns", [True, False])
def test_a_caller_who_looks_for_several_entries_does_so_instead_of_the_cache_and_once(
    tmp_path: Path, with_turns: bool
) -> None:
    calls: list[bytes] = []

    async def run() -> tuple[list[bytes], list[int], int]:
        store = CountingStore(tmp_path, 1_000_000)
        turns = Turns(tmp_path) if with_turns else None
        cache = Cache([MemoryStore(1_000_000), store], HandClock(), turns=turns)
        await cache.put("other", Made(b"as good", 60))
        looks = []

        async def look() -> CachedValue | None:
            looks.append(store.times_asked)
            found = await cache.get_first(["k", "other"])
            return found[1] if found else None

        store.times_asked = 0
        kept = await cache.get_or_make("k", making(b"v", calls), look=look)
        await cache.clear()
        store.times_asked = 0
        made = await cache.get_or_make("k", making(b"v", calls), look=look)
        await cache.aclose()
        return [kept.value, made.value], looks, len(calls)

    assert asyncio.run(run()) == ([b"as good", b"v"], [0, 0], 1)


def test_what_was_made_in_a_moment_is_kept_in_one_go_and_for_others(tmp_path: Path) -> None:
    async def run() -> tuple[int, list[bytes]]:
        store = CountingStore(tmp_path, 1_000_000)
        cache = Cache([MemoryStore(1_000_000), store], HandClock())
        for number in range(5):
            await cache.keep(f"k{number}", Made(b"%d" % number, 60))
        await cache.aclose()
        other = Cache([DiskStore(tmp_path, 1_000_000)], HandClock())
        values = []
        for number in range(5):
            kept = await other.get(f"k{number}")
            assert kept is not None
            values.append(kept.value)
        await other.aclose()
        return store.times_asked, values

    assert asyncio.run(run()) == (1, [b"0", b"1", b"2", b"3", b"4"])


def test_a_batch_that_fails_leaves_the_file_usable(tmp_path: Path) -> None:
    async def run() -> bytes:
        store = DiskStore(tmp_path, 1_000_000)
        now = HandClock().now().timestamp()
        good = CacheEntry(b"v", now, now + 60)
        bad = CacheEntry("no bytes", now, now + 60)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            await store.put_all([("a", good), ("b", bad)])
        await store.put_all([("c", good)])
        assert await store.get("a", now) is None
        found = await store.get("c", now)
        await store.aclose()
        assert found is not None
        return found.value

    assert asyncio.run(run()) == b"v"
