"""Records must not be lost: research sessions, paid answers and the ledger, in one SQLite file.

    records = RecordFile(folder)
    number = await records.run(lambda connection, cipher: ...)    # from a coroutine
    number = records.do(lambda connection, cipher: ...)           # from any thread

Each call is one transaction: all of it is on disk when the call returns, or nothing has changed.
Errors are `RecordsFailure` with the reason and the next step; the next call opens the file again.
A damaged file is never replaced. The reason of the last failure is in `trouble`; it is logged once,
and so is its end.
"""

from __future__ import annotations

import logging
import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

from webquarry.caller import LOCAL, caller
from webquarry.errors import RecordsFailure
from webquarry.meter import count
from webquarry.store.database import (
    FILE_ERRORS,
    Connection,
    Database,
    Trouble,
    UnusableFile,
    UnusableRow,
    Work,
    classify,
    connect,
    make_file,
    read_version,
)
from webquarry.store.encryption import KEY_BYTES, Cipher

log = logging.getLogger(__name__)
T = TypeVar("T")

NAME = "state.sqlite3"
_KEY_CHECK = b"webquarry"  # encrypted in the file, to recognize its key
_KEY_CHECK_NAME = b"key check"
_TEMPORARY = (Trouble.BUSY, Trouble.FULL, Trouble.FAILING)
_OF_WRITING = (Trouble.FULL, Trouble.FAILING, Trouble.READ_ONLY)
_ELSEWHERE = "or set WEBQUARRY_STATE_FOLDER to another folder, which may be a temporary one."
_START_EMPTY = "To start with empty records, move state.sqlite3 and state.key to another folder."
_CAUSES = {  # of the others, the message names the error
    Trouble.FULL: "the disk is full",
    Trouble.READ_ONLY: "its folder is read-only",
    Trouble.DAMAGED: "it is damaged ({detail})",
    Trouble.NEWER: "a newer release wrote it ({detail})",
}
_ACTIONS = {
    Trouble.BUSY: "Try again in a moment.",
    Trouble.FULL: f"Free some space on the disk of {{folder}} and try again, {_ELSEWHERE}",
    Trouble.READ_ONLY: f"Make {{folder}} writable and try again, {_ELSEWHERE}",
    Trouble.PERMISSION: f"Give {{folder}} and its files to the user that runs webquarry, "
    f"{_ELSEWHERE}",
    Trouble.NO_FOLDER: "Set WEBQUARRY_STATE_FOLDER to a writable folder, which may be a temporary "
    "one.",
    Trouble.FAILING: "Check whether the disk of {folder} is full, over a quota or failing, then "
    "try again.",
    Trouble.DAMAGED: f"Restore a backup copy of {{folder}}, state.key included. {_START_EMPTY}",
    Trouble.NEWER: f"Use the newer release. {_START_EMPTY}",
    Trouble.LOST_KEY: f"Restore state.key from a backup copy of {{folder}}. {_START_EMPTY}",
}

# The shape of the file, step by step; a step is never changed after a release.
_MIGRATIONS = [
    # Names are keyed hashes, heads and entries are encrypted.
    """
    CREATE TABLE journals (
        name BLOB PRIMARY KEY, owner BLOB NOT NULL, locked_id BLOB NOT NULL,
        created_at REAL NOT NULL, touched_at REAL NOT NULL, finished INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX journals_by_owner ON journals (owner, touched_at);
    CREATE TABLE journal_entries (
        journal BLOB NOT NULL REFERENCES journals (name) ON DELETE CASCADE,
        number INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (journal, number)
    ) WITHOUT ROWID
    """,
    # Money is in billionths of a US dollar. A reservation is the maximum cost of a question in
    # progress.
    """
    CREATE TABLE ask_answers (
        name BLOB PRIMARY KEY, value BLOB NOT NULL, made_at REAL NOT NULL, expires_at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX ask_answers_by_end ON ask_answers (expires_at);
    CREATE TABLE ask_reservations (
        id INTEGER PRIMARY KEY, statement TEXT NOT NULL, door TEXT NOT NULL, day TEXT NOT NULL,
        model TEXT NOT NULL, amount INTEGER NOT NULL, ends_at REAL NOT NULL
    );
    CREATE TABLE ask_spending (
        day TEXT NOT NULL, statement TEXT NOT NULL, model TEXT NOT NULL, door TEXT NOT NULL,
        begun_at REAL NOT NULL, questions INTEGER NOT NULL DEFAULT 0,
        calls INTEGER NOT NULL DEFAULT 0, searches INTEGER NOT NULL DEFAULT 0,
        input_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0,
        cached_tokens INTEGER NOT NULL DEFAULT 0, amount INTEGER NOT NULL DEFAULT 0,
        uncertain INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (day, statement, model)
    ) WITHOUT ROWID;
    CREATE INDEX ask_spending_by_statement ON ask_spending (statement)
    """,
    # The value of key_check is decrypted by the right key only. The seals are not used any more.
    """
    CREATE TABLE key_check (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL);
    ALTER TABLE journals ADD COLUMN seal BLOB;
    ALTER TABLE ask_spending ADD COLUMN seal BLOB
    """,
    # A claim is the process that asks a question now, and the end of its lease.
    """
    CREATE TABLE IF NOT EXISTS ask_claims (
        name BLOB PRIMARY KEY, owner TEXT NOT NULL, ends_at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS ask_statements (
        statement TEXT PRIMARY KEY, door TEXT NOT NULL, begun_at REAL NOT NULL, words BLOB,
        hits INTEGER NOT NULL DEFAULT 0, kept_searches INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ask_statements_by_begin ON ask_statements (begun_at)
    """,
    # The order in which journals are deleted.
    """
    CREATE INDEX IF NOT EXISTS journals_by_touch ON journals (touched_at);
    CREATE INDEX IF NOT EXISTS journals_by_rank
        ON journals (owner, finished DESC, touched_at, name)
    """,
    # The reservations of a dead process count as spent at once.
    """
    ALTER TABLE ask_reservations ADD COLUMN owner TEXT NOT NULL DEFAULT '';
    ALTER TABLE ask_reservations ADD COLUMN questions INTEGER NOT NULL DEFAULT 0
    """,
]


class RecordFile:
    """`folder`/state.sqlite3, encrypted with `folder`/state.key; without a folder, in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.path = folder / NAME if folder else None
        self.trouble: Trouble | None = None  # why the last call failed
        self.has_damaged_rows = False
        self._database: Database = _MemoryDatabase()
        if self.path is not None:
            self._database = _RecordDatabase(self.path)

    async def run(self, work: Work[T]) -> T:
        """Do the work on the thread of the file."""
        try:
            return await self._database.run(lambda: self.do(work))
        except RecordsFailure as failure:
            count("records_refused", reason=failure.reason)
            raise

    def do(self, work: Work[T]) -> T:
        """Do the work in one transaction."""
        changes = 0

        def count_changes(connection: Connection, cipher: Cipher) -> T:
            nonlocal changes
            if read_version(connection) > len(_MIGRATIONS):
                raise UnusableFile("it was migrated while it was open", Trouble.NEWER)
            before = connection.total_changes
            result = work(connection, cipher)
            changes = connection.total_changes - before
            return result

        try:
            result = self._database.do(count_changes)
        except (OSError, *FILE_ERRORS) as error:
            raise self._fail(error) from error
        # a file that cannot be written can often be read
        if self.trouble is not None and (changes or self.trouble not in _OF_WRITING):
            log.warning("the record file %s can be used again", self.path)
            self.trouble = None
        return result

    def probe(self) -> Trouble | None:
        """Return why records cannot be used now; if the last call failed, try to write."""
        statement = "SELECT id FROM key_check"
        if self.trouble is not None:
            statement = "UPDATE key_check SET value = value"
        with suppress(RecordsFailure):
            self.do(lambda connection, _: connection.execute(statement).fetchone())
        return self.trouble

    def find_damage(self) -> str | None:
        """Return what a check of the whole file finds, or None if it is sound."""
        return self._database.find_damage()

    def close(self) -> None:
        self._database.close()

    def _fail(self, error: BaseException) -> RecordsFailure:
        """Return the error for the caller; log a trouble that is new."""
        detail = _explain(error)
        if isinstance(error, UnusableRow):
            if not self.has_damaged_rows:
                log.error("the record file %s has a damaged record: it %s", self.path, detail)
            self.has_damaged_rows = True
            action = "Tell the operators of this server: one of its records is damaged."
            if caller() == LOCAL:
                action = (
                    "Restore a backup copy of state.sqlite3 and state.key. The other records can "
                    "be used."
                )
            return RecordsFailure(
                f"A record {detail}.",
                reason=Trouble.DAMAGED,
                retryable=False,
                suggested_action=action,
            )
        trouble = classify(error, self.path)
        if trouble is Trouble.DAMAGED:
            detail = self.find_damage() or detail
        if trouble not in (Trouble.BUSY, self.trouble):
            self.trouble = trouble
            log.error("%s", _describe(trouble, detail, self.path))
        return _build_failure(trouble, detail, self.path)


class MissingRecordFile(RecordFile):
    """The record file of a user without a folder for it: every call fails."""

    def __init__(self) -> None:
        super().__init__(None)

    def do(self, work: Work[T]) -> T:
        raise self._fail(UnusableFile("this user has no home", Trouble.NO_FOLDER))


class _RecordDatabase(Database):
    def __init__(self, path: Path) -> None:
        # FULL: an acknowledged record survives a power failure, too
        super().__init__(path, _MIGRATIONS, synchronous="FULL")

    def _open_cipher(self) -> Cipher:
        """Open the key; a new one only for a new file. A new file is created under another name,
        so that an empty file is one that was damaged.
        """
        if not self.path.exists():
            cipher = Cipher.open(self.key_path)
            self._create(cipher)
            return cipher
        if not self.path.stat().st_size:
            raise UnusableFile("it is empty", Trouble.DAMAGED)
        if not Cipher.is_key(self.key_path):
            text = f"its key {self.key_path.name} is missing or damaged"
            raise UnusableFile(text, Trouble.LOST_KEY)
        return Cipher.open(self.key_path)

    def _create(self, cipher: Cipher) -> None:
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        make_file(draft)
        try:
            connection = connect(draft, self._migrate)
            _check_key(connection, cipher)
            connection.close()
            with suppress(FileExistsError):  # another process was first
                os.link(draft, self.path)
            _sync_folder(self.path.parent)
        finally:
            draft.unlink(missing_ok=True)
            draft.with_name(f"{draft.name}-journal").unlink(missing_ok=True)

    def _prepare(self, connection: Connection) -> None:
        assert self._cipher is not None
        super()._prepare(connection)
        _check_key(connection, self._cipher)


class _MemoryDatabase(Database):
    def __init__(self) -> None:
        super().__init__(Path("memory"), _MIGRATIONS)

    def open(self) -> tuple[Connection, Cipher]:
        if self._connection is None or self._cipher is None:
            self._cipher = Cipher(os.urandom(KEY_BYTES))
            self._connection = connect(":memory:", self._migrate)
        return self._connection, self._cipher

    def _disconnect(self) -> None:
        """Do nothing: closing the connection would lose everything."""

    def find_damage(self) -> str | None:
        return None


def check_records(folder: Path) -> RecordsFailure | None:
    """Return the error that users of the records in this folder get; None if they are sound, or
    there are none yet.
    """
    path = folder / NAME
    if not path.exists():
        return None
    file = RecordFile(folder)
    try:
        detail = file.find_damage()
        if detail is not None:
            return _build_failure(Trouble.DAMAGED, detail, path)
        file.do(lambda connection, _: connection.execute("SELECT id FROM key_check").fetchone())
    except RecordsFailure as failure:
        return failure
    finally:
        file.close()
    return None


def _build_failure(trouble: Trouble, detail: str, path: Path | None) -> RecordsFailure:
    """Return the error for the caller. Callers of a server get no paths."""
    action = _ACTIONS[trouble]
    if caller() != LOCAL:
        path = None
        if trouble is not Trouble.BUSY:
            action = f"Tell the operators of this server that its records fail ({trouble})."
    folder = str(path.parent) if path else "the records"
    return RecordsFailure(
        _describe(trouble, detail, path),
        reason=trouble,
        retryable=trouble in _TEMPORARY,
        suggested_action=action.format(folder=folder),
    )


def _check_key(connection: Connection, cipher: Cipher) -> None:
    """Check that the key is the one of this file: with another one, no record would be found."""
    row = connection.execute("SELECT value FROM key_check WHERE id = 1").fetchone()
    if row is None:
        encrypted = cipher.encrypt(_KEY_CHECK, _KEY_CHECK_NAME)
        connection.execute("INSERT OR IGNORE INTO key_check VALUES (1, ?)", (encrypted,))
    elif cipher.decrypt(row[0], _KEY_CHECK_NAME) != _KEY_CHECK:
        raise UnusableFile("state.key is not the key of this file", Trouble.LOST_KEY)


def _describe(trouble: Trouble, detail: str, path: Path | None) -> str:
    cause = _CAUSES.get(trouble, "{detail}").format(detail=detail)
    if trouble is Trouble.NO_FOLDER:
        what = f"folder {path.parent} for records" if path else "folder for records"
    else:
        what = f"record file {path}" if path else "record file"
    verb = "written" if trouble in _OF_WRITING else "used"
    return f"The {what} cannot be {verb}: {cause}."


def _explain(error: BaseException) -> str:
    """Return the text of an error without paths."""
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    if isinstance(error, UnicodeDecodeError):
        return "it has bytes that are not text"
    if isinstance(error, MemoryError):
        return "it requires more memory than available"
    return str(error).rstrip(".") or type(error).__name__


@cache
def _sync_folder(folder: Path) -> None:
    """Make the name of a new file survive a power failure, if the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
