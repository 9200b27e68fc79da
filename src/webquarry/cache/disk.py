"""The store behind: one SQLite file shared by all processes of a user, its values encrypted.

All work is done on one thread of its own, so the event loop never waits for the disk; only whether
an entry is there at all is looked for at once, as long as the disk is quick. A file that is
damaged, or of another version, is set aside with a warning and a new one is begun; one that was
deleted or replaced under us is opened anew; where there is no room or no right to write, calls go
on without it for a minute. Each of these is said once, and nothing that goes wrong here fails a
call.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from webquarry.cache.base import VARIANT, CacheEntry, Stats, Store
from webquarry.store.database_file import DatabaseFile, remove_old_asides
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import (
    FILE_ERRORS,
    Connection,
    Trouble,
    UnusableFile,
    check_row,
    classify,
    make_file,
    roll_back,
    switch_to_wal,
)

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[Connection, Cipher], T]

_VERSION = 1
_TOUCH_SECONDS = 60  # how stale `used_at` may be before a read writes it again
_PUTS_BETWEEN_SWEEPS = 64
_REST_SECONDS = 60.0  # before a place that could not be written to is tried again
# A file that is in the way is replaced, too: nothing in it is missed.
_REPLACED = (Trouble.DAMAGED, Trouble.NEWER, Trouble.PERMISSION, Trouble.FOREIGN)
_MOVED_SECONDS = 1.0  # between two looks whether the file is still the one that is open
_SLOW_SECONDS = 0.01  # for a look into a file whose pages are in memory: hundreds of times as long
_SLOW_REST_SECONDS = 5.0  # for which our thread looks: it may have been slow only once
# Names have a tree of their own: whoever looks for one in a tree of entries reads the values of all
# that it is compared with.
_TABLE = (
    "\nCREATE TABLE IF NOT EXISTS entries (\n"
    "    name BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL, stored_at REAL NOT NULL,"
    " expires_at REAL NOT NULL, used_at REAL NOT NULL\n"
    ")\n"
)
_PAGE_BYTES = 8192  # of a new file: the value of a page has fewer of them, a small entry no more
_LAST_VARIANT = b"\xff"  # behind any name of one in UTF-8
_OLD_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'entries' AND sql LIKE '%WITHOUT ROWID%'"


class DiskStore(Store):
    """Entries in `folder`/cache.sqlite3, encrypted with `folder`/cache.key, up to `max_bytes` of
    values.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.path = folder / "cache.sqlite3"
        self._max_bytes = max_bytes
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webquarry-cache")
        self._file = DatabaseFile(self.path, _prepare)
        self._cipher: Cipher | None = None
        self._puts = 0
        self._trouble: Trouble | None = None  # what was said last
        self._rests_until = 0.0
        self._is_free = threading.Lock()  # the file is used by one thread at a time
        self._slow_until = 0.0
        self._is_same_until = 0.0  # the file that is open, as far as we looked

    async def get(self, key: str, now: float) -> CacheEntry | None:
        work = partial(self._get, key, now)
        return await self._run(work, None)

    async def get_first(self, keys: Sequence[str], now: float) -> tuple[str, CacheEntry] | None:
        if self._is_absent(keys):
            return None

        def find_first(database: Connection, cipher: Cipher) -> tuple[str, CacheEntry] | None:
            for key in keys:
                entry = self._get(key, now, database, cipher)
                if entry is not None:
                    return key, entry
            return None

        return await self._run(find_first, None)

    def _is_absent(self, keys: Sequence[str]) -> bool:
        """Whether there is certainly none of these entries, as far as that is seen at once: it
        takes less than our thread takes to wake. Nothing is read, opened or mended here, nobody is
        waited for, and a disk that was slow is left to our thread for a while.
        """
        database, cipher = self._file.get(), self._cipher
        if database is None or cipher is None:
            return False
        started = time.monotonic()
        if started < self._slow_until or not self._is_free.acquire(blocking=False):
            return False
        waits = _count_waits()
        try:
            if database is not self._file.get() or self._is_moved(started):
                return False
            bounds: list[bytes] = []
            for entry in {key.partition(VARIANT)[0] for key in keys}:
                name = cipher.hash_name(entry)
                bounds += (name, name + _LAST_VARIANT)
            row = database.execute(_write_look(len(bounds) // 2), bounds).fetchone()
            return row is None
        except FILE_ERRORS:  # our thread sees it too, and knows what to do
            return False
        finally:
            self._is_free.release()
            ended = time.monotonic()
            if ended - started > _SLOW_SECONDS and _count_waits() != waits:
                self._slow_until = ended + _SLOW_REST_SECONDS

    def _is_moved(self, now: float) -> bool:
        """Whether the file is another one, as far as that was seen a moment ago: whoever misses
        what is in a new one makes it again, and our thread opens that before it writes.
        """
        if now < self._is_same_until:
            return False
        self._is_same_until = now + _MOVED_SECONDS
        return self._file.is_moved()

    async def put(self, key: str, entry: CacheEntry) -> None:
        work = partial(self._put, key, entry)
        await self._run(work, None)

    async def put_all(self, entries: Sequence[tuple[str, CacheEntry]]) -> None:
        work = partial(self._put_all, entries)
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
        if self._file.is_open:
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
            except RuntimeError:
                # At exit the interpreter ends our thread before anybody can close us.
                self._close()
        self._thread.shutdown()

    def _close(self) -> None:
        with self._is_free:
            self._file.close()

    async def _run(self, work: Work[T], otherwise: T) -> T:
        """What the work gives, done on our thread; `otherwise` where the file cannot be used."""
        if time.monotonic() < self._rests_until:
            return otherwise
        loop = asyncio.get_running_loop()
        try:
            doing = loop.run_in_executor(self._thread, self._run_here, work, otherwise)
        except RuntimeError:
            # At exit the interpreter ends our thread, and what came last is still to be written.
            return self._run_here(work, otherwise)
        return await doing

    def _run_here(self, work: Work[T], otherwise: T) -> T:
        """The same on whichever thread this is. A damaged file is set aside once and the work
        tried again on the new one.
        """
        with self._is_free:
            return self._try_twice(work, otherwise)

    def _try_twice(self, work: Work[T], otherwise: T) -> T:
        for is_last in (False, True):
            try:
                result = work(*self._open())
            except OSError as error:
                self._rest(error)
                return otherwise
            except FILE_ERRORS as error:
                trouble = classify(error, self.path)
                if trouble is Trouble.BUSY:
                    self._say(error, "the cache %s did not answer (%s); going on without it")
                    return otherwise
                if trouble not in _REPLACED:
                    self._rest(error)
                    return otherwise
                self._replace_damaged(error, is_last)
            else:
                self._trouble = None
                return result
        return otherwise

    def _open(self) -> tuple[Connection, Cipher]:
        """The database and its cipher, opened at the first use, and again when the file that was
        open is no longer there.
        """
        if self._file.is_moved():
            self._file.close()
        if not self._file.is_open or self._cipher is None:
            # Only its owner may look into the folder.
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            key = self.path.with_name("cache.key")
            self._cipher = Cipher.open(key)
            make_file(self.path)
            remove_old_asides(self.path)
        return self._file.open(), self._cipher

    def _replace_damaged(self, error: BaseException, is_last: bool) -> None:
        """Make room for a new file; where that cannot be done, go on without one."""
        self._file.close()
        if is_last:
            self._rest(error)
            return
        try:
            aside = self._file.set_aside()
        except OSError as refusal:
            log.warning("the damaged cache %s cannot be set aside (%s)", self.path, refusal)
            self._rest(error)
            return
        if aside is None:
            return
        Path(f"{aside}-wal").unlink(missing_ok=True)
        log.warning(
            "the cache %s is damaged (%s); it is set aside as %s and a new one begun",
            self.path,
            error,
            aside,
        )
        remove_old_asides(self.path)

    def _rest(self, error: BaseException) -> None:
        """Go on without the file for a while."""
        self._file.close()
        self._rests_until = time.monotonic() + _REST_SECONDS
        self._say(
            error, "no cache on disk: %s cannot be used (%s); answers are kept in memory only"
        )

    def _say(self, error: BaseException, message: str) -> None:
        """Log it, unless the last that was said is the same."""
        trouble = classify(error, self.path)
        if trouble is not self._trouble:
            self._trouble = trouble
            log.warning(message, self.path, error)

    def _get(self, key: str, now: float, database: Connection, cipher: Cipher) -> CacheEntry | None:
        name = _name_entry(key, cipher)
        row = database.execute(
            "SELECT value, stored_at, expires_at, used_at FROM entries"
            " WHERE name = ? AND expires_at > ?",
            (name, now),
        ).fetchone()
        if row is None:
            return None
        encrypted, stored_at, expires_at, used_at = check_row(row, bytes, float, float, float)
        value = cipher.decrypt(encrypted, name)
        if value is None:  # another key file: of no use to anybody
            database.execute("DELETE FROM entries WHERE name = ?", (name,))
            return None
        if now - used_at > _TOUCH_SECONDS:
            database.execute("UPDATE entries SET used_at = ? WHERE name = ?", (now, name))
        return CacheEntry(value, stored_at, expires_at)

    def _put(self, key: str, entry: CacheEntry, database: Connection, cipher: Cipher) -> None:
        name = _name_entry(key, cipher)
        encrypted = cipher.encrypt(entry.value, name)
        stored_at = entry.stored_at
        used_at = stored_at
        row = (name, encrypted, stored_at, entry.expires_at, used_at)
        database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)", row)
        if self._puts % _PUTS_BETWEEN_SWEEPS == 0:
            self._sweep(database, stored_at)
        self._puts += 1

    def _put_all(
        self, entries: Sequence[tuple[str, CacheEntry]], database: Connection, cipher: Cipher
    ) -> None:
        """All of them in one transaction, which takes little more than one of them alone."""
        database.execute("BEGIN IMMEDIATE")
        try:
            for key, entry in entries:
                self._put(key, entry, database, cipher)
            database.execute("COMMIT")
        except BaseException:
            roll_back(database)
            raise

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


@cache
def _write_look(names: int) -> str:
    """The question whether there is an entry of one of so many names, or a variant of one, asked at
    once.
    """
    return " UNION ALL ".join(["SELECT 1 FROM entries WHERE name BETWEEN ? AND ?"] * names)


def _name_entry(key: str, cipher: Cipher) -> bytes:
    """What an entry is called in the file; its variants are found behind it."""
    entry, _, variant = key.partition(VARIANT)
    return cipher.hash_name(entry) + variant.encode()


def _count_waits() -> float:
    """How often this thread has waited for something, as for a disk; having to leave the processor
    to others is no waiting. Where nobody counts, it may have been at any time.
    """
    if resource is None or not hasattr(resource, "RUSAGE_THREAD"):
        return math.nan
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def _prepare(database: Connection) -> None:
    """Of today's shape; a file of any other version counts as damaged."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        text = f"version {version} where {_VERSION} was expected"
        raise UnusableFile(text, Trouble.NEWER)
    database.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
    switch_to_wal(database)
    database.execute("PRAGMA synchronous = NORMAL")
    if database.execute(_OLD_TABLE).fetchone() is not None:
        database.execute("DROP TABLE IF EXISTS entries")  # of an earlier release, and slow
    database.execute(_TABLE)
    database.execute(f"PRAGMA user_version = {_VERSION}")


def _read_totals(database: Connection) -> tuple[int, int]:
    """How many entries there are, and the bytes of their values."""
    count, size = database.execute(
        "SELECT count(*), coalesce(sum(length(value)), 0) FROM entries"
    ).fetchone()
    return count, size
