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
    gives is raised. No generator, as those take longer than what calls do within them.
    """

    def __init__(self, seconds: float | None, explain: Callable[[], Exception]) -> None:
        self._scope = asyncio.timeout(seconds)
        self._explain = explain

    async def __aenter__(self) -> None:
        await self._scope.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            await self._scope.__aexit__(kind, error, traceback)
        except TimeoutError as late:
            raise self._explain() from late
        if isinstance(error, TimeoutError) and self._scope.expired():
            raise self._explain() from error


class FrozenClock(Clock):
    """The time of a recording: it stands still, and nobody waits."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
