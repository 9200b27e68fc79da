"""What several servers share in Redis: the cache, rate limits and journals. Names are keyed hashes,
values are encrypted.
"""

from __future__ import annotations

import math
import secrets
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from webquarry import meter
from webquarry.errors import RecordsFailure
from webquarry.store import redis_scripts as scripts
from webquarry.store.cache import CacheEntry, Store
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
from webquarry.store.quota import (
    Limit,
    LocalQuota,
    Quota,
    QuotaGranted,
    QuotaVerdict,
    build_no_slot,
    judge,
)
from webquarry.store.redis_connection import PREFIX, RedisConnection, RedisUnavailable, renewing

RECORD_SECONDS = 5.0  # timeout of a command on records
SLOT_LEASE_SECONDS = 15.0
_CACHE = "cache"
_MOMENTS = struct.Struct(">dd")  # stored_at, expires_at
_RENEW = -1  # instead of a maximum
_JOURNALS = PREFIX + b"journal"
_MARK = 32  # characters before an entry that identify the change
_RACES = 200  # attempts to append while others append


class RedisStore(Store):
    """Cache entries of up to `max_bytes` each; Redis itself limits the total size. While Redis is
    unavailable, every lookup is a miss.
    """

    shared = True

    def __init__(self, connection: RedisConnection, max_bytes: int) -> None:
        self._connection = connection
        self._cipher = connection.cipher(_CACHE)
        self._max_bytes = max_bytes

    async def get(self, key: str, now: float) -> CacheEntry | None:
        name = self._connection.key(_CACHE, key)
        try:
            encrypted: Any = await self._connection.run(lambda redis: redis.get(name))
        except RedisUnavailable:
            return None
        value = self._cipher.decrypt(encrypted or b"", name)
        if value is None:
            return None
        stored_at, expires_at = _MOMENTS.unpack_from(value)
        if expires_at <= now:
            return None
        return CacheEntry(value[_MOMENTS.size :], stored_at, expires_at)

    async def put(self, key: str, entry: CacheEntry) -> None:
        life_ms = round((entry.expires_at - entry.stored_at) * 1000)
        if life_ms <= 0 or len(entry.value) > self._max_bytes:
            return
        name = self._connection.key(_CACHE, key)
        moments = _MOMENTS.pack(entry.stored_at, entry.expires_at)
        encrypted = self._cipher.encrypt(moments + entry.value, name)
        seconds = self._connection.seconds_for(len(encrypted))
        with suppress(RedisUnavailable):
            await self._connection.run(
                lambda redis: redis.set(name, encrypted, px=life_ms), seconds=seconds
            )
            self._connection.note_written()


class RedisQuota(Quota):
    """Counters of all servers together. While Redis is unavailable, each server counts for itself.
    A slot is a lease that is renewed, so the slots of a server that was killed are freed.
    """

    def __init__(
        self, connection: RedisConnection, lease_seconds: float = SLOT_LEASE_SECONDS
    ) -> None:
        self._connection = connection
        self._lease_seconds = lease_seconds
        self._local = LocalQuota()

    async def take(self, limits: Sequence[Limit], now: float) -> QuotaVerdict:
        if not limits:
            return QuotaGranted(0)
        keys: list[bytes] = []
        arguments: list[str | int] = []
        for limit in limits:
            name = f"{limit.window_seconds:g} {limit.name}"
            keys.append(self._connection.key("quota", name, "count:"))
            window, part = divmod(now / limit.window_seconds, 1)
            life_ms = round(limit.window_seconds * 2000) + 1000  # two windows, and a little
            arguments += [limit.most, int(window), repr(part), life_ms]
        try:
            fits, counts = await self._connection.script(scripts.COUNT_TAKE, keys, arguments)
        except RedisUnavailable:
            return await self._local.take(limits, now)
        if fits:
            self._local.count(limits, now)
        return judge(limits, [(int(one), int(two), float(part)) for one, two, part in counts])

    @asynccontextmanager
    async def slot(self, name: str, most: int) -> AsyncIterator[None]:
        """Hold a slot; a local one too, which counts when Redis becomes unavailable."""
        async with self._local.slot(name, most):
            key = self._connection.key("quota", name, "slots:")
            token = secrets.token_hex(16)
            if not await self._hold(key, token, most):
                raise build_no_slot(most)
            try:
                hold_again = partial(self._hold, key, token, _RENEW)
                async with renewing(self._lease_seconds, hold_again):
                    yield
            finally:
                with suppress(RedisUnavailable):  # the lease ends by itself
                    await self._connection.run(lambda redis: redis.zrem(key, token))

    async def _hold(self, key: bytes, token: str, most: int) -> bool:
        """Acquire or renew a slot; always succeeds while Redis is unavailable."""
        arguments = [token, most, round(self._lease_seconds * 1000)]
        try:
            return bool(await self._connection.script(scripts.SLOT_HOLD, [key], arguments))
        except RedisUnavailable:
            return True


class RedisJournals(Journals):
    """The journals of all servers that share a Redis and a key.

    Every change is one script with a mark, so that it can be sent again after a connection was lost
    without being applied twice. What Redis does not confirm raises `RecordsFailure`. docs/teams.md
    says how Redis has to be configured so that nothing is lost.
    """

    def __init__(self, connection: RedisConnection, seconds: float = RECORD_SECONDS) -> None:
        self._connection = connection
        self._cipher = connection.cipher("journals")
        self._seconds = seconds

    async def begin(
        self, owner: str, id: str, entry: bytes, now: float, *, most: int, idle_seconds: float
    ) -> None:
        name = self._name(owner, id)
        arguments = [
            name,
            hash_owner(self._cipher, owner).hex(),
            repr(now),
            repr(now - idle_seconds),
            most,
            self._cipher.encrypt(id.encode(), name),
            self._cipher.encrypt(entry, name_entry(name, 1)),
            secrets.token_hex(_MARK // 2),
        ]
        if await self._run(scripts.JOURNAL_BEGIN, arguments) == b"exists":
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
        touched_at = _parse_moment(touched)
        if touched_at < now - idle_seconds:
            return None
        entries = [
            self._decrypt(marked[_MARK:], name_entry(name, number))
            for number, marked in enumerate(marked_entries, after + 1)
        ]
        created_at = _parse_moment(created)
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
        mark = secrets.token_hex(_MARK // 2)
        count = after
        if count is None:
            count = int(await self._run(scripts.JOURNAL_COUNT, [name]))
        state = "" if finished is None else str(int(finished))
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
            if touched_at >= now - idle_seconds:
                id = self._decrypt(encrypted_id, name).decode()
                is_finished = finished == b"1"
                journals.append(Journal(id, _parse_moment(created), touched_at, (), is_finished))
        return journals

    async def delete(self, owner: str, id: str) -> bool:
        """After a lost connection the result may be False although it was deleted."""
        return int(await self._run(scripts.JOURNAL_DELETE, [self._name(owner, id)])) > 0

    async def _run(self, script: str, arguments: Sequence[Any]) -> Any:
        """Run a script, which may be sent twice."""
        return await send_once_more(self._connection, partial(self._send, script, arguments))

    async def _send(self, script: str, arguments: Sequence[Any]) -> Any:
        return await self._connection.script(
            script, [_JOURNALS], arguments, seconds=self._seconds, insist=True
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
        reason = "there is no connection" if error.lost else str(error).rstrip(".")
        word = connection.refusal or "unavailable"
        meter.count("records_refused", reason=word)
        raise RecordsFailure(
            f"The records in Redis cannot be used: {reason}.",
            reason=word,
            suggested_action="Wait a moment and read again before you try again: the last "
            "change may have been made.",
        ) from error


def _parse_moment(text: bytes | None) -> float:
    """Parse a moment; raises `RecordsFailure` if it was damaged in Redis."""
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
