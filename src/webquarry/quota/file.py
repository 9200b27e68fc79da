"""Counts in a file, for the workers of one server: it lives as long as they do, and nothing in it
has to last.

Every piece of work is one short transaction without waiting for the disk, so it is done where it is
asked for. A worker that died held its places; they are given back when somebody needs one.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from webquarry.quota.base import Limit, Quota, QuotaDenied, QuotaGranted, no_slot, verdict
from webquarry.store.sqlite import Connection, connect

_TABLES = """
CREATE TABLE IF NOT EXISTS counts (
    name TEXT, window_seconds REAL, number INTEGER, before INTEGER, current INTEGER, PRIMARY KEY (name, window_seconds)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY, name TEXT NOT NULL, process INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS slots_by_name ON slots (name);
"""
_BUSY_SECONDS = 5


class FileQuota(Quota):
    """Counts that the processes of one machine share."""

    def __init__(self, path: Path) -> None:
        self._database = connect(path, _prepare, _BUSY_SECONDS)

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaGranted | QuotaDenied:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            said = [(limit, self._verdict(limit, now)) for limit in limits]
            denied = [QuotaDenied(limit, word) for limit, word in said if isinstance(word, float)]
            if denied:
                return max(denied, key=lambda one: one.retry_after_seconds)
            for limit in limits:
                self._database.execute(
                    "UPDATE counts SET current = current + 1 WHERE name = ? AND window_seconds = ?",
                    (limit.name, limit.window_seconds),
                )
            return QuotaGranted(min((word for _, word in said if isinstance(word, int)), default=0))
        finally:
            self._database.execute("COMMIT")

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        place = self._place(name, most)
        try:
            yield
        finally:
            self._database.execute("DELETE FROM slots WHERE id = ?", (place,))

    def close(self) -> None:
        self._database.close()

    def _place(self, name: str, most: int) -> int:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            if self._held(name) >= most:
                self._give_back(name)
            if self._held(name) >= most:
                raise no_slot(most)
            row = self._database.execute(
                "INSERT INTO slots (name, process) VALUES (?, ?)", (name, os.getpid())
            )
            return int(row.lastrowid or 0)
        finally:
            self._database.execute("COMMIT")

    def _held(self, name: str) -> int:
        return int(
            self._database.execute("SELECT count(*) FROM slots WHERE name = ?", (name,)).fetchone()[
                0
            ]
        )

    def _give_back(self, name: str) -> None:
        holders = self._database.execute(
            "SELECT DISTINCT process FROM slots WHERE name = ?", (name,)
        ).fetchall()
        gone = [(process,) for (process,) in holders if not _alive(process)]
        self._database.executemany("DELETE FROM slots WHERE process = ?", gone)

    def _verdict(self, limit: Limit, now: float) -> int | float:
        number = int(now // limit.window_seconds)
        row = self._database.execute(
            "SELECT number, before, current FROM counts WHERE name = ? AND window_seconds = ?",
            (limit.name, limit.window_seconds),
        ).fetchone()
        last, before, current = row or (number, 0, 0)
        if row is None or last < number:
            before, current = (current if row and last == number - 1 else 0), 0
            last = number
            self._database.execute(
                "INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?, 0)",
                (limit.name, limit.window_seconds, last, before),
            )
        part = min(max(now / limit.window_seconds - last, 0.0), 1.0)
        return verdict(limit, before, current, part)


def _prepare(database: Connection) -> None:
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA journal_mode = MEMORY")
    database.executescript(_TABLES)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
