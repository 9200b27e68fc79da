"""What all processes share that use one Redis, on whatever machine: each step is one script.

Answers are encrypted and named by keyed hashes; amounts are plain. A reservation is renewed with
its lease: what a worker that died had set aside counts as uncertain once its lease has ended. A
Redis that cannot be used is a `RecordsFailure`: nothing is asked that nobody could count.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Coroutine, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from webquarry.ask.answers import KeptAnswer, decode_answer, encode_answer
from webquarry.ask.billing import bill
from webquarry.ask.billing.bill import StatementNote
from webquarry.ask.billing.ledger import (
    UNITS_PER_USD,
    OverLimit,
    Reservation,
    ReservationRequest,
    Settlement,
    SpendingRecord,
    to_units,
)
from webquarry.ask.billing.statement import Statement
from webquarry.ask.sharing.base import LEASE_SECONDS, Entry, IsGood, QuestionStore
from webquarry.clock import Clock
from webquarry.errors import RecordsFailure
from webquarry.store.redis import ask_scripts
from webquarry.store.redis.connection import PREFIX, RedisConnection
from webquarry.store.redis_journals import RECORD_SECONDS, send_once_more

log = logging.getLogger(__name__)

_KEY_PREFIX = PREFIX + b"ask"
_NAMES_PER_LOOK = 1000


class RedisQuestionStore(QuestionStore):
    """Answers, leases and the ledger in Redis."""

    def __init__(
        self, connection: RedisConnection, clock: Clock, lease_seconds: float = LEASE_SECONDS
    ) -> None:
        super().__init__(clock, lease_seconds)
        self._connection = connection
        self._cipher = connection.cipher("ask")
        self._claims: dict[tuple[str, str], str] = {}  # reservations by key and owner
        self._held: dict[str, str] = {}  # names of questions by reservation; '' shared with nobody

    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        found: dict[str, KeptAnswer] = {}
        for start in range(0, len(keys), _NAMES_PER_LOOK):
            part = keys[start : start + _NAMES_PER_LOOK]
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
            outcome, *rest = await self._ask_for_room(name, id, request, ignored)
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
        await self._ask_for_room("", id, request, b"")
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
        await self._settle(name, claim, value, life_ms, settlements)

    def settle_soon(self, settlements: Sequence[Settlement]) -> None:
        settled = self._settle("", "", b"", 0, settlements)
        self._begin(self._log_failure(settled))

    def release(self, key: str, owner: str) -> None:
        id = self._claims.pop((key, owner), None)
        if id is None:
            return
        released = self._run(ask_scripts.ASK_RELEASE, [self._name(key), id])
        self._begin(self._log_failure(released))

    async def write_notes(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        arguments: list[Any] = []
        for statement in statements:
            words = bill.encrypt_words(self._cipher, statement)
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
        for id, door, begun_at, sealed, hits, searches in found:
            words = bill.decrypt_words(self._cipher, id.decode(), sealed)
            note = StatementNote(
                id.decode(), door.decode(), float(begun_at), words, int(hits), int(searches)
            )
            notes.append(note)
        return bill.join_notes(paid, notes)

    async def _ask_for_room(
        self, name: str, id: str, request: ReservationRequest, ignored: bytes
    ) -> Sequence[Any]:
        """What the script says; raises `OverLimit`."""
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
            _write_limit(limits.max_usd),
            _write_limit(limits.max_usd_per_day),
            "" if limits.max_rows is None else limits.max_rows,
        ]
        told: Sequence[Any] = await self._run(ask_scripts.ASK_ENTER, arguments)
        if told[0] == b"over":
            raise _build_refusal(request, told[1].decode(), int(told[2]), bool(told[3]))
        return told

    def _hold(self, id: str, name: str, request: ReservationRequest) -> Reservation:
        """The reservation, which is renewed from now on."""
        self._held[id] = name
        self._keep_renewing(lambda: self._held, self._renew)
        return Reservation(
            id,
            request.statement,
            request.door,
            self.clock.now().date().isoformat(),
            request.model,
            to_units(request.usd),
            request.questions,
        )

    async def _settle(
        self,
        name: str,
        claim: str,
        value: bytes,
        life_ms: int,
        settlements: Sequence[Settlement],
    ) -> None:
        arguments: list[Any] = [name if claim or value else "", claim, value, life_ms]
        arguments.append(repr(self._now()))
        for one in settlements:
            self._held.pop(str(one.held.id), None)
            arguments += _write_settlement(one)
        await self._run(ask_scripts.ASK_SETTLE, arguments)

    async def _renew(self) -> None:
        arguments: list[Any] = [self._lease_ms]
        for id, name in self._held.items():
            arguments += [id, name]
        await self._run(ask_scripts.ASK_RENEW, arguments)

    async def _log_failure(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do it for somebody who has left; what cannot be settled ends with its lease, as
        uncertain.
        """
        try:
            await work
        except RecordsFailure as error:
            log.warning("a bill could not be settled and is uncertain: %s", error.message)

    async def _run(self, script: str, arguments: Sequence[Any]) -> Any:
        async def send() -> Any:
            return await self._connection.script(
                script, [_KEY_PREFIX], arguments, seconds=RECORD_SECONDS, insist=True
            )

        return await send_once_more(self._connection, send)

    def _decrypt(self, name: str, value: bytes) -> KeptAnswer | None:
        if not value:
            return None
        return decode_answer(self._cipher.decrypt(value, name.encode()))

    def _name(self, key: str) -> str:
        return self._cipher.hash_name(f"answer {key}").hex()

    @property
    def _lease_ms(self) -> int:
        return round(self.lease_seconds * 1000)

    def _now(self) -> float:
        return self.clock.now().timestamp()


def _build_refusal(
    request: ReservationRequest, what: str, used: int, is_waiting: bool
) -> OverLimit:
    """Which limit leaves no room."""
    limits = request.limits
    if what == "questions":
        return OverLimit(what, limits.max_rows or 0, used, request.questions, is_waiting)
    limit = limits.max_usd if what == "statement" else limits.max_usd_per_day
    return OverLimit(what, limit or 0.0, used / UNITS_PER_USD, request.usd, is_waiting)


def _write_limit(usd: float | None) -> int | str:
    return "" if usd is None else to_units(usd)


def _write_settlement(one: Settlement) -> list[Any]:
    """A settlement as the script takes it."""
    held = one.held
    usage = one.usage
    before = [held.id, held.statement, held.door, held.day, held.model, held.amount, held.questions]
    counts = [to_units(usage.usd), to_units(one.uncertain_usd), one.questions, usage.calls]
    tokens = [usage.input_tokens, usage.output_tokens, usage.cached_tokens]
    return [*before, *counts, usage.searches, *tokens]


def _parse_row(row: Sequence[Any]) -> SpendingRecord:
    """A row of the bill."""
    day, statement, door, model = (text.decode() for text in row[:4])
    numbers = [int(count or 0) for count in row[5:]]
    questions, calls, searches, input_tokens, output_tokens, cached, amount, uncertain = numbers
    return SpendingRecord(
        day,
        statement,
        door,
        model,
        float(row[4]),
        questions,
        calls,
        searches,
        input_tokens,
        output_tokens,
        cached,
        amount / UNITS_PER_USD,
        uncertain / UNITS_PER_USD,
    )
