"""Questions in flight: callers that ask the same at the same time share one call.

A question runs while a statement that was not stopped waits for it. Otherwise it is cancelled: at
once if nothing was sent, after a grace period if an answer that is paid for may arrive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from webquarry.ask.billing.statement import Statement
from webquarry.ask.models import ModelReply, Question
from webquarry.errors import Cancelled

Waiter = tuple[Statement, "asyncio.Future[ModelReply]"]


@dataclass(eq=False)
class PendingQuestion:
    """One question in flight, and who waits for it."""

    owner: Statement  # pays for it
    question: Question
    task: asyncio.Task[ModelReply] | None = None
    begun: bool = False  # a call was made: the cost of the rest is reserved
    sending: bool = False  # a call is in progress that may be billed
    waiters: list[Waiter] = field(default_factory=list)

    def is_wanted(self) -> bool:
        """Whether a statement that was not stopped waits for it."""
        return any(
            not statement.cancelled and (self.begun or statement.halt is None)
            for statement, _ in self.waiters
        )

    def check_wanted(self) -> None:
        """Raise if no statement waits for it."""
        if not self.is_wanted():
            self.owner.check()
            raise Cancelled("The answer is not needed any more.")

    def cancel_if_unwanted(self) -> None:
        """Cancel the task unless a statement waits for it."""
        if not self.is_wanted() and self.task is not None:
            self.task.cancel()


class QuestionsInFlight:
    """The questions in flight by key. Belongs to one event loop."""

    def __init__(self) -> None:
        self._pending: dict[str, PendingQuestion] = {}

    def join(
        self,
        key: str,
        question: Question,
        statement: Statement,
        ask: Callable[[PendingQuestion], Awaitable[ModelReply]],
    ) -> tuple[asyncio.Future[ModelReply], bool]:
        """Return the future answer, and whether this caller started it."""
        pending = self._pending.get(key)
        is_first = pending is None or not pending.is_wanted()
        if pending is None or is_first:
            pending = PendingQuestion(statement, question)
            self._pending[key] = pending
            pending.task = asyncio.ensure_future(ask(pending))
            pending.task.add_done_callback(lambda task: self._finish(key, pending, task))
        answer: asyncio.Future[ModelReply] = asyncio.get_running_loop().create_future()
        waiter = (statement, answer)
        pending.waiters.append(waiter)
        answer.add_done_callback(lambda _: _remove_waiter(pending, waiter))
        return answer, is_first

    def stop(self, statement: Statement, grace_seconds: float | None) -> None:
        """Cancel what only a stopped statement waits for. Without a grace period, calls in progress
        are completed.
        """
        for pending in list(self._pending.values()):
            own = [answer for waiting, answer in pending.waiters if waiting is statement]
            if pending.is_wanted() and statement.cancelled:
                for answer in own:
                    if not answer.done():
                        answer.set_exception(Cancelled("The statement was cancelled."))
            elif not own or pending.is_wanted():
                continue
            elif not pending.sending:
                pending.cancel_if_unwanted()
            elif grace_seconds is not None:
                loop = asyncio.get_running_loop()
                loop.call_later(grace_seconds, pending.cancel_if_unwanted)

    async def aclose(self) -> None:
        """Cancel all questions."""
        tasks = [pending.task for pending in self._pending.values() if pending.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _finish(self, key: str, pending: PendingQuestion, task: asyncio.Task[ModelReply]) -> None:
        """Give the reply or the error to everyone who waits."""
        if self._pending.get(key) is pending:
            del self._pending[key]
        error: BaseException | None = Cancelled("The question was cancelled.")
        if not task.cancelled():
            error = task.exception()
        for _, answer in list(pending.waiters):
            if answer.done():
                continue
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(task.result())


def _remove_waiter(pending: PendingQuestion, waiter: Waiter) -> None:
    """The last caller that is cancelled cancels the question."""
    if waiter in pending.waiters:
        pending.waiters.remove(waiter)
    if waiter[1].cancelled() and not pending.waiters and pending.task is not None:
        pending.task.cancel()
