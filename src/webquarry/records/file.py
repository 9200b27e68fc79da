"""The record file: one SQLite file for all processes of a user, its values encrypted, its shape
brought up to date on opening.

    file = RecordFile(folder)
    number = await file.run(lambda database, cipher: ...)     # from a coroutine
    number = file.do(lambda database, cipher: ...)            # from any thread

Each piece of work is one transaction: all of it is on disk when the call returns, or nothing has
changed. What cannot be done is a `RecordsFailure` that says why, and the next call tries again:
a disk with room again, a file that was put back are noticed by themselves. A file that was deleted
or replaced under us is never written to again, nor is the log of the one before mixed into the one
that is there now. A log that was cut short and a file that a newer release has taken over are
noticed before anything is acknowledged. A damaged file is never replaced by us. What is wrong
stands in `trouble` and is logged once, and so is its end.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from typing import TypeVar

from webquarry.errors import RecordsFailure
from webquarry.meter import count
from webquarry.records.failures import (
    build_failure,
    build_row_failure,
    describe,
    explain_error,
)
from webquarry.records.shape import (
    KEY_NAME,
    NAME,
    bring_up_to_date,
    check_file,
    check_version,
    make_record_file,
    open_cipher,
    prepare,
)
from webquarry.store.database_file import DatabaseFile, check_pages
from webquarry.store.encryption import KEY_BYTES, Cipher
from webquarry.store.log_place import note_log, part_from_log, set_foreign_log_aside
from webquarry.store.sqlite import (
    FILE_ERRORS,
    Connection,
    Trouble,
    UnusableFile,
    UnusableRow,
    classify,
    connect,
    roll_back,
)

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[Connection, Cipher], T]

_IN_MEMORY = ":memory:"
_OF_WRITING = (Trouble.FULL, Trouble.FAILING, Trouble.READ_ONLY)
_UNSAID = (Trouble.BUSY, Trouble.MOVED)  # over as soon as it is asked again


class RecordFile:
    """`folder`/state.sqlite3, encrypted with `folder`/state.key; without a folder, in the memory of
    this process.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = folder / NAME if folder else None
        self.trouble: Trouble | None = None  # why it could not be used when it was last asked
        self.has_damaged_rows = False
        self.replaced_at: float | None = None  # when another file was found in its place
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webquarry-records")
        self._lock = threading.RLock()
        self._file: DatabaseFile | None = None
        if self.path is not None:
            self._file = DatabaseFile(self.path, self._prepare)
        self._memory: Connection | None = None
        self._cipher: Cipher | None = None
        self._key_stamp: tuple[int, int, int] | None = None
        self._is_suspect = False  # whether all of it is to be checked when it is opened

    async def run(self, work: Work[T]) -> T:
        """Do it on a thread of our own, so that the event loop does not wait for the disk."""
        context = copy_context()  # an error says as much as whoever asks may know
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, context.run, self.do, work)
        except RecordsFailure as failure:
            count("records_refused", reason=failure.reason)
            raise

    def do(self, work: Work[T]) -> T:
        """Do it now, in one transaction."""
        with self._lock:
            try:
                database, cipher = self._open()
            except (OSError, *FILE_ERRORS) as error:
                raise self._refuse(error) from error
            changes = database.total_changes
            try:
                database.execute("BEGIN IMMEDIATE")
                check_version(database)  # a newer release may have migrated it meanwhile
                result = work(database, cipher)
                self._check_place(database)
                database.execute("COMMIT")
            except FILE_ERRORS as error:
                roll_back(database)
                raise self._refuse(error) from error
            except BaseException:
                roll_back(database)
                raise
            self._note_success(has_written=database.total_changes > changes)
            return result

    def probe(self) -> Trouble | None:
        """Whether records can be used now. Where they could not be, that is tried by writing."""
        work = _look
        if self.trouble is not None:
            work = _write
        with suppress(RecordsFailure):
            self.do(work)
        return self.trouble

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
            if self._memory is not None:
                self._memory.close()
                self._memory = None
        self._thread.shutdown()

    def _open(self) -> tuple[Connection, Cipher]:
        """The database and its cipher: of the file that is at the path now."""
        if self._file is None or self.path is None:
            return self._open_memory()
        if self._file.is_moved():
            self._leave_moved_file(self._file)
        if self._file.is_open and _read_stamp(self.path.with_name(KEY_NAME)) != self._key_stamp:
            self._file.close()  # what is written without its key nobody reads after us
        if not self._file.is_open or self._cipher is None:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._cipher = open_cipher(self.path)
            self._key_stamp = _read_stamp(self.path.with_name(KEY_NAME))
            if not os.path.lexists(self.path):
                _move_orphaned_log(self.path)
                make_record_file(self.path, self._cipher)
            self._leave_foreign_log(self.path)
            check_file(self.path, is_suspect=self.trouble is Trouble.DAMAGED)
        try:
            database = self._open_file(self._file, self.path)
        except FILE_ERRORS as error:
            if not self._leave_overwritten_log(self._file, self.path, error):
                raise
            database = self._open_file(self._file, self.path)
        return database, self._cipher

    def _open_file(self, file: DatabaseFile, path: Path) -> Connection:
        """The database, checked anew where somebody else has written to it or to its log."""
        was_open = file.is_open
        database = file.open()
        if not was_open:
            note_log(path)
        if file.is_log_changed():
            self._check_log(database, path)
        elif file.is_changed():
            check_pages(database, path)
        file.note_changes()
        return database

    def _check_log(self, database: Connection, path: Path) -> None:
        """See that a log which is shorter than it was, or another one, has lost nothing: what was
        in it is in the file then.
        """
        try:
            check_pages(database, path)
        except FILE_ERRORS as error:
            if classify(error) is Trouble.BUSY:
                raise
            self.replaced_at = time.time()
            text = "its log was cut short under us, and what was written last is lost"
            raise UnusableFile(text, Trouble.DAMAGED) from error

    def _leave_foreign_log(self, path: Path) -> None:
        """Somebody put another file in the place of one whose log is still there."""
        aside = set_foreign_log_aside(path)
        if aside is not None:
            self.replaced_at = time.time()
            log.error(
                "the record file %s was replaced; the log of the one before is kept as %s",
                path,
                aside,
            )

    def _leave_overwritten_log(self, file: DatabaseFile, path: Path, error: BaseException) -> bool:
        """Whether a damaged file is sound without its log, because somebody wrote another one over
        it, a backup say. The log is kept elsewhere then.
        """
        is_damaged = classify(error, path) is Trouble.DAMAGED
        if not is_damaged or not file.is_open or file.is_moved() or file.is_log_changed():
            return False
        aside = part_from_log(path)
        if aside is None:
            return False
        file.close(keep_log=True)
        self.replaced_at = time.time()
        log.error(
            "the record file %s was written over; the log of the one before does not belong to it "
            "and is kept as %s",
            path,
            aside,
        )
        return True

    def _open_memory(self) -> tuple[Connection, Cipher]:
        if self._memory is None or self._cipher is None:
            cipher = Cipher(os.urandom(KEY_BYTES))
            self._memory = connect(_IN_MEMORY, lambda database: bring_up_to_date(database, cipher))
            self._cipher = cipher
        return self._memory, self._cipher

    def _prepare(self, database: Connection) -> None:
        assert self.path is not None
        assert self._cipher is not None
        is_suspect = self._is_suspect or self.trouble is Trouble.DAMAGED
        prepare(database, self.path, self._cipher, thorough=is_suspect)
        self._is_suspect = False

    def _leave_moved_file(self, file: DatabaseFile) -> None:
        """Somebody deleted or replaced the file, or its log, while we had it open."""
        if file.save_log():
            log.warning(
                "the log of the record file %s was deleted under us; what was in it is in the "
                "file now, and nothing is lost",
                file.path,
            )
        elif not file.is_replaced():
            self._is_suspect = True
            log.error(
                "the log of the record file %s was deleted under us and another one begun; what "
                "was written last may be lost",
                file.path,
            )
        else:
            self.replaced_at = time.time()
            self.has_damaged_rows = False
            log.error(
                "the record file %s was deleted or replaced while it was open; what was recorded "
                "there is not in the file that is used from now on",
                file.path,
            )
        file.close(keep_log=True)

    def _check_place(self, database: Connection) -> None:
        """See that what is committed now will be found again. Whoever writes has the log to
        himself.
        """
        if self._file is None or self.path is None:
            return
        if self._file.is_moved():
            raise UnusableFile("it was deleted or replaced", Trouble.MOVED)
        if self._file.is_log_changed():
            self._check_log(database, self.path)

    def _note_success(self, *, has_written: bool) -> None:
        """What could not be written yesterday can often be read: only a write tells that it is
        over.
        """
        if self._file is not None:
            self._file.note_changes()
        if self.trouble in _OF_WRITING and not has_written:
            return
        if self.trouble is not None:
            log.warning("the record file %s can be used again", self.path)
            self.trouble = None

    def _refuse(self, error: BaseException) -> RecordsFailure:
        """The error for whoever asked. What is new is logged, and the next call opens the file
        again.
        """
        trouble = classify(error, self.path)
        if self._file is not None and self._file.is_moved():
            trouble = Trouble.MOVED  # whatever SQLite makes of that
        detail = explain_error(error)
        if isinstance(error, UnusableRow) and trouble is not Trouble.MOVED:
            if not self.has_damaged_rows:
                log.error("the record file %s holds a damaged record: it %s", self.path, detail)
            self.has_damaged_rows = True
            return build_row_failure(detail)
        failure = build_failure(trouble, detail, self.path)
        if trouble not in _UNSAID and trouble is not self.trouble:
            self.trouble = trouble
            log.error("%s", describe(trouble, detail, self.path))
        if trouble is Trouble.MOVED and self._file is not None:
            self._leave_moved_file(self._file)
        if trouble is not Trouble.BUSY and self._file is not None:
            self._file.close(keep_log=trouble is Trouble.DAMAGED)
        return failure


class MissingRecordFile(RecordFile):
    """Stands for the record file of a user who has no folder for one: every piece of work is
    refused.
    """

    def __init__(self) -> None:
        super().__init__(None)

    def _open(self) -> tuple[Connection, Cipher]:
        raise UnusableFile("this user has no home", Trouble.NO_FOLDER)


def _read_stamp(path: Path) -> tuple[int, int, int] | None:
    """What tells a file from another one at its place; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _move_orphaned_log(path: Path) -> None:
    """A log without its file was left when somebody deleted that: SQLite would take it for the
    log of the new one.
    """
    orphan = Path(f"{path}-wal")
    if orphan.exists():
        target = path.with_name(f"{path.name}.deleted-{time.time_ns()}")
        log.error("the record file %s was deleted; its log is kept as %s-wal", path, target)
        orphan.replace(f"{target}-wal")
    Path(f"{path}-shm").unlink(missing_ok=True)


def _look(database: Connection, _: Cipher) -> None:
    database.execute("SELECT id FROM key_check").fetchone()


def _write(database: Connection, _: Cipher) -> None:
    """Write what is there already."""
    database.execute("UPDATE key_check SET value = value")
