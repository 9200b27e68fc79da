"""One clock for the whole process: what time it is, and how to wait.

Replay freezes the time of day to that of the recording, so that the same recorded web gives
byte-identical answers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any


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
    gives is raised. As `asyncio.timeout` does it, in half the time: every call enters several.
    """

    def __init__(self, seconds: float | None, explain: Callable[[], Exception]) -> None:
        self._seconds = seconds
        self._explain = explain
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0  # who wanted the task to end before us
        self._is_over = False

    async def __aenter__(self) -> None:
        if self._seconds is None:
            return
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._timer = asyncio.get_running_loop().call_later(max(0.0, self._seconds), self._stop)

    def _stop(self) -> None:
        assert self._task is not None
        self._is_over = True
        self._task.cancel()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
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
