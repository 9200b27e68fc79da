"""Retries: the time and attempts that one call has left, and which requests are sent again.

Requests are retried after a temporary network failure, a 429 or a 503 if repeating them is safe: by
their method, or because their author says so (extension `REPEATABLE`, for a search by POST). The
author can also declare a reply final (extension `IS_FINAL`, a function of the reply).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from webquarry.clock import Clock
from webquarry.errors import NetworkFailure

REPEATABLE = "webquarry.repeatable"
IS_FINAL = "webquarry.is_final"
RETRIED_STATUSES = frozenset({429, 503})
_IDEMPOTENT_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
_FIRST_DELAY = 0.5
_JITTER = 0.5


class Budget:
    """Time and retries of one call, including its redirects; reading robots.txt has its own."""

    def __init__(self, clock: Clock, seconds: float, retries: int) -> None:
        self.seconds = seconds
        self.retries_left = retries
        self.retries_used = 0
        self.redirects = 0
        self.activity = "starting"  # for the error at the deadline
        self._clock = clock
        self._end = clock.monotonic() + seconds

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return self._end - self._clock.monotonic()

    @asynccontextmanager
    async def deadline(self) -> AsyncIterator[None]:
        """Cancel the block when the time is over and raise a `NetworkFailure` that names the
        activity.
        """
        timeout = asyncio.timeout(self.seconds)
        try:
            async with timeout:
                yield
        except TimeoutError as error:
            if not timeout.expired():
                raise
            raise NetworkFailure(
                f"The request took longer than {self.seconds:g} s; the time ran out while "
                f"{self.activity}",
                suggested_action="Try again, or raise WEBQUARRY_TIMEOUT_SECONDS.",
            ) from error


def may_retry(method: str, outcome: int | NetworkFailure, *, repeatable: bool = False) -> bool:
    """Whether a request with this outcome (a status or a failure) may be sent again."""
    if method not in _IDEMPOTENT_METHODS and not repeatable:
        return False
    if isinstance(outcome, int):
        return outcome in RETRIED_STATUSES
    return outcome.retryable


def retry_delay(attempt: int, retry_after: float | None, random: float) -> float:
    """Seconds before the retry number `attempt` (from 1): exponential with jitter, or at least what
    the server asked for. `random` is between 0 and 1.
    """
    if retry_after is not None:
        return retry_after + _JITTER * random
    return _FIRST_DELAY * 2.0 ** (attempt - 1) * (1 - _JITTER * random)
