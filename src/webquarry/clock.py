"""One clock for the whole process: what time it is, and how to wait.

Replay freezes the time of day to that of the recording, so that the same recorded web gives
byte-identical answers.
"""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

_TIMER_SECONDS = 0.001  # by which a timer may come too early
_ALARMS: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Alarms] = weakref.WeakKeyDictionary()


class Clock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Alarms:
    """What is to be done in an event loop when a time is over, by one timer for all of it. Nearly
    everything is called off before: then it has cost an entry in a dict, and the timer, which stays
    as it is, rings for nothing.
    """

    def __init__(self) -> None:
        self._planned: dict[object, tuple[float, Callable[[], object]]] = {}
        self._rings_at = math.inf

    def plan(self, owner: object, seconds: float, act: Callable[[], object]) -> None:
        """Do something in so many seconds, unless its owner calls it off."""
        moment = time.monotonic() + seconds
        self._planned[owner] = moment, act
        if moment < self._rings_at:
            self._set_timer(moment)

    def call_off(self, owner: object) -> None:
        """Leave undone what this owner has planned, if it is still to be done."""
        self._planned.pop(owner, None)

    def _set_timer(self, moment: float) -> None:
        # Nobody keeps the timer: it knows its loop, which would never be forgotten.
        self._rings_at = moment
        seconds = max(0.0, moment - time.monotonic())
        asyncio.get_running_loop().call_later(seconds, self._ring, moment)

    def _ring(self, set_for: float) -> None:
        """Do what is due, and wait for the next."""
        if set_for != self._rings_at:
            return  # a timer was set for an earlier time since
        self._rings_at = math.inf
        now = time.monotonic() + _TIMER_SECONDS
        due = [owner for owner, (moment, _) in self._planned.items() if moment <= now]
        due.sort(key=lambda owner: self._planned[owner][0])
        acts = [self._planned.pop(owner)[1] for owner in due]
        if self._planned:
            self._set_timer(min(moment for moment, _ in self._planned.values()))
        for act in acts:
            act()


def get_alarms() -> Alarms:
    """Those of the event loop that runs."""
    loop = asyncio.get_running_loop()
    alarms = _ALARMS.get(loop)
    if alarms is None:
        alarms = _ALARMS[loop] = Alarms()
    return alarms


class TimeLimit:
    """A block that may take so many seconds. When they are over it is stopped, and what `explain`
    gives is raised. As `asyncio.timeout` does it, in a fraction of the time: every call enters
    several.
    """

    def __init__(self, seconds: float | None, explain: Callable[[], Exception]) -> None:
        self._seconds = seconds
        self._explain = explain
        self._alarms: Alarms | None = None
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0  # who wanted the task to end before us
        self._is_over = False

    def __enter__(self) -> None:
        if self._seconds is None:
            return
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._alarms = get_alarms()
        self._alarms.plan(self, max(0.0, self._seconds), self._stop)

    def _stop(self) -> None:
        assert self._task is not None
        self._is_over = True
        self._task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._alarms is None:
            return
        self._alarms.call_off(self)
        if not self._is_over:
            return
        assert self._task is not None
        is_stopped_by_us = self._task.uncancel() <= self._cancelling
        if isinstance(error, asyncio.CancelledError) and is_stopped_by_us:
            raise self._explain() from error
        if isinstance(error, TimeoutError):
            raise self._explain() from error


class FrozenClock(Clock):
    """The time of a recording: it stands still, and nobody waits."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
