"""What keeps count of who asks how much: so many in a window of time, and so many at once.

    answer = await quota.take([Limit("ada minute", 60, 60), Limit("ada day", 5000, 86400)], now)
    async with quota.slot("ada", 8):        # `NoSlot` where all are taken
        ...

A window slides: what was asked in the window before counts for the part of it that is less than one
window ago.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from webquarry.errors import NoSlot

CLOCK_SKEW_SECONDS = 30.0  # by which the clocks of servers that count together may differ


@dataclass(frozen=True)
class Limit:
    """At most `most` within `window_seconds`, counted under a name."""

    name: str
    most: int
    window_seconds: float


@dataclass(frozen=True)
class QuotaGranted:
    """It may go on; `left` more may follow at once."""

    left: int


@dataclass(frozen=True)
class QuotaDenied:
    """It may not, and nothing was counted. `limit` is the one that takes longest to pass."""

    limit: Limit
    retry_after_seconds: float


QuotaVerdict = QuotaGranted | QuotaDenied


class Quota(ABC):
    """One place that keeps count."""

    @abstractmethod
    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        """Count one for every limit, or for none of them. `now` is in seconds since the epoch."""

    @abstractmethod
    def slot(self, name: str, most: int) -> AbstractAsyncContextManager[None]:
        """One of `most` places at once, held for the length of the block."""


def build_no_slot(most: int) -> NoSlot:
    """The error for one who finds all places taken."""
    return NoSlot(f"{most} calls are under way, which is as many as are allowed at once.")


@dataclass(frozen=True)
class WindowCounts:
    """How many were counted in a window, known by its number since the epoch, and in the one
    before.
    """

    window: int
    before: int = 0
    current: int = 0

    def at(self, limit: Limit, now: float) -> WindowCounts:
        """The counts as of now. A clock that is a little behind counts on in the window that has
        begun; after one that was ahead the count of its window is taken over into today's, so that
        nobody is locked out for as long as it was ahead, and nobody gets more.
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
    """How much of a window has passed, from 0 to 1, also for a clock that went back."""
    windows_since_epoch = now / limit.window_seconds
    part = windows_since_epoch - window
    return min(max(part, 0.0), 1.0)


def judge(limit: Limit, before: int, current: int, part: float) -> QuotaVerdict:
    """Whether one more fits into a limit. `before` and `current` are the counts of the last window
    and of this one, `part` how much of this one has passed.
    """
    held = before * (1 - part) + current
    if held + 1 <= limit.most:
        left = int(limit.most - held - 1)
        return QuotaGranted(left)
    if limit.most <= 0:
        windows = 1.0
    elif current < limit.most:  # then it is the last window that is in the way
        windows = 1 - (limit.most - 1 - current) / before - part
    else:
        windows = 1 - part + 1 - (limit.most - 1) / current
    return QuotaDenied(limit, float(limit.window_seconds * windows))


def join(verdicts: Sequence[QuotaVerdict]) -> QuotaVerdict:
    """The verdict over all limits together."""
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
