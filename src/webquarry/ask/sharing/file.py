"""What processes of one machine share, in the record file: each step is one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from webquarry.ask import answers
from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing import bill, ledger
from webquarry.ask.billing.group_commit import GroupCommit
from webquarry.ask.billing.ledger import (
    Reservation,
    ReservationRequest,
    Settlement,
    SpendingRecord,
)
from webquarry.ask.billing.statement import Statement
from webquarry.ask.sharing.base import LEASE_SECONDS, Entry, IsGood, QuestionStore
from webquarry.clock import Clock
from webquarry.store.claims import (
    delete_ended_claims,
    is_claimed,
    release_claim,
    renew_claims,
    take_claim,
)
from webquarry.store.records import RecordFile


class FileQuestionStore(QuestionStore):
    """Answers, claims and the ledger in the record file."""

    def __init__(
        self, records: RecordFile, clock: Clock, lease_seconds: float = LEASE_SECONDS
    ) -> None:
        super().__init__(clock, lease_seconds)
        self._records = records
        self._commits = GroupCommit(records)
        self._held: set[tuple[str, str]] = set()  # keys with their owners
        self._tidied = False

    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        now = self._now()

        def look_up(database: Any, cipher: Any) -> dict[str, KeptAnswer]:
            # The first look also tidies up.
            if not self._tidied:
                self._tidied = True
                answers.delete_expired(database, now)
                delete_ended_claims(database, now)
                ledger.delete_old(database, now)
                bill.delete_old_notes(database, now - ledger.KEPT_SECONDS)
            return answers.find(database, cipher, keys, now)

        return await self._commits.commit(look_up)

    async def _enter(self, key: str, request: ReservationRequest, is_good: IsGood) -> Entry:
        owner = request.owner

        def work(database: Any, cipher: Any) -> Entry:
            entry = self._look(database, cipher, key, owner, is_good)
            if not entry.is_free:
                return entry
            held = self._reserve(database, request)
            take_claim(database, cipher, key, owner, self._now(), self.lease_seconds)
            return Entry(held=held)

        entry = await self._commits.commit(work)
        if entry.held is not None:
            self._held.add((key, owner))
            self._keep_renewing(lambda: self._held, lambda: self._renew(owner))
        return entry

    async def look(self, key: str, owner: str, is_good: IsGood) -> Entry:
        def work(database: Any, cipher: Any) -> Entry:
            return self._look(database, cipher, key, owner, is_good)

        return await self._commits.commit(work)

    async def reserve(self, request: ReservationRequest) -> Reservation:
        return await self._commits.commit(lambda database, _: self._reserve(database, request))

    async def settle(
        self, key: str, owner: str, kept: KeptAnswer | None, settlements: Sequence[Settlement]
    ) -> None:
        is_held = (key, owner) in self._held

        def work(database: Any, cipher: Any) -> None:
            self._settle(database, settlements)
            if kept is not None:
                answers.keep(database, cipher, key, kept)
            if is_held:
                release_claim(database, cipher, key, owner)

        await self._commits.commit(work)
        self._held.discard((key, owner))

    def settle_soon(self, settlements: Sequence[Settlement]) -> None:
        self._commits.submit(lambda database, _: self._settle(database, settlements))

    def release(self, key: str, owner: str) -> None:
        if (key, owner) not in self._held:
            return
        self._held.discard((key, owner))
        self._commits.submit(lambda database, cipher: release_claim(database, cipher, key, owner))

    async def write_notes(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        def work(database: Any, cipher: Any) -> None:
            bill.write_notes(database, cipher, statements)

        if at_end:
            self._records.do(work)  # no other thread would do it any more
        else:
            await self._commits.commit(work)

    async def read_bill(self, since: str) -> list[SpendingRecord]:
        return await self._commits.commit(
            lambda database, cipher: self._read_bill(database, cipher, since)
        )

    def read_bill_now(
        self, since: str, unwritten: Iterable[Statement] = ()
    ) -> list[SpendingRecord]:
        def work(database: Any, cipher: Any) -> list[SpendingRecord]:
            bill.write_notes(database, cipher, unwritten)
            return self._read_bill(database, cipher, since)

        return self._records.do(work)

    async def flush(self) -> None:
        await super().flush()
        await self._commits.aclose()

    def _read_bill(self, database: Any, cipher: Any, since: str) -> list[SpendingRecord]:
        ledger.end_dead_reservations(database, self._now())
        return bill.read_bill(database, cipher, since)

    def _look(self, database: Any, cipher: Any, key: str, owner: str, is_good: IsGood) -> Entry:
        now = self._now()
        kept = answers.find(database, cipher, [key], now).get(key)
        if kept is not None and is_good(kept):
            return Entry(kept)
        is_taken = is_claimed(database, cipher, key, owner, now, self.lease_seconds)
        return Entry(is_free=not is_taken)

    def _reserve(self, database: Any, request: ReservationRequest) -> Reservation:
        now = self.clock.now()
        return ledger.reserve(database, request, now.timestamp(), now.date().isoformat())

    def _settle(self, database: Any, settlements: Sequence[Settlement]) -> None:
        for settlement in settlements:
            ledger.settle(database, settlement, self._now())

    async def _renew(self, owner: str) -> None:
        def renew(database: Any, cipher: Any) -> None:
            renew_claims(database, owner, self._now(), self.lease_seconds)

        await self._commits.commit(renew)

    def _now(self) -> float:
        return self.clock.now().timestamp()
