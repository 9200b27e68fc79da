"""Cache store in one SQLite file that all processes of a user share, its values encrypted.

A damaged file is replaced; while it cannot be used for another reason, answers are stored in memory
only.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from webquarry.store.cache import CacheEntry, Stats, Store
from webquarry.store.database import Connection, DisposableDatabase, check_row
from webquarry.store.encryption import Cipher

_MIGRATIONS = [
    """
    CREATE TABLE entries (
        name BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL, stored_at REAL NOT NULL,
        expires_at REAL NOT NULL, used_at REAL NOT NULL
    )
    """
]
_TOUCH_SECONDS = 60  # how old `used_at` may be before a read updates it
_PUTS_BETWEEN_SWEEPS = 64


class DiskStore(Store):
    """Entries in `folder`/cache.sqlite3, encrypted with `folder`/cache.key, up to `max_bytes` of
    values.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.path = folder / "cache.sqlite3"
        self._max_bytes = max_bytes
        self._database = DisposableDatabase(self.path, _MIGRATIONS, pragmas=["page_size = 8192"])
        self._puts = 0

    async def get(self, key: str, now: float) -> CacheEntry | None:
        return await self._database.try_run(partial(_get, key, now), None, write=False)

    async def put(self, key: str, entry: CacheEntry) -> None:
        await self._database.try_run(partial(self._put, key, entry), None)

    async def clear(self) -> int:
        """Delete all entries; return their number."""

        def delete_all(connection: Connection, _: Cipher) -> int:
            return connection.execute("DELETE FROM entries").rowcount

        return await self._database.try_run(delete_all, 0)

    async def stats(self) -> Stats:
        count, size = await self._database.try_run(_read_totals, (0, 0), write=False)
        return Stats("disk", count, size)

    async def aclose(self) -> None:
        self._database.close()

    def _put(self, key: str, entry: CacheEntry, connection: Connection, cipher: Cipher) -> None:
        name = cipher.hash_name(key)
        encrypted = cipher.encrypt(entry.value, name)
        stored_at = entry.stored_at
        row = (name, encrypted, stored_at, entry.expires_at, stored_at)
        connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)", row)
        if self._puts % _PUTS_BETWEEN_SWEEPS == 0:
            self._sweep(connection, cipher, stored_at)
        self._puts += 1

    def _sweep(self, connection: Connection, cipher: Cipher, now: float) -> None:
        """Delete expired entries, then the least recently used, until a tenth of the maximum size
        is free.
        """
        connection.execute("DELETE FROM entries WHERE expires_at <= ?", (now,))
        _, size = _read_totals(connection, cipher)
        if size > self._max_bytes:
            connection.execute(
                "DELETE FROM entries WHERE name IN (SELECT name FROM ("
                "SELECT name, sum(length(value)) OVER (ORDER BY used_at DESC, name) AS total"
                " FROM entries) WHERE total > ?)",
                (self._max_bytes * 9 // 10,),
            )


def _get(key: str, now: float, connection: Connection, cipher: Cipher) -> CacheEntry | None:
    name = cipher.hash_name(key)
    row = connection.execute(
        "SELECT value, stored_at, expires_at, used_at FROM entries"
        " WHERE name = ? AND expires_at > ?",
        (name, now),
    ).fetchone()
    if row is None:
        return None
    encrypted, stored_at, expires_at, used_at = check_row(row, bytes, float, float, float)
    value = cipher.decrypt(encrypted, name)
    if value is None:  # written with another key
        connection.execute("DELETE FROM entries WHERE name = ?", (name,))
        return None
    if now - used_at > _TOUCH_SECONDS:
        connection.execute("UPDATE entries SET used_at = ? WHERE name = ?", (now, name))
    return CacheEntry(value, stored_at, expires_at)


def _read_totals(connection: Connection, _: Cipher) -> tuple[int, int]:
    """Return the number of entries and the bytes of their values."""
    count, size = connection.execute(
        "SELECT count(*), coalesce(sum(length(value)), 0) FROM entries"
    ).fetchone()
    return count, size
