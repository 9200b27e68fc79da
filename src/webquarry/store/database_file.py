"""An SQLite file that stays open: a path goes in, a connection to the file that is at this path now
comes out.

    file = DatabaseFile(path, prepare)
    if file.is_moved():            # deleted or replaced under us
        file.close()
    database = file.open()

SQLite does not notice when somebody deletes, moves or replaces a file that it has open: it goes on
writing into what nobody will ever find. So the inodes of the file, of its log (`-wal`) and of the
log's index (`-shm`) are compared with what the path leads to. Nor does it notice when somebody cuts
the log short: it writes behind a hole. All of it is cheap: four looks.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from webquarry.store.sqlite import (
    BUSY_SECONDS,
    FILE_ERRORS,
    Connection,
    Trouble,
    UnusableFile,
    classify,
    connect,
    keep_log_on_close,
)

Stamp = tuple[int, int]  # the size of a file, and when it was last changed


class LogStamp(NamedTuple):
    """How long a log is, and how it begins."""

    size: int = 0
    header: bytes = b""


_LOG, _INDEX = "-wal", "-shm"
_BESIDE = (_LOG, _INDEX)
_ASIDE = ".damaged-"
_MOST_ASIDE = 3
_PAUSE_SECONDS = 0.005
_LOG_HEADER_BYTES = 32
# Not waiting for the other end of what is no file, and no byte for a line end.
_READ_AT_ONCE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_ASIDE_SECONDS = 7 * 86_400
# What a check may cost at each opening: some 20 ms.
_CHECKED_BYTES = 16_000_000
_CHECKED_ROUGHLY_BYTES = 128_000_000


class DatabaseFile:
    """One file and its connection, for one thread at a time."""

    def __init__(
        self,
        path: Path,
        prepare: Callable[[Connection], None],
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._paths = {suffix: f"{path}{suffix}" for suffix in ("", *_BESIDE)}
        self._prepare = prepare
        self._database: Connection | None = None
        self._inodes: dict[str, tuple[int, int]] = {}
        self._stamp: Stamp | None = None
        self._log = LogStamp()

    @property
    def is_open(self) -> bool:
        return self._database is not None

    def get(self) -> Connection | None:
        """The connection, if it is open."""
        return self._database

    def open(self) -> Connection:
        """The connection, made at the first use. What stands in the way is raised as it came."""
        if self._database is None:
            self._inodes = self._read_inodes()  # known even of a file that cannot be opened
            self._database = connect(self.path, self._prepare, self._busy_seconds)
            self._inodes = self._read_inodes()
            self.note_changes()
        return self._database

    def close(self, *, keep_log: bool = False) -> None:
        """Close what is open. With `keep_log`, the log is not written into a file that is not the
        one it was written for, or is damaged, where Python can ask SQLite for that.
        """
        database, self._database = self._database, None
        if database is None:
            return
        with suppress(*FILE_ERRORS):
            if keep_log:
                keep_log_on_close(database)
            database.close()

    def is_moved(self) -> bool:
        """Whether one of the files that are open is no longer the one that its path leads to."""
        if self._database is None:
            return False
        now = self._read_inodes()
        for suffix, inode in self._inodes.items():
            if now.get(suffix) != inode:
                return True
        self._inodes = now  # a log that was not needed before
        return False

    def is_replaced(self) -> bool:
        """Whether the file itself is another one, or gone, and not only its log."""
        return self._read_inodes().get("") != self._inodes.get("")

    def is_changed(self) -> bool:
        """Whether somebody else wrote to the file itself since we last looked: another process
        that moved its log there, or a stranger.
        """
        return self._database is not None and self._read_stamp() != self._stamp

    def is_log_changed(self) -> bool:
        """Whether the log has become shorter since we last looked, or begins in another way: all
        of it was moved into the file, or somebody has cut it short. A check of the pages tells.
        """
        now = self._read_log_stamp()
        is_same = now.size >= self._log.size and now.header.startswith(self._log.header)
        return self._database is not None and not is_same

    def note_changes(self) -> None:
        """What the file and its log are like now is what we know."""
        self._stamp = self._read_stamp()
        self._log = self._read_log_stamp()

    def save_log(self) -> bool:
        """After somebody deleted the log or its index, which we still have open: write what is in
        it into the file. True if nothing was lost: nobody has begun another log, which could not
        end while we have the file open.
        """
        if self._database is None:
            return False
        end = time.monotonic() + self._busy_seconds
        while not self._has_other_log() and time.monotonic() < end:
            try:
                row = self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except FILE_ERRORS as error:
                if classify(error) is not Trouble.BUSY:
                    return False
            else:
                if row and row[0] == 0:
                    return True
            time.sleep(_PAUSE_SECONDS)  # another process, which noticed as well, is at it
        return False

    def _has_other_log(self) -> bool:
        """Whether the file is another one, or somebody has begun another log for it."""
        now = self._read_inodes()
        if now.get("") != self._inodes.get(""):
            return True
        return any(suffix in now and now[suffix] != self._inodes.get(suffix) for suffix in _BESIDE)

    def set_aside(self) -> Path | None:
        """Move the file away, with what lies beside it, and say where to; None if another process
        has done so already.
        """
        opened = self._inodes.get("")
        self.close()
        if not os.path.lexists(self.path):
            return None
        if opened is not None and self._read_inodes().get("") != opened:
            return None
        aside = self.path.with_name(f"{self.path.name}{_ASIDE}{time.time_ns()}")
        move_with_log(self.path, aside)
        self._inodes = {}
        return aside

    def _read_inodes(self) -> dict[str, tuple[int, int]]:
        """The inodes of the files that are there, by what is behind the name."""
        inodes: dict[str, tuple[int, int]] = {}
        for suffix, path in self._paths.items():
            with suppress(OSError):
                found = os.stat(path)  # noqa: PTH116 - which takes less than half as long
                inodes[suffix] = (found.st_dev, found.st_ino)
        return inodes

    def _read_log_stamp(self) -> LogStamp:
        """Of the log as it is now. Nobody locks it, so that it may be opened and closed."""
        try:
            handle = os.open(self._paths[_LOG], _READ_AT_ONCE)
        except OSError:
            return LogStamp()
        try:
            return LogStamp(os.fstat(handle).st_size, os.read(handle, _LOG_HEADER_BYTES))
        except OSError:
            return LogStamp()
        finally:
            os.close(handle)

    def _read_stamp(self) -> Stamp | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns


def check_pages(database: Connection, path: Path, *, thorough: bool = False) -> None:
    """Raise what is wrong with the pages of the file: all of a small one, the rough shape of a
    larger one, nothing of a huge one unless it is to be `thorough`.
    """
    size = path.stat().st_size
    statement = "PRAGMA integrity_check(1)"
    if not thorough and size > _CHECKED_ROUGHLY_BYTES:
        return
    if not thorough and size > _CHECKED_BYTES:
        statement = "PRAGMA quick_check(1)"
    database.execute("PRAGMA shrink_memory")  # what is on the disk counts, not what we remember
    row = database.execute(statement).fetchone()
    if row is None or row[0] != "ok":
        found = "no answer" if row is None else str(row[0])
        raise UnusableFile(f"a check found: {' '.join(found.split())}", Trouble.DAMAGED)


def move_with_log(path: Path, target: Path) -> None:
    """Move a database away, and its log with it under the same name; the index is made anew."""
    path.replace(target)
    for suffix in _BESIDE:
        beside = Path(f"{path}{suffix}")
        with suppress(FileNotFoundError):
            beside.replace(f"{target}{suffix}")
    Path(f"{target}{_INDEX}").unlink(missing_ok=True)


def remove_old_asides(path: Path) -> None:
    """Let go of what was set aside longer than a week ago, and of all but the last three."""
    with suppress(OSError):
        found = [one for one in path.parent.glob(f"{path.name}{_ASIDE}*") if _is_aside(one)]
        found.sort(key=lambda one: one.name, reverse=True)
        oldest = time.time() - _ASIDE_SECONDS
        for number, one in enumerate(found):
            moment = int(one.name.rpartition("-")[2]) / 1e9
            if number >= _MOST_ASIDE or moment < oldest:
                _remove(one)


def _is_aside(path: Path) -> bool:
    """Whether this is what was set aside, and not a log beside it."""
    return path.name.rpartition("-")[2].isdigit()


def _remove(path: Path) -> None:
    """Remove a file, or whatever folder stood in its place, and the log beside it."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
        Path(f"{path}{_LOG}").unlink(missing_ok=True)
