"""Journals in the record file. Ids and owners are kept as keyed hashes, ids and entries also
encrypted.
"""

from __future__ import annotations

from webquarry.errors import RecordsFailure
from webquarry.records.base import (
    Journal,
    JournalMoved,
    Journals,
    TooManyJournals,
    hash_journal,
    hash_owner,
    name_entry,
)
from webquarry.records.file import RecordFile
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection


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
            database.execute("DELETE FROM journals WHERE touched_at < ?", (now - idle_seconds,))
            if _exists(database, name):
                raise FileExistsError(id)
            # Finished journals make room for one more, those touched longest ago first.
            (count,) = database.execute(
                "SELECT count(*) FROM journals WHERE owner = ?", (owner_name,)
            ).fetchone()
            for _ in range(count - most + 1):
                deleted = database.execute(
                    "DELETE FROM journals WHERE name = (SELECT name FROM journals"
                    " WHERE owner = ? AND finished ORDER BY touched_at, name LIMIT 1)",
                    (owner_name,),
                )
                if not deleted.rowcount:
                    raise TooManyJournals
            encrypted_id = cipher.encrypt(id.encode(), name)
            database.execute(
                "INSERT INTO journals (name, owner, locked_id, created_at, touched_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (name, owner_name, encrypted_id, now, now),
            )
            encrypted = cipher.encrypt(entry, name_entry(name, 1))
            database.execute("INSERT INTO journal_entries VALUES (?, 1, ?)", (name, encrypted))

        await self._file.run(work)

    async def read(self, owner: str, id: str, now: float, *, idle_seconds: float) -> Journal | None:
        def work(database: Connection, cipher: Cipher) -> Journal | None:
            name = hash_journal(cipher, owner, id)
            row = database.execute(
                "SELECT created_at, touched_at, finished FROM journals"
                " WHERE name = ? AND touched_at >= ?",
                (name, now - idle_seconds),
            ).fetchone()
            if row is None:
                return None
            rows = database.execute(
                "SELECT number, value FROM journal_entries WHERE journal = ? ORDER BY number",
                (name,),
            ).fetchall()
            entries: list[bytes] = []
            for number, encrypted in rows:
                entries.append(_decrypt(cipher, encrypted, name_entry(name, number)))
            created_at, touched_at, finished = row
            return Journal(id, created_at, touched_at, tuple(entries), bool(finished))

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
        def work(database: Connection, cipher: Cipher) -> int:
            name = hash_journal(cipher, owner, id)
            if not _exists(database, name):
                raise KeyError(id)
            count = database.execute(
                "SELECT count(*) FROM journal_entries WHERE journal = ?", (name,)
            ).fetchone()[0]
            if after is not None and count != after:
                raise JournalMoved(id)
            number = int(count) + 1
            encrypted = cipher.encrypt(entry, name_entry(name, number))
            row = (name, number, encrypted)
            database.execute("INSERT INTO journal_entries VALUES (?, ?, ?)", row)
            database.execute(
                "UPDATE journals SET touched_at = max(touched_at, ?),"
                " finished = coalesce(?, finished) WHERE name = ?",
                (now, finished, name),
            )
            return number

        return await self._file.run(work)

    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        def work(database: Connection, cipher: Cipher) -> list[Journal]:
            rows = database.execute(
                "SELECT name, locked_id, created_at, touched_at, finished FROM journals"
                " WHERE owner = ? AND touched_at >= ? ORDER BY touched_at DESC, name",
                (hash_owner(cipher, owner), now - idle_seconds),
            ).fetchall()
            journals: list[Journal] = []
            for name, encrypted_id, created_at, touched_at, finished in rows:
                id = _decrypt(cipher, encrypted_id, name).decode()
                journals.append(Journal(id, created_at, touched_at, (), bool(finished)))
            return journals

        return await self._file.run(work)


def _exists(database: Connection, name: bytes) -> bool:
    row = database.execute("SELECT 1 FROM journals WHERE name = ?", (name,)).fetchone()
    return row is not None


def _decrypt(cipher: Cipher, encrypted: bytes, name: bytes) -> bytes:
    value = cipher.decrypt(encrypted, name)
    if value is None:
        raise RecordsFailure(
            "A record cannot be decrypted: it is damaged, or state.key is not the key it was "
            "written with.",
            retryable=False,
            suggested_action="Put back the state.key that belongs to the file, or restore a "
            "backup of both.",
        )
    return value
