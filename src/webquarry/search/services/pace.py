"""A provider that takes offence at haste is asked one call at a time, with a pause between them,
over all tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from webquarry.clock import Clock
from webquarry.search.services.service import Service


class Pace:
    """Hands out turns; a provider without a least interval is always free."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._turns: dict[str, asyncio.Lock] = {}
        self._begun: dict[str, float] = {}

    @asynccontextmanager
    async def turn(self, provider: Service) -> AsyncIterator[None]:
        """Wait for the provider's turn, and hold it for the length of the block."""
        if provider.min_interval_seconds <= 0:
            yield
            return
        async with self._turns.setdefault(provider.name, asyncio.Lock()):
            await self._pause(provider)
            self._begun[provider.name] = self._clock.monotonic()
            yield

    async def _pause(self, provider: Service) -> None:
        begun = self._begun.get(provider.name)
        if begun is None:
            left = 0.0
        else:
            left = begun + provider.min_interval_seconds - self._clock.monotonic()
        if left > 0:
            await self._clock.sleep(left)
