"""Questions under way: whoever asks the same at the same time shares one call, across chunks,
cursors and statements.

A question goes on while any statement that has not been stopped waits for it. When none does, it is
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
class PendingQuestion:
    """One question under way, and who waits for it."""

    owner: Statement  # who pays
    task: asyncio.Task[ModelReply] | None = None
    begun: bool = False  # a call was made: what is left of the exchange has its money set aside
    sending: bool = False  # a call is under way that may be billed
    waiters: list[Waiter] = field(default_factory=list)

    def is_wanted(self) -> bool:
        """Whether anybody waits who has not been stopped."""
        return any(
            not statement.cancelled and (self.begun or statement.halt is None)
            for statement, _ in self.waiters
        )

    def check_wanted(self) -> None:
        """Raise when nobody waits for the answer any more."""
        if not self.is_wanted():
            self.owner.check()
            raise Cancelled("Nobody waits for the answer any more.")

    def dismiss(self, statement: Statement) -> None:
        """Others still wait: only this statement leaves."""
        for waiting, answer in list(self.waiters):
            if waiting is statement and not answer.done():
                answer.set_exception(Cancelled("The statement was cancelled."))

    def cancel(self) -> None:
        """End the call, however far it is."""
        if self.task is not None:
            self.task.cancel()

    def cancel_if_unwanted(self) -> None:
        if not self.is_wanted():
            self.cancel()


class QuestionsInFlight:
    """The questions under way, by key. Belongs to one event loop."""

    def __init__(self) -> None:
        self._pending: dict[str, PendingQuestion] = {}

    def join(
        self,
        key: str,
        statement: Statement,
        ask: Callable[[PendingQuestion], Awaitable[ModelReply]],
    ) -> tuple[asyncio.Future[ModelReply], bool]:
        """The answer to come, and whether this caller is the one who began. A stopped question is
        not joined.
        """
        pending = self._pending.get(key)
        is_first = pending is None or not pending.is_wanted()
        if pending is None or is_first:
            pending = self._begin(key, statement, ask)
        answer: asyncio.Future[ModelReply] = asyncio.get_running_loop().create_future()
        waiter = (statement, answer)
        pending.waiters.append(waiter)
        answer.add_done_callback(lambda _: self._remove_waiter(pending, waiter))
        return answer, is_first

    def stop(self, statement: Statement, grace_seconds: float | None) -> None:
        """The statement was stopped: end what only it wants. Without a grace, what has been sent is
        waited for.
        """
        for pending in list(self._pending.values()):
            if not any(waiting is statement for waiting, _ in pending.waiters):
                continue
            if pending.is_wanted():
                if statement.cancelled:
                    pending.dismiss(statement)
            elif not pending.sending:
                pending.cancel()
            elif grace_seconds is not None:
                loop = asyncio.get_running_loop()
                loop.call_later(grace_seconds, pending.cancel_if_unwanted)

    async def aclose(self) -> None:
        """End every question that is under way."""
        tasks = []
        for pending in self._pending.values():
            if pending.task is not None:
                tasks.append(pending.task)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(
        self,
        key: str,
        statement: Statement,
        ask: Callable[[PendingQuestion], Awaitable[ModelReply]],
    ) -> PendingQuestion:
        """Start the call; whoever joins waits for this one."""
        pending = PendingQuestion(statement)
        self._pending[key] = pending

        async def run() -> ModelReply:
            return await ask(pending)

        task = asyncio.ensure_future(run())
        task.add_done_callback(lambda task: self._finish(key, pending, task))
        pending.task = task
        return pending

    def _finish(self, key: str, pending: PendingQuestion, task: asyncio.Task[ModelReply]) -> None:
        """The question has ended: everybody who waits gets the reply, or the error."""
        if self._pending.get(key) is pending:
            del self._pending[key]
        error = None if task.cancelled() else task.exception()
        for _, answer in list(pending.waiters):
            if answer.done():
                continue
            if task.cancelled():
                answer.set_exception(Cancelled("The question was cancelled."))
            elif error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(task.result())

    def _remove_waiter(self, pending: PendingQuestion, waiter: Waiter) -> None:
        """Somebody has an answer, or has left without one."""
        if waiter in pending.waiters:
            pending.waiters.remove(waiter)
        task = pending.task
        if not waiter[1].cancelled() or pending.waiters or task is None:
            return
        if not task.done():
            task.cancel()  # the last one has gone without an answer
