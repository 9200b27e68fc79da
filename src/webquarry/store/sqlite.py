"""What all SQLite files have in common: how they are opened, and why one cannot be used
(`classify`). Only this package imports sqlite3.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from sqlite3 import Connection
from typing import Any

__all__ = [
    "FILE_ERRORS",
    "Connection",
    "Trouble",
    "UnusableFile",
    "UnusableRow",
    "check_row",
    "classify",
    "connect",
    "make_file",
    "roll_back",
    "switch_to_wal",
]

_BUSY_SECONDS = 10  # timeout of a lock
_WAL_PAUSE_SECONDS = 0.01
_LEAST_FREE_BYTES = 1_000_000

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


def classify(error: BaseException, path: Path | None = None) -> Trouble:
    """Return why the file cannot be used. Other errors of SQLite, such as a missing table, are
    damage. So is a file that claims to be read-only although it can be written.
    """
    trouble = _classify(error)
    if path is None or isinstance(error, UnusableFile):
        return trouble
    if trouble is Trouble.READ_ONLY and not isinstance(error, OSError):
        may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
        return Trouble.DAMAGED if may_write else trouble
    if trouble is Trouble.FAILING:
        with suppress(OSError):
            if shutil.disk_usage(path.parent).free < _LEAST_FREE_BYTES:
                return Trouble.FULL
    return trouble


def _classify(error: BaseException) -> Trouble:
    if isinstance(error, UnusableFile):
        return error.trouble
    if isinstance(error, OSError):
        return _BY_ERRNO.get(error.errno or 0, Trouble.FAILING)
    if isinstance(error, MemoryError):
        return Trouble.FAILING
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    exact = _BY_CODE.get(code)
    if exact is not None:
        return exact
    return _BY_CODE.get(code & _PRIMARY, Trouble.DAMAGED)


def check_row(row: Sequence[Any], *types: type) -> tuple[Any, ...]:
    """Return the row; raises `UnusableRow` unless its columns have these types."""
    if len(row) != len(types):
        raise UnusableRow("a row has another number of columns")
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


def roll_back(connection: Connection) -> None:
    """End a transaction that failed, unless SQLite has ended it."""
    with suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def switch_to_wal(connection: Connection) -> None:
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
