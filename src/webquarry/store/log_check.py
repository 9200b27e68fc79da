"""Whether the log of a database (`-wal`) holds more than SQLite will believe: a path in, the number
of transactions that would be dropped out.

A process that is killed leaves what it wrote in the log. SQLite reads the log as far as its
checksums are right and drops the rest without a word: that is how it treats a transaction that was
never finished, and also one that was finished, acknowledged and damaged since. The two are told
apart by the frames behind the break: a finished transaction ends with a frame that says so.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from webquarry.store.sqlite import FILE_ERRORS, Connection, connect

_HEADER = struct.Struct(">8I")  # magic, version, page size, sequence, two salts, two checksums
_FRAME = struct.Struct(">6I")  # page, pages after a commit (0 inside), two salts, two checksums
_MAGIC = (0x377F0682, 0x377F0683)  # checksums of little-endian words, and of big-endian ones
_LAST_FRAME = slice(16, 20)  # in the index that SQLite makes of a log
_MOST_BYTES = 256_000_000
_LOOKS = 3
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True)
class _Log:
    """The bytes of a log and what its header says."""

    data: bytes
    page_size: int
    salts: tuple[int, int]

    def list_commits(self, start: int) -> list[int]:
        """The frames from this one on that end a transaction of this log; damage to one of its
        salts does not hide a frame.
        """
        size = _FRAME.size + self.page_size
        commits: list[int] = []
        for number in range(start, (len(self.data) - _HEADER.size) // size):
            offset = _HEADER.size + number * size
            _, pages_after, *salts, _, _ = _FRAME.unpack_from(self.data, offset)
            is_of_this_log = salts[0] == self.salts[0] or salts[1] == self.salts[1]
            if pages_after and is_of_this_log:
                commits.append(number)
        return commits


def count_dropped_commits(path: Path, *, looks: int = _LOOKS) -> int:
    """How many finished transactions in the log of this database SQLite would drop; at least one
    where the beginning of the log itself is damaged. A log that is being written to may look
    damaged: only what is there at each of several looks counts.
    """
    dropped = 0
    for look in range(looks):
        if look:
            time.sleep(_PAUSE_SECONDS)
        dropped = _count_once(path)
        if not dropped:
            return 0
    return dropped


def _count_once(path: Path) -> int:
    log_path = Path(f"{path}-wal")
    try:
        if not _HEADER.size < log_path.stat().st_size <= _MOST_BYTES:
            return 0
        data = log_path.read_bytes()
        changed_at = log_path.stat().st_mtime
    except OSError:
        return 0
    log = _parse(data)
    if log is None:
        return 1
    believed = _count_believed_frames(log)
    if believed is None:
        return 0
    commits = log.list_commits(believed)
    is_last = bool(commits) and commits[-1] == commits[0]
    if is_last and _may_be_torn(changed_at):
        return 0
    return len(commits)


def _parse(data: bytes) -> _Log | None:
    """The log, if its header is what SQLite wrote."""
    if len(data) < _HEADER.size:
        return None
    magic, _, page_size, _, salt, other_salt, *checksums = _HEADER.unpack_from(data)
    if magic not in _MAGIC or page_size < 512 or page_size & (page_size - 1):
        return None
    order = "<" if magic == _MAGIC[0] else ">"
    first = second = 0
    words = struct.unpack_from(f"{order}6I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    if checksums != [first, second]:
        return None
    return _Log(data, page_size, (salt, other_salt))


def _count_believed_frames(log: _Log) -> int | None:
    """How far SQLite reads this log: it is given a copy, behind an empty database of its own, and
    says so in the index that it makes. None where there is no room for a copy.
    """
    with (
        suppress(OSError, *FILE_ERRORS),
        tempfile.TemporaryDirectory(prefix="webquarry-log-") as place,
    ):
        copy = Path(place) / "copy.sqlite3"
        with closing(connect(copy, _hurry)) as database:
            database.execute(f"PRAGMA page_size = {log.page_size}")
            database.execute("PRAGMA journal_mode = WAL")
        Path(f"{copy}-wal").write_bytes(log.data)
        with closing(connect(copy, _hurry)) as database:
            with suppress(*FILE_ERRORS):  # the pages that it wants are not there
                database.execute("PRAGMA user_version").fetchone()
            index = Path(f"{copy}-shm").read_bytes()
            return int.from_bytes(index[_LAST_FRAME], sys.byteorder)
    return None


def _hurry(database: Connection) -> None:
    """Nobody has to wait for the disk: what is made here is gone in a moment."""
    database.execute("PRAGMA synchronous = OFF")


def _may_be_torn(changed_at: float) -> bool:
    """Whether the machine itself has stopped since the log was written: then the last transaction
    may never have reached the disk, and was never acknowledged.
    """
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    if clock is None:
        return True
    started_at = time.time() - time.clock_gettime(clock)
    return changed_at < started_at
