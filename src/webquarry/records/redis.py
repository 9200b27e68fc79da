"""Journals in the Redis that several servers share. Names are keyed hashes, ids and entries are
locked by us.

Every change is one script: all of it is there, or nothing. It carries a mark of its own, so that it
can be sent again after a connection was lost without being done twice. What Redis does not confirm
is a `RecordsFailure`. What it has confirmed lasts as well as Redis keeps it: docs/teams.md says how
it has to be set up.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from webquarry.errors import RecordsFailure
from webquarry.records import redis_scripts as scripts
from webquarry.records.base import Journal, JournalMoved, Journals, TooManyJournals
from webquarry.store.redis.connection import PREFIX, RedisConnection, RedisUnavailable

_ROOM = PREFIX + b"journal"
_SECONDS = 5.0  # a record is worth waiting for
_MARK = 32  # characters before an entry that tell by which change it was added
_RACES = 200  # how often others may come first with an entry of theirs


class RedisJournals(Journals):
    """The journals of all servers that share a Redis and a key."""

    def __init__(self, connection: RedisConnection, seconds: float = _SECONDS) -> None:
        self._connection = connection
        self._cipher = connection.cipher("journals")
        self._seconds = seconds

    async def begin(
        self, owner: str, id: str, entry: bytes, now: float, *, most: int, idle_seconds: float
    ) -> None:
        name = self._name(owner, id)
        arguments = [
            name, self._whose(owner), repr(now), repr(now - idle_seconds), most,
            self._cipher.encrypt(id.encode(), name), self._locked(name, 1, entry), _mark(),
        ]  # fmt: skip
        said = await self._script(scripts.BEGIN, arguments)
        if said == b"exists":
            raise FileExistsError(id)
        if said == b"too many":
            raise TooManyJournals

    async def read(self, owner: str, id: str, now: float, *, idle_seconds: float) -> Journal | None:
        name = self._name(owner, id)
        found = await self._script(scripts.READ, [name])
        if not found:
            return None
        created, touched, finished, entries = found
        if float(touched) < now - idle_seconds:
            return None
        opened = tuple(
            self._unlocked(name, number, entry[_MARK:]) for number, entry in enumerate(entries, 1)
        )
        return Journal(id, float(created), float(touched), opened, finished == b"1")

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
        """The place of an entry is locked into it, so without `after` it is locked anew whenever
        others came first.
        """
        name, mark = self._name(owner, id), _mark()
        if after is not None:
            count = after
        else:
            count = await self._count(name)
        state = "" if finished is None else str(int(finished))
        for _ in range(_RACES):
            locked = self._locked(name, count + 1, entry)
            said, count = await self._script(
                scripts.APPEND, [name, count, locked, repr(now), state, mark]
            )
            if said == b"none":
                raise KeyError(id)
            if said == b"added":
                return int(count)
            if after is not None:
                raise JournalMoved(id)
        raise RecordsFailure("Too many others wrote to the same journal at the same time.")

    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        rows = await self._script(scripts.LIST, [self._whose(owner)])
        rows = [row for row in rows if float(row[3]) >= now - idle_seconds]
        rows.sort(key=lambda row: (-float(row[3]), row[0]))
        return [
            Journal(
                self._readable(row[1], row[0]).decode(),
                float(row[2]),
                float(row[3]),
                (),
                row[4] == b"1",
            )
            for row in rows
        ]

    async def drop(self, owner: str, id: str) -> bool:
        return bool(await self._script(scripts.DROP, [self._name(owner, id)]))

    async def _count(self, name: bytes) -> int:
        return int(await self._script(scripts.COUNT, [name]))

    async def _script(self, text: str, arguments: Sequence[Any]) -> Any:
        """What the script says. A lost connection is no answer, so it is asked once more; the mark
        makes that safe.
        """
        try:
            try:
                return await self._send(text, arguments)
            except RedisUnavailable as error:
                if not error.lost:
                    raise
            return await self._send(text, arguments)
        except RedisUnavailable as error:
            raise _failure(error) from error

    async def _send(self, text: str, arguments: Sequence[Any]) -> Any:
        return await self._connection.script(
            text, [_ROOM], arguments, seconds=self._seconds, insist=True
        )

    def _name(self, owner: str, id: str) -> bytes:
        """Whoever does not own the journal arrives at another name, so there is nothing to find."""
        return self._cipher.hash_name(f"journal {len(owner)} {owner} {id}").hex().encode()

    def _whose(self, owner: str) -> bytes:
        return self._cipher.hash_name(f"owner {owner}").hex().encode()

    def _locked(self, name: bytes, number: int, value: bytes) -> bytes:
        return self._cipher.encrypt(
            value, name + number.to_bytes(8, "big")
        )  # an entry cannot be moved to another place

    def _unlocked(self, name: bytes, number: int, value: bytes) -> bytes:
        return self._readable(value, name + number.to_bytes(8, "big"))

    def _readable(self, value: bytes, name: bytes) -> bytes:
        found = self._cipher.decrypt(value, name)
        if found is None:
            raise RecordsFailure(
                "A record cannot be decrypted: it is damaged, or was written with another "
                "WEBQUARRY_STORE_KEY.",
                retryable=False,
                suggested_action="Give all servers the key that it was written with, or restore "
                "a backup of Redis.",
            )
        return found


def _mark() -> str:
    return secrets.token_hex(_MARK // 2)


def _failure(error: RedisUnavailable) -> RecordsFailure:
    """Where Redis is stands in the log: callers of a server for others need not know."""
    if error.lost:
        reason = "there is no connection"
    else:
        reason = str(error).rstrip(".")
    return RecordsFailure(
        f"The records in Redis cannot be used: {reason}.",
        suggested_action="Wait a moment and read again before you try again: the last change may "
        "have been made.",
    )
