"""Group commit: many pieces of work for the record file, one transaction. What arrives while the
disk is busy goes in together.

Every piece is on disk when its `await` ends, and yet a thousand answers at once do not wait for a
thousand flushes. A piece that raises must have changed nothing; the others go on. A record file
that fails fails all of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from webquarry.store.encryption import Cipher
from webquarry.store.records import RecordFile
from webquarry.store.sqlite import FILE_ERRORS, Connection

T = TypeVar("T")
Work = Callable[[Connection, Cipher], Any]
Submission = tuple[Work, "asyncio.Future[Any]"]


class GroupCommit:
    """Writes to one record file, in as few transactions as possible. Belongs to one event loop."""

    def __init__(self, records: RecordFile) -> None:
        self._records = records
        self._waiting: list[Submission] = []
        self._writer: asyncio.Task[None] | None = None

    async def commit(self, work: Callable[[Connection, Cipher], T]) -> T:
        """The result of the work, once it is on disk. Whoever stops waiting does not undo it."""
        return await asyncio.shield(self.submit(work))

    def submit(self, work: Callable[[Connection, Cipher], T]) -> asyncio.Future[T]:
        """Hand the work in, for those who cannot wait."""
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, outcome))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_all())
        return outcome

    async def aclose(self) -> None:
        """Wait for what was handed in."""
        while self._writer is not None and not self._writer.done():
            await self._writer
            await asyncio.sleep(0)  # what was done may hand in more

    async def _write_all(self) -> None:
        """One transaction after the other, until nothing waits."""
        while self._waiting:
            submissions, self._waiting = self._waiting, []
            try:
                results = await self._records.run(partial(_run_in_transaction, submissions))
            except Exception as error:
                results = [error] * len(submissions)
            for (_, outcome), result in zip(submissions, results, strict=True):
                if outcome.done():
                    continue
                if isinstance(result, Exception):
                    outcome.set_exception(result)
                    outcome.exception()  # somebody who left does not have to look at it
                else:
                    outcome.set_result(result)


def _run_in_transaction(
    submissions: list[Submission], database: Connection, cipher: Cipher
) -> list[Any]:
    """The result of each piece of work, or the error that it raised; one of the database fails
    them all.
    """
    results: list[Any] = []
    for work, _ in submissions:
        try:
            results.append(work(database, cipher))
        except FILE_ERRORS:
            raise
        except Exception as error:
            results.append(error)
    return results
