"""SQLite databases with encrypted values: WAL, busy timeout, migrations by `user_version`.

    database = Database(path, migrations)
    count = database.do(lambda connection, cipher: ...)         # one transaction
    count = await database.run(lambda connection, cipher: ...)  # the same on its own thread

Values are encrypted with the key in the file next to the database. A `DisposableDatabase` is one
whose contents can be lost: it never raises, and replaces a damaged file. `classify` returns why a
file cannot be used. Only this package imports sqlite3.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from contextvars import copy_context
from enum import StrEnum
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import Any, TypeVar

from webquarry.store.encryption import Cipher

__all__ = [
    "FILE_ERRORS",
    "Connection",
    "Database",
    "DisposableDatabase",
    "Trouble",
    "UnusableFile",
    "UnusableRow",
    "Work",
    "check_row",
    "classify",
    "connect",
    "make_file",
    "read_version",
    "transaction",
]

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[Connection, Cipher], T]

_BUSY_SECONDS = 10  # timeout of a lock
_WAL_PAUSE_SECONDS = 0.01
_RETRY_SECONDS = 60.0  # after a file could not be used

# Errors of SQLite: damaged bytes in a message are not text, and damaged lengths exceed the memory.
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError, MemoryError)


class Trouble(StrEnum):
    """Why a file cannot be used, as errors and health checks name it."""

    BUSY = "busy"
    FULL = "full"
    READ_ONLY = "read_only"
    PERMISSION = "permission"
    NO_FOLDER = "no_folder"
    FAILING = "failing"
    DAMAGED = "damaged"
    NEWER = "newer"
    LOST_KEY = "lost_key"


_BY_ERRNO = {
    errno.ENOSPC: Trouble.FULL,
    errno.EDQUOT: Trouble.FULL,
    errno.EFBIG: Trouble.FULL,
    errno.EROFS: Trouble.READ_ONLY,
    errno.EACCES: Trouble.PERMISSION,
    errno.EPERM: Trouble.PERMISSION,
    errno.ENOTDIR: Trouble.NO_FOLDER,
    errno.EISDIR: Trouble.NO_FOLDER,
    errno.EEXIST: Trouble.NO_FOLDER,
    errno.ENOENT: Trouble.NO_FOLDER,
    errno.ELOOP: Trouble.NO_FOLDER,
    errno.ENAMETOOLONG: Trouble.NO_FOLDER,
}
_BY_CODE = {
    sqlite3.SQLITE_BUSY: Trouble.BUSY,
    sqlite3.SQLITE_LOCKED: Trouble.BUSY,
    sqlite3.SQLITE_PROTOCOL: Trouble.BUSY,
    sqlite3.SQLITE_INTERRUPT: Trouble.BUSY,
    sqlite3.SQLITE_FULL: Trouble.FULL,
    sqlite3.SQLITE_READONLY: Trouble.READ_ONLY,
    sqlite3.SQLITE_READONLY_DBMOVED: Trouble.FAILING,  # the next call opens the new file
    sqlite3.SQLITE_PERM: Trouble.PERMISSION,
    sqlite3.SQLITE_AUTH: Trouble.PERMISSION,
    sqlite3.SQLITE_CANTOPEN: Trouble.PERMISSION,
    sqlite3.SQLITE_IOERR: Trouble.FAILING,
    sqlite3.SQLITE_NOMEM: Trouble.FAILING,
    sqlite3.SQLITE_IOERR_SHORT_READ: Trouble.DAMAGED,
    sqlite3.SQLITE_IOERR_CORRUPTFS: Trouble.DAMAGED,
    sqlite3.SQLITE_IOERR_DATA: Trouble.DAMAGED,
}
_PRIMARY = 0xFF  # the part of an error code without its extension


class UnusableFile(sqlite3.DatabaseError):
    """A file that cannot be used, for a reason that SQLite does not know."""

    def __init__(self, text: str, trouble: Trouble) -> None:
        super().__init__(text)
        self.trouble = trouble


class UnusableRow(UnusableFile):
    """One damaged row; the others may be sound."""

    def __init__(self, text: str) -> None:
        super().__init__(text, Trouble.DAMAGED)


class Database:
    """One file, usable by any number of threads and processes. Errors are `OSError` or one of
    `FILE_ERRORS`, and the next call opens the file again.
    """

    def __init__(
        self,
        path: Path,
        migrations: Sequence[str],
        *,
        key_path: Path | None = None,
        synchronous: str = "NORMAL",
        pragmas: Sequence[str] = (),
    ) -> None:
        """`pragmas` are those that a new file needs before its first table."""
        self.path = path
        self.key_path = key_path or path.with_suffix(".key")
        self._migrations = migrations
        self._synchronous = synchronous
        self._pragmas = pragmas
        self._connection: Connection | None = None
        self._cipher: Cipher | None = None
        self._lock = threading.RLock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"webquarry-{path.stem}")

    def do(self, work: Work[T], *, write: bool = True) -> T:
        """Return the result of the work, which is one transaction if it writes."""
        with self._lock:
            connection, cipher = self.open()
            try:
                with transaction(connection) if write else nullcontext():
                    return work(connection, cipher)
            except (OSError, *FILE_ERRORS) as error:
                if classify(error) is not Trouble.BUSY:
                    self._disconnect()
                raise

    async def run(self, function: Callable[[], T]) -> T:
        """Return the result of a function that runs on the thread of the database."""
        context = copy_context()
        loop = asyncio.get_running_loop()
        try:
            running = loop.run_in_executor(self._thread, context.run, function)
        except RuntimeError:  # the executor is shut down: closed, or the interpreter exits
            return function()
        return await running

    def find_damage(self) -> str | None:
        """Return what `PRAGMA quick_check` finds, or None if the file is sound."""
        try:
            with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)) as connection:
                (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except FILE_ERRORS as error:
            return str(error) if classify(error) is Trouble.DAMAGED else None
        return None if found == "ok" else " ".join(str(found).split())

    def close(self) -> None:
        """Close the file; it is opened again when it is used again."""
        with self._lock:
            self._disconnect()
        self._thread.shutdown(wait=False)

    def open(self) -> tuple[Connection, Cipher]:
        """Return the connection and the cipher, opened on first use."""
        if self._connection is None or self._cipher is None:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._cipher = self._open_cipher()
            make_file(self.path)
            self._connection = connect(self.path, self._prepare)
        return self._connection, self._cipher

    def _open_cipher(self) -> Cipher:
        return Cipher.open(self.key_path)

    def _prepare(self, connection: Connection) -> None:
        """Configure a new connection and migrate its file."""
        version = read_version(connection)
        if version == 0:
            for pragma in self._pragmas:
                connection.execute(f"PRAGMA {pragma}")
        _switch_to_wal(connection)
        connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
        if version != len(self._migrations):
            self._migrate(connection)

    def _migrate(self, connection: Connection) -> None:
        with transaction(connection):
            version = read_version(connection)  # another process may have migrated the file
            known = len(self._migrations)
            if version > known:
                text = f"it has version {version}, this release knows {known}"
                raise UnusableFile(text, Trouble.NEWER)
            for migration in self._migrations[version:]:
                for statement in filter(str.strip, migration.split(";\n")):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {known}")

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(*FILE_ERRORS):
                connection.close()


class DisposableDatabase(Database):
    """A database whose contents can be lost. A damaged file is renamed to NAME.damaged and a new
    one is created; a file that cannot be used for another reason is ignored for a minute. Each is
    logged once.
    """

    def __init__(self, path: Path, migrations: Sequence[str], **options: Any) -> None:
        super().__init__(path, migrations, **options)
        self._unusable_until = 0.0
        self._logged: Trouble | None = None
        self._inode = 0

    def try_do(self, work: Work[T], default: T, *, write: bool = True) -> T:
        """Return the result of the work, or the default if the file cannot be used."""
        if time.monotonic() < self._unusable_until:
            return default
        for is_last in (False, True):
            try:
                result = self.do(work, write=write)
            except (OSError, *FILE_ERRORS) as error:
                if not self._recover(error, is_last):
                    return default
            else:
                self._logged = None
                return result
        return default

    async def try_run(self, work: Work[T], default: T, *, write: bool = True) -> T:
        """Do the same on the thread of the database."""
        return await self.run(partial(self.try_do, work, default, write=write))

    def open(self) -> tuple[Connection, Cipher]:
        opened = super().open()
        self._inode = self.path.stat().st_ino
        return opened

    def _recover(self, error: BaseException, is_last: bool) -> bool:
        """Replace a damaged file; return whether to try again."""
        trouble = classify(error, self.path)
        if trouble in (Trouble.DAMAGED, Trouble.NEWER) and not is_last:
            try:
                self._set_aside(self.find_damage() or error)
            except OSError as refusal:
                error = refusal
            else:
                return True
        if trouble is not Trouble.BUSY:
            self._unusable_until = time.monotonic() + _RETRY_SECONDS
        if trouble is not self._logged:
            self._logged = trouble
            log.warning("%s cannot be used (%s); continuing without it", self.path, error)
        return False

    def _set_aside(self, error: object) -> None:
        """Rename the file, unless another process has replaced it since it was opened."""
        if self._inode and self.path.stat().st_ino != self._inode:
            return
        aside = self.path.with_name(f"{self.path.name}.damaged")
        self.path.replace(aside)
        for suffix in ("-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        log.warning("%s is damaged (%s): renamed to %s, created again", self.path, error, aside)


def classify(error: BaseException, path: Path | None = None) -> Trouble:
    """Return why the file cannot be used. Other errors of SQLite, such as a missing table, are
    damage. So is a file that claims to be read-only although it can be written.
    """
    if isinstance(error, UnusableFile):
        return error.trouble
    if isinstance(error, OSError):
        trouble = _BY_ERRNO.get(error.errno or 0, Trouble.FAILING)
    elif isinstance(error, MemoryError):
        trouble = Trouble.FAILING
    else:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        trouble = _BY_CODE.get(code) or _BY_CODE.get(code & _PRIMARY, Trouble.DAMAGED)
    if path is None or trouble is not Trouble.READ_ONLY or isinstance(error, OSError):
        return trouble
    may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
    return Trouble.DAMAGED if may_write else trouble


def check_row(row: Sequence[Any], *types: type) -> tuple[Any, ...]:
    """Return the row; raises `UnusableRow` unless its columns have these types."""
    for value, wanted in zip(row, types, strict=True):
        if not isinstance(value, wanted):
            raise UnusableRow("a row has a value of another type")
        if isinstance(value, float) and not math.isfinite(value):
            raise UnusableRow("a row has a number that is not finite")
    return tuple(row)


def make_file(path: Path) -> None:
    """Create the file for its owner only, unless it exists; raises if it cannot be used. An
    existing file is not opened: closing it would release the locks of other connections.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not os.access(path, os.R_OK | os.W_OK):
            raise UnusableFile("permission denied", Trouble.PERMISSION) from None


def connect(place: Path | str, prepare: Callable[[Connection], None]) -> Connection:
    """Return a connection for any thread, without implicit transactions, after `prepare`."""
    connection = sqlite3.connect(
        place, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def read_version(connection: Connection) -> int:
    """Return the number of migrations that a file has had."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Commit at the end of the block; roll back if it raises."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:  # unless SQLite has ended it
                connection.execute("ROLLBACK")
        raise


def _switch_to_wal(connection: Connection) -> None:
    """Switch to WAL. SQLite refuses this without waiting while another process does the same."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if classify(error) is not Trouble.BUSY or time.monotonic() > end:
                raise
            time.sleep(_WAL_PAUSE_SECONDS)
