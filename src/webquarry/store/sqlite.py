"""What every SQLite file of ours has in common: it is made with the rights of its owner alone, and
opened by many at once. An error of the file or of its folder goes in, the reason why it cannot be
used comes out (`classify`). Nobody else imports sqlite3: the types that callers name are here.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from sqlite3 import Connection, DatabaseError
from typing import Any

__all__ = [
    "FILE_ERRORS",
    "Connection",
    "DatabaseError",
    "Trouble",
    "UnusableFile",
    "UnusableRow",
    "check_access",
    "check_row",
    "classify",
    "connect",
    "make_file",
    "roll_back",
    "switch_to_wal",
]

BUSY_SECONDS = 10  # how long a process waits for another one's write
_WAL_PAUSE_SECONDS = 0.01
_LEAST_ROOM_BYTES = 1_000_000

# What SQLite raises, whatever the file holds. A message that quotes damaged bytes is no text, and
# lengths that make no sense ask for more memory than there is.
FILE_ERRORS = (sqlite3.Error, UnicodeDecodeError, MemoryError)


class Trouble(StrEnum):
    """Why a file cannot be used. The word is what whoever watches a server sees."""

    BUSY = "busy"
    MOVED = "moved"  # deleted or replaced while it was written to
    FULL = "full"
    READ_ONLY = "read_only"
    PERMISSION = "permission"
    NO_FOLDER = "no_folder"
    FAILING = "failing"
    DAMAGED = "damaged"
    NEWER = "newer"
    LOST_KEY = "lost_key"
    FOREIGN = "foreign"  # what is at its place is somebody else's, or no file at all


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
    sqlite3.SQLITE_PERM: Trouble.PERMISSION,
    sqlite3.SQLITE_AUTH: Trouble.PERMISSION,
    sqlite3.SQLITE_CANTOPEN: Trouble.PERMISSION,
    sqlite3.SQLITE_IOERR: Trouble.FAILING,
    sqlite3.SQLITE_NOMEM: Trouble.FAILING,
    # A file that ends too early, and a file system that says itself that it is broken.
    sqlite3.SQLITE_IOERR_SHORT_READ: Trouble.DAMAGED,
    sqlite3.SQLITE_IOERR_CORRUPTFS: Trouble.DAMAGED,
    sqlite3.SQLITE_IOERR_DATA: Trouble.DAMAGED,
}
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_PRIMARY = 0xFF  # the part of a code that says the kind; the rest says where


class UnusableFile(DatabaseError):
    """We found ourselves that a file cannot be used, and why."""

    def __init__(self, text: str, trouble: Trouble) -> None:
        super().__init__(text)
        self.trouble = trouble


class UnusableRow(UnusableFile):
    """One row holds what was never written there; the others may be sound."""

    def __init__(self, text: str) -> None:
        super().__init__(text, Trouble.DAMAGED)


def classify(error: BaseException, path: Path | None = None) -> Trouble:
    """Why the file cannot be used. Whatever SQLite cannot explain, such as a table of another
    shape or a key that is there twice, is damage: our statements are sound. So is a file that
    calls itself read-only, at a place where we may write. A disk that fails is full where there is
    no room.
    """
    trouble = _classify(error)
    if path is None or isinstance(error, UnusableFile):
        return trouble
    if trouble is Trouble.READ_ONLY and not isinstance(error, OSError):
        may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)
        return Trouble.DAMAGED if may_write else trouble
    if trouble is Trouble.FAILING and not _has_room(path.parent):
        return Trouble.FULL
    return trouble


def _has_room(folder: Path) -> bool:
    """Whether there is any room to speak of on the disk of this folder."""
    try:
        return shutil.disk_usage(folder).free >= _LEAST_ROOM_BYTES
    except OSError:
        return True


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
    """The row, if its columns are of these types. Bytes that were changed on the disk make anything
    of a column.
    """
    if len(row) != len(types):
        raise UnusableRow("a row has columns of another number")
    for value, wanted in zip(row, types, strict=True):
        if not isinstance(value, wanted):
            raise UnusableRow("a row holds a value of another type")
        if isinstance(value, float) and not math.isfinite(value):
            raise UnusableRow("a row holds a number that is none")
    return tuple(row)


def make_file(path: Path) -> None:
    """Make the file if it is not there, and see that we may use it. One that is there is not
    opened: closing it again would take the locks from all who have it open in this process.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        check_access(path)
        return
    os.close(handle)


def check_access(path: Path) -> None:
    """See that there is a file that we may read and write."""
    kind = name_kind(path.stat().st_mode)
    if kind:
        raise UnusableFile(f"it is {kind}", Trouble.FOREIGN)
    if os.access(path, os.R_OK | os.W_OK):
        return
    if hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_RDONLY:
        raise UnusableFile("its disk is read-only", Trouble.READ_ONLY)
    raise UnusableFile("permission denied", Trouble.PERMISSION)


def name_kind(mode: int) -> str:
    """What there is instead of a regular file, as its mode tells; empty for a regular file."""
    if stat.S_ISREG(mode):
        return ""
    for is_kind, name in _KINDS:
        if is_kind(mode):
            return name
    return "no regular file"


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


def roll_back(database: Connection) -> None:
    """End a transaction that failed; SQLite has ended some of them itself."""
    with suppress(sqlite3.Error):
        if database.in_transaction:
            database.execute("ROLLBACK")


def switch_to_wal(database: Connection) -> None:
    """Several processes may switch a new file at once, of which SQLite refuses all but one without
    waiting.
    """
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if classify(error) is not Trouble.BUSY or time.monotonic() > end:
                raise
            time.sleep(_WAL_PAUSE_SECONDS)
