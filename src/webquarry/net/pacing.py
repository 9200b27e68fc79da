"""Pacing: for each host, so many requests under way at once and so many begun per second, over all
tasks of a client.

The count per second is taken over a sliding window, so a burst up to the full number starts at
once: with the default settings ten pages of one site are read in parallel. Below one per second the
window is longer instead.
"""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from webquarry.clock import Clock

_MOST_LANES = 1000  # beyond it, hosts that nobody is asking any more are forgotten


class _Lane:
    """One host."""

    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        self.starts: list[
            float
        ] = []  # when requests began or will begin, in order; only as far back as matters
        self.users = 0


class Pacing:
    """Hands out turns."""

    def __init__(self, concurrency: int, per_second: float, clock: Clock) -> None:
        self._concurrency = concurrency
        self._burst = max(1, int(per_second))
        self._window = self._burst / per_second
        self._clock = clock
        self._lanes: dict[str, _Lane] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for this host's turn, and hold one of its places for the length of the block."""
        lane = self._lane(host)
        lane.users += 1
        try:
            async with lane.places:
                await self._wait_for_start(lane)
                yield
        finally:
            lane.users -= 1

    async def _wait_for_start(self, lane: _Lane) -> None:
        now = self._clock.monotonic()
        lane.starts = [start for start in lane.starts if start > now - self._window]
        start = now
        if len(lane.starts) >= self._burst:
            start = max(now, lane.starts[-self._burst] + self._window)
        insort(lane.starts, start)
        if start > now:
            try:
                await self._clock.sleep(start - now)
            except BaseException:
                lane.starts.remove(start)  # whoever gives up waiting frees the slot
                raise

    def _lane(self, host: str) -> _Lane:
        if host not in self._lanes and len(self._lanes) >= _MOST_LANES:
            old = self._clock.monotonic() - self._window
            idle = [
                name
                for name, lane in self._lanes.items()
                if not lane.users and all(s <= old for s in lane.starts)
            ]
            for name in idle:
                del self._lanes[name]
        return self._lanes.setdefault(host, _Lane(self._concurrency))
