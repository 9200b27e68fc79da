"""Single flight: callers who want the same thing at the same time share one piece of work.

The work goes on as long as anybody waits for it: one caller who gives up does not take it from the
others, and when the last one has gone it is cancelled. Work that costs nothing but time may be done
by the first caller itself (`lead`).
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from webquarry.cache.base import CachedValue

T = TypeVar("T")


@dataclass
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Work under way, by key. Belongs to one event loop."""

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}
        # Those who wait for what another caller makes: they get it, or None if it gives up.
        self._led: dict[str, list[asyncio.Future[tuple[T] | None]]] = {}

    async def share(self, key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What `make` gives: to this caller, or to the one who was already at it."""
        flight = self._flights.get(key)
        if flight is None or flight.task.done():
            flight = self._flights[key] = _Flight(asyncio.create_task(make()))
        flight.waiting += 1
        try:
            await _wait_for(flight.task)
            return flight.task.result()
        finally:
            flight.waiting -= 1
            is_over = flight.task.done()
            if is_over or not flight.waiting:
                self._forget(key, flight)
            if not is_over and not flight.waiting:
                flight.task.cancel()

    async def lead(self, key: str, make: Callable[[], Awaitable[T]]) -> T:
        """The same for work that may be done twice: the first caller does it itself, in half the
        steps. When that one gives up, the next begins anew.
        """
        while key in self._led:
            waiter: asyncio.Future[tuple[T] | None] = asyncio.get_running_loop().create_future()
            self._led[key].append(waiter)
            made = await waiter
            if made is not None:
                return made[0]
        waiting = self._led[key] = []
        made = None
        failure: Exception | None = None
        try:
            made = (await make(),)
            return made[0]
        except Exception as error:
            failure = error
            raise
        finally:
            del self._led[key]
            for waiter in waiting:
                _tell(waiter, made, failure)

    def _forget(self, key: str, flight: _Flight[T]) -> None:
        """Let the next caller begin anew, unless somebody has."""
        if self._flights.get(key) is flight:
            del self._flights[key]


def _tell(
    waiter: asyncio.Future[tuple[T] | None], made: tuple[T] | None, failure: Exception | None
) -> None:
    """Tell one who waits what came of the work, unless it has given up."""
    if waiter.done():
        return
    if failure is not None:
        waiter.set_exception(failure)
    else:
        waiter.set_result(made)


async def _wait_for(task: asyncio.Task[Any]) -> None:
    """Wait until a task is over. Giving up leaves it to the others, as `asyncio.shield` does in
    twice as many steps.
    """
    waiter = asyncio.get_running_loop().create_future()

    def wake(_: asyncio.Task[Any]) -> None:
        if not waiter.done():
            waiter.set_result(None)
        elif not task.cancelled():
            task.exception()  # nobody is left to be told

    task.add_done_callback(wake)
    await waiter


class SharedSingleFlight(ABC):
    """The same across the servers that share a store. Callers of one server have been brought
    together before, by its `SingleFlight`.
    """

    @abstractmethod
    async def share(self, key: str, make: Callable[[], Awaitable[CachedValue]]) -> CachedValue:
        """What `make` gives here, or what it gave to another server that was already at it. What it
        raises there is not raised here: the next server tries, one at a time.
        """
