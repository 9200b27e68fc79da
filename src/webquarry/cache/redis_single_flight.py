"""Single flight across servers: a lease in Redis says who makes a value, and the others wait for
it.

The holder renews its lease while it works; when it dies the lease ends, and the next one in line
takes over. When it is done and somebody waits, it hands the value on under the name of its lease,
for a few seconds: whoever saw that lease can take it, and nobody who came later. So a value that is
not to be kept (ttl 0) also reaches those who waited for it. An error frees the lease: one of those
who wait tries next. Without Redis every server is on its own.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from webquarry.cache.base import CachedValue
from webquarry.cache.single_flight import SharedSingleFlight
from webquarry.store.redis.connection import PREFIX, RedisConnection, RedisUnavailable

log = logging.getLogger(__name__)

LEASE_SECONDS = 5.0
_HANDED_SECONDS = 10
_FIRST_POLL_SECONDS, _LAST_POLL_SECONDS = 0.02, 0.25
_BYTES_A_SECOND = 10_000_000
_FRESHNESS = struct.Struct(">?dd")  # cached, age, greatest age

# KEYS lease, waiting, handed by the holder that was seen last; ARGV my token, lease in ms
_ENTER = """
local handed = redis.call('GET', KEYS[3])
if handed then return {'done', handed} end
local holder = redis.call('GET', KEYS[1])
if not holder then
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    return {'mine'}
end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])
return {'wait', holder}
"""
# KEYS lease; ARGV my token, lease in ms
_RENEW = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
# KEYS lease, waiting, handed; ARGV my token, whether there is a value, the value, its life in ms.
# 1: a value is wanted
_LEAVE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == 'ask' and redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
if ARGV[2] == 'give' then redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[4]) end
redis.call('DEL', KEYS[1], KEYS[2])
return 0
"""


@dataclass(frozen=True)
class _Names:
    """What one key is called in Redis."""

    lease: bytes
    waiting: bytes
    handed: bytes  # the token of a lease follows

    @classmethod
    def of(cls, hidden: bytes) -> _Names:
        name = hidden.hex().encode()
        return cls(*(PREFIX + b"flight:" + name + part for part in (b"", b":waiting", b":handed:")))


class RedisSingleFlight(SharedSingleFlight):
    """Leases in the Redis that the servers share."""

    def __init__(self, connection: RedisConnection, lease_seconds: float = LEASE_SECONDS) -> None:
        self._connection = connection
        self._cipher = connection.cipher("flight")
        self._lease_seconds = lease_seconds
        self._lease_ms = round(lease_seconds * 1000)

    async def share(self, key: str, make: Callable[[], Awaitable[CachedValue]]) -> CachedValue:
        names = _Names.of(self._cipher.hash_name(key))
        token = secrets.token_hex(16).encode()
        try:
            kept = await self._wait(names, token)
        except RedisUnavailable:
            return await make()
        return kept or await self._lead(names, token, make)

    async def _wait(self, names: _Names, token: bytes) -> CachedValue | None:
        """What another server made; None when the lease is ours."""
        seen, pause = token, _FIRST_POLL_SECONDS
        while True:
            handed = names.handed + seen
            said, *rest = await self._connection.script(
                _ENTER, [names.lease, names.waiting, handed], [token, self._lease_ms]
            )
            if said == b"mine":
                return None
            if said == b"done":
                plain = self._cipher.decrypt(rest[0], handed)
                if plain is None:
                    raise RedisUnavailable("a value that was handed on cannot be decrypted")
                return CachedValue(plain[_FRESHNESS.size :], *_FRESHNESS.unpack_from(plain))
            seen = rest[0]
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LAST_POLL_SECONDS)

    async def _lead(
        self, names: _Names, token: bytes, make: Callable[[], Awaitable[CachedValue]]
    ) -> CachedValue:
        renewing = asyncio.create_task(self._renew(names, token))
        try:
            kept = await make()
        except BaseException:
            renewing.cancel()
            await self._leave(names, token, "no value")
            raise
        if await self._leave(names, token, "ask"):
            freshness = _FRESHNESS.pack(kept.cached, kept.age_seconds, kept.max_age_seconds)
            await self._leave(
                names,
                token,
                "give",
                self._cipher.encrypt(freshness + kept.value, names.handed + token),
            )
        renewing.cancel()
        return kept

    async def _renew(self, names: _Names, token: bytes) -> None:
        """Until the work is done, or somebody has taken over from us."""
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            with suppress(RedisUnavailable):
                if not await self._connection.script(
                    _RENEW, [names.lease], [token, self._lease_ms]
                ):
                    return

    async def _leave(self, names: _Names, token: bytes, how: str, value: bytes = b"") -> bool:
        keys = [names.lease, names.waiting, names.handed + token]
        seconds = self._connection.timeout_seconds + len(value) / _BYTES_A_SECOND
        try:
            arguments = [token, how, value, _HANDED_SECONDS * 1000]
            return bool(await self._connection.script(_LEAVE, keys, arguments, seconds=seconds))
        except RedisUnavailable:
            return False  # the lease ends by itself
