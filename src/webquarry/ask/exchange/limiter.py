"""How many calls at once: a limit that halves when the provider says "too many" and grows with
success.

All callers share one pause: nobody sends anything before the moment that the provider named.
Whoever is in the middle of an exchange goes before those who have not begun, so that what was begun
gets finished.
"""

from __future__ import annotations

import asyncio
from collections import deque

from webquarry.clock import Clock

_CAREFUL = 20  # at the height where the last "too many" came, growing takes so many times as long
_MARGIN_SECONDS = 0.001  # so that a pause is over when its end is looked at


class Limiter:
    """Belongs to one event loop."""

    def __init__(self, most: int, clock: Clock) -> None:
        self._clock = clock
        self.most = most
        self.limit = most
        self.in_flight = 0
        self._ceiling = most + 1  # the limit at which the provider last complained
        self._successes = 0
        self._resume_at = 0.0
        self._halved_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._alarm: asyncio.TimerHandle | None = None

    def resize(self, most: int) -> None:
        """The user wants another maximum."""
        if most != self.most:
            self.most = most
            self.limit = most
            self._ceiling = most + 1
            self._wake()

    async def acquire(self, *, first: bool = False) -> float:
        """Wait for a place, and for the end of a pause; the moment of leaving comes back, for
        `record_throttled`.
        """
        if self._waiting or not self._has_place():
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            if first:
                self._waiting.appendleft(place)
            else:
                self._waiting.append(place)
            self._wake()
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self.release()  # the place was given to somebody who is gone
                raise
        else:
            self.in_flight += 1
        return self._clock.monotonic()

    def release(self) -> None:
        """The call has ended, however it did."""
        self.in_flight -= 1
        self._wake()

    def record_success(self) -> None:
        """A call went well: after as many as the limit, there may be one more at a time."""
        self._successes += 1
        needed = self.limit
        if self.limit + 1 >= self._ceiling:
            needed *= _CAREFUL
        if self._successes >= needed and self.limit < self.most:
            self._successes = 0
            self.limit += 1
            self._ceiling = max(self._ceiling, self.limit + 1)
            self._wake()

    def record_throttled(self, sent_at: float, seconds: float) -> None:
        """The provider said "too many" to a call sent at that moment: half as many, and nobody
        before the pause ends.
        """
        now = self._clock.monotonic()
        self._resume_at = max(self._resume_at, now + seconds)
        # One complaint counts once, however many calls heard it.
        if sent_at > self._halved_at or self._halved_at == 0.0:
            self._ceiling = self.limit
            self.limit = max(1, self.limit // 2)
            self._halved_at = now
        self._successes = 0

    @property
    def pause_seconds(self) -> float:
        """What is left of the pause."""
        return max(0.0, self._resume_at - self._clock.monotonic())

    def _has_place(self) -> bool:
        """Whether a call may be sent now."""
        return self.in_flight < self.limit and self.pause_seconds <= 0

    def _wake(self) -> None:
        """Give free places to those who wait; during a pause, look again when it ends."""
        while self._waiting and self._has_place():
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)
        has_alarm = self._alarm is not None and not self._alarm.cancelled()
        if self._waiting and self.pause_seconds > 0 and not has_alarm:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(self.pause_seconds + _MARGIN_SECONDS, self._end_pause)

    def _end_pause(self) -> None:
        self._alarm = None
        self._wake()
