"""Breakers that servers share by Redis: a provider that one of them has found to be failing rests
on all of them.

A rest is a key that ends with it; its value is the kind of error, locked. Failures are counted, and
the test whether a provider is back is made, by each server for itself. Without Redis each knows
what it has seen.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from webquarry import errors
from webquarry.clock import Clock
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.search.services.breakers import Breakers
from webquarry.settings import Settings
from webquarry.store.redis.connection import PREFIX, RedisConnection, RedisUnavailable

_LEARN_SECONDS = 1.0  # how old what we know may be

# KEYS the rests; gives the value and the ms left of each, or nothing.
_RESTS = """
local said = {}
for i, key in ipairs(KEYS) do
    local value = redis.call('GET', key)
    said[i] = value and {value, redis.call('PTTL', key)} or {}
end
return said
"""
# KEYS the rest; ARGV its value, the ms it lasts. The longer one counts.
_REST = """
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1
"""


class RedisBreakers(Breakers):
    """The breakers of this server, which hear of the rests that others have begun."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        connection: RedisConnection,
        learn_seconds: float = _LEARN_SECONDS,
    ) -> None:
        super().__init__(settings, clock)
        self._connection = connection
        self._cipher = connection.cipher("breaker")
        self._learn_seconds = learn_seconds
        self._learnt_at: dict[str, float] = {}

    async def learn(self, names: Sequence[str]) -> None:
        now = time.monotonic()
        due = [
            name
            for name in names
            if now - self._learnt_at.get(name, -self._learn_seconds) >= self._learn_seconds
        ]
        if not due:
            return
        keys = [self._key(name) for name in due]
        try:
            said = await self._connection.script(_RESTS, keys, [])
        except RedisUnavailable:
            return
        for name, key, rest in zip(due, keys, said, strict=True):
            self._learnt_at[name] = now
            if rest and (kind := self._cipher.decrypt(rest[0], key)) is not None:
                self._take_over(name, rest[1] / 1000, kind.decode())

    async def tell(self, name: str) -> None:
        breaker = self.breaker(name)
        milliseconds = round(breaker.rest_left * 1000)
        if milliseconds <= 0:
            return
        key = self._key(name)
        try:
            locked = self._cipher.encrypt(breaker.cause.__name__.encode(), key)
            await self._connection.script(_REST, [key], [locked, milliseconds])
        except RedisUnavailable:
            return

    def _take_over(self, name: str, seconds: float, kind: str) -> None:
        breaker = self.breaker(name)
        if seconds > breaker.rest_left:
            cause = getattr(errors, kind, ProviderFailure)
            known = isinstance(cause, type) and issubclass(cause, WebquarryError)
            breaker.rest(seconds, cause if known else ProviderFailure)

    def _key(self, name: str) -> bytes:
        return PREFIX + b"breaker:" + self._cipher.hash_name(name).hex().encode()
