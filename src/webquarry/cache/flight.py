"""Single flight: callers who want the same thing at the same time share one piece of work.

The work goes on as long as anybody waits for it: one caller who gives up does not take it from the
others, and when the last one has gone it is cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Work under way, by key. Belongs to one event loop."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def share(self, key: str, make: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """The result, and whether this caller was the one that began the work."""
        flight = self._flights.get(key)
        first = flight is None
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.ensure_future(_run(make)))
            flight.task.add_done_callback(lambda _: self._flights.pop(key, None))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task), first
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._flights.pop(key, None)
                flight.task.cancel()


async def _run(make: Callable[[], Awaitable[T]]) -> T:
    return await make()
