"""Rate limits: calls in a sliding window, and calls at once.

    answer = await quota.take([Limit("ada minute", 60, 60), Limit("ada day", 5000, 86400)], now)
    async with quota.slot("ada", 8):        # raises `NoSlot` if all are taken
        ...

The count of the last window is weighted by the part of it that still lies within one window.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from webquarry.errors import NoSlot

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


def judge(limits: Sequence[Limit], counts: Sequence[tuple[int, int, float]]) -> QuotaVerdict:
    """Return whether one more call is within all limits. The counts of each limit are those of the
    last window and of the current one, and the part of the current one that has passed.
    """
    denials: list[QuotaDenied] = []
    left: list[int] = []
    for limit, (before, current, part) in zip(limits, counts, strict=True):
        held = before * (1 - part) + current
        if held + 1 <= limit.most:
            left.append(int(limit.most - held - 1))
            continue
        if limit.most <= 0:
            windows = 1.0
        elif current < limit.most:  # the count of the last window has to fade
            windows = 1 - (limit.most - 1 - current) / before - part
        else:
            windows = 1 - part + 1 - (limit.most - 1) / current
        denials.append(QuotaDenied(limit, float(limit.window_seconds * windows)))
    if denials:
        return max(denials, key=lambda denied: denied.retry_after_seconds)
    return QuotaGranted(min(left, default=0))


class LocalQuota(Quota):
    """Counters in the memory of this process."""

    def __init__(self) -> None:
        self._counts: dict[Limit, tuple[int, int, int]] = {}  # window, last and current count
        self._slots: dict[str, int] = {}
        self._sweep_at = _NAMES_BETWEEN_SWEEPS

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        if len(self._counts) >= self._sweep_at:
            for limit, (window, _, _) in list(self._counts.items()):
                if window < now // limit.window_seconds - 1:
                    del self._counts[limit]
            self._sweep_at = len(self._counts) + _NAMES_BETWEEN_SWEEPS
        counts = []
        for limit in limits:
            window, before, current = self._advance(limit, now)
            counts.append((before, current, max(0.0, now / limit.window_seconds - window)))
        verdict = judge(limits, counts)
        if isinstance(verdict, QuotaGranted):
            self.count(limits, now)
        return verdict

    def count(self, limits: Sequence[Limit], now: float) -> None:
        """Count one for every limit."""
        for limit in limits:
            window, before, current = self._advance(limit, now)
            self._counts[limit] = window, before, current + 1

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

    def _advance(self, limit: Limit, now: float) -> tuple[int, int, int]:
        """Return the number of the current window, and the counts of the last and of this one. A
        clock that is slightly behind continues the next window.
        """
        window = int(now // limit.window_seconds)
        at, before, current = self._counts.get(limit, (window, 0, 0))
        if at == window - 1:
            at, before, current = window, current, 0
        elif at < window:
            at, before, current = window, 0, 0
        elif at > window + 1:  # counted by a clock that was ahead
            at, before = window, 0
        self._counts[limit] = at, before, current
        return at, before, current
