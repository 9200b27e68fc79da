"""Where one statement ends and the next begins: a mark comes in, what belongs to that statement
goes out.

A macro knows the connection and the statement it runs in, so its mark is exact. A cursor does not
see our macros; calls without a mark belong together while one of them runs, or began within a
second of the last one.
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
_MOST_SCOPES = 64  # statements that are remembered after their last call
_MOST_ANSWERS = 256  # answers of tools that a statement remembers


class Scope:
    """One SQL statement: what it may spend, what it has spent, and the answers that it has got."""

    def __init__(self, words: str = "") -> None:
        self.words = words  # its text, or how that begins
        self.running = 0
        self.touched = time.monotonic()
        self.cancelled = False
        self.interrupted = False  # cancelled by a Ctrl-C
        self.error: WebquarryError | None = None  # what ended it; DuckDB keeps only its text
        self.planning = threading.Lock()
        self.planned: Statement | None = None  # the dry run of `ask_table`, which pays nothing
        self.planned_rows = 0
        # Questions that have no answer, which are not asked again.
        self.failed: dict[tuple[Any, ...], Any] = {}
        self.answers: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._statements: dict[tuple[bool, bool], Statement] = {}
        self._tasks: set[asyncio.Task[Any]] = set()  # work that costs nothing and may be cut off

    def get_statement(
        self, engine: Engine, *, own_limits: bool, ends_when_refused: bool = True
    ) -> Statement:
        """The engine's statement. `own_limits`: only the limits that the user has set himself, and
        that of the day, as for `stps_*`. Without `ends_when_refused` a key that is missing or not
        accepted is the error of each row.
        """
        key = (own_limits, ends_when_refused)
        with self._lock:
            statement = self._statements.get(key)
            if statement is None:
                limits = engine.limits(own=own_limits)
                statement = engine.statement(
                    door="sql",
                    limits=limits,
                    words=self.words,
                    ends_when_refused=ends_when_refused,
                )
                self._statements[key] = statement
                if self.cancelled:
                    statement.cancel()
            return statement

    def use_statement(self, statement: Statement) -> None:
        """Take this statement, which has limits of its own, for the one that would be opened."""
        with self._lock:
            self._statements[False, True] = statement

    def cancel(self) -> None:
        """No further paid call in this statement."""
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
        """For the time of the block, a cancellation ends this task at once."""
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
        """Keep a tool's answer for the rest of the statement; of many, the newest."""
        with self._lock:
            self.answers[key] = answer
            while len(self.answers) > _MOST_ANSWERS:
                self.answers.popitem(last=False)

    def progress(self) -> Progress:
        """How far the statement is, all its functions together."""
        with self._lock:
            parts = [statement.progress() for statement in self._statements.values()]
        if len(parts) == 1:
            return parts[0]
        return add_progress(parts)


class Statements:
    """The statements of one database. Any thread may ask."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._scopes: OrderedDict[Mark | None, Scope] = OrderedDict()
        self._pinned: dict[int, Scope] = {}  # by connection

    @contextmanager
    def enter(self, mark: Mark | None, words: str = "") -> Iterator[Scope]:
        """The statement of one call, for the time of that call; `words` are how its text begins."""
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
        """Everything that a connection asks until the end of the block is one statement, cursors'
        calls included.
        """
        scope = Scope(words)
        with self._lock:
            self._pinned[connection] = scope
        try:
            yield scope
        finally:
            with self._lock:
                self._pinned.pop(connection, None)

    def cancel(self) -> None:
        """Cancel whatever runs."""
        for scope in self._running():
            scope.cancel()

    def interrupt(self) -> None:
        """Remember that it was a Ctrl-C."""
        for scope in self._running():
            scope.interrupted = True

    def _running(self) -> list[Scope]:
        """The statements of which a call runs, and those that are pinned."""
        with self._lock:
            running = list(self._pinned.values())
            for scope in self._scopes.values():
                if scope.running:
                    running.append(scope)
            return running

    def _get_scope(self, mark: Mark | None) -> Scope:
        """The statement that a call belongs to; a new one where none fits."""
        if mark is not None and mark[0] in self._pinned:
            return self._pinned[mark[0]]
        if mark is None and len(self._pinned) == 1:
            return next(iter(self._pinned.values()))
        scope = self._scopes.get(mark)
        if scope is None or (mark is None and self._is_over(scope)):
            scope = Scope()
            scope.touched = self._now()
            self._scopes[mark] = scope
        self._scopes.move_to_end(mark)
        ended = [one for one, kept in self._scopes.items() if not kept.running]
        surplus = max(0, len(self._scopes) - _MOST_SCOPES)
        for old in ended[:surplus]:
            del self._scopes[old]
        return scope

    def _is_over(self, scope: Scope) -> bool:
        """Without a mark: whether the next call is of another statement."""
        most = _ENDING_SECONDS if scope.cancelled else IDLE_SECONDS
        idle = self._now() - scope.touched
        return not scope.running and idle > most
