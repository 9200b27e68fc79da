"""Counts in the memory of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from webquarry.quota.base import (
    Limit,
    Quota,
    QuotaGranted,
    QuotaVerdict,
    build_no_slot,
    compute_part,
    join,
    judge,
)

_NAMES_BETWEEN_SWEEPS = 10_000


@dataclass
class _Count:
    """The counts of one limit: in a window, and in the one before."""

    window: int
    before: int = 0
    current: int = 0

    def advance(self, window: int) -> None:
        """Begin this window, unless it has begun; a clock that went back changes nothing."""
        if window <= self.window:
            return
        self.before = 0
        if self.window == window - 1:
            self.before = self.current
        self.current = 0
        self.window = window


class LocalQuota(Quota):
    """For one server, and for each of several while they cannot reach each other."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, float], _Count] = {}
        self._slots: dict[str, int] = {}
        self._sweep_at = _NAMES_BETWEEN_SWEEPS

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        verdicts = []
        for limit in limits:
            count = self._get_count(limit, now)
            part = compute_part(limit, count.window, now)
            verdicts.append(judge(limit, count.before, count.current, part))
        verdict = join(verdicts)
        if isinstance(verdict, QuotaGranted):
            self.count(limits, now)
        return verdict

    def count(self, limits: Sequence[Limit], now: float) -> None:
        """Count what was granted elsewhere."""
        for limit in limits:
            count = self._get_count(limit, now)
            count.current += 1

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

    def _get_count(self, limit: Limit, now: float) -> _Count:
        """The counts as of now."""
        window_seconds = limit.window_seconds
        window = int(now // window_seconds)
        key = (limit.name, window_seconds)
        count = self._counts.get(key)
        if count is None:
            # The names that come make room for themselves: only a new one can be one too many.
            self._sweep(now)
            count = _Count(window)
            self._counts[key] = count
        count.advance(window)
        return count

    def _sweep(self, now: float) -> None:
        """Forget who has not asked for two windows, now and then."""
        if len(self._counts) < self._sweep_at:
            return
        for key, count in list(self._counts.items()):
            _, window_seconds = key
            last_window = now // window_seconds - 1
            if count.window < last_window:
                del self._counts[key]
        self._sweep_at = len(self._counts) + _NAMES_BETWEEN_SWEEPS
