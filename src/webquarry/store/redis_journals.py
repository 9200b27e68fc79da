"""Journals in the Redis that several servers share. Names are keyed hashes, ids and entries are
encrypted.

Every change is one script with a mark, so that it can be sent again after a connection was lost
without being applied twice. What Redis does not confirm raises `RecordsFailure`. docs/teams.md says
how Redis has to be configured so that nothing is lost.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from webquarry import meter
from webquarry.errors import RecordsFailure
from webquarry.store import redis_scripts as scripts
from webquarry.store.journals import (
    LAST_MOMENT,
    Journal,
    JournalExists,
    JournalMoved,
    Journals,
    hash_journal,
    hash_owner,
    name_entry,
)
from webquarry.store.redis_connection import PREFIX, RedisConnection, RedisUnavailable

_KEY_PREFIX = PREFIX + b"journal"
RECORD_SECONDS = 5.0  # timeout of a command on records
_MARK = 32  # characters before an entry that identify the change
_RACES = 200  # attempts to append while others append


class RedisJournals(Journals):
    """The journals of all servers that share a Redis and a key."""

    def __init__(self, connection: RedisConnection, seconds: float = RECORD_SECONDS) -> None:
        self._connection = connection
        self._cipher = connection.cipher("journals")
        self._seconds = seconds

    async def begin(
        self, owner: str, id: str, entry: bytes, now: float, *, most: int, idle_seconds: float
    ) -> None:
        name = self._name(owner, id)
        owner_name = hash_owner(self._cipher, owner).hex()
        encrypted_id = self._cipher.encrypt(id.encode(), name)
        encrypted = self._cipher.encrypt(entry, name_entry(name, 1))
        cutoff = repr(now - idle_seconds)
        arguments = [
            name,
            owner_name,
            repr(now),
            cutoff,
            most,
            encrypted_id,
            encrypted,
            _draw_mark(),
        ]
        outcome = await self._run(scripts.JOURNAL_BEGIN, arguments)
        if outcome == b"exists":
            raise JournalExists(id)
        self._connection.note_written()

    async def read(
        self, owner: str, id: str, now: float, *, idle_seconds: float, after: int = 0
    ) -> Journal | None:
        name = self._name(owner, id)
        found = await self._run(scripts.JOURNAL_READ, [name, after])
        if not found:
            return None
        created, touched, finished, marked_entries, count = found
        created_at = _parse_moment(created)
        touched_at = _parse_moment(touched)
        if touched_at < now - idle_seconds:
            return None
        entries: list[bytes] = []
        for number, marked in enumerate(marked_entries, after + 1):
            encrypted = marked[_MARK:]
            entries.append(self._decrypt(encrypted, name_entry(name, number)))
        return Journal(id, created_at, touched_at, tuple(entries), finished == b"1", int(count))

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
        """An entry is encrypted for its place, so it is encrypted again if others append first."""
        name = self._name(owner, id)
        mark = _draw_mark()
        count = after
        if count is None:
            count = int(await self._run(scripts.JOURNAL_COUNT, [name]))
        state = ""
        if finished is not None:
            state = str(int(finished))
        for _ in range(_RACES):
            encrypted = self._cipher.encrypt(entry, name_entry(name, count + 1))
            arguments = [name, count, encrypted, repr(now), state, mark]
            outcome, count = await self._run(scripts.JOURNAL_APPEND, arguments)
            if outcome == b"none":
                raise KeyError(id)
            if outcome == b"added":
                self._connection.note_written()
                return int(count)
            if after is not None:
                raise JournalMoved(id)
        raise RecordsFailure(
            "Too many others wrote to the same journal at the same time.", reason="busy"
        )

    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        owner_name = hash_owner(self._cipher, owner).hex()
        rows = await self._run(scripts.JOURNAL_LIST, [owner_name])
        rows.sort(key=lambda row: (-_parse_moment(row[3]), row[0]))
        journals: list[Journal] = []
        for name, encrypted_id, created, touched, finished in rows:
            touched_at = _parse_moment(touched)
            if touched_at < now - idle_seconds:
                continue
            id = self._decrypt(encrypted_id, name).decode()
            is_finished = finished == b"1"
            created_at = _parse_moment(created)
            journals.append(Journal(id, created_at, touched_at, (), is_finished))
        return journals

    async def delete(self, owner: str, id: str) -> bool:
        """After a lost connection the result may be False although it was deleted."""
        deleted = int(await self._run(scripts.JOURNAL_DELETE, [self._name(owner, id)]))
        return deleted > 0

    async def _run(self, script: str, arguments: Sequence[Any]) -> Any:
        """Run a script, which may be sent twice."""
        return await send_once_more(self._connection, lambda: self._send(script, arguments))

    async def _send(self, script: str, arguments: Sequence[Any]) -> Any:
        return await self._connection.script(
            script, [_KEY_PREFIX], arguments, seconds=self._seconds, insist=True
        )

    def _name(self, owner: str, id: str) -> bytes:
        return hash_journal(self._cipher, owner, id).hex().encode()

    def _decrypt(self, encrypted: bytes, name: bytes) -> bytes:
        value = self._cipher.decrypt(encrypted, name)
        if value is None:
            raise _build_damage(
                "cannot be decrypted: it is damaged, or was written with another "
                "WEBQUARRY_STORE_KEY"
            )
        return value


async def send_once_more(connection: RedisConnection, send: Callable[[], Awaitable[Any]]) -> Any:
    """Return the result of a script on records. It is sent again if the connection is lost, so it
    must recognize a change that it has made. Raises `RecordsFailure`.
    """
    try:
        try:
            return await send()
        except RedisUnavailable as error:
            if not error.lost:
                raise
        return await send()
    except RedisUnavailable as error:
        # the log names the address of Redis; callers of a server need not know it
        reason = str(error).rstrip(".")
        if error.lost:
            reason = "there is no connection"
        word = connection.refusal or "unavailable"
        meter.count("records_refused", reason=word)
        raise RecordsFailure(
            f"The records in Redis cannot be used: {reason}.",
            reason=word,
            suggested_action="Wait a moment and read again before you try again: the last "
            "change may have been made.",
        ) from error


def _parse_moment(text: bytes | None) -> float:
    """Parse a moment, which anybody may have changed in Redis."""
    try:
        moment = float(text or b"")
    except ValueError:
        moment = math.inf
    if not abs(moment) < LAST_MOMENT:
        raise _build_damage("has an impossible time")
    return moment


def _build_damage(what: str) -> RecordsFailure:
    return RecordsFailure(
        f"A record {what}.",
        reason="damaged",
        retryable=False,
        suggested_action="Give all servers the key that it was written with, or restore a backup "
        "of Redis.",
    )


def _draw_mark() -> str:
    return secrets.token_hex(_MARK // 2)
