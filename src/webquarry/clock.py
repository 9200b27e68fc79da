"""One clock for the whole process: what time it is, and how to wait.

Replay freezes the time of day to that of the recording, so that the same recorded web gives
byte-identical answers.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any
from weakref import WeakKeyDictionary


class Clock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class TimeLimit:
    """A block that may take so many seconds. When they are over it is stopped, and what `explain`
    gives is raised. As `asyncio.timeout` does it, in a fraction of the time: every call enters
    several, and hardly one of them is ever reached.
    """

    def __init__(self, seconds: float | None, explain: Callable[[], Exception]) -> None:
        self._seconds = seconds
        self._explain = explain
        self._alarm: _Alarm | None = None
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0  # who wanted the task to end before us
        self._is_over = False

    async def __aenter__(self) -> None:
        if self._seconds is None:
            return
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task(loop)
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._alarm = _ALARMS.get(loop)
        if self._alarm is None:
            self._alarm = _ALARMS[loop] = _Alarm()
        self._alarm.watch(loop, loop.time() + max(0.0, self._seconds), self)

    def stop(self) -> None:
        """The time is over."""
        assert self._task is not None
        self._is_over = True
        self._task.cancel()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._alarm is None:
            return
        self._alarm.forget(self)
        if not self._is_over:
            return
        assert self._task is not None
        is_stopped_by_us = self._task.uncancel() <= self._cancelling
        if isinstance(error, asyncio.CancelledError) and is_stopped_by_us:
            raise self._explain() from error
        if isinstance(error, TimeoutError):
            raise self._explain() from error


class _Alarm:
    """The time limits of one loop, with one timer for all of them: it is set for the earliest, and
    left as it is when that one is over in time. It rings then for nothing, and is set anew.
    """

    def __init__(self) -> None:
        self._ends: dict[TimeLimit, float] = {}
        self._next = math.inf  # when it rings, as the loop tells the time

    def watch(self, loop: asyncio.AbstractEventLoop, end: float, limit: TimeLimit) -> None:
        """Stop a block at this time."""
        self._ends[limit] = end
        if end < self._next:
            self._next = end
            loop.call_at(end, self._ring, loop, end)

    def forget(self, limit: TimeLimit) -> None:
        """A block is over."""
        self._ends.pop(limit, None)

    def _ring(self, loop: asyncio.AbstractEventLoop, moment: float) -> None:
        if moment != self._next:
            return  # it was set for an earlier time since
        over = [limit for limit, end in self._ends.items() if end <= moment]
        for limit in over:
            self.forget(limit)
            limit.stop()
        self._next = min(self._ends.values(), default=math.inf)
        if self._ends:
            loop.call_at(self._next, self._ring, loop, self._next)


# A loop that is gone takes its alarm with it.
_ALARMS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Alarm] = WeakKeyDictionary()


class FrozenClock(Clock):
    """The time of a recording: it stands still, and nobody waits."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
