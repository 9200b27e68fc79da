"""A service that takes offence at haste is asked one call at a time, with a pause between them,
over all tasks.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from webquarry._search.services.service import Service
from webquarry.clock import Clock

_FREE = nullcontext()


class Pace:
    """Keeps calls of a service apart; one without a least interval is always free."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._locks: dict[str, asyncio.Lock] = {}
        self._started_at: dict[str, float] = {}

    def hold(self, service: Service) -> AbstractAsyncContextManager[None]:
        """Wait until the service may be asked, and let nobody else ask it for the length of the
        block.
        """
        if service.min_interval_seconds <= 0:
            return _FREE
        return self._hold(service)

    @asynccontextmanager
    async def _hold(self, service: Service) -> AsyncIterator[None]:
        async with self._locks.setdefault(service.name, asyncio.Lock()):
            last_start = self._started_at.get(service.name, -math.inf)
            earliest = last_start + service.min_interval_seconds
            pause = earliest - self._clock.monotonic()
            if pause > 0:
                await self._clock.sleep(pause)
            self._started_at[service.name] = self._clock.monotonic()
            yield
