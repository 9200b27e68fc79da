"""Notes on statements, written a moment later: statements come in from any thread, one write for
many of them goes to the record file.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from webquarry.ask.billing import bill
from webquarry.ask.billing.group_commit import GroupCommit
from webquarry.ask.billing.statement import Statement
from webquarry.errors import RecordsFailure
from webquarry.records.file import RecordFile
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection

_SECONDS = 0.5  # after which what is known of a statement is written down


class StatementNotes:
    """The notes that one engine has to write."""

    def __init__(self, records: RecordFile, commits: GroupCommit) -> None:
        self._records = records
        self._commits = commits
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: set[Statement] = set()

    def attach(self) -> None:
        """Write on the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def add(self, statement: Statement) -> None:
        """Write down soon what is known of a statement; any thread may say so."""
        if statement.dry_run or statement in self._waiting:
            return
        self._waiting.add(statement)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._set_timer)

    def write(self, database: Connection, cipher: Cipher) -> None:
        """Write what waits, in a transaction; a statement that goes on comes again."""
        statements, self._waiting = self._waiting, set()
        bill.write_notes(database, cipher, statements)

    def close(self) -> None:
        """Write what waits now: at the end of a process no other thread would do it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            with suppress(RecordsFailure):
                self._records.do(self.write)

    def _set_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_SECONDS, self._submit)

    def _submit(self) -> None:
        self._timer = None
        self._commits.submit(self.write)
