"""Rate limits per host: concurrent requests, and requests started per second.

Starts are counted in a sliding window, which is longer for limits below one per second, so a burst
of up to the full number starts at once: by default, ten pages of one site are fetched in parallel.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right, insort
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from webquarry.clock import Clock

_MAX_HOSTS = 1000  # above it, idle hosts are dropped


class _HostState:
    """Requests of one host."""

    def __init__(self, concurrency: int) -> None:
        self.semaphore = asyncio.Semaphore(concurrency)
        self.starts: list[float] = []  # times of past and reserved starts within the window, sorted
        self.users = 0


class Pacing:
    """Delays requests to respect both limits."""

    def __init__(self, concurrency: int, per_second: float, clock: Clock) -> None:
        self._concurrency = concurrency
        self._burst = max(1, int(per_second))
        self._window = self._burst / per_second
        self._clock = clock
        self._hosts: dict[str, _HostState] = {}

    @asynccontextmanager
    async def slot(self, host: str, *, is_local: bool = False) -> AsyncIterator[None]:
        """Wait until a request may start; local hosts have no limit per second."""
        state = self._hosts.get(host)
        if state is None:
            if len(self._hosts) >= _MAX_HOSTS:
                self._drop_idle_hosts()
            state = self._hosts[host] = _HostState(self._concurrency)
        state.users += 1
        try:
            async with state.semaphore:
                if not is_local:
                    await self._wait_for_start(state.starts)
                yield
        finally:
            state.users -= 1

    async def _wait_for_start(self, starts: list[float]) -> None:
        now = self._clock.monotonic()
        del starts[: bisect_right(starts, now - self._window)]
        start = now
        if len(starts) >= self._burst:
            start = max(now, starts[-self._burst] + self._window)
        insort(starts, start)
        if start > now:
            try:
                await self._clock.sleep(start - now)
            except BaseException:
                starts.remove(start)
                raise

    def _drop_idle_hosts(self) -> None:
        window_start = self._clock.monotonic() - self._window
        for host, state in list(self._hosts.items()):
            if not state.users and not any(start > window_start for start in state.starts):
                del self._hosts[host]
