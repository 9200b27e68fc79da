"""Pacing: for each host, so many requests under way at once and so many begun per second, over all
tasks of a client.

The count per second is taken over a sliding window, so a burst up to the full number starts at
once: with the default settings ten pages of one site are read in parallel. Below one per second the
window is longer instead.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right, insort
from collections import deque

from webquarry.clock import Clock

_MOST_HOSTS = 1000  # beyond it, hosts that nobody is asking any more are forgotten


class Places:
    """So many places. One that is free is taken at once; who waits for one is served in turn."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[asyncio.Future[None]] = deque()

    def take(self) -> bool:
        """Take a place, if one is free."""
        if not self._free:
            return False
        self._free -= 1
        return True

    async def wait(self) -> None:
        """Wait for a place that somebody gives back."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            await waiter
        except BaseException:
            if not waiter.cancelled():  # it has come too late
                self.give_back()
            raise

    def give_back(self) -> None:
        """Give a place to the one who waits longest, if anybody does."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._free += 1


class _HostSlots:
    """One host: who is under way, and when requests began."""

    def __init__(self, places: int) -> None:
        self.places = Places(places)
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
        self._hosts: dict[str, _HostSlots] = {}

    def slot(self, host: str, *, is_ours: bool = False) -> HostPlace:
        """Wait for this host's turn, and hold one of its places for the length of the block. A host
        that is ours may be asked as often as we like.
        """
        return HostPlace(self, self._get_slots(host), is_ours)

    def book_start(self, slots: _HostSlots) -> tuple[float, float]:
        """When a request to a host may begin, which counts from now on, and in how many seconds
        that is.
        """
        now = self._clock.monotonic()
        starts = slots.starts
        del starts[: bisect_right(starts, now - self._window)]
        start = now
        if len(starts) >= self._burst:
            start = max(now, starts[-self._burst] + self._window)
        insort(starts, start)
        return start, start - now

    async def wait_for_start(self, slots: _HostSlots, start: float, seconds: float) -> None:
        """Wait until a request may begin that was booked for then."""
        try:
            await self._clock.sleep(seconds)
        except BaseException:
            slots.starts.remove(start)  # whoever gives up waiting frees the slot
            raise

    def _get_slots(self, host: str) -> _HostSlots:
        slots = self._hosts.get(host)
        if slots is None:
            if len(self._hosts) >= _MOST_HOSTS:
                self._forget_idle_hosts()
            slots = self._hosts[host] = _HostSlots(self._concurrency)
        return slots

    def _forget_idle_hosts(self) -> None:
        window_start = self._clock.monotonic() - self._window
        for name, slots in list(self._hosts.items()):
            was_asked_lately = any(start > window_start for start in slots.starts)
            if not slots.users and not was_asked_lately:
                del self._hosts[name]


class HostPlace:
    """A block in which a host is asked."""

    def __init__(self, pacing: Pacing, slots: _HostSlots, is_ours: bool) -> None:
        self._pacing = pacing
        self._slots = slots
        self._is_ours = is_ours

    async def __aenter__(self) -> None:
        slots = self._slots
        slots.users += 1
        has_place = slots.places.take()
        try:
            if not has_place:
                await slots.places.wait()
                has_place = True
            if not self._is_ours:
                start, seconds = self._pacing.book_start(slots)
                if seconds > 0:
                    await self._pacing.wait_for_start(slots, start, seconds)
        except BaseException:
            if has_place:
                slots.places.give_back()
            slots.users -= 1
            raise

    async def __aexit__(self, *_: object) -> None:
        self._slots.places.give_back()
        self._slots.users -= 1
