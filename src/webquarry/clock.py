"""The clock of the process: time of day, monotonic time and sleeping.

Replay freezes the time of day at that of the recording, so that answers are byte-identical.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """The clock of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        import asyncio  # workers use the clock without asyncio

        await asyncio.sleep(seconds)


class FrozenClock(Clock):
    """The time of a recording. It does not advance, and `sleep` returns at once."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self) -> datetime:
        return self._moment

    async def sleep(self, seconds: float) -> None:
        import asyncio

        await asyncio.sleep(0)
