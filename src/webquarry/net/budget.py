"""What one fetch or send may still use: the time and the further tries it has left, and what it is
doing just now.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from webquarry.clock import Clock
from webquarry.errors import NetworkFailure


class Budget:
    """Shared by everything that happens for one call, redirects and retries included; robots.txt
    apart, which belongs to everybody.
    """

    def __init__(self, clock: Clock, seconds: float, tries_left: int) -> None:
        self.seconds = seconds
        self.tries_left = tries_left
        self.further = 0  # tries beyond the first, so far
        self.redirects = 0  # followed so far
        self.doing = "starting"
        self._clock = clock
        self._end = clock.monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self._end - self._clock.monotonic()

    @asynccontextmanager
    async def deadline(self) -> AsyncIterator[None]:
        """End whatever is under way in the block when the time is up, with an error that says what
        that was.
        """
        try:
            async with asyncio.timeout(self.seconds) as scope:
                yield
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise NetworkFailure(
                f"The whole took longer than {self.seconds:g} s; "
                f"the time ran out while {self.doing}",
                suggested_action="Try again, or raise WEBQUARRY_TIMEOUT_SECONDS.",
            ) from error
