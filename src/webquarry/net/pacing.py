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
    """One host: who is under way, and when requests began."""

    def __init__(self, places: int) -> None:
        self.places = asyncio.Semaphore(places)
        # When requests began or will begin, in order; only as far back as matters.
        self.starts: list[float] = []
        self.users = 0


class Pacing:
    """Lets requests start, host by host, within both limits."""

    def __init__(self, concurrency: int, per_second: float, clock: Clock) -> None:
        self._concurrency = concurrency
        self._burst = max(1, int(per_second))
        self._window = self._burst / per_second
        self._clock = clock
        self._lanes: dict[str, _Lane] = {}

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for this host's turn, and hold one of its places for the length of the block."""
        lane = self._get_lane(host)
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

    def _get_lane(self, host: str) -> _Lane:
        lane = self._lanes.get(host)
        if lane is None:
            if len(self._lanes) >= _MOST_LANES:
                self._forget_idle_lanes()
            lane = self._lanes[host] = _Lane(self._concurrency)
        return lane

    def _forget_idle_lanes(self) -> None:
        window_start = self._clock.monotonic() - self._window
        for name, lane in list(self._lanes.items()):
            was_asked_lately = any(start > window_start for start in lane.starts)
            if not lane.users and not was_asked_lately:
                del self._lanes[name]
