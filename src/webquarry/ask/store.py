"""The state that all processes share that ask models: answers, claims of questions, and the ledger.

    entry = await store.enter(key, request, is_good)
    entry.kept                         # it was answered meanwhile
    entry.held                         # ask it, then `settle`, or `release` without an answer
    await store.wait(...)              # neither: until it is answered or free

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
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from webquarry.ask import answers
from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing import ledger
from webquarry.ask.billing.ledger import (
    Reservation,
    ReservationRequest,
    Settlement,
    SpendingRecord,
)
from webquarry.ask.billing.statement import Statement
from webquarry.ask.models import Usage
from webquarry.clock import Clock
from webquarry.errors import BadInput, RecordsFailure
from webquarry.store.claims import (
    delete_ended_claims,
    is_claimed,
    release_claim,
    renew_claims,
    take_claim,
)
from webquarry.store.encryption import Cipher
from webquarry.store.records import RecordFile
from webquarry.store.sqlite import FILE_ERRORS, Connection

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[Connection, Cipher], T]
IsGood = Callable[[KeptAnswer], bool]

LEASE_SECONDS = 30.0  # lifetime of a claim whose process cannot be checked
_RENEWALS = 3  # per lease
_FIRST_LOOK_SECONDS = 0.02
_LAST_LOOK_SECONDS = 0.25
_BACKOFF = 1.5


@dataclass(frozen=True)
class Entry:
    """State of a question: answered, claimed by us, or in progress elsewhere."""

    kept: KeptAnswer | None = None
    held: Reservation | None = None
    is_free: bool = False  # not claimed


class QuestionStore(ABC):
    """Coordinates processes. A key is the digest of a request, an owner is a process. Belongs to
    one event loop.
    """

    def __init__(self, clock: Clock, lease_seconds: float = LEASE_SECONDS) -> None:
        self.clock = clock
        self.lease_seconds = lease_seconds
        self._claims: dict[tuple[str, str], str] = {}  # by key and owner
        self._renewing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Future[Any]] = set()  # to be completed before closing

    @abstractmethod
    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        """Return the stored answers by key."""

    @abstractmethod
    async def look(self, key: str, owner: str, is_good: IsGood) -> Entry:
        """Return the state of a question without claiming it."""

    @abstractmethod
    async def reserve(self, request: ReservationRequest) -> Reservation:
        """Reserve money for a question that is not shared, or more of it. Raises OverLimit."""

    @abstractmethod
    async def settle(
        self, key: str, owner: str, kept: KeptAnswer | None, settlements: Sequence[Settlement]
    ) -> None:
        """Store the answer, settle its bill and end the claim, all at once."""

    @abstractmethod
    async def write_notes(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        """Write what is known of statements besides money; `at_end` without another thread."""

    @abstractmethod
    async def read_bill(self, since: str) -> list[SpendingRecord]:
        """Return the bill since a day, with the reservations of dead processes."""

    @abstractmethod
    async def _enter(self, key: str, request: ReservationRequest, is_good: IsGood) -> Entry:
        """Do `enter`; it is not cancelled."""

    @abstractmethod
    async def _release(self, key: str, owner: str, claim: str) -> None:
        """End the claim of a question."""

    @abstractmethod
    async def _renew(self) -> bool:
        """Renew all claims of this process; False if there are none."""

    async def enter(self, key: str, request: ReservationRequest, is_good: IsGood) -> Entry:
        """Return the stored answer if it is good; otherwise claim the question and reserve its
        cost, unless another process has claimed it. Raises OverLimit, and claims nothing then.
        """
        entering = self._start(self._enter(key, request, is_good))
        try:
            return await asyncio.shield(entering)
        except asyncio.CancelledError:
            entering.add_done_callback(lambda ended: self._give_back(key, request.owner, ended))
            raise

    def settle_soon(self, settlements: Sequence[Settlement]) -> None:
        """Settle a bill without an answer, in the background."""
        self._start(self._log_failure(self.settle("", "", None, settlements)))

    def release(self, key: str, owner: str) -> None:
        """End a claim without an answer, in the background, if there is one."""
        claim = self._claims.pop((key, owner), None)
        if claim is not None:
            self._start(self._log_failure(self._release(key, owner, claim)))

    def write_notes_soon(self, statements: Iterable[Statement]) -> None:
        """Write notes in the background."""
        self._start(self._log_failure(self.write_notes(statements)))

    def read_bill_now(
        self, since: str, unwritten: Iterable[Statement] = ()
    ) -> list[SpendingRecord]:
        """Return the bill from any thread; with notes that are not written yet."""
        raise BadInput(
            "A bill in Redis is read on the event loop.",
            suggested_action="Await Engine.read_bill, or call webquarry.batch.read_bill.",
        )

    async def wait(self, key: str, owner: str, is_good: IsGood) -> None:
        """Wait until a question is answered or can be claimed."""
        pause = _FIRST_LOOK_SECONDS
        while True:
            await asyncio.sleep(pause)
            entry = await self.look(key, owner, is_good)
            if entry.kept is not None or entry.is_free:
                return
            pause = min(_LAST_LOOK_SECONDS, pause * _BACKOFF)

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

    def _give_back(self, key: str, owner: str, entering: asyncio.Task[Entry]) -> None:
        """The caller of `enter` was cancelled: what it got costs nothing."""
        if entering.cancelled() or entering.exception() is not None:
            return
        held = entering.result().held
        if held is not None:
            self.settle_soon([Settlement(held, Usage(), questions=0)])
            self.release(key, owner)

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
        """Complete work in the background. What is not settled ends with its lease as uncertain."""
        try:
            await work
        except RecordsFailure as error:
            log.warning("a bill could not be settled and is uncertain: %s", error.message)

    def _now(self) -> float:
        return self.clock.now().timestamp()


class FileQuestionStore(QuestionStore):
    """The state of one machine, in the record file."""

    def __init__(
        self, records: RecordFile, clock: Clock, lease_seconds: float = LEASE_SECONDS
    ) -> None:
        super().__init__(clock, lease_seconds)
        self._records = records
        self._commits = GroupCommit(records)
        self._is_clean = False

    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        now = self._now()

        def work(database: Connection, cipher: Cipher) -> dict[str, KeptAnswer]:
            if not self._is_clean:
                self._is_clean = True
                answers.delete_expired(database, now)
                delete_ended_claims(database, now)
                ledger.delete_old(database, now)
            return answers.find(database, cipher, keys, now)

        return await self._commits.commit(work)

    async def _enter(self, key: str, request: ReservationRequest, is_good: IsGood) -> Entry:
        owner = request.owner

        def work(database: Connection, cipher: Cipher) -> Entry:
            entry = self._look(database, cipher, key, owner, is_good)
            if not entry.is_free:
                return entry
            held = self._reserve(database, request)
            take_claim(database, cipher, key, owner, self._now(), self.lease_seconds)
            return Entry(held=held)

        entry = await self._commits.commit(work)
        if entry.held is not None:
            self._claims[key, owner] = owner
            self._start_renewing()
        return entry

    async def look(self, key: str, owner: str, is_good: IsGood) -> Entry:
        return await self._commits.commit(
            lambda database, cipher: self._look(database, cipher, key, owner, is_good)
        )

    async def reserve(self, request: ReservationRequest) -> Reservation:
        return await self._commits.commit(lambda database, _: self._reserve(database, request))

    async def settle(
        self, key: str, owner: str, kept: KeptAnswer | None, settlements: Sequence[Settlement]
    ) -> None:
        is_claim = (key, owner) in self._claims

        def work(database: Connection, cipher: Cipher) -> None:
            for settlement in settlements:
                ledger.settle(database, settlement, self._now())
            if kept is not None:
                answers.keep(database, cipher, key, kept)
            if is_claim:
                release_claim(database, cipher, key, owner)

        await self._commits.commit(work)
        self._claims.pop((key, owner), None)

    async def write_notes(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        work = partial(ledger.write_notes, statements=statements)
        if at_end:
            self._records.do(work)
        else:
            await self._commits.commit(work)

    async def read_bill(self, since: str) -> list[SpendingRecord]:
        return await self._commits.commit(partial(self._read_bill, since=since))

    def read_bill_now(
        self, since: str, unwritten: Iterable[Statement] = ()
    ) -> list[SpendingRecord]:
        def work(database: Connection, cipher: Cipher) -> list[SpendingRecord]:
            ledger.write_notes(database, cipher, unwritten)
            return self._read_bill(database, cipher, since)

        return self._records.do(work)

    async def flush(self) -> None:
        await super().flush()
        await self._commits.aclose()

    async def _release(self, key: str, owner: str, claim: str) -> None:
        await self._commits.commit(
            lambda database, cipher: release_claim(database, cipher, key, owner)
        )

    async def _renew(self) -> bool:
        owners = {owner for _, owner in self._claims}

        def work(database: Connection, cipher: Cipher) -> None:
            for owner in owners:
                renew_claims(database, owner, self._now(), self.lease_seconds)

        if owners:
            await self._commits.commit(work)
        return bool(owners)

    def _look(
        self, database: Connection, cipher: Cipher, key: str, owner: str, is_good: IsGood
    ) -> Entry:
        now = self._now()
        kept = answers.find(database, cipher, [key], now).get(key)
        if kept is not None and is_good(kept):
            return Entry(kept)
        is_taken = is_claimed(database, cipher, key, owner, now, self.lease_seconds)
        return Entry(is_free=not is_taken)

    def _reserve(self, database: Connection, request: ReservationRequest) -> Reservation:
        now = self.clock.now()
        return ledger.reserve(database, request, now.timestamp(), now.date().isoformat())

    def _read_bill(self, database: Connection, cipher: Cipher, since: str) -> list[SpendingRecord]:
        ledger.end_dead_reservations(database, self._now())
        return ledger.read_bill(database, cipher, since)


class GroupCommit:
    """Writes to one record file: work that arrives while the disk is busy shares one transaction.
    Belongs to one event loop.

    Work is on disk when its `await` ends. Work that raises must not have changed anything, and the
    rest goes on; an error of the file fails all of it.
    """

    def __init__(self, records: RecordFile) -> None:
        self._records = records
        self._waiting: list[tuple[Work[Any], asyncio.Future[Any]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def commit(self, work: Work[T]) -> T:
        """Return the result of the work once it is on disk. A cancelled caller does not undo it."""
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, outcome))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_all())
        return await asyncio.shield(outcome)

    async def aclose(self) -> None:
        """Wait for all work."""
        while self._writer is not None and not self._writer.done():
            await self._writer
            await asyncio.sleep(0)  # what was done may add more

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
