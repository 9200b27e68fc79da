"""What all processes share that ask models: kept answers, who asks a question now, and the ledger.

    entry = await store.enter(key, request, is_good)
    entry.kept                         # it was answered meanwhile
    entry.held                         # ask it, then `settle`, or `release` without an answer
    await store.wait(...)              # neither: until it is answered or free

`QuestionStore` is the contract. To look for the answer, to see who asks, to end what dead processes
had set aside, to claim the question and to reserve its worst case are one step; so are the answer,
its bill and the end of the claim. What cannot be written down is a `RecordsFailure`, and nothing
is asked then.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from webquarry.ask.answers import KeptAnswer
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

log = logging.getLogger(__name__)
T = TypeVar("T")

LEASE_SECONDS = 30.0  # how long a claim outlives a process that nobody can see
_RENEWALS = 3  # in the time of a lease
_FIRST_LOOK_SECONDS = 0.02
_LAST_LOOK_SECONDS = 0.25
_SLOWER = 1.5  # each look for an answer comes so many times later than the one before

IsGood = Callable[[KeptAnswer], bool]


@dataclass(frozen=True)
class Entry:
    """How a question stands: answered, ours to ask, or under way elsewhere."""

    kept: KeptAnswer | None = None
    held: Reservation | None = None  # the claim is ours, and so much is set aside
    is_free: bool = False  # nobody has claimed it


class QuestionStore(ABC):
    """Where processes agree who asks what, and what it may cost. A key is the digest of a whole
    request, an owner one process. Belongs to one event loop.
    """

    def __init__(self, clock: Clock, lease_seconds: float = LEASE_SECONDS) -> None:
        self.clock = clock
        self.lease_seconds = lease_seconds
        self._renewing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()  # what has to be done before the end

    @abstractmethod
    async def find(self, keys: Sequence[str]) -> dict[str, KeptAnswer]:
        """Those of the answers that are kept, by key."""

    async def enter(self, key: str, request: ReservationRequest, is_good: IsGood) -> Entry:
        """The kept answer if it is good; else, if nobody asks, the claim and the reservation, both
        renewed until they are settled or released. Raises `OverLimit`, and nothing is claimed.
        """
        entering = self._begin(self._enter(key, request, is_good))
        try:
            return await asyncio.shield(entering)
        except asyncio.CancelledError:
            entering.add_done_callback(lambda ended: self._give_back(key, request.owner, ended))
            raise

    @abstractmethod
    async def _enter(self, key: str, request: ReservationRequest, is_good: IsGood) -> Entry:
        """One step of `enter`, which is not interrupted."""

    @abstractmethod
    async def look(self, key: str, owner: str, is_good: IsGood) -> Entry:
        """The same, and nothing is claimed."""

    @abstractmethod
    async def reserve(self, request: ReservationRequest) -> Reservation:
        """Set more aside, for a question that is shared with nobody or needs more than was thought.
        Raises `OverLimit`.
        """

    @abstractmethod
    async def settle(
        self, key: str, owner: str, kept: KeptAnswer | None, settlements: Sequence[Settlement]
    ) -> None:
        """Keep the answer, if there is one to keep, settle its bill and end the claim of the owner,
        all at once.
        """

    @abstractmethod
    def settle_soon(self, settlements: Sequence[Settlement]) -> None:
        """Settle a bill without an answer, for those who cannot wait."""

    @abstractmethod
    def release(self, key: str, owner: str) -> None:
        """End the claim without an answer, if there still is one; nobody has to wait for that."""

    @abstractmethod
    async def write_notes(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        """Note what is known of statements beside money."""

    @abstractmethod
    async def read_bill(self, since: str) -> list[SpendingRecord]:
        """What every statement took since that day. What dead processes had set aside is in it."""

    def read_bill_now(
        self, since: str, unwritten: Iterable[Statement] = ()
    ) -> list[SpendingRecord]:
        """The same for any thread, where the store can do that, with notes that wait to be
        written.
        """
        raise BadInput(
            "A bill that is kept in Redis is read on the loop.",
            suggested_action="Await Engine.read_bill, or call webquarry.batch.read_bill.",
        )

    async def wait(self, key: str, owner: str, is_good: IsGood) -> None:
        """Until the question is answered, or free to be claimed."""
        pause = _FIRST_LOOK_SECONDS
        while True:
            await asyncio.sleep(pause)
            entry = await self.look(key, owner, is_good)
            if entry.kept is not None or entry.is_free:
                return
            pause = min(_LAST_LOOK_SECONDS, pause * _SLOWER)

    async def flush(self) -> None:
        """Wait for what was handed in."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)  # what was done may hand in more

    async def aclose(self) -> None:
        """Renew nothing any more, and write what was handed in."""
        task, self._renewing = self._renewing, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self.flush()

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do it, whoever waits for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _give_back(self, key: str, owner: str, entering: asyncio.Task[Entry]) -> None:
        """What was claimed and set aside for somebody who has left meanwhile costs nothing."""
        if entering.cancelled() or entering.exception() is not None:
            return
        held = entering.result().held
        if held is not None:
            self.settle_soon([Settlement(held, Usage(), questions=0)])
            self.release(key, owner)

    def _keep_renewing(
        self, is_needed: Callable[[], Any], renew: Callable[[], Awaitable[Any]]
    ) -> None:
        """Renew claims in the background, as long as there are any: an answer may take longer than
        a lease.
        """
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew_while(is_needed, renew))

    async def _renew_while(
        self, is_needed: Callable[[], Any], renew: Callable[[], Awaitable[Any]]
    ) -> None:
        while is_needed():
            await asyncio.sleep(self.lease_seconds / _RENEWALS)
            if not is_needed():
                return
            try:
                await renew()
            except RecordsFailure as error:
                log.debug("claims could not be renewed: %s", error.message)
