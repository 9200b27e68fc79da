"""Journals in the record file. Ids and owners are kept as keyed hashes, ids and entries also
encrypted. A seal over the head of a journal and the number of its entries tells whether something
of it was changed or lost on the disk.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from webquarry.errors import RecordsFailure
from webquarry.records.base import (
    LAST_MOMENT,
    Journal,
    JournalMoved,
    Journals,
    hash_journal,
    hash_owner,
    name_entry,
)
from webquarry.records.file import RecordFile
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection, UnusableRow, check_row

_SEALED = struct.Struct(">dd?q")  # when begun, when touched, whether finished, how many entries
HEAD_QUERY = (
    "SELECT name, owner, locked_id, created_at, touched_at, finished, seal,"
    " (SELECT count(*) FROM journal_entries WHERE journal = name) FROM journals"
)


@dataclass(frozen=True)
class JournalHead:
    """What is known of a journal beside its entries."""

    name: bytes
    owner: bytes
    encrypted_id: bytes
    created_at: float
    touched_at: float
    finished: bool
    count: int

    def seal(self, cipher: Cipher) -> bytes:
        """What the head is sealed with."""
        fields = _SEALED.pack(self.created_at, self.touched_at, self.finished, self.count)
        return cipher.hash_name(f"head {self.name.hex()} {self.owner.hex()} {fields.hex()}")


class FileJournals(Journals):
    """The journals of a record file, which several processes may share."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file

    async def begin(
        self, owner: str, id: str, entry: bytes, now: float, *, most: int, idle_seconds: float
    ) -> None:
        def work(database: Connection, cipher: Cipher) -> None:
            name = hash_journal(cipher, owner, id)
            owner_name = hash_owner(cipher, owner)
            idle_since = (now - idle_seconds,)
            for row in database.execute(
                f"{HEAD_QUERY} WHERE touched_at < ?", idle_since
            ).fetchall():
                idle = read_head(cipher, row)
                database.execute("DELETE FROM journals WHERE name = ?", (idle.name,))
            if _find_head(database, cipher, name) is not None:
                raise FileExistsError(id)
            _make_room(database, owner_name, most)
            encrypted_id = cipher.encrypt(id.encode(), name)
            now_float = float(now)
            head = JournalHead(name, owner_name, encrypted_id, now_float, now_float, False, 1)
            database.execute(
                "INSERT INTO journals (name, owner, locked_id, created_at, touched_at, seal)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (name, owner_name, encrypted_id, now, now, head.seal(cipher)),
            )
            encrypted = cipher.encrypt(entry, name_entry(name, 1))
            database.execute("INSERT INTO journal_entries VALUES (?, 1, ?)", (name, encrypted))

        await self._file.run(work)

    async def read(self, owner: str, id: str, now: float, *, idle_seconds: float) -> Journal | None:
        def work(database: Connection, cipher: Cipher) -> Journal | None:
            name = hash_journal(cipher, owner, id)
            head = _find_head(database, cipher, name)
            if head is None or head.touched_at < now - idle_seconds:
                return None
            entries = read_entries(database, cipher, head)
            return Journal(id, head.created_at, head.touched_at, entries, head.finished)

        journal = await self._file.run(work)
        if journal is None:
            self._check_loss()
        return journal

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
        def work(database: Connection, cipher: Cipher) -> int:
            name = hash_journal(cipher, owner, id)
            head = _find_head(database, cipher, name)
            if head is None:
                raise KeyError(id)
            if after is not None and head.count != after:
                raise JournalMoved(id)
            number = head.count + 1
            encrypted = cipher.encrypt(entry, name_entry(name, number))
            row = (name, number, encrypted)
            database.execute("INSERT INTO journal_entries VALUES (?, ?, ?)", row)
            is_finished = head.finished
            if finished is not None:
                is_finished = finished
            touched_at = max(head.touched_at, float(now))
            head = replace(head, touched_at=touched_at, finished=is_finished, count=number)
            database.execute(
                "UPDATE journals SET touched_at = ?, finished = ?, seal = ? WHERE name = ?",
                (touched_at, is_finished, head.seal(cipher), name),
            )
            return number

        try:
            return await self._file.run(work)
        except KeyError:
            self._check_loss()
            raise

    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        def work(database: Connection, cipher: Cipher) -> list[Journal]:
            rows = database.execute(
                f"{HEAD_QUERY} WHERE owner = ? AND touched_at >= ? ORDER BY touched_at DESC, name",
                (hash_owner(cipher, owner), now - idle_seconds),
            ).fetchall()
            journals: list[Journal] = []
            for row in rows:
                head = read_head(cipher, row)
                id = read_id(cipher, head)
                journals.append(Journal(id, head.created_at, head.touched_at, (), head.finished))
            return journals

        return await self._file.run(work)

    async def delete(self, owner: str, id: str) -> bool:
        def work(database: Connection, cipher: Cipher) -> bool:
            name = hash_journal(cipher, owner, id)
            deleted = database.execute("DELETE FROM journals WHERE name = ?", (name,))
            return deleted.rowcount > 0

        return await self._file.run(work)

    def _check_loss(self) -> None:
        """A journal that is not there may have been in the file that somebody took away: whoever
        asks for it is told, because it had been acknowledged.
        """
        replaced_at = self._file.replaced_at
        if replaced_at is None:
            return
        moment = datetime.fromtimestamp(replaced_at, UTC)
        raise RecordsFailure(
            "It is not in the records, which were deleted or replaced while they were in use "
            f"({moment:%Y-%m-%d %H:%M} UTC): what had been recorded before is gone.",
            reason="moved",
            retryable=False,
            suggested_action="Begin anew (a research session: sequential_search with stepNumber 1 "
            "and no sessionId), or restore the records.",
        )


def read_head(cipher: Cipher, row: Sequence[Any]) -> JournalHead:
    """A row of `HEAD_QUERY`, if it is as we wrote it. Older releases wrote no seal."""
    *fields, seal, count = row
    checked = check_row((*fields, count), bytes, bytes, bytes, float, float, int, int)
    name, owner, encrypted_id, created_at, touched_at, finished, _ = checked
    if not all(abs(moment) < LAST_MOMENT for moment in (created_at, touched_at)):
        raise UnusableRow("has a moment that never was")
    head = JournalHead(name, owner, encrypted_id, created_at, touched_at, bool(finished), count)
    if seal is not None and seal != head.seal(cipher):
        raise UnusableRow("does not fit its seal: something of it was changed or lost on the disk")
    return head


def read_id(cipher: Cipher, head: JournalHead) -> str:
    """The id of a journal."""
    return _decrypt(cipher, head.encrypted_id, head.name).decode()


def read_entries(database: Connection, cipher: Cipher, head: JournalHead) -> tuple[bytes, ...]:
    """All entries of a journal, in their order."""
    rows = database.execute(
        "SELECT number, value FROM journal_entries WHERE journal = ? ORDER BY number",
        (head.name,),
    ).fetchall()
    entries: list[bytes] = []
    for due, row in enumerate(rows, 1):
        number, encrypted = check_row(row, int, bytes)
        if number < 1:
            raise UnusableRow("has an entry with a number that never was")
        entries.append(_decrypt(cipher, encrypted, name_entry(head.name, number)))
        if number != due:
            raise UnusableRow("has lost an entry on the disk")
    if len(entries) != head.count:
        raise UnusableRow("has lost an entry on the disk")
    return tuple(entries)


def _make_room(database: Connection, owner_name: bytes, most: int) -> None:
    """Drop so many of an owner's journals that there is room for one more of them. Each way is one
    along an index: others' journals are not looked at.
    """
    (count,) = database.execute(
        "SELECT count(*) FROM journals WHERE owner = ?", (owner_name,)
    ).fetchone()
    database.execute(
        "DELETE FROM journals WHERE name IN (SELECT name FROM journals WHERE owner = ?"
        " ORDER BY finished DESC, touched_at, name LIMIT ?)",
        (owner_name, max(0, count - most + 1)),
    )


def _find_head(database: Connection, cipher: Cipher, name: bytes) -> JournalHead | None:
    row = database.execute(f"{HEAD_QUERY} WHERE name = ?", (name,)).fetchone()
    if row is None:
        return None
    return read_head(cipher, row)


def _decrypt(cipher: Cipher, encrypted: bytes, name: bytes) -> bytes:
    value = cipher.decrypt(encrypted, name)
    if value is None:
        raise UnusableRow("cannot be decrypted: it is damaged")
    return value
