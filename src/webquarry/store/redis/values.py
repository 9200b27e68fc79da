"""Encrypted values in Redis, each for a time. Names are keyed hashes behind a prefix and a value is
encrypted for its key alone, so that Redis can read nothing and nobody can move a value.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from webquarry.store.redis.connection import PREFIX, RedisConnection
from webquarry.store.redis.scripts import GET_WITH_LIFE, SET_LONGER

if TYPE_CHECKING:
    from redis.asyncio import Redis

_PAGE = 500  # keys that are looked at in one go


class RedisValues:
    """The values of one purpose. All that is asked of Redis may raise `RedisUnavailable`."""

    def __init__(self, connection: RedisConnection, purpose: str) -> None:
        self._connection = connection
        self.cipher = connection.cipher(purpose)
        self._prefix = PREFIX + purpose.encode() + b":"

    def key(self, name: str, section: str = "") -> bytes:
        """What a name is called in Redis."""
        hashed = self.cipher.hash_name(name).hex()
        return self._prefix + f"{section}{hashed}".encode()

    async def get(self, name: str) -> bytes | None:
        """The value, if it is there and can be decrypted."""
        key = self.key(name)
        encrypted = await self._connection.get(key)
        if not encrypted:
            return None
        return self.cipher.decrypt(encrypted, key)

    async def put(self, name: str, value: bytes, life_ms: int) -> None:
        """Keep a value for so long."""
        key = self.key(name)
        encrypted = self.cipher.encrypt(value, key)
        seconds = self._connection.seconds_for(len(encrypted))
        await self._connection.run(
            lambda redis: redis.set(key, encrypted, px=life_ms), seconds=seconds
        )
        self._connection.note_written()

    async def get_with_life(self, names: Sequence[str]) -> dict[str, tuple[bytes, float]]:
        """Those of the values that are there, each with the seconds it has left."""
        keys = [self.key(name) for name in names]
        replies = await self._connection.script(GET_WITH_LIFE, keys, [])
        found: dict[str, tuple[bytes, float]] = {}
        for name, key, reply in zip(names, keys, replies, strict=True):
            if not reply:
                continue
            encrypted, life_ms = reply
            value = self.cipher.decrypt(encrypted, key)
            if value is not None:
                found[name] = (value, life_ms / 1000)
        return found

    async def put_longer(self, name: str, value: bytes, life_ms: int) -> None:
        """Keep a value for so long, unless there is one that lasts longer."""
        key = self.key(name)
        encrypted = self.cipher.encrypt(value, key)
        await self._connection.script(SET_LONGER, [key], [encrypted, life_ms])

    async def list_keys(self) -> AsyncIterator[list[bytes]]:
        """The keys of all values, some at a time."""
        cursor = 0
        while True:
            cursor, keys = await self._connection.run(partial(self._scan, cursor=cursor))
            if keys:
                yield keys
            if not cursor:
                return

    async def _scan(self, redis: Redis, cursor: int) -> tuple[int, list[bytes]]:
        pattern = self._prefix + b"*"
        found: Any = await redis.scan(cursor, match=pattern, count=_PAGE)
        next_cursor, keys = found
        return int(next_cursor), keys

    async def forget(self, keys: Sequence[bytes]) -> int:
        """Forget the values of these keys; how many there were."""
        forgotten = await self._connection.run(lambda redis: redis.unlink(*keys))
        return int(forgotten)

    async def get_sizes(self, keys: Sequence[bytes]) -> list[int]:
        """How many bytes there are under each key; 0 where there is none."""

        async def work(redis: Redis) -> list[int]:
            async with redis.pipeline(transaction=False) as pipeline:
                for key in keys:
                    pipeline.strlen(key)
                sizes = await pipeline.execute()
            return [int(size) for size in sizes]

        return await self._connection.run(work)
