"""What every SQLite file of ours has in common: it is made with the rights of its owner alone, and
opened by many at once. Nobody else imports sqlite3: the types that callers name are here as well.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection, DatabaseError

__all__ = ["Connection", "DatabaseError", "connect", "is_temporary", "switch_to_wal", "touch"]

BUSY_SECONDS = 10  # how long a process waits for another one's write
_WAL_PAUSE_SECONDS = 0.01


def touch(path: Path) -> int:
    """Make the file if it is not there, and see that we may use it; its inode."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except (PermissionError, IsADirectoryError) as error:
        if not os.path.lexists(path):
            raise
        raise DatabaseError(f"it cannot be opened: {error.strerror}") from error
    try:
        return os.fstat(handle).st_ino
    finally:
        os.close(handle)


def connect(
    place: Path | str, prepare: Callable[[Connection], None], busy_seconds: float = BUSY_SECONDS
) -> Connection:
    """A connection for any thread, without transactions of its own, after `prepare`; closed again
    when that fails.
    """
    database = sqlite3.connect(
        place, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def is_temporary(error: DatabaseError) -> bool:
    """Whether it will pass, the file itself being sound: locked for too long, disk full. Tables of
    another shape are damage.
    """
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR


def switch_to_wal(database: Connection) -> None:
    """Several processes may switch a new file at once, of which SQLite refuses all but one without
    waiting.
    """
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(_WAL_PAUSE_SECONDS)
