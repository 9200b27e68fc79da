"""The state of all processes that share one Redis; each step is one script.

Answers are encrypted and named by keyed hashes; amounts are not encrypted. A reservation is renewed
with its lease: that of a dead process counts as uncertain when its lease ends. If Redis cannot be
used, RecordsFailure is raised, and nothing is asked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from webquarry.ask.answers import KeptAnswer, decode_answer, encode_answer
from webquarry.ask.billing import ledger
from webquarry.ask.billing.ledger import (
    UNITS_PER_USD,
    Reservation,
    ReservationRequest,
    Settlement,
    SpendingRecord,
    StatementNote,
    to_units,
)
from webquarry.ask.billing.statement import Statement
from webquarry.ask.store import LEASE_SECONDS, Entry, IsGood, QuestionStore
from webquarry.clock import Clock
from webquarry.store import ask_scripts
from webquarry.store.redis_connection import PREFIX, RedisConnection
from webquarry.store.redis_journals import RECORD_SECONDS, send_once_more

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
            values = await self._run(ask_scripts.ASK_FIND, names)
            for key, name, value in zip(part, names, values, strict=True):
                kept = self._decrypt(name, value)
                if kept is not None:
                    found[key] = kept
        return found

    async def _enter(self, key: str, request: ReservationRequest, is_good: IsGood) -> Entry:
        name = self._name(key)
        ignored = b""
        while True:
            id = secrets.token_hex(16)
            outcome, *rest = await self._send_enter(name, id, request, ignored)
            if outcome == b"mine":
                self._claims[key, request.owner] = id
                return Entry(held=self._hold(id, name, request))
            if outcome == b"wait":
                return Entry()
            kept = self._decrypt(name, rest[0])
            if kept is not None and is_good(kept):
                return Entry(kept)
            ignored = rest[0]

    async def look(self, key: str, owner: str, is_good: IsGood) -> Entry:
        name = self._name(key)
        value, is_taken = await self._run(ask_scripts.ASK_LOOK, [name])
        kept = self._decrypt(name, value)
        if kept is not None and is_good(kept):
            return Entry(kept)
        return Entry(is_free=not is_taken)

    async def reserve(self, request: ReservationRequest) -> Reservation:
        id = secrets.token_hex(16)
        await self._send_enter("", id, request, b"")
        return self._hold(id, "", request)

    async def settle(
        self, key: str, owner: str, kept: KeptAnswer | None, settlements: Sequence[Settlement]
    ) -> None:
        name = self._name(key)
        value = b""
        life_ms = 0
        if kept is not None:
            value = self._cipher.encrypt(encode_answer(kept), name.encode())
            life_ms = max(1, round((kept.expires_at - self._now()) * 1000))
        claim = self._claims.pop((key, owner), "")
        arguments: list[Any] = [name if claim or value else "", claim, value, life_ms]
        arguments.append(repr(self._now()))
        for settlement in settlements:
            self._held.pop(str(settlement.held.id), None)
            arguments += _list_settlement(settlement)
        await self._run(ask_scripts.ASK_SETTLE, arguments)

    async def write_notes(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        arguments: list[Any] = []
        for statement in statements:
            words = ledger.encrypt_words(self._cipher, statement)
            moment = repr(statement.begun_at)
            free = statement.take_free_counts()
            arguments += [statement.id, statement.door, moment, words, *free]
        if arguments:
            await self._run(ask_scripts.ASK_NOTE, arguments)

    async def read_bill(self, since: str) -> list[SpendingRecord]:
        moment = datetime.fromisoformat(since).replace(tzinfo=UTC).timestamp()
        day = since.replace("-", "")
        rows, found = await self._run(ask_scripts.ASK_BILL, [day, repr(moment)])
        paid = [_parse_row(row) for row in rows if row[0] is not None]
        notes: list[StatementNote] = []
        for id, door, begun_at, encrypted, hits, searches in found:
            words = ledger.decrypt_words(self._cipher, id.decode(), encrypted)
            note = StatementNote(
                id.decode(), door.decode(), float(begun_at), words, int(hits), int(searches)
            )
            notes.append(note)
        return ledger.join_notes(paid, notes)

    async def _release(self, key: str, owner: str, claim: str) -> None:
        await self._run(ask_scripts.ASK_RELEASE, [self._name(key), claim])

    async def _renew(self) -> bool:
        arguments: list[Any] = [self._lease_ms]
        for id, name in self._held.items():
            arguments += [id, name]
        if self._held:
            await self._run(ask_scripts.ASK_RENEW, arguments)
        return bool(self._held)

    async def _send_enter(
        self, name: str, id: str, request: ReservationRequest, ignored: bytes
    ) -> Sequence[Any]:
        """Return the result of the script. Raises OverLimit."""
        limits = request.limits
        arguments: list[Any] = [
            name,
            id,
            self._lease_ms,
            ignored,
            request.statement,
            request.door,
            self.clock.now().date().isoformat(),
            request.model,
            to_units(request.usd),
            request.questions,
            "" if limits.max_usd is None else to_units(limits.max_usd),
            "" if limits.max_usd_per_day is None else to_units(limits.max_usd_per_day),
            "" if limits.max_rows is None else limits.max_rows,
        ]
        result: Sequence[Any] = await self._run(ask_scripts.ASK_ENTER, arguments)
        if result[0] == b"over":
            raise ledger.build_over_limit(
                request, result[1].decode(), int(result[2]), is_waiting=bool(result[3])
            )
        return result

    def _hold(self, id: str, name: str, request: ReservationRequest) -> Reservation:
        """Return the reservation; it is renewed from now on."""
        self._held[id] = name
        self._start_renewing()
        day = self.clock.now().date().isoformat()
        return ledger.build_reservation(id, request, day)

    async def _run(self, script: str, arguments: Sequence[Any]) -> Any:
        async def send() -> Any:
            return await self._connection.script(
                script, [_KEY_PREFIX], arguments, seconds=RECORD_SECONDS, insist=True
            )

        return await send_once_more(self._connection, send)

    def _decrypt(self, name: str, value: bytes) -> KeptAnswer | None:
        return decode_answer(self._cipher.decrypt(value, name.encode())) if value else None

    def _name(self, key: str) -> str:
        return self._cipher.hash_name(f"answer {key}").hex()

    @property
    def _lease_ms(self) -> int:
        return round(self.lease_seconds * 1000)


def _list_settlement(settlement: Settlement) -> list[Any]:
    """Return a settlement as arguments of the script."""
    held = settlement.held
    usage = settlement.usage
    before = [held.id, held.statement, held.door, held.day, held.model, held.amount, held.questions]
    amounts = [to_units(usage.usd), to_units(settlement.uncertain_usd)]
    counts = [settlement.questions, usage.calls, usage.searches]
    tokens = [usage.input_tokens, usage.output_tokens, usage.cached_tokens]
    return [*before, *amounts, *counts, *tokens]


def _parse_row(row: Sequence[Any]) -> SpendingRecord:
    values: list[Any] = [text.decode() for text in row[:4]]
    values.append(float(row[4]))
    *counts, amount, uncertain = (int(count or 0) for count in row[5:])
    values += [*counts, amount / UNITS_PER_USD, uncertain / UNITS_PER_USD]
    return SpendingRecord(*values)
