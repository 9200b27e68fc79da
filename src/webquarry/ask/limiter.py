"""Limit of concurrent calls: it halves when the provider throttles and grows with success. All
callers share one pause: nothing is sent before the moment that the provider named.
"""

from __future__ import annotations

import asyncio
from collections import deque

from webquarry.clock import Clock

_GROWTH_SUCCESSES = 10  # for each slot, before the limit grows by one
_MARGIN_SECONDS = 0.001


class Limiter:
    """Belongs to one event loop."""

    def __init__(self, most: int, clock: Clock) -> None:
        self._clock = clock
        self.most = most
        self.limit = most
        self.in_flight = 0
        self._successes = 0
        self._resume_at = 0.0
        self._halved_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._pause: asyncio.Task[None] | None = None

    def resize(self, most: int) -> None:
        """Set another maximum."""
        if most != self.most:
            self.most = self.limit = most
            self._wake()

    async def acquire(self) -> float:
        """Wait for a slot and for the end of a pause. Return the time, for `record_throttled`."""
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(slot)
        self._wake()
        try:
            await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled():
                self.release()  # the slot was assigned to a caller that was cancelled
            raise
        return self._clock.monotonic()

    def release(self) -> None:
        """End a call."""
        self.in_flight -= 1
        self._wake()

    def record_success(self) -> None:
        """Raise the limit by one after some successes for each slot."""
        self._successes += 1
        if self.limit < self.most and self._successes >= _GROWTH_SUCCESSES * self.limit:
            self._successes = 0
            self.limit += 1
            self._wake()

    def record_throttled(self, sent_at: float, seconds: float) -> None:
        """Halve the limit and pause. Calls that were sent before the last halving do not count
        again.
        """
        now = self._clock.monotonic()
        self._resume_at = max(self._resume_at, now + seconds)
        if sent_at > self._halved_at or self._halved_at == 0.0:
            self.limit = max(1, self.limit // 2)
            self._halved_at = now
        self._successes = 0

    @property
    def pause_seconds(self) -> float:
        """Remaining time of the pause."""
        return max(0.0, self._resume_at - self._clock.monotonic())

    def _wake(self) -> None:
        """Assign free slots; during a pause, do so when it ends."""
        while self._waiting and self.in_flight < self.limit and not self.pause_seconds:
            slot = self._waiting.popleft()
            if not slot.done():
                self.in_flight += 1
                slot.set_result(None)
        if self._waiting and self.pause_seconds and self._pause is None:
            self._pause = asyncio.get_running_loop().create_task(self._end_pause())

    async def _end_pause(self) -> None:
        while self.pause_seconds > 0:
            await self._clock.sleep(self.pause_seconds + _MARGIN_SECONDS)
        self._pause = None
        self._wake()
