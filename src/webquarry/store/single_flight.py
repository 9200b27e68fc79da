"""Single flight: concurrent callers with the same key share one task.

The task continues while at least one caller waits for it, and is cancelled when the last one is
cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Tasks by key. Belongs to one event loop."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def share(self, key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of the task of this key, which is started if there is none."""
        flight = self._flights.get(key)
        if flight is None or flight.task.done():
            flight = self._flights[key] = _Flight(asyncio.create_task(make()))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            is_done = flight.task.done()
            is_over = is_done or not flight.waiting
            if is_over and self._flights.get(key) is flight:
                del self._flights[key]
            if is_over and not is_done:
                flight.task.cancel()
