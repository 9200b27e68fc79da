"""Rate limits: so many calls in a sliding window, and so many at once.

    answer = await quota.take([Limit("ada minute", 60, 60), Limit("ada day", 5000, 86400)], now)
    async with quota.slot("ada", 8):        # `NoSlot` where all are taken
        ...

The count of the window before is weighted by the part of it that still lies within one window.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

from webquarry.errors import NoSlot

CLOCK_SKEW_SECONDS = 30.0  # between servers that count together
_NAMES_BETWEEN_SWEEPS = 10_000


@dataclass(frozen=True)
class Limit:
    """At most `most` within `window_seconds`, counted under a name."""

    name: str
    most: int
    window_seconds: float


@dataclass(frozen=True)
class QuotaGranted:
    """The call is allowed; `left` more may follow at once."""

    left: int


@dataclass(frozen=True)
class QuotaDenied:
    """The call is not allowed, and nothing was counted. `limit` takes longest to pass."""

    limit: Limit
    retry_after_seconds: float


QuotaVerdict = QuotaGranted | QuotaDenied


class Quota(ABC):
    """Counters of calls."""

    @abstractmethod
    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        """Count one for every limit, or for none of them. `now` is in seconds since the epoch."""

    @abstractmethod
    def slot(self, name: str, most: int) -> AbstractAsyncContextManager[None]:
        """Hold one of `most` slots for the length of the block; raises `NoSlot`."""


def build_no_slot(most: int) -> NoSlot:
    """Return the error for a call when all slots are taken."""
    return NoSlot(f"{most} calls are under way, which is as many as are allowed at once.")


@dataclass(frozen=True)
class WindowCounts:
    """The counts of a window, numbered since the epoch, and of the one before."""

    window: int
    before: int = 0
    current: int = 0

    def at(self, limit: Limit, now: float) -> WindowCounts:
        """Return the counts as of now. A clock slightly behind continues the window that has
        begun; the count of a window too far ahead is moved to the current one.
        """
        window = int(now // limit.window_seconds)
        if self.window == window:
            return self
        if self.window == window - 1:
            return WindowCounts(window, before=self.current)
        if self.window < window:
            return WindowCounts(window)
        seconds_ahead = self.window * limit.window_seconds - now
        if seconds_ahead <= CLOCK_SKEW_SECONDS:
            return self
        return WindowCounts(window, current=self.current)


def compute_part(limit: Limit, window: int, now: float) -> float:
    """Return the part of a window that has passed, from 0 to 1."""
    windows_since_epoch = now / limit.window_seconds
    part = windows_since_epoch - window
    return min(max(part, 0.0), 1.0)


def judge(limit: Limit, before: int, current: int, part: float) -> QuotaVerdict:
    """Return whether one more call is within a limit. `before` and `current` are the counts of the
    last window and of this one, `part` how much of this one has passed.
    """
    held = before * (1 - part) + current
    if held + 1 <= limit.most:
        left = int(limit.most - held - 1)
        return QuotaGranted(left)
    if limit.most <= 0:
        windows = 1.0
    elif current < limit.most:  # the count of the last window has to fade
        windows = 1 - (limit.most - 1 - current) / before - part
    else:
        windows = 1 - part + 1 - (limit.most - 1) / current
    return QuotaDenied(limit, float(limit.window_seconds * windows))


def join(verdicts: Sequence[QuotaVerdict]) -> QuotaVerdict:
    """Return the verdict over all limits."""
    denials: list[QuotaDenied] = []
    left: list[int] = []
    for verdict in verdicts:
        if isinstance(verdict, QuotaDenied):
            denials.append(verdict)
        else:
            left.append(verdict.left)
    if denials:
        return max(denials, key=lambda denied: denied.retry_after_seconds)
    return QuotaGranted(min(left, default=0))


class LocalQuota(Quota):
    """Counters in the memory of this process."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, float], WindowCounts] = {}
        self._slots: dict[str, int] = {}
        self._sweep_at = _NAMES_BETWEEN_SWEEPS

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        verdicts = []
        for limit in limits:
            counts = self._get_counts(limit, now)
            part = compute_part(limit, counts.window, now)
            verdicts.append(judge(limit, counts.before, counts.current, part))
        verdict = join(verdicts)
        if isinstance(verdict, QuotaGranted):
            self.count(limits, now)
        return verdict

    def count(self, limits: Sequence[Limit], now: float) -> None:
        """Count one for every limit."""
        for limit in limits:
            counts = self._get_counts(limit, now)
            key = (limit.name, limit.window_seconds)
            self._counts[key] = replace(counts, current=counts.current + 1)

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        held = self._slots.get(name, 0)
        if held >= most:
            raise build_no_slot(most)
        self._slots[name] = held + 1
        try:
            yield
        finally:
            left = self._slots.pop(name) - 1
            if left:
                self._slots[name] = left

    def _get_counts(self, limit: Limit, now: float) -> WindowCounts:
        """Return the counts as of now."""
        key = (limit.name, limit.window_seconds)
        counts = self._counts.get(key)
        if counts is None:
            self._sweep(now)
            return WindowCounts(int(now // limit.window_seconds))
        counts = counts.at(limit, now)
        self._counts[key] = counts
        return counts

    def _sweep(self, now: float) -> None:
        """Remove counters that are two windows old, now and then."""
        if len(self._counts) < self._sweep_at:
            return
        for key, count in list(self._counts.items()):
            _, window_seconds = key
            last_window = now // window_seconds - 1
            if count.window < last_window:
                del self._counts[key]
        self._sweep_at = len(self._counts) + _NAMES_BETWEEN_SWEEPS
