"""Notes on statements, written a moment later: statements come in from any thread, one write for
many of them goes to the records.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from typing import Protocol

from webquarry.ask.billing.statement import Statement
from webquarry.errors import RecordsFailure

_SECONDS = 0.5  # after which what is known of a statement is written down


class WriteNotes(Protocol):
    """Writes down what is known of statements; `at_end` at the end of a process."""

    def __call__(
        self, statements: Iterable[Statement], *, at_end: bool = False
    ) -> Awaitable[None]: ...


class StatementNotes:
    """The notes that one engine has to write."""

    def __init__(self, write: WriteNotes) -> None:
        self._write = write
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: set[Statement] = set()
        self._writing: asyncio.Task[None] | None = None
        self._is_closed = False

    def attach(self) -> None:
        """Write on the loop that runs now."""
        self._loop = asyncio.get_running_loop()
        self._is_closed = False

    def add(self, statement: Statement) -> None:
        """Write down soon what is known of a statement; any thread may say so."""
        if statement.dry_run or statement in self._waiting:
            return
        self._waiting.add(statement)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._set_timer)

    def take(self) -> set[Statement]:
        """What waits to be written; a statement that goes on comes again."""
        statements, self._waiting = self._waiting, set()
        return statements

    async def close(self) -> None:
        """Write what waits now: at the end of a process no other thread would do it. Nothing is
        written later, when the records may be closed.
        """
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is not None:
            await self._writing
        if self._waiting:
            with suppress(RecordsFailure):
                await self._write(self.take(), at_end=True)

    def _set_timer(self) -> None:
        if self._timer is None and not self._is_closed:
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._begin_writing)

    def _begin_writing(self) -> None:
        self._timer = None
        self._writing = asyncio.create_task(self._write_waiting())

    async def _write_waiting(self) -> None:
        statements = self.take()
        with suppress(RecordsFailure):
            try:
                await self._write(statements)
            except RuntimeError:  # at its end a process starts no thread any more
                await self._write(statements, at_end=True)
