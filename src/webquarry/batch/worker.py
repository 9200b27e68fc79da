"""The engine of one process of a run.

It is opened with the first batch, from the environment of this process, and closed at its end. With
`WEBQUARRY_REDIS_URL` the answers, the leases and the bill are in that Redis, for all machines;
otherwise in the record file of this one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from webquarry.ask.ledger import SpendingRecord
from webquarry.ask.models import ModelReply
from webquarry.bridge import bridge
from webquarry.sql.instance import run_with_grace
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from webquarry.ask.engine import Engine
    from webquarry.ask.statement import Statement

DOOR = "batch"
_FOR_ANYTHING = "REDIS_URL"  # may be there for another program


class BatchWorker:
    """The engine of one process, and the statements of its runs."""

    def __init__(self, engine: Engine, opened: AsyncExitStack) -> None:
        self.engine = engine
        self.aclose = opened.aclose
        self._statements: dict[str, Statement] = {}
        self._lock = threading.Lock()

    def get_statement(self, run: str, make: Callable[[Engine], Statement]) -> Statement:
        """Return the statement of a run, one for all batches of this process."""
        with self._lock:
            statement = self._statements.get(run)
            if statement is None:
                statement = self._statements[run] = make(self.engine)
            return statement

    def run(
        self, work: Coroutine[Any, Any, list[ModelReply]], statement: Statement
    ) -> list[ModelReply]:
        """Ask on the loop and wait. An interrupt stops this process's part of the run."""
        try:
            return bridge.run(run_with_grace(work, statement))
        except BaseException:
            with self._lock:
                # It asks nothing more: the next batch opens another statement.
                self._statements.pop(statement.id, None)
            raise


_lock = threading.Lock()
_worker: BatchWorker | None = None


def get_worker() -> BatchWorker:
    """Return the worker of this process, opened on first use."""
    global _worker
    with _lock:
        if _worker is None:
            _worker = bridge.run(_open_worker())
            bridge.at_close(_worker.aclose)
        return _worker


def close() -> None:
    """Close the worker of this process; the next batch opens it again."""
    global _worker
    with _lock:
        worker, _worker = _worker, None
    if worker is not None:
        bridge.run(worker.aclose())


def read_bill(run: str | None = None, *, days: int = 1) -> list[SpendingRecord]:
    """Return the spending of the last days, by one run or by all. Reservations of dead workers
    are in it as uncertain.
    """
    records = bridge.run(get_worker().engine.usage(days=days))
    return [record for record in records if run is None or record.statement == run]


async def _open_worker() -> BatchWorker:
    environ = {name: value for name, value in os.environ.items() if name != _FOR_ANYTHING}
    async with AsyncExitStack() as opened:
        kit = await opened.enter_async_context(Toolkit.open(environ=environ, shared=True))
        engine = kit.open_engine()
        opened.push_async_callback(engine.aclose)
        return BatchWorker(engine, opened.pop_all())


def _forget() -> None:
    """A forked child opens its own worker; the lock may be held by a thread that it lacks."""
    global _lock, _worker
    _lock, _worker = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
