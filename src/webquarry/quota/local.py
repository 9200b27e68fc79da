"""Counts in the memory of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from webquarry.quota.base import Limit, Quota, QuotaDenied, QuotaGranted, no_slot, verdict

_NAMES_BETWEEN_SWEEPS = 10_000


@dataclass
class _Count:
    window: int
    before: int = 0
    current: int = 0


class LocalQuota(Quota):
    """For one server, and for each of several while they cannot reach each other."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, float], _Count] = {}
        self._slots: dict[str, int] = {}
        self._sweep_at = _NAMES_BETWEEN_SWEEPS

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaGranted | QuotaDenied:
        said = [(limit, self._verdict(limit, now)) for limit in limits]
        denied = [QuotaDenied(limit, word) for limit, word in said if isinstance(word, float)]
        if denied:
            return max(denied, key=lambda one: one.retry_after_seconds)
        self.count(limits, now)
        return QuotaGranted(min((word for _, word in said if isinstance(word, int)), default=0))

    def count(self, limits: Sequence[Limit], now: float) -> None:
        """Count what was granted elsewhere."""
        for limit in limits:
            self._count(limit, now).current += 1

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        if self._slots.get(name, 0) >= most:
            raise no_slot(most)
        self._slots[name] = self._slots.get(name, 0) + 1
        try:
            yield
        finally:
            self._slots[name] -= 1
            if not self._slots[name]:
                del self._slots[name]

    def _verdict(self, limit: Limit, now: float) -> int | float:
        count = self._count(limit, now)
        part = min(max(now / limit.window_seconds - count.window, 0.0), 1.0)
        return verdict(limit, count.before, count.current, part)

    def _count(self, limit: Limit, now: float) -> _Count:
        """The counts as of now; a clock that went back leaves them as they are."""
        window = int(now // limit.window_seconds)
        key = (limit.name, limit.window_seconds)
        count = self._counts.get(key)
        if count is None:
            self._sweep(now)
            count = self._counts[key] = _Count(window)
        elif count.window < window:
            before = count.current if count.window == window - 1 else 0
            count.window, count.before, count.current = window, before, 0
        return count

    def _sweep(self, now: float) -> None:
        """Forget who has not asked for two windows, now and then."""
        if len(self._counts) < self._sweep_at:
            return
        over = [key for key, count in self._counts.items() if count.window < now // key[1] - 1]
        for key in over:
            del self._counts[key]
        self._sweep_at = len(self._counts) + _NAMES_BETWEEN_SWEEPS
