"""The record file and what it has to be like: a path and a connection go in, a sound file with
tables of today's shape that belong to our key comes out, or the reason why not.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path

from webquarry.store.database_file import check_pages
from webquarry.store.encryption import Cipher
from webquarry.store.log_check import count_dropped_commits
from webquarry.store.sqlite import (
    Connection,
    Trouble,
    UnusableFile,
    check_access,
    connect,
    make_file,
    roll_back,
    switch_to_wal,
)

NAME = "state.sqlite3"
KEY_NAME = "state.key"
_HIGHEST_VERSION = 10_000  # beyond it, no release ever wrote the number
_TABLES = ("journals", "key_check")  # of which a file of any release has one
_MARK = b"webquarry"
_MARK_NAME = b"key check"
_OTHER_KEY = "state.key is not the key that it was written with"


def open_cipher(path: Path) -> Cipher:
    """The cipher of the key beside the file. A new key would make an old file unreadable, so none
    is made for one.
    """
    key = path.with_name(KEY_NAME)
    try:
        is_there = Cipher.is_key(key)
    except PermissionError:
        text = f"its key {KEY_NAME} cannot be read: permission denied"
        raise UnusableFile(text, Trouble.PERMISSION) from None
    if not is_there and os.path.lexists(path):
        check_file(path)
        connect(path, _check_tables_are_ours).close()
        raise UnusableFile(f"its key {KEY_NAME} is missing or damaged", Trouble.LOST_KEY)
    return Cipher.open(key)


def check_file(path: Path, *, is_suspect: bool = False) -> None:
    """See that there is a file which we may read and write, and that nothing would be dropped by
    opening it. A file that was found damaged before is not looked at several times.
    """
    check_access(path)
    if not path.stat().st_size:
        raise UnusableFile("it is empty", Trouble.DAMAGED)
    looks = 1 if is_suspect else 3
    if count_dropped_commits(path, looks=looks):
        raise UnusableFile("the end of its log cannot be read", Trouble.DAMAGED)


def make_record_file(path: Path, cipher: Cipher) -> None:
    """Make a new record file, all at once: a file that is there and empty was cut short by
    somebody. Several processes may come at once, and the first one does it.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    make_file(draft)
    try:
        connect(draft, lambda database: bring_up_to_date(database, cipher)).close()
        with suppress(FileExistsError):
            os.link(draft, path)
        _flush_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}-journal").unlink(missing_ok=True)


def prepare(database: Connection, path: Path, cipher: Cipher, *, thorough: bool) -> None:
    """Durable, sound, and of today's shape; a file from a newer release is left as it is."""
    if check_version(database) == 0:
        _check_tables_are_ours(database)
    switch_to_wal(database)
    database.execute("PRAGMA synchronous = FULL")  # an acknowledged entry survives a power cut, too
    database.execute("PRAGMA cell_size_check = ON")
    check_pages(database, path, thorough=thorough)
    bring_up_to_date(database, cipher)


def _check_tables_are_ours(database: Connection) -> None:
    """See that it is no database of another program, which would be spoilt by tables of ours."""
    names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    if names and names.isdisjoint(_TABLES):
        raise UnusableFile("it is a database of another program", Trouble.FOREIGN)


def check_version(database: Connection) -> int:
    """The version of the file's shape, if we know it."""
    row = database.execute("PRAGMA user_version").fetchone()
    version = int(row[0])
    known = len(_read_migrations())  # the version that this release knows
    if not 0 <= version <= _HIGHEST_VERSION:
        raise UnusableFile(f"its version is {version}, which none ever was", Trouble.DAMAGED)
    if version > known:
        text = f"it is of version {version}, and this release knows {known}"
        raise UnusableFile(text, Trouble.NEWER)
    return version


def bring_up_to_date(database: Connection, cipher: Cipher) -> None:
    """Run the migrations that the file has not seen, and see that it belongs to our key.
    Statements may then ask for `row_seal(…)`, the seal of some columns.
    """
    database.create_function("row_seal", -1, lambda *row: seal_row(cipher, row), deterministic=True)
    database.execute("PRAGMA foreign_keys = ON")
    migrations = _read_migrations()
    if check_version(database) == len(migrations):
        _check_key(database, cipher)
        return
    database.execute("BEGIN IMMEDIATE")  # several processes may come at once: the first one does it
    try:
        version = check_version(database)
        for number, migration in enumerate(migrations[version:], version + 1):
            for statement in filter(str.strip, migration.split(";")):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {number}")
        if version < len(migrations):
            _check_first_entry(database, cipher)
            mark = cipher.encrypt(_MARK, _MARK_NAME)
            database.execute("INSERT OR IGNORE INTO key_check VALUES (1, ?)", (mark,))
        database.execute("COMMIT")
    except BaseException:
        roll_back(database)
        raise
    _check_key(database, cipher)


def seal_row(cipher: Cipher, row: tuple[object, ...]) -> bytes:
    """What the values of a row are sealed with, so that a change of them on the disk is noticed."""
    return cipher.hash_name(f"row {row!r}")


def _check_key(database: Connection, cipher: Cipher) -> None:
    """See that the key is the one that the file was made with: with another one, everything would
    look as if it had never been there.
    """
    row = database.execute("SELECT value FROM key_check WHERE id = 1").fetchone()
    if row is None or not isinstance(row[0], bytes):
        raise UnusableFile("the mark of its key is missing", Trouble.DAMAGED)
    if cipher.decrypt(row[0], _MARK_NAME) != _MARK:
        raise UnusableFile(_OTHER_KEY, Trouble.LOST_KEY)


def _check_first_entry(database: Connection, cipher: Cipher) -> None:
    """A file of an older release has no mark of its key, so one of its values has to tell."""
    row = database.execute("SELECT name, locked_id FROM journals LIMIT 1").fetchone()
    if row is None:
        row = database.execute("SELECT name, value FROM ask_answers LIMIT 1").fetchone()
    if row is None:
        return
    name, value = row
    if cipher.decrypt(value, name) is None:
        raise UnusableFile(_OTHER_KEY, Trouble.LOST_KEY)


def _read_migrations() -> list[str]:
    """In order; their numbers have no gaps, so the count is the version."""
    folder = resources.files("webquarry.records.migrations")
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(".sql"))
    return [(folder / name).read_text("utf-8") for name in names]


@cache
def _flush_folder(folder: Path) -> None:
    """See that the name of a new file survives a power cut; not every system can be asked to."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
