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
import secrets
import struct
from collections.abc import Awaitable, Callable
from functools import partial

from webquarry.cache.base import CachedValue
from webquarry.cache.single_flight import SharedSingleFlight
from webquarry.store.redis.connection import RedisConnection, RedisUnavailable
from webquarry.store.redis.leases import renew
from webquarry.store.redis.scripts import LEASE_ENTER, LEASE_LEAVE, LEASE_RENEW
from webquarry.store.redis.values import RedisValues

LEASE_SECONDS = 5.0
_HANDED_MS = 10_000
_FIRST_POLL_SECONDS, _LAST_POLL_SECONDS = 0.02, 0.25
_FRESHNESS = struct.Struct(">?dd")  # cached, age, greatest age


class RedisSingleFlight(SharedSingleFlight):
    """Leases in the Redis that the servers share."""

    def __init__(self, connection: RedisConnection, lease_seconds: float = LEASE_SECONDS) -> None:
        self._connection = connection
        self._values = RedisValues(connection, "flight")
        self._lease_seconds = lease_seconds
        self._lease_ms = round(lease_seconds * 1000)

    async def share(self, key: str, make: Callable[[], Awaitable[CachedValue]]) -> CachedValue:
        lease = self._values.key(key)
        token = secrets.token_hex(16).encode()
        try:
            handed = await self._wait(lease, token)
        except RedisUnavailable:
            return await make()
        if handed is not None:
            return handed
        arguments = [token, self._lease_ms]
        ask = partial(self._connection.script, LEASE_RENEW, [lease], arguments)
        async with renew(self._lease_seconds, ask):
            try:
                made = await make()
            except BaseException:
                await self._leave(lease, token, "no value")
                raise
            if await self._leave(lease, token, "ask"):
                freshness = _FRESHNESS.pack(made.cached, made.age_seconds, made.max_age_seconds)
                handed_key = _build_handed_key(lease, token)
                value = self._values.cipher.encrypt(freshness + made.value, handed_key)
                await self._leave(lease, token, "give", value)
        return made

    async def _wait(self, lease: bytes, token: bytes) -> CachedValue | None:
        """What another server made; None when the lease is ours."""
        seen_token = token
        pause = _FIRST_POLL_SECONDS
        while True:
            handed_key = _build_handed_key(lease, seen_token)
            keys = [lease, _build_waiting_key(lease), handed_key]
            arguments = [token, self._lease_ms]
            state, *rest = await self._connection.script(LEASE_ENTER, keys, arguments)
            if state == b"mine":
                return None
            if state == b"done":
                value = self._values.cipher.decrypt(rest[0], handed_key)
                if value is None:
                    raise RedisUnavailable("a value that was handed on cannot be decrypted")
                freshness = _FRESHNESS.unpack_from(value)
                return CachedValue(value[_FRESHNESS.size :], *freshness)
            seen_token = rest[0]
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LAST_POLL_SECONDS)

    async def _leave(self, lease: bytes, token: bytes, how: str, value: bytes = b"") -> bool:
        """Give the lease back; True where that has to wait, as somebody wants the value."""
        keys = [lease, _build_waiting_key(lease), _build_handed_key(lease, token)]
        arguments = [token, how, value, _HANDED_MS]
        seconds = self._connection.seconds_for(len(value))
        try:
            must_wait = await self._connection.script(LEASE_LEAVE, keys, arguments, seconds=seconds)
        except RedisUnavailable:
            return False  # the lease ends by itself
        return bool(must_wait)


def _build_waiting_key(lease: bytes) -> bytes:
    return lease + b":waiting"


def _build_handed_key(lease: bytes, token: bytes) -> bytes:
    return lease + b":handed:" + token
