"""Cache store shared by several servers: encrypted entries in Redis, which expire there.

While Redis is unavailable, every lookup is a miss; its connection logs that once.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from webquarry.store.cache import CacheEntry, Store
from webquarry.store.redis_connection import RedisConnection, RedisUnavailable

_PURPOSE = "cache"
_MOMENTS = struct.Struct(">dd")  # stored_at, expires_at


class RedisStore(Store):
    """Entries of up to `max_bytes` each; Redis itself limits the total size."""

    shared = True

    def __init__(self, connection: RedisConnection, max_bytes: int) -> None:
        self._connection = connection
        self._cipher = connection.cipher(_PURPOSE)
        self._max_bytes = max_bytes

    async def get_first(self, keys: Sequence[str], now: float) -> tuple[str, CacheEntry] | None:
        names = [self._connection.key(_PURPOSE, key) for key in keys]
        try:
            values: list[Any] = await self._connection.run(lambda redis: redis.mget(names))
        except RedisUnavailable:
            return None
        for key, name, encrypted in zip(keys, names, values, strict=True):
            value = self._cipher.decrypt(encrypted or b"", name)
            if value is None:
                continue
            stored_at, expires_at = _MOMENTS.unpack_from(value)
            if expires_at > now:
                return key, CacheEntry(value[_MOMENTS.size :], stored_at, expires_at)
        return None

    async def put(self, key: str, entry: CacheEntry) -> None:
        life_ms = round((entry.expires_at - entry.stored_at) * 1000)
        if life_ms <= 0 or len(entry.value) > self._max_bytes:
            return
        name = self._connection.key(_PURPOSE, key)
        moments = _MOMENTS.pack(entry.stored_at, entry.expires_at)
        encrypted = self._cipher.encrypt(moments + entry.value, name)
        seconds = self._connection.seconds_for(len(encrypted))
        with suppress(RedisUnavailable):
            await self._connection.run(
                lambda redis: redis.set(name, encrypted, px=life_ms), seconds=seconds
            )
            self._connection.note_written()
