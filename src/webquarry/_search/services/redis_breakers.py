"""Breakers that servers share by Redis: a provider that one of them has found to be failing rests
on all of them.

A rest is a value that ends with it: the kind of error. Failures are counted, and the test whether a
provider is back is made, by each server for itself. Without Redis each knows what it has seen.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from webquarry import errors
from webquarry._search.services.breakers import Breakers
from webquarry.clock import Clock
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.settings import Settings
from webquarry.store.redis.connection import RedisConnection, RedisUnavailable
from webquarry.store.redis.values import RedisValues

_LEARN_SECONDS = 1.0  # how old what we know may be


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
        self._rests = RedisValues(connection, "breaker")
        self._learn_seconds = learn_seconds
        self._learnt_at: dict[str, float] = {}

    async def learn(self, names: Sequence[str]) -> None:
        now = time.monotonic()
        due: list[str] = []
        for name in names:
            learnt_at = self._learnt_at.get(name, -self._learn_seconds)
            if now - learnt_at >= self._learn_seconds:
                due.append(name)
        if not due:
            return
        try:
            rests = await self._rests.get_with_life(due)
        except RedisUnavailable:
            return
        self._learnt_at.update(dict.fromkeys(due, now))
        for name, (cause, seconds) in rests.items():
            breaker = self.breaker(name)
            if seconds <= breaker.rest_left:
                continue
            error: type[WebquarryError] = ProviderFailure
            found = getattr(errors, cause.decode(), None)  # another release may know more of them
            if isinstance(found, type) and issubclass(found, WebquarryError):
                error = found
            breaker.rest(seconds, error)

    async def tell(self, name: str) -> None:
        breaker = self.breaker(name)
        life_ms = round(breaker.rest_left * 1000)
        if life_ms <= 0:
            return
        with suppress(RedisUnavailable):
            await self._rests.put_longer(name, breaker.cause.__name__.encode(), life_ms)
