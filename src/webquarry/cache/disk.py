"""The store behind: one SQLite file shared by all processes of a user, its values encrypted.

All work is done on one thread of its own, so the event loop never waits for the disk. A file that
is damaged, or of another version, is set aside with a warning and a new one is begun; nothing that
goes wrong here fails a call.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from webquarry.cache.base import CacheEntry, Stats, Store
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import (
    Connection,
    DatabaseError,
    connect,
    is_temporary,
    switch_to_wal,
    touch,
)

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[Connection, Cipher], T]

_VERSION = 1
_TOUCH_SECONDS = 60  # how stale `used_at` may be before a read writes it again
_PUTS_BETWEEN_SWEEPS = 64
_TABLE = (
    "\nCREATE TABLE IF NOT EXISTS entries (\n"
    "    name BLOB PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL,"
    " expires_at REAL NOT NULL, used_at REAL NOT NULL\n"
    ") WITHOUT ROWID\n"
)


class DiskStore(Store):
    """Entries in `folder`/cache.sqlite3, encrypted with `folder`/cache.key, up to `max_bytes` of
    values.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.path = folder / "cache.sqlite3"
        self._max_bytes = max_bytes
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webquarry-cache")
        self._database: Connection | None = None
        self._cipher: Cipher | None = None
        self._inode = 0  # of the file that was opened
        self._puts = 0
        self._off = False

    async def get(self, key: str, now: float) -> CacheEntry | None:
        work = partial(self._get, key, now)
        return await self._run(work, None)

    async def put(self, key: str, entry: CacheEntry) -> None:
        work = partial(self._put, key, entry)
        await self._run(work, None)

    async def clear(self) -> int:
        def delete_all(database: Connection, _: Cipher) -> int:
            deleted = database.execute("DELETE FROM entries")
            return deleted.rowcount

        return await self._run(delete_all, 0)

    async def stats(self) -> Stats:
        count, size = await self._run(lambda database, _: _read_totals(database), (0, 0))
        return Stats("disk", count, size, str(self.path))

    async def aclose(self) -> None:
        if self._database is not None:
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
            except RuntimeError:
                # At exit the interpreter ends our thread before anybody can close us.
                self._close()
        self._thread.shutdown()

    async def _run(self, work: Work[T], otherwise: T) -> T:
        """What the work gives, done on our thread; `otherwise` where the file cannot be used."""
        if self._off:
            return otherwise
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._run_here, work, otherwise)

    def _run_here(self, work: Work[T], otherwise: T) -> T:
        """A damaged file is set aside once and the work tried again on the new one."""
        for is_last in (False, True):
            try:
                return work(*self._open())
            except DatabaseError as error:
                if is_temporary(error):
                    log.warning(
                        "the cache %s did not answer (%s); going on without it", self.path, error
                    )
                    return otherwise
                self._replace_damaged(error, is_last)
                if self._off:
                    return otherwise
            except OSError as error:
                log.warning(
                    "no cache on disk: %s cannot be used (%s); answers are kept in memory only",
                    self.path,
                    error,
                )
                self._off = True
                return otherwise
        return otherwise

    def _open(self) -> tuple[Connection, Cipher]:
        """The database and its cipher, opened at the first use."""
        if self._database is None or self._cipher is None:
            # Only its owner may look into the folder.
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            key = self.path.with_name("cache.key")
            self._cipher = Cipher.open(key)
            self._inode = touch(self.path)
            self._database = connect(self.path, _prepare)
        return self._database, self._cipher

    def _replace_damaged(self, error: DatabaseError, is_last: bool) -> None:
        """Make room for a new file; where that cannot be done, go on without one."""
        self._close()
        if not is_last:
            try:
                self._set_aside(error)
                return
            except OSError as refusal:
                log.warning("the damaged cache %s cannot be set aside (%s)", self.path, refusal)
        log.warning(
            "the cache %s cannot be used (%s); answers are kept in memory only", self.path, error
        )
        self._off = True

    def _set_aside(self, error: DatabaseError) -> None:
        """Move the file away, unless another process has done so already."""
        if not self.path.exists():
            return
        if self._inode and self.path.stat().st_ino != self._inode:
            return
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.path.replace(aside)
        log.warning(
            "the cache %s is damaged (%s); it is set aside as %s and a new one begun",
            self.path,
            error,
            aside,
        )

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _get(self, key: str, now: float, database: Connection, cipher: Cipher) -> CacheEntry | None:
        name = cipher.hash_name(key)
        row = database.execute(
            "SELECT value, stored_at, expires_at, used_at FROM entries"
            " WHERE name = ? AND expires_at > ?",
            (name, now),
        ).fetchone()
        if row is None:
            return None
        encrypted, stored_at, expires_at, used_at = row
        value = cipher.decrypt(encrypted, name)
        if value is None:  # another key file: of no use to anybody
            database.execute("DELETE FROM entries WHERE name = ?", (name,))
            return None
        if now - used_at > _TOUCH_SECONDS:
            database.execute("UPDATE entries SET used_at = ? WHERE name = ?", (now, name))
        return CacheEntry(value, stored_at, expires_at)

    def _put(self, key: str, entry: CacheEntry, database: Connection, cipher: Cipher) -> None:
        name = cipher.hash_name(key)
        encrypted = cipher.encrypt(entry.value, name)
        stored_at = entry.stored_at
        used_at = stored_at
        row = (name, encrypted, stored_at, entry.expires_at, used_at)
        database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)", row)
        if self._puts % _PUTS_BETWEEN_SWEEPS == 0:
            self._sweep(database, stored_at)
        self._puts += 1

    def _sweep(self, database: Connection, now: float) -> None:
        """Forget what has expired, then what was used longest ago, until a tenth of the room is
        free.
        """
        database.execute("DELETE FROM entries WHERE expires_at <= ?", (now,))
        _, size = _read_totals(database)
        if size <= self._max_bytes:
            return
        bytes_to_keep = self._max_bytes * 9 // 10
        database.execute(
            "DELETE FROM entries WHERE name IN (SELECT name FROM ("
            "SELECT name, sum(length(value)) OVER (ORDER BY used_at DESC, name) AS running"
            " FROM entries) WHERE running > ?)",
            (bytes_to_keep,),
        )


def _prepare(database: Connection) -> None:
    """Of today's shape; a file of any other version counts as damaged."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        raise DatabaseError(f"version {version} where {_VERSION} was expected")
    switch_to_wal(database)
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(_TABLE)
    database.execute(f"PRAGMA user_version = {_VERSION}")


def _read_totals(database: Connection) -> tuple[int, int]:
    """How many entries there are, and the bytes of their values."""
    count, size = database.execute(
        "SELECT count(*), coalesce(sum(length(value)), 0) FROM entries"
    ).fetchone()
    return count, size
