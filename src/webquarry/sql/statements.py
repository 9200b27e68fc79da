"""Calls of functions grouped by SQL statement.

A macro knows the connection and the statement it runs in, its mark. A cursor does not see our
macros; calls without a mark belong to one statement while one of them runs, or if they start within
a second of the last one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from webquarry.ask.models import Progress, add_progress
from webquarry.errors import WebquarryError

if TYPE_CHECKING:
    from webquarry.ask.engine import Engine
    from webquarry.ask.statement import Statement

Mark = tuple[int, int]  # connection and statement

IDLE_SECONDS = 1.0
_ENDING_SECONDS = 0.25  # after a cancellation, for the threads of that statement to notice
_MOST_SCOPES = 64  # statements in memory after their last call
_MOST_ANSWERS = 256  # answers of tools in memory, per statement


class Scope:
    """One SQL statement: its limits, its cost, and the answers that it got."""

    def __init__(self, words: str = "") -> None:
        self.words = words  # its text, or the beginning of it
        self.running = 0
        self.touched = time.monotonic()
        self.cancelled = False
        self.interrupted = False  # cancelled by a Ctrl-C
        self.error: WebquarryError | None = None  # that ended it; DuckDB keeps only its text
        self.planning = threading.Lock()
        self.planned: Statement | None = None  # the dry run of `ask_table`
        self.planned_rows = 0
        self.answers: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._statements: dict[tuple[bool, bool], Statement] = {}
        self._tasks: set[asyncio.Task[Any]] = set()  # free work, which is cancelled at once

    def get_statement(
        self, engine: Engine, *, own_limits: bool, ends_when_refused: bool = True
    ) -> Statement:
        """Return the engine's statement. With `own_limits` it has only the limits that the user has
        set and the daily one, as for `stps_*`. Without `ends_when_refused` a missing or rejected
        key is the error of each row.
        """
        key = (own_limits, ends_when_refused)
        with self._lock:
            statement = self._statements.get(key)
            if statement is None:
                statement = self._statements[key] = engine.statement(
                    door="sql",
                    limits=engine.limits(own=own_limits),
                    words=self.words,
                    ends_when_refused=ends_when_refused,
                )
                if self.cancelled:
                    statement.cancel()
            return statement

    def use_statement(self, statement: Statement) -> None:
        """Use a statement with limits of its own instead of a new one."""
        with self._lock:
            self._statements[False, True] = statement

    def cancel(self) -> None:
        """Send no further paid call in this statement."""
        with self._lock:
            self.cancelled = True
            statements = list(self._statements.values())
            if self.planned is not None:
                statements.append(self.planned)
            tasks = list(self._tasks)
        for statement in statements:
            statement.cancel()
        for task in tasks:
            task.get_loop().call_soon_threadsafe(task.cancel)

    @contextmanager
    def cancelling(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """In the block, a cancellation cancels this task at once."""
        with self._lock:
            self._tasks.add(task)
            if self.cancelled:
                task.cancel()
        try:
            yield
        finally:
            with self._lock:
                self._tasks.discard(task)

    def remember(self, key: Hashable, answer: Any) -> None:
        """Store a tool's answer for the rest of the statement; the oldest ones are dropped."""
        with self._lock:
            self.answers[key] = answer
            while len(self.answers) > _MOST_ANSWERS:
                self.answers.popitem(last=False)

    def progress(self) -> Progress:
        """Return the progress of all functions of the statement together."""
        with self._lock:
            return add_progress(statement.progress() for statement in self._statements.values())


class Statements:
    """The statements of one database. Thread-safe."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._scopes: OrderedDict[Mark | None, Scope] = OrderedDict()
        self._pinned: dict[int, Scope] = {}  # by connection

    @contextmanager
    def enter(self, mark: Mark | None, words: str = "") -> Iterator[Scope]:
        """Yield the statement of one call; `words` are the beginning of its text."""
        with self._lock:
            scope = self._get_scope(mark)
            scope.words = scope.words or words
            scope.running += 1
        try:
            yield scope
        finally:
            with self._lock:
                scope.running -= 1
                scope.touched = self._now()

    @contextmanager
    def pin(self, connection: int, words: str = "") -> Iterator[Scope]:
        """In the block, all calls of a connection are one statement, those of cursors included."""
        scope = Scope(words)
        with self._lock:
            self._pinned[connection] = scope
        try:
            yield scope
        finally:
            with self._lock:
                self._pinned.pop(connection, None)

    def interrupt(self) -> None:
        """Cancel all running statements because of a Ctrl-C."""
        with self._lock:
            running = [scope for scope in self._scopes.values() if scope.running]
            running += self._pinned.values()
        for scope in running:
            scope.interrupted = True
            scope.cancel()

    def _get_scope(self, mark: Mark | None) -> Scope:
        """Return the statement of a call; a new one if there is none."""
        if mark is not None and mark[0] in self._pinned:
            return self._pinned[mark[0]]
        if mark is None and len(self._pinned) == 1:
            return next(iter(self._pinned.values()))
        scope = self._scopes.get(mark)
        if scope is not None and mark is None and not scope.running:
            most = _ENDING_SECONDS if scope.cancelled else IDLE_SECONDS
            if self._now() - scope.touched > most:
                scope = None
        if scope is None:
            scope = self._scopes[mark] = Scope()
            scope.touched = self._now()
        self._scopes.move_to_end(mark)
        surplus = max(0, len(self._scopes) - _MOST_SCOPES)
        ended = [
            one for one, kept in self._scopes.items() if not kept.running and kept is not scope
        ]
        for old in ended[:surplus]:
            del self._scopes[old]
        return scope
