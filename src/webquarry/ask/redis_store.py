"""The state of all processes that share one Redis; each step is one script.

Answers are encrypted and named by keyed hashes; amounts are not encrypted. A reservation is renewed
with its lease: that of a dead process counts as uncertain when its lease ends. If Redis cannot be
used, RecordsFailure is raised, and nothing is asked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from webquarry.ask import ledger
from webquarry.ask.ledger import Cost, Reservation, SpendingRecord, to_units
from webquarry.ask.models import KeptAnswer
from webquarry.ask.statement import Statement
from webquarry.ask.store import LEASE_SECONDS, IsGood, QuestionStore
from webquarry.clock import Clock
from webquarry.store import redis_scripts
from webquarry.store.redis_connection import PREFIX, RedisConnection
from webquarry.store.redis_stores import RECORD_SECONDS, send_once_more

_KEY_PREFIX = PREFIX + b"ask"
_NAMES_PER_CALL = 1000


class RedisQuestionStore(QuestionStore):
    """Answers, leases and the ledger in Redis."""

    def __init__(
        self, connection: RedisConnection, clock: Clock, lease_seconds: float = LEASE_SECONDS
    ) -> None:
        super().__init__(clock, lease_seconds)
        self._connection = connection
        self._cipher = connection.cipher("ask")
        self._held: dict[str, str] = {}  # names of questions by reservation

    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        found: dict[str, KeptAnswer] = {}
        for start in range(0, len(keys), _NAMES_PER_CALL):
            part = keys[start : start + _NAMES_PER_CALL]
            names = [self._name(key) for key in part]
            values = await self._run(redis_scripts.ASK_FIND, names)
            for key, name, value in zip(part, names, values, strict=True):
                kept = self._decrypt(name, value)
                if kept is not None:
                    found[key] = kept
        return found

    async def _enter(
        self, key: str, wanted: Reservation, is_good: IsGood
    ) -> KeptAnswer | Reservation | None:
        name = self._name(key)
        ignored = b""
        while True:
            outcome, rest = await self._send_enter(name, wanted, ignored)
            if isinstance(outcome, Reservation):
                self._claims[key] = str(outcome.id)
                return outcome
            if outcome == b"wait":
                return None
            kept = self._decrypt(name, rest[0])
            if kept is not None and is_good(kept):
                return kept
            ignored = rest[0]

    async def reserve(self, wanted: Reservation) -> Reservation:
        held, _ = await self._send_enter("", wanted, b"")
        assert isinstance(held, Reservation)
        return held

    async def settle(
        self, key: str, kept: KeptAnswer | None, held: Sequence[Reservation], cost: Cost
    ) -> None:
        name = self._name(key)
        value = b""
        life_ms = 0
        if kept is not None:
            value = self._cipher.encrypt(kept.encode(), name.encode())
            life_ms = max(1, round((kept.expires_at - self._now()) * 1000))
        claim = self._claims.pop(key, "")
        arguments: list[Any] = [name if claim or value else "", claim, value, life_ms]
        arguments.append(repr(self._now()))
        for one in held:
            self._held.pop(str(one.id), None)
            usage = cost.usage
            arguments += [one.id, one.statement, one.door, one.day, one.model, one.amount]
            arguments += [one.questions, to_units(usage.usd), to_units(cost.uncertain_usd)]
            arguments += [cost.questions, usage.calls, usage.searches]
            arguments += [usage.input_tokens, usage.output_tokens, usage.cached_tokens]
            cost = Cost(questions=0)  # of further reservations
        await self._run(redis_scripts.ASK_SETTLE, arguments)

    async def write_notes(self, statements: Iterable[Statement]) -> None:
        arguments: list[Any] = []
        for statement in statements:
            id, door, begun_at, *rest = ledger.build_note(self._cipher, statement)
            arguments += [id, door, repr(begun_at), *rest]
        if arguments:
            await self._run(redis_scripts.ASK_NOTE, arguments)

    async def read_bill(self, since: str) -> list[SpendingRecord]:
        moment = datetime.fromisoformat(since).replace(tzinfo=UTC).timestamp()
        day = since.replace("-", "")
        rows, found = await self._run(redis_scripts.ASK_BILL, [day, repr(moment)])
        paid = []
        for row in rows:
            if row[0] is not None:
                texts = [text.decode() for text in row[:4]]
                counts = [int(count or 0) for count in row[5:]]
                paid.append(SpendingRecord.from_row([*texts, float(row[4]), *counts]))
        notes = []
        for id, door, begun_at, words, hits, searches in found:
            notes.append(
                (id.decode(), door.decode(), float(begun_at), words, int(hits), int(searches))
            )
        return ledger.join_notes(self._cipher, paid, notes)

    async def _release(self, key: str, claim: str) -> None:
        await self._run(redis_scripts.ASK_RELEASE, [self._name(key), claim])

    async def _renew(self) -> bool:
        arguments: list[Any] = [round(self.lease_seconds * 1000)]
        for id, name in self._held.items():
            arguments += [id, name]
        if self._held:
            await self._run(redis_scripts.ASK_RENEW, arguments)
        return bool(self._held)

    async def _send_enter(
        self, name: str, wanted: Reservation, ignored: bytes
    ) -> tuple[Reservation | bytes, Sequence[Any]]:
        """Return the reservation, which is renewed from now on, or the outcome of the script.
        Raises OverLimit.
        """
        limits = wanted.limits
        day = self.clock.now().date().isoformat()
        held = replace(wanted, id=secrets.token_hex(16), day=day)
        arguments: list[Any] = [
            name,
            held.id,
            round(self.lease_seconds * 1000),
            ignored,
            held.statement,
            held.door,
            held.day,
            held.model,
            held.amount,
            held.questions,
            "" if limits.max_usd is None else to_units(limits.max_usd),
            "" if limits.max_usd_per_day is None else to_units(limits.max_usd_per_day),
            "" if limits.max_rows is None else limits.max_rows,
        ]
        outcome, *rest = await self._run(redis_scripts.ASK_ENTER, arguments)
        if outcome == b"over":
            what, used, is_waiting = rest
            raise wanted.build_over_limit(what.decode(), int(used), is_waiting=bool(is_waiting))
        if outcome != b"mine":
            return outcome, rest
        self._held[str(held.id)] = name
        self._start_renewing()
        return held, rest

    async def _run(self, script: str, arguments: Sequence[Any]) -> Any:
        async def send() -> Any:
            return await self._connection.script(
                script, [_KEY_PREFIX], arguments, seconds=RECORD_SECONDS, insist=True
            )

        return await send_once_more(self._connection, send)

    def _decrypt(self, name: str, value: bytes) -> KeptAnswer | None:
        return KeptAnswer.decode(self._cipher.decrypt(value, name.encode())) if value else None

    def _name(self, key: str) -> str:
        return self._cipher.hash_name(f"answer {key}").hex()
