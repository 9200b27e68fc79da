"""Journals in the record file. Ids and owners are kept as keyed hashes, ids and entries also
encrypted.
"""

from __future__ import annotations

from webquarry.errors import RecordsFailure
from webquarry.records.base import Journal, JournalMoved, Journals, TooManyJournals
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
            name, whose = _name(cipher, owner, id), cipher.hash_name(f"owner {owner}")
            database.execute("DELETE FROM journals WHERE touched_at < ?", (now - idle_seconds,))
            if database.execute("SELECT 1 FROM journals WHERE name = ?", (name,)).fetchone():
                raise FileExistsError(id)
            _make_room(database, whose, most)
            row = (name, whose, cipher.encrypt(id.encode(), name), now, now)
            database.execute(
                "INSERT INTO journals (name, owner, locked_id, created_at, touched_at) VALUES "
                "(?, ?, ?, ?, ?)",
                row,
            )
            database.execute(
                "INSERT INTO journal_entries VALUES (?, 1, ?)",
                (name, _locked(cipher, name, 1, entry)),
            )

        await self._file.run(work)

    async def read(self, owner: str, id: str, now: float, *, idle_seconds: float) -> Journal | None:
        def work(database: Connection, cipher: Cipher) -> Journal | None:
            name = _name(cipher, owner, id)
            row = database.execute(
                "SELECT created_at, touched_at, finished FROM journals WHERE name = ? AND "
                "touched_at >= ?",
                (name, now - idle_seconds),
            ).fetchone()
            if row is None:
                return None
            found = database.execute(
                "SELECT number, value FROM journal_entries WHERE journal = ? ORDER BY number",
                (name,),
            ).fetchall()
            entries = tuple(_unlocked(cipher, name, number, value) for number, value in found)
            return Journal(id, row[0], row[1], entries, bool(row[2]))

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
            name = _name(cipher, owner, id)
            if not database.execute("SELECT 1 FROM journals WHERE name = ?", (name,)).fetchone():
                raise KeyError(id)
            count = database.execute(
                "SELECT count(*) FROM journal_entries WHERE journal = ?", (name,)
            ).fetchone()[0]
            if after is not None and count != after:
                raise JournalMoved(id)
            number = int(count) + 1
            value = _locked(cipher, name, number, entry)
            database.execute("INSERT INTO journal_entries VALUES (?, ?, ?)", (name, number, value))
            database.execute(
                "UPDATE journals SET touched_at = max(touched_at, ?), finished = coalesce(?, "
                "finished) WHERE name = ?",
                (now, finished, name),
            )
            return number

        return await self._file.run(work)

    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        def work(database: Connection, cipher: Cipher) -> list[Journal]:
            rows = database.execute(
                "SELECT name, locked_id, created_at, touched_at, finished FROM journals"
                " WHERE owner = ? AND touched_at >= ? ORDER BY touched_at DESC, name",
                (cipher.hash_name(f"owner {owner}"), now - idle_seconds),
            ).fetchall()
            return [
                Journal(
                    _readable(cipher, row[1], row[0]).decode(), row[2], row[3], (), bool(row[4])
                )
                for row in rows
            ]

        return await self._file.run(work)

    async def drop(self, owner: str, id: str) -> bool:
        def work(database: Connection, cipher: Cipher) -> bool:
            return (
                database.execute(
                    "DELETE FROM journals WHERE name = ?", (_name(cipher, owner, id),)
                ).rowcount
                > 0
            )

        return await self._file.run(work)


def _name(cipher: Cipher, owner: str, id: str) -> bytes:
    """Whoever does not own the journal arrives at another name, so there is nothing to find."""
    return cipher.hash_name(f"journal {len(owner)} {owner} {id}")


def _make_room(database: Connection, owner: bytes, most: int) -> None:
    held = database.execute("SELECT count(*) FROM journals WHERE owner = ?", (owner,)).fetchone()[0]
    for _ in range(held - most + 1):
        gone = database.execute(
            "DELETE FROM journals WHERE name = (SELECT name FROM journals WHERE owner = ? AND "
            "finished"
            " ORDER BY touched_at, name LIMIT 1)",
            (owner,),
        ).rowcount
        if not gone:
            raise TooManyJournals


def _locked(cipher: Cipher, name: bytes, number: int, value: bytes) -> bytes:
    return cipher.encrypt(
        value, name + number.to_bytes(8, "big")
    )  # an entry cannot be moved to another place


def _unlocked(cipher: Cipher, name: bytes, number: int, value: bytes) -> bytes:
    return _readable(cipher, value, name + number.to_bytes(8, "big"))


def _readable(cipher: Cipher, value: bytes, name: bytes) -> bytes:
    found = cipher.decrypt(value, name)
    if found is None:
        raise RecordsFailure(
            "A record cannot be decrypted: it is damaged, or state.key is not the key it was "
            "written with.",
            retryable=False,
            suggested_action="Put back the state.key that belongs to the file, or restore a "
            "backup of both.",
        )
    return found
