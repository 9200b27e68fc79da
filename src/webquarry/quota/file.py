"""Counts in a file, for the workers of one server: it lives as long as they do, and nothing in it
has to last.

Every piece of work is one short transaction without waiting for the disk, so it is done where it is
asked for. A worker that died held its places; they are given back when somebody needs one. While
the file cannot be used each worker counts for itself, from what it has granted; that is said once.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from webquarry.quota.base import (
    Limit,
    Quota,
    QuotaGranted,
    QuotaVerdict,
    WindowCounts,
    build_no_slot,
    compute_part,
    join,
    judge,
)
from webquarry.quota.local import LocalQuota
from webquarry.store.database_file import DatabaseFile
from webquarry.store.sqlite import FILE_ERRORS, Connection, Trouble, classify, roll_back

log = logging.getLogger(__name__)

_TABLES = """
CREATE TABLE IF NOT EXISTS counts (
    name TEXT, window_seconds REAL, number INTEGER, before INTEGER, current INTEGER,
    PRIMARY KEY (name, window_seconds)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS slots (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, process INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS slots_by_name ON slots (name);
"""
_BUSY_SECONDS = 5


class FileQuota(Quota):
    """Counts that the processes of one machine share."""

    def __init__(self, path: Path) -> None:
        self._file = DatabaseFile(path, _prepare, _BUSY_SECONDS)
        self._local = LocalQuota()
        self._is_alone = False

    @property
    def _database(self) -> Connection:
        return self._file.open()

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        try:
            verdict = self._take(limits, now)
        except FILE_ERRORS as error:
            self._go_on_alone(error)
            return await self._local.take(limits, now)
        if isinstance(verdict, QuotaGranted):
            self._local.count(limits, now)
        return verdict

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        """The place among our own is held as well, so that they are known when the file goes."""
        async with self._local.slot(name, most):
            place = 0
            try:
                place = self._take_slot(name, most)
            except FILE_ERRORS as error:
                self._go_on_alone(error)
            try:
                yield
            finally:
                with suppress(*FILE_ERRORS):
                    self._database.execute("DELETE FROM slots WHERE id = ?", (place,))

    def close(self) -> None:
        self._file.close()

    def _take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        """The verdict of all workers together."""
        self._begin()
        verdicts = [self._judge(limit, now) for limit in limits]
        verdict = join(verdicts)
        if isinstance(verdict, QuotaGranted):
            for limit in limits:
                self._database.execute(
                    "UPDATE counts SET current = current + 1 WHERE name = ? AND window_seconds = ?",
                    (limit.name, limit.window_seconds),
                )
        self._commit()
        return verdict

    def _take_slot(self, name: str, most: int) -> int:
        self._begin()
        if self._count_slots(name) >= most:
            self._free_dead_slots(name)
        if self._count_slots(name) >= most:
            self._commit()
            raise build_no_slot(most)
        row = self._database.execute(
            "INSERT INTO slots (name, process) VALUES (?, ?)", (name, os.getpid())
        )
        self._commit()
        return int(row.lastrowid or 0)

    def _begin(self) -> None:
        """Begin a transaction in the file that is there now: somebody may have tidied it away."""
        if self._file.is_moved():
            self._file.close()
        self._database.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        self._database.execute("COMMIT")
        if self._is_alone:
            log.warning("the workers of this server count together again")
        self._is_alone = False

    def _go_on_alone(self, error: BaseException) -> None:
        """Until the file can be used again, this worker knows what it has granted itself."""
        if not self._is_alone:
            log.error("the counts of all workers cannot be used (%s); each counts alone", error)
        self._is_alone = True
        if self._file.is_open:
            roll_back(self._database)
        self._file.close()
        if classify(error) is Trouble.DAMAGED:
            with suppress(OSError):
                self._file.set_aside()

    def _count_slots(self, name: str) -> int:
        row = self._database.execute(
            "SELECT count(*) FROM slots WHERE name = ?", (name,)
        ).fetchone()
        return int(row[0])

    def _free_dead_slots(self, name: str) -> None:
        holders = self._database.execute(
            "SELECT DISTINCT process FROM slots WHERE name = ?", (name,)
        ).fetchall()
        for (process,) in holders:
            try:
                os.kill(process, 0)  # sends nothing, and only asks whether it is there
            except ProcessLookupError:
                self._database.execute("DELETE FROM slots WHERE process = ?", (process,))
            except PermissionError:
                continue  # it is alive, and somebody else's

    def _judge(self, limit: Limit, now: float) -> QuotaVerdict:
        """What the counts as of now say, which are in the file from now on."""
        row = self._database.execute(
            "SELECT number, before, current FROM counts WHERE name = ? AND window_seconds = ?",
            (limit.name, limit.window_seconds),
        ).fetchone()
        kept = None
        counts = WindowCounts(int(now // limit.window_seconds))
        if row is not None:
            kept = WindowCounts(*row)
            counts = kept.at(limit, now)
        if counts != kept:
            self._database.execute(
                "INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?, ?)",
                (
                    limit.name,
                    limit.window_seconds,
                    counts.window,
                    counts.before,
                    counts.current,
                ),
            )
        part = compute_part(limit, counts.window, now)
        return judge(limit, counts.before, counts.current, part)


def _prepare(database: Connection) -> None:
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA journal_mode = MEMORY")
    database.executescript(_TABLES)
