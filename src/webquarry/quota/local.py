"""Counts in the memory of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from webquarry.quota.base import (
    Limit,
    Quota,
    QuotaGranted,
    QuotaVerdict,
    WindowCounts,
    build_no_slot,
    compute_part,
    join,
    judge,
)

_NAMES_BETWEEN_SWEEPS = 10_000


class LocalQuota(Quota):
    """For one server, and for each of several while they cannot reach each other."""

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
        """Count what was granted elsewhere."""
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
        """The counts as of now."""
        key = (limit.name, limit.window_seconds)
        counts = self._counts.get(key)
        if counts is None:
            # The names that come make room for themselves: only a new one can be one too many.
            self._sweep(now)
            return WindowCounts(int(now // limit.window_seconds))
        counts = counts.at(limit, now)
        self._counts[key] = counts
        return counts

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
