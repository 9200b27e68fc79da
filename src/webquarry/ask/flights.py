"""Questions under way: whoever asks the same at the same time shares one call, across chunks,
cursors and statements.

A flight goes on while any statement that has not been stopped waits for it. When none does, it is
cancelled: at once if nothing has been sent, after a short grace if an answer may be on its way, so
that what was paid for is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from webquarry.ask.billing.statement import Statement
from webquarry.ask.models import ModelReply
from webquarry.errors import Cancelled

Waiter = tuple[Statement, "asyncio.Future[ModelReply]"]


@dataclass(eq=False)
class Flight:
    """One question under way, and who waits for it."""

    owner: Statement  # who pays
    task: asyncio.Task[ModelReply] | None = None
    begun: bool = False  # a call was made: what is left of the exchange has its money set aside
    sending: bool = False  # a call is under way that may be billed
    waiters: list[Waiter] = field(default_factory=list)

    def wanted(self) -> bool:
        """Whether anybody waits who has not been stopped."""
        return any(
            not statement.cancelled and (self.begun or statement.halt is None)
            for statement, _ in self.waiters
        )


class Flights:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._flights: dict[str, Flight] = {}

    def join(
        self, key: str, statement: Statement, make: Callable[[Flight], Awaitable[ModelReply]]
    ) -> tuple[asyncio.Future[ModelReply], bool]:
        """The answer to come, and whether this caller is the one who began. A stopped flight is not
        joined.
        """
        flight = self._flights.get(key)
        first = flight is None or not flight.wanted()
        if flight is None or first:
            flight = self._flights[key] = Flight(statement)
            flight.task = asyncio.ensure_future(_run(make, flight))
            flight.task.add_done_callback(lambda task, flight=flight: self._landed(key, flight))  # type: ignore[misc]
        answer: asyncio.Future[ModelReply] = asyncio.get_running_loop().create_future()
        waiter = (statement, answer)
        flight.waiters.append(waiter)
        answer.add_done_callback(lambda _: self._left(flight, waiter))
        return answer, first

    def stop(self, statement: Statement, grace_seconds: float | None) -> None:
        """The statement was stopped: end what only it wants. Without a grace, what has been sent is
        waited for.
        """
        for flight in list(self._flights.values()):
            if not any(one is statement for one, _ in flight.waiters):
                continue
            if flight.wanted():
                if statement.cancelled:
                    _dismiss(flight, statement)
            elif not flight.sending:
                _end(flight)
            elif grace_seconds is not None:
                asyncio.get_running_loop().call_later(grace_seconds, _end_unwanted, flight)

    async def aclose(self) -> None:
        tasks = [flight.task for flight in self._flights.values() if flight.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _landed(self, key: str, flight: Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
        task = flight.task
        assert task is not None
        error = None if task.cancelled() else task.exception()
        for _, answer in list(flight.waiters):
            if answer.done():
                continue
            if task.cancelled():
                answer.set_exception(Cancelled("The question was cancelled."))
            elif error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(task.result())

    def _left(self, flight: Flight, waiter: Waiter) -> None:
        if waiter in flight.waiters:
            flight.waiters.remove(waiter)
        if (
            waiter[1].cancelled()
            and not flight.waiters
            and flight.task is not None
            and not flight.task.done()
        ):
            flight.task.cancel()  # the last one has gone without an answer


async def _run(make: Callable[[Flight], Awaitable[ModelReply]], flight: Flight) -> ModelReply:
    return await make(flight)


def _dismiss(flight: Flight, statement: Statement) -> None:
    """Others still wait: only this statement leaves."""
    for one, answer in list(flight.waiters):
        if one is statement and not answer.done():
            answer.set_exception(Cancelled("The statement was cancelled."))


def _end(flight: Flight) -> None:
    if flight.task is not None:
        flight.task.cancel()


def _end_unwanted(flight: Flight) -> None:
    if not flight.wanted():
        _end(flight)
