"""The cache as its users see it: a value that is there, or made once and kept.

    found = await cache.get_or_make(key, make)   # make() -> Made(value, ttl_seconds); 0 is not kept
    found.value, found.cached, found.age_seconds, found.max_age_seconds

Concurrent callers with the same key share one `make`: in all processes that share a folder, and on
all servers that share a store. What `make` raises is raised to all callers of its own process and
never kept. With `fresh=True` what is
kept is passed over, and replaced.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from webquarry.cache.base import CachedValue, CacheEntry, Stats, Store
from webquarry.cache.single_flight import SharedSingleFlight, SingleFlight
from webquarry.cache.turns import ProcessTurn, Turns
from webquarry.clock import Clock
from webquarry.meter import count

__all__ = ["Cache", "CachedValue", "Made"]

_MOST_UNWRITTEN = 32  # entries; whoever brings the next one waits until it is kept
_WRITING_PAUSE = 0.05  # seconds
_CLOCK_SKEW_SECONDS = 60.0  # by which the clocks of servers that share a store may differ


@dataclass(frozen=True)
class Made:
    """A fresh value and how long it is good; the thing that was packed into it, if somebody wants
    it back unpacked.
    """

    value: bytes
    ttl_seconds: float
    thing: Any = None


Make = Callable[[], Awaitable[Made]]
Look = Callable[[], Awaitable[CachedValue | None]]


class Cache:
    """Stores from the nearest to the farthest; what a far one has is copied to the nearer ones."""

    def __init__(
        self,
        stores: Sequence[Store],
        clock: Clock,
        across_servers: SharedSingleFlight | None = None,
        turns: Turns | None = None,
    ) -> None:
        self._stores = list(stores)
        self._clock = clock
        self._here: SingleFlight[CachedValue] = SingleFlight()
        self._across_servers = across_servers
        self._turns = turns
        self._turns_to_end: list[ProcessTurn] = []  # once what was made in them is written
        self._unwritten: list[tuple[str, CacheEntry]] = []  # what far stores are to keep
        self._writing: asyncio.Task[None] | None = None
        self._writing_due: asyncio.TimerHandle | None = None

    async def get_or_make(
        self,
        key: str,
        make: Make,
        *,
        fresh: bool = False,
        look: Look | None = None,
        may_repeat: bool = False,
    ) -> CachedValue:
        """The kept value, or a fresh one. A caller for whom other entries are as good says how to
        `look` for what is kept. What `may_repeat` is begun anew when whoever makes it gives up
        while others wait. Where processes take turns, far stores are asked in our turn, and only
        then.
        """
        flight = key
        found = None
        if fresh:
            flight = f"{key} fresh"  # apart from those who may have just found what is kept
        elif self._turns is None and look is not None:
            found = await look()
        elif self._turns is None:
            found = await self.get(key)
        else:
            found = self.peek(key)
        if found is None:
            work = self._plan_making(flight, key, make, look, fresh=fresh)
            share = self._here.lead if may_repeat else self._here.share
            found = await share(flight, work)
        if not fresh:
            count("cache", result="hit" if found.cached else "miss")
        return found

    def _plan_making(
        self, flight: str, key: str, make: Make, look: Look | None, *, fresh: bool
    ) -> Callable[[], Coroutine[Any, Any, CachedValue]]:
        """How a value is made once for all who want it now, on this server and on others."""
        if self._across_servers is None and self._turns is not None:
            look = look or partial(self.get, key)
            return partial(self._make_in_turn, self._turns, flight, key, make, look, fresh=fresh)
        work = partial(self._make, key, make, fresh=fresh)
        if self._across_servers is not None:
            work = partial(self._across_servers.share, flight, work)
        return work

    async def get(self, key: str) -> CachedValue | None:
        """The kept value, if there is one and it is still good."""
        return await self._get_since(key, -math.inf)

    async def _get_since(self, key: str, moment: float) -> CachedValue | None:
        """The same, if it was kept at this moment or later."""
        found = await self.get_first([key], since=moment)
        if found is None:
            return None
        return found[1]

    async def get_first(
        self, keys: Sequence[str], *, since: float = -math.inf
    ) -> tuple[str, CachedValue] | None:
        """The value that is kept under one of these keys, with its key: the nearest, and of several
        in one store the first. Far stores are asked once for all of them.
        """
        now = self._now()
        for distance, store in enumerate(self._stores):
            found = await store.get_first(keys, now)
            if found is None or not _is_of_the_past(found[1], now) or found[1].stored_at < since:
                continue
            key, entry = found
            for nearer in self._stores[:distance]:
                await nearer.put(key, entry)
            return key, _show(entry, now)
        return None

    def peek(self, key: str) -> CachedValue | None:
        """The same of the nearest store, where that can be told without waiting."""
        if not self._stores:
            return None
        now = self._now()
        entry = self._stores[0].peek(key, now)
        if entry is None or not _is_of_the_past(entry, now):
            return None
        return _show(entry, now)

    async def put(self, key: str, made: Made) -> None:
        """Keep a value in every store."""
        now = self._now()
        entry = CacheEntry(
            made.value,
            stored_at=now,
            expires_at=now + made.ttl_seconds,
        )
        for store in self._stores:
            await store.put(key, entry)

    async def keep(self, key: str, made: Made) -> None:
        """The same, but nobody waits for far stores: what is kept here is found here at once. Where
        servers share a store they rely on it, and it is waited for.
        """
        if self._across_servers is not None or len(self._unwritten) >= _MOST_UNWRITTEN:
            await self.put(key, made)
            return
        now = self._now()
        entry = CacheEntry(made.value, stored_at=now, expires_at=now + made.ttl_seconds)
        for store in self._stores[:1]:
            await store.put(key, entry)
        if len(self._stores) > 1:
            self._unwritten.append((key, entry))
            if self._writing is None and self._writing_due is None:
                loop = asyncio.get_running_loop()
                self._writing_due = loop.call_later(_WRITING_PAUSE, self._begin_writing)

    def _begin_writing(self) -> None:
        """Have far stores keep what came, now that the answers made of it have had time to
        leave.
        """
        self._writing_due = None
        self._writing = asyncio.create_task(self._write_once())

    async def _write_once(self) -> None:
        await self._write_all()
        self._writing = None

    async def _write_all(self) -> None:
        while self._unwritten:
            batch = self._unwritten[:]
            for store in self._stores[1:]:
                await store.put_all(batch)
            del self._unwritten[: len(batch)]
        self._end_turns()

    async def _finish_writing(self) -> None:
        """Wait until all that is to be kept is kept."""
        if self._writing_due is not None:
            self._writing_due.cancel()
            self._writing_due = None
        if self._writing is not None:
            await asyncio.wait([self._writing])
            self._writing = None
        # and what is left by a task that was stopped, as at the end of a program
        await self._write_all()

    async def is_kept_for_all(self, key: str) -> bool:
        """Whether it would be found by whoever asks next, on whichever server."""
        await self._finish_writing()
        now = self._now()
        shared_stores = [store for store in self._stores if store.shared]
        is_kept = False
        for store in shared_stores or self._stores:
            entry = await _get_good(store, key, now)
            if entry is not None:
                is_kept = True
        return is_kept

    async def _make_in_turn(
        self, turns: Turns, flight: str, key: str, make: Make, look: Look, *, fresh: bool
    ) -> CachedValue:
        """What is kept, or another process made of it meanwhile, or else a fresh value. The turn
        lasts until the value is where others find it. Whoever has it at once looks once.
        """
        moment = self._now() if fresh else -math.inf
        turn = turns.take_at_once(flight)
        try:
            found = None
            if not fresh:
                found = await look()
            if found is None and turn is None:
                turn = await turns.take(flight)
                found = await self._get_since(key, moment)
            if found is None:
                found = await self._make(key, make, fresh=True)
            return found
        finally:
            if turn is not None:
                self._turns_to_end.append(turn)
            if not self._unwritten:
                self._end_turns()

    def _end_turns(self) -> None:
        """Let other processes have what was made here."""
        for turn in self._turns_to_end:
            if self._turns is not None:
                self._turns.end(turn)
        self._turns_to_end.clear()

    async def _make(self, key: str, make: Make, *, fresh: bool) -> CachedValue:
        """A fresh value, which is kept; somebody may have made it since we looked: on this server
        it would be at hand.
        """
        found = None
        if not fresh and self._across_servers is None:
            found = self.peek(key)
        elif not fresh:
            found = await self.get(key)
        if found is not None:
            return found
        made = await make()
        if made.ttl_seconds > 0:
            await self.keep(key, made)
        return CachedValue(
            made.value,
            cached=False,
            age_seconds=0.0,
            max_age_seconds=made.ttl_seconds,
            thing=made.thing,
        )

    async def clear(self) -> int:
        """Forget everything; how many entries the farthest store held."""
        await self._finish_writing()
        most = 0
        for store in self._stores:
            cleared = await store.clear()
            most = max(most, cleared)
        return most

    async def stats(self) -> list[Stats]:
        await self._finish_writing()
        all_stats = []
        for store in self._stores:
            all_stats.append(await store.stats())
        return all_stats

    async def aclose(self) -> None:
        await self._finish_writing()
        self._end_turns()
        if self._turns is not None:
            self._turns.close()
        for store in self._stores:
            await store.aclose()

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _show(entry: CacheEntry, now: float) -> CachedValue:
    """A kept entry as callers get it."""
    return CachedValue(
        entry.value,
        cached=True,
        age_seconds=max(0.0, now - entry.stored_at),
        max_age_seconds=entry.expires_at - entry.stored_at,
    )


async def _get_good(store: Store, key: str, now: float) -> CacheEntry | None:
    """The entry of a store, unless its time is over or lies ahead."""
    entry = await store.get(key, now)
    if entry is None or not _is_of_the_past(entry, now):
        return None
    return entry


def _is_of_the_past(entry: CacheEntry, now: float) -> bool:
    """Of an entry that was kept by a clock that was ahead nobody knows how old it is."""
    return entry.stored_at <= now + _CLOCK_SKEW_SECONDS
