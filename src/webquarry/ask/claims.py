"""Who asks a question, of all processes that share a record: its name goes in; its answer, the
right to ask it, or that somebody else is asking comes out.

    standing = await claims.claim(key, owner, lease_seconds, is_good)
    standing.kept                      # it was answered meanwhile
    standing.is_mine                   # ask it, then `answer`, or `release` without an answer
    await claims.wait(...)             # neither: until it is answered or free

`Claims` is the contract; `FileClaims` keeps them in the record file of one machine. The answer, its
bill and the end of the claim are one transaction.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from webquarry.ask import answers
from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing.group_commit import GroupCommit, Work
from webquarry.clock import Clock
from webquarry.errors import RecordsFailure
from webquarry.records.claims import is_claimed, release_claim, renew_claims, take_claim

log = logging.getLogger(__name__)

LEASE_SECONDS = 30.0  # how long a claim outlives a process that nobody can see
_RENEWALS = 3  # in the time of a lease
_FIRST_LOOK_SECONDS = 0.02
_LAST_LOOK_SECONDS = 0.25
_SLOWER = 1.5  # each look for an answer comes so many times later than the one before

IsGood = Callable[[KeptAnswer], bool]


@dataclass(frozen=True)
class Standing:
    """How a question stands: answered, ours to ask, or under way elsewhere."""

    kept: KeptAnswer | None = None
    is_mine: bool = False
    is_free: bool = False  # nobody has claimed it


class Claims(ABC):
    """Where processes agree who asks what. A key is the digest of a whole request."""

    @abstractmethod
    async def claim(self, key: str, owner: str, lease_seconds: float, is_good: IsGood) -> Standing:
        """The kept answer if it is good, else the claim if nobody has it. It is renewed until it
        is released or answered.
        """

    @abstractmethod
    async def look(self, key: str, owner: str, lease_seconds: float, is_good: IsGood) -> Standing:
        """The same, and nothing is claimed."""

    @abstractmethod
    async def answer(self, key: str, owner: str, kept: KeptAnswer | None, settle: Work) -> None:
        """Keep the answer, if there is one to keep, settle its bill and end the claim, all at
        once.
        """

    @abstractmethod
    def release(self, key: str, owner: str) -> None:
        """End the claim without an answer; nobody has to wait for that."""

    @abstractmethod
    async def aclose(self) -> None:
        """Renew nothing any more."""

    async def wait(self, key: str, owner: str, lease_seconds: float, is_good: IsGood) -> None:
        """Until the question is answered, or free to be claimed."""
        pause = _FIRST_LOOK_SECONDS
        while True:
            await asyncio.sleep(pause)
            standing = await self.look(key, owner, lease_seconds, is_good)
            if standing.kept is not None or standing.is_free:
                return
            pause = min(_LAST_LOOK_SECONDS, pause * _SLOWER)


class FileClaims(Claims):
    """Claims in the record file. Belongs to one event loop."""

    def __init__(self, commits: GroupCommit, clock: Clock) -> None:
        self._commits = commits
        self._clock = clock
        self._held: set[tuple[str, str]] = set()  # keys with their owners
        self._renewing: asyncio.Task[None] | None = None

    async def claim(self, key: str, owner: str, lease_seconds: float, is_good: IsGood) -> Standing:
        def work(database: Any, cipher: Any) -> Standing:
            now = self._clock.now().timestamp()
            kept = answers.find(database, cipher, [key], now).get(key)
            if kept is not None and is_good(kept):
                return Standing(kept)
            taken = take_claim(database, cipher, key, owner, now, lease_seconds)
            return Standing(is_mine=taken)

        # Noted before the claim is written, so that a cancellation in between releases it.
        self._held.add((key, owner))
        standing = await self._commits.commit(work)
        if not standing.is_mine:
            self._held.discard((key, owner))
        elif self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._renew_while_held(owner, lease_seconds))
        return standing

    async def look(self, key: str, owner: str, lease_seconds: float, is_good: IsGood) -> Standing:
        def work(database: Any, cipher: Any) -> Standing:
            now = self._clock.now().timestamp()
            kept = answers.find(database, cipher, [key], now).get(key)
            if kept is not None and is_good(kept):
                return Standing(kept)
            claimed = is_claimed(database, cipher, key, owner, now, lease_seconds)
            return Standing(is_free=not claimed)

        return await self._commits.commit(work)

    async def answer(self, key: str, owner: str, kept: KeptAnswer | None, settle: Work) -> None:
        is_held = (key, owner) in self._held

        def work(database: Any, cipher: Any) -> None:
            settle(database, cipher)
            if kept is not None:
                answers.keep(database, cipher, key, kept)
            if is_held:
                release_claim(database, cipher, key, owner)

        await self._commits.commit(work)
        self._held.discard((key, owner))

    def release(self, key: str, owner: str) -> None:
        if (key, owner) not in self._held:
            return
        self._held.discard((key, owner))
        self._commits.submit(lambda database, cipher: release_claim(database, cipher, key, owner))

    async def aclose(self) -> None:
        task, self._renewing = self._renewing, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _renew_while_held(self, owner: str, lease_seconds: float) -> None:
        """While a claim is held: an answer may take longer than a lease."""

        def renew(database: Any, cipher: Any) -> None:
            renew_claims(database, owner, self._clock.now().timestamp(), lease_seconds)

        while self._held:
            await asyncio.sleep(lease_seconds / _RENEWALS)
            if not self._held:
                return
            try:
                await self._commits.commit(renew)
            except RecordsFailure as error:
                log.debug("claims could not be renewed: %s", error.message)
