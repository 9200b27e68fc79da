"""Cache store shared by several servers: encrypted entries in Redis, which expire there.

An unavailable Redis is a cache miss; its connection logs that once.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from contextlib import suppress

from webquarry.cache.base import CacheEntry, Stats, Store
from webquarry.cache.memory import MemoryStore
from webquarry.store.redis.connection import PREFIX, RedisConnection, RedisUnavailable
from webquarry.store.redis.values import RedisValues

_GENERATION = PREFIX + b"cache-generation"
_MOMENTS = struct.Struct(">dd")  # stored_at, expires_at
_LOOK_SECONDS = 1.0


class RedisStore(Store):
    """Entries of up to `max_bytes` each; Redis itself limits the total size."""

    shared = True

    def __init__(self, connection: RedisConnection, max_bytes: int) -> None:
        self._connection = connection
        self._values = RedisValues(connection, "cache")
        self._max_bytes = max_bytes

    async def get(self, key: str, now: float) -> CacheEntry | None:
        try:
            value = await self._values.get(key)
        except RedisUnavailable:
            return None
        if value is None:
            return None
        stored_at, expires_at = _MOMENTS.unpack_from(value)
        if expires_at <= now:
            return None
        return CacheEntry(value[_MOMENTS.size :], stored_at, expires_at)

    async def put(self, key: str, entry: CacheEntry) -> None:
        life_seconds = entry.expires_at - entry.stored_at
        life_ms = round(life_seconds * 1000)
        if life_ms <= 0:
            return
        if len(entry.value) > self._max_bytes:
            return
        moments = _MOMENTS.pack(entry.stored_at, entry.expires_at)
        with suppress(RedisUnavailable):
            await self._values.put(key, moments + entry.value, life_ms)

    async def clear(self) -> int:
        """Delete all entries, and invalidate the copies in the memory of servers."""
        cleared = 0
        with suppress(RedisUnavailable):  # entries that remain expire
            await self._connection.run(lambda redis: redis.incr(_GENERATION))
            async for keys in self._values.list_keys():
                cleared += await self._values.forget(keys)
        return cleared

    async def stats(self) -> Stats:
        count = size = 0
        with suppress(RedisUnavailable):  # return the count so far
            async for keys in self._values.list_keys():
                sizes = await self._values.get_sizes(keys)
                held = [one for one in sizes if one]
                count += len(held)
                size += sum(held)
        return Stats("redis", count, size, self._connection.place)

    async def generation(self) -> bytes | None:
        """Return a value that changes with each `clear`; None if Redis is unavailable."""
        try:
            return await self._connection.get(_GENERATION) or b"0"
        except RedisUnavailable:
            return None


class FrontStore(MemoryStore):
    """In-memory cache in front of the shared store; cleared soon after that was cleared."""

    def __init__(
        self, max_bytes: int, behind: RedisStore, look_seconds: float = _LOOK_SECONDS
    ) -> None:
        super().__init__(max_bytes)
        self._behind = behind
        self._look_seconds = look_seconds
        self._looked_at = -look_seconds
        self._generation: bytes | None = None

    async def put(self, key: str, entry: CacheEntry) -> None:
        if self._generation is None:
            await self._follow_generation()
        await super().put(key, entry)

    async def get(self, key: str, now: float) -> CacheEntry | None:
        await self._look_if_due()
        return await super().get(key, now)

    async def get_first(self, keys: Sequence[str], now: float) -> tuple[str, CacheEntry] | None:
        await self._look_if_due()
        return await super().get_first(keys, now)

    async def _look_if_due(self) -> None:
        """Check the generation, at most every `look_seconds`."""
        now = time.monotonic()
        if self._entries and now - self._looked_at >= self._look_seconds:
            self._looked_at = now
            await self._follow_generation()

    async def _follow_generation(self) -> None:
        """Clear the entries if the generation has changed."""
        generation = await self._behind.generation()
        if generation is not None and generation != self._generation:
            await self.clear()
            self._generation = generation
