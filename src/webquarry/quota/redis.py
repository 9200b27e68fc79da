"""Counts in the Redis that several servers share. While it is away each server counts for itself.

A place among those at once is held by a lease that is renewed: the places of a server that was
killed come back.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from webquarry.quota.base import Limit, Quota, QuotaDenied, QuotaGranted, no_slot, verdict
from webquarry.quota.local import LocalQuota
from webquarry.store.redis.connection import PREFIX, RedisConnection, RedisUnavailable

LEASE_SECONDS = 15.0

# The arithmetic of base.verdict, so that looking and counting are one step. KEYS one per limit;
# ARGV per limit: most, number of the window, part of it that has passed, life in ms. Gives 1 or 0
# (counted or not), and the two counts and the part of each limit as they were before.
_TAKE = """
local fits, said = 1, {}
for i, key in ipairs(KEYS) do
    local most, window, part = tonumber(ARGV[4*i-3]), tonumber(ARGV[4*i-2]), ARGV[4*i-1]
    local kept = redis.call('HMGET', key, 'window', 'before', 'current')
    local at, before, current = tonumber(kept[1] or window), tonumber(kept[2] or 0), tonumber(kept[3] or 0)
    if at > window then window, part = at, '0' end
    if at == window - 1 then before, current = current, 0 elseif at < window then before, current = 0, 0 end
    if before * (1 - tonumber(part)) + current + 1 > most then fits = 0 end
    said[i] = {window, before, current, part}
end
for i, key in ipairs(KEYS) do
    if fits == 1 then
        redis.call('HSET', key, 'window', said[i][1], 'before', said[i][2], 'current', said[i][3] + 1)
        redis.call('PEXPIRE', key, ARGV[4*i])
    end
end
return {fits, said}
"""
# KEYS the places; ARGV my token, most, lease in ms. With most < 0 the place is ours already.
_HOLD = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local most = tonumber(ARGV[2])
if most >= 0 and redis.call('ZCARD', KEYS[1]) >= most then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
"""


class RedisQuota(Quota):
    """Counts of all servers together."""

    def __init__(self, connection: RedisConnection, lease_seconds: float = LEASE_SECONDS) -> None:
        self._connection = connection
        self._cipher = connection.cipher("quota")
        self._lease_seconds = lease_seconds
        self._local = LocalQuota()

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaGranted | QuotaDenied:
        if not limits:
            return QuotaGranted(0)
        keys = [self._name("count", f"{limit.window_seconds:g} {limit.name}") for limit in limits]
        arguments: list[str | int] = []
        for limit in limits:
            window, part = divmod(now / limit.window_seconds, 1)
            arguments += [
                limit.most,
                int(window),
                repr(part),
                round(limit.window_seconds * 2000) + 1000,
            ]
        try:
            fits, said = await self._connection.script(_TAKE, keys, arguments)
        except RedisUnavailable:
            return await self._local.take(limits, now)
        if fits:
            self._local.count(limits, now)
        return _answer(bool(fits), limits, said)

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        """The place among our own is held as well, so that they are known when Redis goes."""
        async with self._local.slot(name, most):
            key, token = self._name("slots", name), secrets.token_hex(16)
            if not await self._hold(key, token, most):
                raise no_slot(most)
            renewing = asyncio.create_task(self._renew(key, token))
            try:
                yield
            finally:
                renewing.cancel()
                with suppress(RedisUnavailable):  # the lease ends by itself
                    await self._connection.run(lambda redis: redis.zrem(key, token))

    async def _hold(self, key: bytes, token: str, most: int) -> bool:
        try:
            return bool(
                await self._connection.script(
                    _HOLD, [key], [token, most, round(self._lease_seconds * 1000)]
                )
            )
        except RedisUnavailable:
            return True

    async def _renew(self, key: bytes, token: str) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            await self._hold(key, token, -1)

    def _name(self, what: str, name: str) -> bytes:
        return PREFIX + f"quota:{what}:".encode() + self._cipher.hash_name(name).hex().encode()


def _answer(
    fits: bool, limits: Sequence[Limit], said: list[list[bytes | int]]
) -> QuotaGranted | QuotaDenied:
    """In words of ours, from the counts as they were."""
    words = [
        (limit, verdict(limit, int(before), int(current), float(part)))
        for limit, (_, before, current, part) in zip(limits, said, strict=True)
    ]
    if fits:
        return QuotaGranted(min(int(word) for _, word in words))
    denied = [QuotaDenied(limit, word) for limit, word in words if isinstance(word, float)]
    return max(denied, key=lambda one: one.retry_after_seconds)
