"""Rate limits of several servers that share a Redis. While it is unavailable, each server counts
for itself. A slot is a lease that is renewed, so the slots of a server that was killed are freed.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

from webquarry.store.quota import (
    CLOCK_SKEW_SECONDS,
    Limit,
    LocalQuota,
    Quota,
    QuotaGranted,
    QuotaVerdict,
    build_no_slot,
    join,
    judge,
)
from webquarry.store.redis_connection import RedisConnection, RedisUnavailable, renewing
from webquarry.store.redis_scripts import COUNT_TAKE, SLOT_HOLD

LEASE_SECONDS = 15.0
_RENEW = -1  # instead of a maximum


class RedisQuota(Quota):
    """Counters of all servers together."""

    def __init__(self, connection: RedisConnection, lease_seconds: float = LEASE_SECONDS) -> None:
        self._connection = connection
        self._lease_seconds = lease_seconds
        self._local = LocalQuota()

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        if not limits:
            return QuotaGranted(0)
        keys: list[bytes] = []
        arguments: list[str | int] = []
        for limit in limits:
            name = f"{limit.window_seconds:g} {limit.name}"
            keys.append(self._connection.key("quota", name, "count:"))
            window, part = divmod(now / limit.window_seconds, 1)
            life_ms = round(limit.window_seconds * 2000) + 1000  # two windows, and a little
            skew = CLOCK_SKEW_SECONDS / limit.window_seconds
            arguments += [limit.most, int(window), repr(part), life_ms, repr(skew)]
        try:
            fits, counts = await self._connection.script(COUNT_TAKE, keys, arguments)
        except RedisUnavailable:
            return await self._local.take(limits, now)
        if fits:
            self._local.count(limits, now)
        verdicts: list[QuotaVerdict] = []
        for limit, count in zip(limits, counts, strict=True):
            _, before, current, part = count
            verdict = judge(limit, int(before), int(current), float(part))
            verdicts.append(verdict)
        return join(verdicts)

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        """Hold a slot; a local one too, which counts when Redis becomes unavailable."""
        async with self._local.slot(name, most):
            key = self._connection.key("quota", name, "slots:")
            token = secrets.token_hex(16)
            if not await self._hold(key, token, most):
                raise build_no_slot(most)
            try:
                hold_again = partial(self._hold, key, token, _RENEW)
                async with renewing(self._lease_seconds, hold_again):
                    yield
            finally:
                with suppress(RedisUnavailable):  # the lease ends by itself
                    await self._connection.run(lambda redis: redis.zrem(key, token))

    async def _hold(self, key: bytes, token: str, most: int) -> bool:
        """Acquire or renew a slot; always succeeds while Redis is unavailable."""
        lease_ms = round(self._lease_seconds * 1000)
        arguments = [token, most, lease_ms]
        try:
            is_ours = await self._connection.script(SLOT_HOLD, [key], arguments)
        except RedisUnavailable:
            return True
        return bool(is_ours)
