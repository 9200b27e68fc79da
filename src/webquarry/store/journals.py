"""Journals: each belongs to one caller, is only ever appended to, and expires when it is idle.

An entry that was acknowledged is on disk, or in Redis. Errors of the store are `RecordsFailure`.
Ids and owners are stored as keyed hashes, ids and entries also encrypted. An entry is encrypted for
its place in its journal, so that one that was moved, changed or lost on disk is noticed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from webquarry.store.database import Connection, UnusableRow, check_row
from webquarry.store.encryption import Cipher
from webquarry.store.records import RecordFile

LAST_MOMENT = 253_402_300_000.0  # in the year 9999
_HEAD = (
    "SELECT locked_id, created_at, touched_at, finished, name,"
    " (SELECT coalesce(max(number), 0) FROM journal_entries WHERE journal = name) FROM journals"
)


class JournalExists(Exception):
    """There is a journal of this id."""


class JournalMoved(Exception):
    """Another process appended to the journal since it was read."""


@dataclass(frozen=True)
class Journal:
    """A journal, or its last entries. Moments are seconds since the epoch."""

    id: str
    created_at: float
    touched_at: float
    entries: tuple[bytes, ...]
    finished: bool = False
    count: int = 0  # of all entries


class Journals(ABC):
    """A store of journals."""

    @abstractmethod
    async def begin(
        self, owner: str, id: str, entry: bytes, now: float, *, most: int, idle_seconds: float
    ) -> None:
        """Create a journal with its first entry. Those idle for longer than `idle_seconds` are
        deleted first; beyond `most` of the owner, finished ones, then those touched longest ago.
        Raises `JournalExists` if the id exists.
        """

    @abstractmethod
    async def read(
        self, owner: str, id: str, now: float, *, idle_seconds: float, after: int = 0
    ) -> Journal | None:
        """Return the journal with the entries after the first `after`; None if there is none, it
        belongs to another caller, or it has been idle for too long.
        """

    @abstractmethod
    async def append(
        self,
        owner: str,
        id: str,
        entry: bytes,
        now: float,
        *,
        after: int | None = None,
        finished: bool | None = None,
    ) -> int:
        """Append an entry and touch the journal; return the number of entries. With `after`, only
        if there were exactly that many, else raise `JournalMoved`. `finished` marks the journal as
        finished, or as open again. Raises `KeyError` if there is no such journal.
        """

    @abstractmethod
    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        """Return the owner's journals without entries, the one touched last first."""

    @abstractmethod
    async def delete(self, owner: str, id: str) -> bool:
        """Delete a journal; return whether there was one."""


class FileJournals(Journals):
    """The journals of a record file, which several processes may share."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file

    async def begin(
        self, owner: str, id: str, entry: bytes, now: float, *, most: int, idle_seconds: float
    ) -> None:
        def work(connection: Connection, cipher: Cipher) -> None:
            name = hash_journal(cipher, owner, id)
            owner_name = hash_owner(cipher, owner)
            connection.execute("DELETE FROM journals WHERE touched_at < ?", (now - idle_seconds,))
            if connection.execute("SELECT 1 FROM journals WHERE name = ?", (name,)).fetchone():
                raise JournalExists(id)
            _make_room(connection, owner_name, most)
            row = (name, owner_name, cipher.encrypt(id.encode(), name), now, now)
            connection.execute(
                "INSERT INTO journals (name, owner, locked_id, created_at, touched_at)"
                " VALUES (?, ?, ?, ?, ?)",
                row,
            )
            _insert_entry(connection, cipher, name, 1, entry)

        await self._file.run(work)

    async def read(
        self, owner: str, id: str, now: float, *, idle_seconds: float, after: int = 0
    ) -> Journal | None:
        def work(connection: Connection, cipher: Cipher) -> Journal | None:
            name = hash_journal(cipher, owner, id)
            row = connection.execute(f"{_HEAD} WHERE name = ?", (name,)).fetchone()
            if row is None:
                return None
            journal = _parse_head(cipher, row)
            if journal.touched_at < now - idle_seconds:
                return None
            entries = _read_entries(connection, cipher, name, after)
            if after + len(entries) != max(after, journal.count):
                raise UnusableRow("has lost an entry on the disk")
            return replace(journal, entries=entries)

        return await self._file.run(work)

    async def append(
        self,
        owner: str,
        id: str,
        entry: bytes,
        now: float,
        *,
        after: int | None = None,
        finished: bool | None = None,
    ) -> int:
        def work(connection: Connection, cipher: Cipher) -> int:
            name = hash_journal(cipher, owner, id)
            touched = connection.execute(
                "UPDATE journals SET touched_at = max(touched_at, ?),"
                " finished = coalesce(?, finished) WHERE name = ?",
                (now, finished, name),
            )
            if not touched.rowcount:
                raise KeyError(id)
            (count,) = connection.execute(
                "SELECT coalesce(max(number), 0) FROM journal_entries WHERE journal = ?", (name,)
            ).fetchone()
            if after is not None and count != after:
                raise JournalMoved(id)
            _insert_entry(connection, cipher, name, count + 1, entry)
            return int(count + 1)

        return await self._file.run(work)

    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        def work(connection: Connection, cipher: Cipher) -> list[Journal]:
            rows = connection.execute(
                f"{_HEAD} WHERE owner = ? AND touched_at >= ? ORDER BY touched_at DESC, name",
                (hash_owner(cipher, owner), now - idle_seconds),
            ).fetchall()
            return [_parse_head(cipher, row) for row in rows]

        return await self._file.run(work)

    async def delete(self, owner: str, id: str) -> bool:
        def work(connection: Connection, cipher: Cipher) -> bool:
            name = hash_journal(cipher, owner, id)
            return connection.execute("DELETE FROM journals WHERE name = ?", (name,)).rowcount > 0

        return await self._file.run(work)


def hash_journal(cipher: Cipher, owner: str, id: str) -> bytes:
    """Return the stored name of a journal, which differs between owners."""
    return cipher.hash_name(f"journal {len(owner)} {owner} {id}")


def hash_owner(cipher: Cipher, owner: str) -> bytes:
    """Return the stored name of an owner."""
    return cipher.hash_name(f"owner {owner}")


def name_entry(journal: bytes, number: int) -> bytes:
    """Return the name that an entry is encrypted for."""
    return journal + number.to_bytes(8, "big")


def _insert_entry(
    connection: Connection, cipher: Cipher, name: bytes, number: int, entry: bytes
) -> None:
    row = (name, number, cipher.encrypt(entry, name_entry(name, number)))
    connection.execute("INSERT INTO journal_entries VALUES (?, ?, ?)", row)


def _read_entries(
    connection: Connection, cipher: Cipher, name: bytes, after: int
) -> tuple[bytes, ...]:
    rows = connection.execute(
        "SELECT value FROM journal_entries WHERE journal = ? AND number > ? ORDER BY number",
        (name, after),
    )
    entries: list[bytes] = []
    for number, row in enumerate(rows, after + 1):
        (encrypted,) = check_row(row, bytes)
        entries.append(_decrypt(cipher, encrypted, name_entry(name, number)))
    return tuple(entries)


def _parse_head(cipher: Cipher, row: Sequence[Any]) -> Journal:
    checked = check_row(row, bytes, float, float, int, bytes, int)
    encrypted_id, created_at, touched_at, finished, name, count = checked
    if not all(abs(moment) < LAST_MOMENT for moment in (created_at, touched_at)):
        raise UnusableRow("has an impossible time")
    id = _decrypt(cipher, encrypted_id, name).decode()
    return Journal(id, created_at, touched_at, (), bool(finished), count)


def _make_room(connection: Connection, owner_name: bytes, most: int) -> None:
    """Delete as many journals of the owner as are too many with one more."""
    (count,) = connection.execute(
        "SELECT count(*) FROM journals WHERE owner = ?", (owner_name,)
    ).fetchone()
    connection.execute(
        "DELETE FROM journals WHERE name IN (SELECT name FROM journals WHERE owner = ?"
        " ORDER BY finished DESC, touched_at, name LIMIT ?)",
        (owner_name, max(0, count - most + 1)),
    )


def _decrypt(cipher: Cipher, encrypted: bytes, name: bytes) -> bytes:
    value = cipher.decrypt(encrypted, name)
    if value is None:
        raise UnusableRow("cannot be decrypted: it is damaged")
    return value
