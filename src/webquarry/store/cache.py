"""The cache: values that expire, in memory in front of a file or Redis.

    found = await cache.get_or_make(key, make)   # make() -> Made(value, ttl_seconds); 0: not stored
    found.value, found.cached, found.age_seconds, found.max_age_seconds

Concurrent callers with the same key share one call of `make`, in a process and in all processes
that share a folder. Its exceptions are raised to all callers in its process and never stored. With
`fresh=True` a stored value is ignored and replaced. A store that fails is a cache miss.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from webquarry.caller import LOCAL, caller
from webquarry.clock import Clock
from webquarry.meter import count
from webquarry.store.locks import ProcessLocks, SingleFlight

VARIANT = ":"  # between the key of an entry and the name of its variant
_MAX_WRITES = 32  # in progress; further ones are waited for
_CLOCK_SKEW_SECONDS = 60.0  # between servers that share a store
_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class CacheEntry:
    """A stored value with the moments (seconds since the epoch) it was stored and will expire."""

    value: bytes
    stored_at: float
    expires_at: float


@dataclass(frozen=True)
class CachedValue:
    """A value with its freshness."""

    value: bytes
    cached: bool
    age_seconds: float
    max_age_seconds: float
    thing: Any = None  # `Made.thing` of a value that was made by this call


@dataclass(frozen=True)
class Made:
    """A new value, its lifetime, and optionally the object that was serialized as the value."""

    value: bytes
    ttl_seconds: float
    thing: Any = None


@dataclass(frozen=True)
class Stats:
    """The size of a store."""

    name: str
    entries: int
    bytes: int


Make = Callable[[], Awaitable[Made]]
Look = Callable[[], Awaitable[CachedValue | None]]


class Store(ABC):
    """A store of entries. It may forget them, and never raises because of its file or server."""

    shared = False  # whether several servers see the same entries

    async def get(self, key: str, now: float) -> CacheEntry | None:
        """Return the entry, if it is there and has not expired."""
        found = await self.get_first([key], now)
        return found[1] if found else None

    @abstractmethod
    async def get_first(self, keys: Sequence[str], now: float) -> tuple[str, CacheEntry] | None:
        """Return the first of several entries that is there and has not expired, with its key."""

    @abstractmethod
    async def put(self, key: str, entry: CacheEntry) -> None:
        """Store an entry, replacing an older one with the same key."""

    async def stats(self) -> Stats | None:
        """Return the size of the store, if it is known."""
        return None

    async def aclose(self) -> None:  # noqa: B027 - optional
        """Close the store."""


class MemoryStore(Store):
    """Up to `max_bytes` of values in memory; the least recently used go first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, CacheEntry] = OrderedDict()
        self._bytes = 0

    async def get_first(self, keys: Sequence[str], now: float) -> tuple[str, CacheEntry] | None:
        for key in keys:
            entry = self._entries.get(key)
            if entry is not None and entry.expires_at > now:
                self._entries.move_to_end(key)
                return key, entry
        return None

    async def put(self, key: str, entry: CacheEntry) -> None:
        self._remove(key)
        if len(entry.value) > self._max_bytes:
            return
        self._entries[key] = entry
        self._bytes += len(entry.value)
        while self._bytes > self._max_bytes:
            self._remove(next(iter(self._entries)))

    async def stats(self) -> Stats:
        return Stats("memory", len(self._entries), self._bytes)

    def _remove(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._bytes -= len(entry.value)


class Cache:
    """Stores from the nearest to the farthest; entries of far ones are copied to nearer ones."""

    def __init__(
        self, stores: Sequence[Store], clock: Clock, locks: ProcessLocks | None = None
    ) -> None:
        self._stores = list(stores)
        self._clock = clock
        self._locks = locks
        self._flights: SingleFlight[CachedValue] = SingleFlight()
        self._writes: set[asyncio.Task[None]] = set()

    async def get_or_make(
        self, key: str, make: Make, *, fresh: bool = False, look: Look | None = None
    ) -> CachedValue:
        """Return the stored value or a new one. `look` replaces the lookup, for callers that can
        use other entries as well.
        """
        if fresh:
            flight = f"{key} fresh"
            return await self._flights.share(flight, partial(self._make, flight, key, make, fresh))
        found = await (look() if look is not None else self.get(key))
        if found is None:
            # made by another caller during the lookup
            nearest = await self._get_first(self._stores[:1], [key], -math.inf)
            found = nearest[1] if nearest else None
        if found is None:
            found = await self._flights.share(key, partial(self._make, key, key, make, fresh))
        count("cache", result="hit" if found.cached else "miss")
        return found

    async def get(self, key: str) -> CachedValue | None:
        """Return the stored value, if there is one that has not expired."""
        found = await self.get_first([key])
        return found[1] if found else None

    async def get_first(self, keys: Sequence[str]) -> tuple[str, CachedValue] | None:
        """Return the value of the first of these keys in the nearest store that has one of them,
        with its key.
        """
        return await self._get_first(self._stores, keys, -math.inf)

    async def _get_first(
        self, stores: Sequence[Store], keys: Sequence[str], since: float
    ) -> tuple[str, CachedValue] | None:
        """Do `get_first` in some stores, for values stored at the moment `since` or later."""
        now = self._now()
        for distance, store in enumerate(stores):
            found = await store.get_first(keys, now)
            if found is None or not since <= found[1].stored_at <= now + _CLOCK_SKEW_SECONDS:
                continue
            key, entry = found
            for nearer in stores[:distance]:
                await nearer.put(key, entry)
            value = CachedValue(
                entry.value,
                cached=True,
                age_seconds=max(0.0, now - entry.stored_at),
                max_age_seconds=entry.expires_at - entry.stored_at,
            )
            return key, value
        return None

    async def put(self, key: str, made: Made) -> None:
        """Store a value; return when all stores have it."""
        await self._put_all(self._stores, key, self._build_entry(made))

    async def keep(self, key: str, made: Made) -> asyncio.Task[None] | None:
        """Store a value. If none of the stores is shared by servers, far stores are written in the
        background, by the task that is returned.
        """
        is_shared = any(store.shared for store in self._stores)
        if is_shared or len(self._stores) < 2 or len(self._writes) >= _MAX_WRITES:
            await self.put(key, made)
            return None
        entry = self._build_entry(made)
        await self._stores[0].put(key, entry)
        task = asyncio.create_task(self._put_all(self._stores[1:], key, entry))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return task

    async def is_kept_for_all(self, key: str) -> bool:
        """Return whether the next caller will find the value, on any server."""
        await self._finish_writes()
        shared = [store for store in self._stores if store.shared]
        for store in shared or self._stores:
            if await self._get_first([store], [key], -math.inf):
                return True
        return False

    async def stats(self) -> list[Stats]:
        """Return the sizes of the stores, where known."""
        await self._finish_writes()
        sizes = [await store.stats() for store in self._stores]
        return [size for size in sizes if size is not None]

    async def aclose(self) -> None:
        """Finish the writes and close the stores."""
        await self._finish_writes()
        if self._locks is not None:
            self._locks.close()
        for store in self._stores:
            await store.aclose()

    async def _make(self, flight: str, key: str, make: Make, fresh: bool) -> CachedValue:
        """Make and store a value, unless another process has just done so."""
        started = self._now() if fresh else -math.inf
        locks = self._locks or ProcessLocks(None)
        lock = await locks.acquire(flight)
        writing = None
        try:
            if lock.has_waited:
                found = await self._get_first(self._stores, [key], started)
                if found is not None:
                    return found[1]
            made = await make()
            if made.ttl_seconds > 0:
                writing = await self.keep(key, made)
        finally:
            if writing is None:
                locks.release(lock)
            else:  # when other processes can find the value
                writing.add_done_callback(lambda _: locks.release(lock))
        return CachedValue(made.value, False, 0.0, made.ttl_seconds, made.thing)

    async def _put_all(self, stores: Sequence[Store], key: str, entry: CacheEntry) -> None:
        for store in stores:
            await store.put(key, entry)

    async def _finish_writes(self) -> None:
        if self._writes:
            await asyncio.wait(self._writes)

    def _build_entry(self, made: Made) -> CacheEntry:
        now = self._now()
        return CacheEntry(made.value, stored_at=now, expires_at=now + made.ttl_seconds)

    def _now(self) -> float:
        return self._clock.now().timestamp()


def name_variant(key: str, variant: str) -> str:
    """Return the key of a variant of an entry."""
    return f"{key}{VARIANT}{variant}"


def key_of(kind: str, version: int, parameters: Mapping[str, Any]) -> str:
    """Return the key of a call: its kind, the version of the format of its value, every parameter
    that affects the value, and the caller, unless it is the user of this machine.
    """
    parts: list[Any] = [kind, version, parameters]
    if caller() != LOCAL:
        parts.append(caller())
    data = _encode(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()


def freshness(cached: bool, age_seconds: float, max_age_seconds: float) -> dict[str, Any]:
    """Return how fresh an answer is, for the `webquarry/cache` of its `_meta`. `live`: fetched for
    this call. `fresh`: stored, and younger than half of its lifetime. `aging`: older than that.
    """
    word = "fresh" if age_seconds * 2 < max_age_seconds else "aging"
    if not cached:
        word = "live"
    return {
        "cached": cached,
        "ageSeconds": round(age_seconds),
        "maxAgeSeconds": round(max_age_seconds),
        "freshness": word,
    }
