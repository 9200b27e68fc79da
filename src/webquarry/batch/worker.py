"""What one process of a run has open: an engine with its keys, its memory and its connections.

It is opened with the first batch, from the environment of this process, and closed at its end, so
that nothing of it has to travel: keys stay where they are. With `WEBQUARRY_REDIS_URL` the answers,
the leases and the bill are in that Redis, for all machines; else in the record file of this one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from webquarry.ask.billing.ledger import SpendingRecord
from webquarry.ask.models import ModelReply
from webquarry.sql.instance import run_with_grace
from webquarry.surfaces.bridge import bridge
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from webquarry.ask.billing.statement import Statement
    from webquarry.ask.engine import Engine

DOOR = "batch"
_FOR_ANYTHING = "REDIS_URL"  # may be there for another program


class BatchWorker:
    """The engine of one process, and the statements of its runs."""

    def __init__(self, engine: Engine, opened: AsyncExitStack) -> None:
        self.engine = engine
        self.pid = os.getpid()
        self._opened = opened
        self._statements: dict[str, Statement] = {}
        self._lock = threading.Lock()

    def get_statement(self, run: str, make: Callable[[Engine], Statement]) -> Statement:
        """The statement of a run, one for all batches of this process."""
        with self._lock:
            statement = self._statements.get(run)
            if statement is None:
                statement = self._statements[run] = make(self.engine)
            return statement

    def run(
        self, work: Coroutine[Any, Any, list[ModelReply]], statement: Statement
    ) -> list[ModelReply]:
        """Ask on the loop, and wait. Whoever interrupts the wait stops this process's part of the
        run; what was under way may end first, for a moment.
        """
        try:
            return bridge.run(run_with_grace(work, statement))
        except BaseException:
            with self._lock:
                # A statement that was stopped asks nothing more: the next batch begins anew.
                self._statements = {
                    name: one for name, one in self._statements.items() if one is not statement
                }
            raise

    async def aclose(self) -> None:
        """Write down what is left, and close the connections."""
        await self._opened.aclose()


_lock = threading.Lock()
_worker: BatchWorker | None = None


def get_worker() -> BatchWorker:
    """The worker of this process, opened now if there is none."""
    global _worker
    with _lock:
        # A process that was forked has a copy of its parent's, which is not its own.
        if _worker is None or _worker.pid != os.getpid():
            _worker = bridge.run(_open_worker())
            bridge.at_close(_worker.aclose)
        return _worker


def close() -> None:
    """Close what this process has open; the next batch opens it again, from the environment as it
    is then.
    """
    global _worker
    with _lock:
        worker, _worker = _worker, None
    if worker is not None and worker.pid == os.getpid():
        bridge.run(worker.aclose())


def read_bill(run: str | None = None, *, days: int = 1) -> list[SpendingRecord]:
    """What was spent in the last days, where this process keeps its bill; of one run, or of all.
    What workers that died had set aside is in it as uncertain.
    """
    records = bridge.run(get_worker().engine.read_bill(days=days))
    return [record for record in records if run is None or record.statement == run]


async def _open_worker() -> BatchWorker:
    environ = {name: value for name, value in os.environ.items() if name != _FOR_ANYTHING}
    async with AsyncExitStack() as opened:
        kit = await opened.enter_async_context(Toolkit.open(environ=environ, shared=True))
        engine = kit.open_engine()
        opened.push_async_callback(engine.aclose)
        return BatchWorker(engine, opened.pop_all())


def _forget() -> None:
    """In a forked child: the lock may be held by a thread that is not there."""
    global _lock, _worker
    _lock, _worker = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
