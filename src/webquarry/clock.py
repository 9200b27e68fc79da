"""One clock for the whole process: what time it is, and how to wait.

Replay freezes the time of day to that of the recording, so that the same recorded web gives
byte-identical answers.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime


class Clock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class FrozenClock(Clock):
    """The time of a recording: it stands still, and nobody waits."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
