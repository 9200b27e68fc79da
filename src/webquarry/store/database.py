"""An SQLite database with encrypted values: WAL, busy timeout, migrations by `user_version`.

    database = Database(path, migrations)
    count = database.do(lambda connection, cipher: ...)         # one transaction
    count = await database.run(lambda connection, cipher: ...)  # the same on its own thread

Values are encrypted by the key in the file beside the database. A `DisposableDatabase` is one whose
contents can be lost: it never raises, and replaces a damaged file.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import (
    FILE_ERRORS,
    Connection,
    Trouble,
    UnusableFile,
    classify,
    connect,
    make_file,
    roll_back,
    switch_to_wal,
)

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[Connection, Cipher], T]

_LOG, _INDEX = "-wal", "-shm"
_RETRY_SECONDS = 60.0  # after a file could not be used
_REPLACED = (Trouble.DAMAGED, Trouble.NEWER)


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
                if write:
                    connection.execute("BEGIN IMMEDIATE")
                result = work(connection, cipher)
                if write:
                    connection.execute("COMMIT")
            except BaseException as error:
                roll_back(connection)
                is_busy = classify(error) is Trouble.BUSY
                if isinstance(error, (OSError, *FILE_ERRORS)) and not is_busy:
                    self._disconnect()
                raise
            return result

    async def run(self, work: Work[T], *, write: bool = True) -> T:
        """Do the work on the thread of the database."""
        return await self.call_in_thread(partial(self.do, work, write=write))

    def find_damage(self) -> str | None:
        """Return what `PRAGMA quick_check` finds, or None if the file is sound."""
        try:
            with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)) as connection:
                (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except FILE_ERRORS as error:
            return str(error) if classify(error) is Trouble.DAMAGED else None
        if found == "ok":
            return None
        return " ".join(str(found).split())

    def close(self) -> None:
        """Close the file; it is opened again when it is used again."""
        with self._lock:
            self._disconnect()
        self._thread.shutdown(wait=False)

    async def call_in_thread(self, function: Callable[[], T]) -> T:
        context = copy_context()
        loop = asyncio.get_running_loop()
        try:
            running = loop.run_in_executor(self._thread, context.run, function)
        except RuntimeError:  # the executor is shut down: closed, or the interpreter exits
            return function()
        return await running

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
        switch_to_wal(connection)
        connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
        if version != len(self._migrations):
            self._migrate(connection)

    def _migrate(self, connection: Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = read_version(connection)  # another process may have migrated the file
            known = len(self._migrations)
            if version > known:
                text = f"it has version {version}, this release knows {known}"
                raise UnusableFile(text, Trouble.NEWER)
            for number, migration in enumerate(self._migrations[version:], version + 1):
                for statement in filter(str.strip, migration.split(";\n")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            roll_back(connection)
            raise

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
        return await self.call_in_thread(partial(self.try_do, work, default, write=write))

    def open(self) -> tuple[Connection, Cipher]:
        opened = super().open()
        self._inode = self.path.stat().st_ino
        return opened

    def _recover(self, error: BaseException, is_last: bool) -> bool:
        """Replace a damaged file; return whether to try again."""
        trouble = classify(error, self.path)
        if trouble in _REPLACED and not is_last:
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
        for suffix in (_LOG, _INDEX):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        log.warning("%s is damaged (%s): renamed to %s, created anew", self.path, error, aside)


def read_version(connection: Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
