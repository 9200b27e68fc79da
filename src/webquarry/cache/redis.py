"""The store behind several servers: entries in Redis, locked by us, gone when their time is over.

A Redis that is away is a miss: calls go on without it, and `RedisConnection` says so once.
"""

from __future__ import annotations

import struct
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from webquarry.cache.base import CacheEntry, Stats, Store
from webquarry.cache.memory import MemoryStore
from webquarry.store.redis.connection import PREFIX, RedisConnection, RedisUnavailable

if TYPE_CHECKING:
    from redis.asyncio import Redis

_ENTRIES = PREFIX + b"cache:"
_GENERATION = PREFIX + b"cache-generation"
_MOMENTS = struct.Struct(">dd")  # stored_at, expires_at
_BYTES_A_SECOND = 10_000_000  # what a large value may take on top of the usual time
_PAGE = 500
_LOOK_SECONDS = 1.0


class RedisStore(Store):
    """Entries of up to `max_bytes` each; Redis itself limits how much there is in all."""

    shared = True

    def __init__(self, connection: RedisConnection, max_bytes: int) -> None:
        self._connection = connection
        self._cipher = connection.cipher("cache")
        self._max_bytes = max_bytes

    async def get(self, key: str, now: float) -> CacheEntry | None:
        name = self._name(key)
        try:
            locked = await self._connection.get(name)
        except RedisUnavailable:
            return None
        plain = self._cipher.decrypt(locked, name) if locked else None
        if plain is None:
            return None
        entry = CacheEntry(plain[_MOMENTS.size :], *_MOMENTS.unpack_from(plain))
        if entry.expires_at > now:
            return entry
        return None

    async def put(self, key: str, entry: CacheEntry) -> None:
        life = round((entry.expires_at - entry.stored_at) * 1000)
        if life <= 0 or len(entry.value) > self._max_bytes:
            return
        name = self._name(key)
        locked = self._cipher.encrypt(
            _MOMENTS.pack(entry.stored_at, entry.expires_at) + entry.value, name
        )
        seconds = self._connection.timeout_seconds + len(locked) / _BYTES_A_SECOND
        try:
            await self._connection.run(
                lambda redis: redis.set(name, locked, px=life), seconds=seconds
            )
        except RedisUnavailable:
            return

    async def clear(self) -> int:
        """Forget everything, and let the servers know that have copies in their memory."""
        cleared = 0
        try:
            await self._connection.run(lambda redis: redis.incr(_GENERATION))
            async for names in self._pages():
                cleared += await self._connection.run(partial(_forget, names=names))
        except RedisUnavailable:
            pass  # said by the connection; what could not be forgotten ends by itself
        return cleared

    async def stats(self) -> Stats:
        count = size = 0
        try:
            async for names in self._pages():
                lengths = await self._connection.run(partial(_lengths, names=names))
                count, size = count + sum(1 for length in lengths if length), size + sum(lengths)
        except RedisUnavailable:
            pass  # said by the connection; what was counted so far is better than nothing
        return Stats("redis", count, size, self._connection.place)

    async def generation(self) -> bytes | None:
        """Changes whenever everything is forgotten; None while nobody can tell."""
        try:
            return await self._connection.get(_GENERATION) or b"0"
        except RedisUnavailable:
            return None

    async def _pages(self) -> AsyncIterator[list[bytes]]:
        """The names of all entries, some at a time."""
        cursor = 0
        while True:
            cursor, names = await self._connection.run(partial(_scan, cursor=cursor))
            if names:
                yield names
            if not cursor:
                return

    def _name(self, key: str) -> bytes:
        return _ENTRIES + self._cipher.hash_name(key).hex().encode()


class FrontStore(MemoryStore):
    """The memory in front of the shared store: what somebody forgot on any server is soon forgotten
    here, too.
    """

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
            await self._look()
        await super().put(key, entry)

    async def get(self, key: str, now: float) -> CacheEntry | None:
        if self._entries and time.monotonic() - self._looked_at >= self._look_seconds:
            self._looked_at = time.monotonic()
            await self._look()
        return await super().get(key, now)

    async def _look(self) -> None:
        found = await self._behind.generation()
        if found is not None and found != self._generation:
            await self.clear()
            self._generation = found


async def _scan(redis: Redis, cursor: int) -> tuple[int, list[bytes]]:
    found: Any = await redis.scan(cursor, match=_ENTRIES + b"*", count=_PAGE)
    return int(found[0]), found[1]


async def _forget(redis: Redis, names: Sequence[bytes]) -> int:
    return int(await redis.unlink(*names))


async def _lengths(redis: Redis, names: Sequence[bytes]) -> list[int]:
    async with redis.pipeline(transaction=False) as pipeline:
        for name in names:
            pipeline.strlen(name)
        return [int(length) for length in await pipeline.execute()]
