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
from webquarry.store.sqlite import Connection, connect

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
        self._database = connect(path, _prepare, _BUSY_SECONDS)

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            verdicts = [self._judge(limit, now) for limit in limits]
            verdict = join(verdicts)
            if isinstance(verdict, QuotaGranted):
                for limit in limits:
                    self._database.execute(
                        "UPDATE counts SET current = current + 1"
                        " WHERE name = ? AND window_seconds = ?",
                        (limit.name, limit.window_seconds),
                    )
            return verdict
        finally:
            self._database.execute("COMMIT")

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        place = self._take_slot(name, most)
        try:
            yield
        finally:
            self._database.execute("DELETE FROM slots WHERE id = ?", (place,))

    def close(self) -> None:
        self._database.close()

    def _take_slot(self, name: str, most: int) -> int:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            if self._count_slots(name) >= most:
                self._free_dead_slots(name)
            if self._count_slots(name) >= most:
                raise build_no_slot(most)
            row = self._database.execute(
                "INSERT INTO slots (name, process) VALUES (?, ?)", (name, os.getpid())
            )
            return int(row.lastrowid or 0)
        finally:
            self._database.execute("COMMIT")

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
