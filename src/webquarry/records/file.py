"""The record file: one SQLite file for all processes of a user, its values encrypted, its shape
brought up to date on opening.

    file = RecordFile(folder)
    number = await file.run(lambda database, cipher: ...)     # from a coroutine
    number = file.do(lambda database, cipher: ...)            # from any thread

Each piece of work is one transaction: all of it is on disk when the call returns, or nothing has
changed. What cannot be done is a `RecordsFailure`; a damaged file is never replaced by us.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import TypeVar

from webquarry.errors import RecordsFailure
from webquarry.store.encryption import KEY_BYTES, Cipher
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

_NAME = "state.sqlite3"
_IN_MEMORY = ":memory:"


class RecordFile:
    """`folder`/state.sqlite3, encrypted with `folder`/state.key; without a folder, in the memory of
    this process.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = folder / _NAME if folder else None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webquarry-records")
        self._lock = threading.RLock()
        self._database: Connection | None = None
        self._cipher: Cipher | None = None

    async def run(self, work: Work[T]) -> T:
        """Do it on a thread of our own, so that the event loop does not wait for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.do, work)

    def do(self, work: Work[T]) -> T:
        """Do it now, in one transaction."""
        with self._lock:
            try:
                database, cipher = self._open()
                database.execute("BEGIN IMMEDIATE")
                try:
                    result = work(database, cipher)
                except BaseException:
                    database.execute("ROLLBACK")
                    raise
                database.execute("COMMIT")
                return result
            except DatabaseError as error:
                place = self.path or "in memory"
                if is_temporary(error):
                    raise RecordsFailure(
                        f"The record file {place} did not answer: {error}."
                    ) from error
                raise RecordsFailure(
                    f"The record file {place} cannot be used: {error}.",
                    retryable=False,
                    suggested_action=f"Move {place} and the files beside it away to begin a new "
                    "one, or restore a backup.",
                ) from error

    def _open(self) -> tuple[Connection, Cipher]:
        if self._database is not None and self._cipher is not None:
            return self._database, self._cipher
        if self.path is not None:
            try:
                self._cipher = _open_cipher(self.path)
                touch(self.path)
            except OSError as error:
                # A home that cannot be written to is said once, and the work goes on.
                log.warning(
                    "records are kept in memory only, until this process ends: %s: %s",
                    self.path,
                    error,
                )
                self.path = None
        if self.path is None:
            self._cipher = Cipher(os.urandom(KEY_BYTES))
        assert self._cipher is not None
        self._database = connect(self.path or _IN_MEMORY, _prepare)
        return self._database, self._cipher

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None
        self._thread.shutdown()


def _open_cipher(path: Path) -> Cipher:
    """The cipher of the key beside the file. A new key would make an old file unreadable, so none
    is made for one.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = path.with_name("state.key")
    is_in_use = path.exists() and path.stat().st_size
    if is_in_use and not Cipher.is_key(key):
        raise RecordsFailure(
            f"The key {key} of the record file is missing or damaged.",
            retryable=False,
            suggested_action=f"Restore it from a backup, or move {path} away to begin a new "
            "record.",
        )
    return Cipher.open(key)


def _prepare(database: Connection) -> None:
    """Durable, and of today's shape; a file from a newer release is left as it is."""
    switch_to_wal(database)
    database.execute("PRAGMA synchronous = FULL")  # an acknowledged entry survives a power cut, too
    database.execute("PRAGMA foreign_keys = ON")
    # In order; their numbers have no gaps, so the count is the version.
    folder = resources.files("webquarry.records.migrations")
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(".sql"))
    migrations = [(folder / name).read_text("utf-8") for name in names]
    if _read_version(database) == len(migrations):
        return
    database.execute("BEGIN IMMEDIATE")  # several processes may come at once: the first one does it
    try:
        version = _read_version(database)
        if version > len(migrations):
            raise DatabaseError(
                f"it is of version {version}, and this release knows {len(migrations)}"
            )
        for number, migration in enumerate(migrations[version:], version + 1):
            for statement in filter(str.strip, migration.split(";")):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {number}")
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


def _read_version(database: Connection) -> int:
    row = database.execute("PRAGMA user_version").fetchone()
    return int(row[0])
