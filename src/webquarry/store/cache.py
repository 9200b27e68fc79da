"""The cache: values that expire, in memory in front of a file or Redis.

    found = await cache.get_or_make(key, make)   # make() -> Made(value, ttl_seconds); 0: not stored
    found.value, found.cached, found.age_seconds, found.max_age_seconds

Concurrent callers in one process with the same key share one call of `make`. Its exceptions are
raised to all of them and never stored. With `fresh=True` a stored value is ignored and replaced. A
store that fails is a cache miss.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from webquarry.caller import LOCAL, caller
from webquarry.clock import Clock
from webquarry.meter import count

T = TypeVar("T")

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


class Store(ABC):
    """A store of entries. It may forget them, and never raises because of its file or server."""

    shared = False  # whether several servers see the same entries

    @abstractmethod
    async def get(self, key: str, now: float) -> CacheEntry | None:
        """Return the entry, if it is there and has not expired."""

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

    async def get(self, key: str, now: float) -> CacheEntry | None:
        entry = self._entries.get(key)
        if entry is None or entry.expires_at <= now:
            return None
        self._entries.move_to_end(key)
        return entry

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


@dataclass
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Shared tasks by key. A task continues while at least one caller waits for it, and is
    cancelled when the last one is cancelled. Belongs to one event loop.
    """

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def share(self, key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of the task of this key, which is started if there is none."""
        flight = self._flights.get(key)
        if flight is None or flight.task.done():
            flight = self._flights[key] = _Flight(asyncio.create_task(make()))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            is_done = flight.task.done()
            if is_done or not flight.waiting:
                if self._flights.get(key) is flight:
                    del self._flights[key]
                flight.task.cancel()


class Cache:
    """Stores from the nearest to the farthest; entries of far ones are copied to nearer ones."""

    def __init__(self, stores: Sequence[Store], clock: Clock) -> None:
        self._stores = list(stores)
        self._clock = clock
        self._flights: SingleFlight[CachedValue] = SingleFlight()
        self._writes: set[asyncio.Task[None]] = set()

    async def get_or_make(self, key: str, make: Make, *, fresh: bool = False) -> CachedValue:
        """Return the stored value or a new one."""
        found = None
        if not fresh:
            found = await self.get(key)
            # another caller may have made it during the lookup
            found = found or await self._find(self._stores[:1], key)
        if found is None:
            flight = f"{key} fresh" if fresh else key
            found = await self._flights.share(flight, partial(self._make, key, make))
        if not fresh:
            count("cache", result="hit" if found.cached else "miss")
        return found

    async def get(self, key: str) -> CachedValue | None:
        """Return the stored value, if there is one that has not expired."""
        return await self._find(self._stores, key)

    async def _find(self, stores: Sequence[Store], key: str) -> CachedValue | None:
        """Return the value from the nearest store that has it, and copy it to nearer ones."""
        now = self._now()
        for distance, store in enumerate(stores):
            entry = await store.get(key, now)
            if entry is None or entry.stored_at > now + _CLOCK_SKEW_SECONDS:
                continue
            for nearer in stores[:distance]:
                await nearer.put(key, entry)
            return CachedValue(
                entry.value,
                cached=True,
                age_seconds=max(0.0, now - entry.stored_at),
                max_age_seconds=entry.expires_at - entry.stored_at,
            )
        return None

    async def put(self, key: str, made: Made) -> None:
        """Store a value; return when all stores have it."""
        await self._put_all(self._stores, key, self._build_entry(made))

    async def keep(self, key: str, made: Made) -> None:
        """Store a value; far stores are written in the background, unless servers share them."""
        is_shared = any(store.shared for store in self._stores)
        if is_shared or len(self._stores) < 2 or len(self._writes) >= _MAX_WRITES:
            await self.put(key, made)
            return
        entry = self._build_entry(made)
        await self._stores[0].put(key, entry)
        task = asyncio.create_task(self._put_all(self._stores[1:], key, entry))
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)

    async def is_kept_for_all(self, key: str) -> bool:
        """Return whether the next caller will find the value, on any server."""
        await self._finish_writes()
        shared = [store for store in self._stores if store.shared]
        for store in shared or self._stores:
            if await self._find([store], key):
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
        for store in self._stores:
            await store.aclose()

    async def _make(self, key: str, make: Make) -> CachedValue:
        """Make and store a value."""
        made = await make()
        if made.ttl_seconds > 0:
            await self.keep(key, made)
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
