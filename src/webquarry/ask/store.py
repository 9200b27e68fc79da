"""The state that all processes share that ask models: answers, claims of questions, and the ledger.

    found = await store.enter(key, reservation, is_good)
    isinstance(found, KeptAnswer)      # it was answered meanwhile
    isinstance(found, Reservation)     # ask it, then `settle`, or `release` without an answer
    found is None                      # another process is asking it: try again later

Looking for the answer, claiming the question and reserving its cost are one step; so are storing
the answer, settling the bill and ending the claim. What cannot be written raises RecordsFailure,
and nothing is asked then. `FileQuestionStore` has the state of one machine in the record file.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from webquarry.ask import ledger
from webquarry.ask.ledger import Cost, Reservation, SpendingRecord
from webquarry.ask.models import KeptAnswer
from webquarry.ask.statement import Statement
from webquarry.clock import Clock
from webquarry.errors import RecordsFailure
from webquarry.store.claims import (
    delete_ended_claims,
    describe_owner,
    release_claim,
    renew_claims,
    take_claim,
)
from webquarry.store.database import FILE_ERRORS, Connection
from webquarry.store.encryption import Cipher
from webquarry.store.records import RecordFile

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[Connection, Cipher], T]
IsGood = Callable[[KeptAnswer], bool]

LEASE_SECONDS = 30.0  # lifetime of a claim whose process cannot be checked
_RENEWALS = 3  # per lease


class QuestionStore(ABC):
    """Coordinates processes. A key is the digest of a request, or "" for one that is not shared.
    Belongs to one event loop.
    """

    def __init__(self, clock: Clock, lease_seconds: float = LEASE_SECONDS) -> None:
        self.clock = clock
        self.lease_seconds = lease_seconds
        self._claims: dict[str, str] = {}  # by key; empty while the question is being claimed
        self._renewing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Future[Any]] = set()  # to be completed before closing

    @abstractmethod
    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        """Return the stored answers by key."""

    @abstractmethod
    async def reserve(self, wanted: Reservation) -> Reservation:
        """Reserve money for a question that is not shared, or more of it. Raises OverLimit."""

    @abstractmethod
    async def settle(
        self, key: str, kept: KeptAnswer | None, held: Sequence[Reservation], cost: Cost
    ) -> None:
        """Store the answer, settle its bill and end the claim, all at once."""

    @abstractmethod
    async def write_notes(self, statements: Iterable[Statement]) -> None:
        """Write the notes of statements."""

    @abstractmethod
    async def read_bill(self, since: str) -> list[SpendingRecord]:
        """Return the bill since a day, with the reservations of dead processes."""

    @abstractmethod
    async def _enter(
        self, key: str, wanted: Reservation, is_good: IsGood
    ) -> KeptAnswer | Reservation | None:
        """Do `enter`; it is not cancelled."""

    @abstractmethod
    async def _release(self, key: str, claim: str) -> None:
        """End the claim of a question."""

    @abstractmethod
    async def _renew(self) -> bool:
        """Renew all claims of this process; False if there are none."""

    async def enter(
        self, key: str, wanted: Reservation, is_good: IsGood
    ) -> KeptAnswer | Reservation | None:
        """Return the stored answer if it is good; otherwise claim the question and reserve its
        cost, unless another caller has claimed it. Raises OverLimit, and claims nothing then.
        """
        if key in self._claims:
            return None
        self._claims[key] = ""
        entering = self._start(self._enter_once(key, wanted, is_good))
        try:
            return await asyncio.shield(entering)
        except asyncio.CancelledError:
            entering.add_done_callback(partial(self._give_back, key))
            raise

    async def _enter_once(
        self, key: str, wanted: Reservation, is_good: IsGood
    ) -> KeptAnswer | Reservation | None:
        found = None
        try:
            found = await self._enter(key, wanted, is_good)
        finally:
            if not isinstance(found, Reservation):
                self._claims.pop(key, None)
        return found

    def settle_soon(self, held: Sequence[Reservation], cost: Cost) -> None:
        """Settle a bill without an answer, in the background."""
        self._start(self._log_failure(self.settle("", None, held, cost)))

    def release(self, key: str) -> None:
        """End a claim without an answer, in the background, if there is one."""
        claim = self._claims.pop(key, None)
        if claim:
            self._start(self._log_failure(self._release(key, claim)))

    async def flush(self) -> None:
        """Wait for work in the background."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Stop renewing and complete work in the background."""
        task, self._renewing = self._renewing, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self.flush()

    def _start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _give_back(self, key: str, entering: asyncio.Task[Any]) -> None:
        """The caller of `enter` was cancelled: what it got costs nothing."""
        if entering.cancelled() or entering.exception() is not None:
            return
        held = entering.result()
        if isinstance(held, Reservation):
            self.settle_soon([held], Cost(questions=0))
            self.release(key)

    def _start_renewing(self) -> None:
        """Renew claims in the background while there are any."""
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew_regularly())

    async def _renew_regularly(self) -> None:
        is_needed = True
        while is_needed:
            await asyncio.sleep(self.lease_seconds / _RENEWALS)
            try:
                is_needed = await self._renew()
            except RecordsFailure as error:
                log.debug("claims could not be renewed: %s", error.message)

    async def _log_failure(self, work: Awaitable[Any]) -> None:
        """Complete work in the background. An unsettled bill becomes uncertain."""
        try:
            await work
        except RecordsFailure as error:
            log.warning("a bill could not be settled and is uncertain: %s", error.message)

    def _now(self) -> float:
        return self.clock.now().timestamp()


class FileQuestionStore(QuestionStore):
    """The state of one machine, in the record file.

    Work that arrives while the disk is busy shares one transaction. It is on disk when its `await`
    ends. Work that raises must not have changed anything, and the rest goes on; an error of the
    file fails all of it.
    """

    def __init__(
        self, records: RecordFile, clock: Clock, lease_seconds: float = LEASE_SECONDS
    ) -> None:
        super().__init__(clock, lease_seconds)
        self.owner = describe_owner()
        self._records = records
        self._is_clean = False
        self._waiting: list[tuple[Work[Any], asyncio.Future[Any]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        now = self._now()

        def work(database: Connection, cipher: Cipher) -> dict[str, KeptAnswer]:
            if not self._is_clean:
                self._is_clean = True
                database.execute("DELETE FROM ask_answers WHERE expires_at <= ?", (now,))
                delete_ended_claims(database, now)
                ledger.delete_old(database, now)
            return _find_answers(database, cipher, keys, now)

        return await self.commit(work)

    async def _enter(
        self, key: str, wanted: Reservation, is_good: IsGood
    ) -> KeptAnswer | Reservation | None:
        now = self._now()

        def work(database: Connection, cipher: Cipher) -> KeptAnswer | Reservation | None:
            kept = _find_answers(database, cipher, [key], now).get(key)
            if kept is not None and is_good(kept):
                return kept
            if not take_claim(database, cipher, key, self.owner, now, self.lease_seconds):
                return None
            try:
                return self._reserve(wanted, database, cipher)
            except ledger.OverLimit:
                release_claim(database, cipher, key, self.owner)
                raise

        found = await self.commit(work)
        if isinstance(found, Reservation):
            self._claims[key] = self.owner
            self._start_renewing()
        return found

    async def reserve(self, wanted: Reservation) -> Reservation:
        return await self.commit(partial(self._reserve, wanted))

    async def settle(
        self, key: str, kept: KeptAnswer | None, held: Sequence[Reservation], cost: Cost
    ) -> None:
        is_claimed = key in self._claims

        def work(database: Connection, cipher: Cipher) -> None:
            now = self._now()
            for number, one in enumerate(held):
                own = cost if number == 0 else Cost(questions=0)
                ledger.settle(database, one, own, now)
            if kept is not None:
                name = _name(cipher, key)
                value = cipher.encrypt(kept.encode(), name)
                row = (name, value, kept.made_at, kept.expires_at)
                database.execute("INSERT OR REPLACE INTO ask_answers VALUES (?, ?, ?, ?)", row)
            if is_claimed:
                release_claim(database, cipher, key, self.owner)

        await self.commit(work)
        self._claims.pop(key, None)

    async def write_notes(self, statements: Iterable[Statement]) -> None:
        await self.commit(partial(ledger.write_notes, statements=statements))

    async def read_bill(self, since: str) -> list[SpendingRecord]:
        def work(database: Connection, cipher: Cipher) -> list[SpendingRecord]:
            ledger.end_dead_reservations(database, self._now())
            return ledger.read_bill(database, cipher, since)

        return await self.commit(work)

    async def commit(self, work: Work[T]) -> T:
        """Return the result of the work once it is on disk. A cancelled caller does not undo it."""
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, outcome))
        if self._writer is None or self._writer.done():
            self._writer = self._start(self._write_all())
        return await asyncio.shield(outcome)

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                results = await self._records.run(partial(_run_batch, [work for work, _ in batch]))
            except Exception as error:
                results = [error] * len(batch)
            for (_, outcome), result in zip(batch, results, strict=True):
                if outcome.done():
                    continue
                if isinstance(result, Exception):
                    outcome.set_exception(result)
                    outcome.exception()  # a cancelled caller does not retrieve it
                else:
                    outcome.set_result(result)

    async def _release(self, key: str, claim: str) -> None:
        await self.commit(lambda database, cipher: release_claim(database, cipher, key, claim))

    async def _renew(self) -> bool:
        if self._claims:
            await self.commit(
                lambda database, _: renew_claims(
                    database, self.owner, self._now(), self.lease_seconds
                )
            )
        return bool(self._claims)

    def _reserve(self, wanted: Reservation, database: Connection, cipher: Cipher) -> Reservation:
        now = self.clock.now()
        day = now.date().isoformat()
        return ledger.reserve(database, wanted, self.owner, now.timestamp(), day)


def _find_answers(
    database: Connection, cipher: Cipher, keys: Sequence[str], now: float
) -> dict[str, KeptAnswer]:
    """Return the answers that have not expired, by key."""
    query = "SELECT value FROM ask_answers WHERE name = ? AND expires_at > ?"
    found: dict[str, KeptAnswer] = {}
    for key in keys:
        name = _name(cipher, key)
        row = database.execute(query, (name, now)).fetchone()
        kept = KeptAnswer.decode(cipher.decrypt(row[0], name)) if row else None
        if kept is not None:
            found[key] = kept
    return found


def _name(cipher: Cipher, key: str) -> bytes:
    return cipher.hash_name(f"answer {key}")


def _run_batch(batch: list[Work[Any]], database: Connection, cipher: Cipher) -> list[Any]:
    """Return the result or the error of each piece of work."""
    results: list[Any] = []
    for work in batch:
        try:
            results.append(work(database, cipher))
        except FILE_ERRORS:
            raise
        except Exception as error:
            results.append(error)
    return results
