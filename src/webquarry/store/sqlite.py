"""What every SQLite file of ours has in common: it is made with the rights of its owner alone, and
opened by many at once.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

BUSY_SECONDS = 10  # how long a process waits for another one's write


def touch(path: Path) -> int:
    """Make the file if it is not there, and see that we may use it; its inode."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except (PermissionError, IsADirectoryError) as error:
        if not os.path.lexists(path):
            raise
        raise sqlite3.DatabaseError(f"it cannot be opened: {error.strerror}") from error
    try:
        return os.fstat(handle).st_ino
    finally:
        os.close(handle)


def connect(place: Path | str, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """A connection for any thread, without transactions of its own, after `prepare`; closed again
    when that fails.
    """
    database = sqlite3.connect(
        place, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def will_pass(error: sqlite3.DatabaseError) -> bool:
    """Locked for too long, disk full: the file itself is sound. Tables of another shape are damage."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR


def switch_to_wal(database: sqlite3.Connection) -> None:
    """Several processes may switch a new file at once; SQLite refuses all but one without waiting."""
    patience = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > patience:
                raise
            time.sleep(0.01)
