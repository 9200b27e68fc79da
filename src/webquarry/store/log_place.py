"""Which file a log (`-wal`) was written for: the path of a database in, whether the log beside it
belongs to another file out.

SQLite takes whatever log lies beside a file for its own. When a backup is moved over a file whose
log is still there, the pages of the old log would be mixed into it. So a small file beside them
(`-log`) names the inodes of both, written by whoever opens them: where the file is another one and
the log still the same, the log is that of the file before. Files that were copied or moved together
have other inodes both, or the same both, and belong together.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

from webquarry.store.log_check import count_dropped_commits
from webquarry.store.sqlite import (
    FILE_ERRORS,
    Connection,
    Trouble,
    UnusableFile,
    connect,
    make_file,
)

_LOG, _INDEX, _NOTE = "-wal", "-shm", "-log"
_HEADER_BYTES = 32
_MOST_BYTES = 256_000_000


def note_log(path: Path) -> None:
    """Write down that the log beside this file is its own."""
    note = _describe(path)
    place = Path(f"{path}{_NOTE}")
    if note is None or _read_note(place) == note:
        return
    draft = place.with_name(f"{place.name}.{os.getpid()}")
    # a disk without room is told by the first record that it does not take
    with suppress(OSError, UnusableFile):
        make_file(draft)
        draft.write_text(note, "ascii")
        draft.replace(place)


def has_foreign_log(path: Path) -> bool:
    """Whether the log is that of another file which was at this path before."""
    noted = _read_note(Path(f"{path}{_NOTE}"))
    now = _describe(path)
    if noted is None or now is None or noted == now:
        return False
    return noted.split()[1:] == now.split()[1:]


def set_foreign_log_aside(path: Path) -> Path | None:
    """Move a log that is that of another file away, and say where to."""
    if has_foreign_log(path):
        return set_log_aside(path, "replaced")
    if not Path(f"{path}{_LOG}").exists():  # the next one may have the inode of the last
        with suppress(OSError):
            Path(f"{path}{_NOTE}").unlink(missing_ok=True)
    return None


def set_log_aside(path: Path, why: str) -> Path | None:
    """Move the log of a database away and say where to; None where there is none."""
    target = path.with_name(f"{path.name}.{why}-{time.time_ns()}{_LOG}")
    try:
        Path(f"{path}{_LOG}").replace(target)
    except FileNotFoundError:
        return None
    Path(f"{path}{_INDEX}").unlink(missing_ok=True)
    return target


def part_from_log(path: Path) -> Path | None:
    """Where a file that is damaged together with its log is sound without it, because somebody has
    written another one over it: part the two, and say where the log is kept. A copy takes the place
    of the file, so that whoever has it open moves nothing of the log into it on closing. A log that
    is damaged itself is never the reason.
    """
    if not _has_frames(path) or count_dropped_commits(path, looks=1):
        return None
    draft = path.with_name(f"{path.name}.{os.getpid()}.copy")
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        _copy(path, draft)
        connect(draft, _check_all).close()
        draft.replace(path)
    except (OSError, *FILE_ERRORS):
        return None
    finally:
        for suffix in ("", _LOG, _INDEX):
            Path(f"{draft}{suffix}").unlink(missing_ok=True)
    return set_log_aside(path, "replaced")


def _copy(path: Path, target: Path) -> None:
    """Copy a file, all of it on the disk, for its owner alone."""
    make_file(target)
    with path.open("rb") as source, target.open("r+b") as copy:
        shutil.copyfileobj(source, copy)
        copy.flush()
        os.fsync(copy.fileno())


def _check_all(database: Connection) -> None:
    """See that a copy is sound, all of it, and none of an empty file."""
    row = database.execute("PRAGMA integrity_check(1)").fetchone()
    version = database.execute("PRAGMA user_version").fetchone()
    if row[0] != "ok" or not version[0]:
        raise UnusableFile("it is damaged by itself", Trouble.DAMAGED)


def _has_frames(path: Path) -> bool:
    with suppress(OSError):
        return Path(f"{path}{_LOG}").stat().st_size > _HEADER_BYTES
    return False


def _describe(path: Path) -> str | None:
    """The inodes of a file and of its log; None where there is no log."""
    try:
        file = path.stat()
        written = Path(f"{path}{_LOG}").stat()
    except OSError:
        return None
    return f"{file.st_dev}:{file.st_ino} {written.st_dev}:{written.st_ino}"


def _read_note(place: Path) -> str | None:
    try:
        if not place.is_file():
            return None
        return place.read_text("ascii")
    except (OSError, ValueError):
        return None
