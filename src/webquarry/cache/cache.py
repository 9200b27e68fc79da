"""The cache as its users see it: a value that is there, or made once and kept.

    kept = await cache.get_or_make(key, make)      # make() -> Made(value, ttl_seconds); ttl 0 is not kept
    kept.value, kept.cached, kept.age_seconds, kept.max_age_seconds

Concurrent callers with the same key share one `make`, on all servers that share a store. What
`make` raises is raised to all callers of its own server and never kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from webquarry.cache.base import Entry, Stats, Store
from webquarry.cache.flight import SingleFlight
from webquarry.cache.flights import Flights, Kept, LocalFlights
from webquarry.clock import Clock
from webquarry.meter import count

__all__ = ["Cache", "Kept", "Made"]


@dataclass(frozen=True)
class Made:
    """A fresh value and how long it is good."""

    value: bytes
    ttl_seconds: float


class Cache:
    """Stores from the nearest to the farthest; what a far one has is copied to the nearer ones."""

    def __init__(
        self, stores: Sequence[Store], clock: Clock, across: Flights | None = None
    ) -> None:
        self._stores = list(stores)
        self._clock = clock
        self._across = across or LocalFlights()
        self._flights: SingleFlight[Kept] = SingleFlight()

    async def get_or_make(self, key: str, make: Callable[[], Awaitable[Made]]) -> Kept:
        """The kept value, or a fresh one."""
        kept = await self.get(key)
        count("cache", result="miss" if kept is None else "hit")
        if kept is None:
            kept, _ = await self._flights.share(
                key, lambda: self._across.share(key, lambda: self._make(key, make))
            )
        return kept

    async def get(self, key: str) -> Kept | None:
        """The kept value, if there is one and it is still good."""
        now = self._now()
        for distance, store in enumerate(self._stores):
            entry = await store.get(key, now)
            if entry is not None:
                for nearer in self._stores[:distance]:
                    await nearer.put(key, entry)
                return Kept(
                    entry.value,
                    True,
                    max(0.0, now - entry.stored_at),
                    entry.expires_at - entry.stored_at,
                )
        return None

    async def put(self, key: str, made: Made) -> None:
        """Keep a value in every store."""
        now = self._now()
        for store in self._stores:
            await store.put(key, Entry(made.value, now, now + made.ttl_seconds))

    async def kept_for_all(self, key: str) -> bool:
        """Whether it would be found by whoever asks next, on whichever server."""
        now = self._now()
        stores = [store for store in self._stores if store.shared] or self._stores
        return any([await store.get(key, now) is not None for store in stores])

    async def _make(self, key: str, make: Callable[[], Awaitable[Made]]) -> Kept:
        kept = await self.get(key)  # somebody may have made it since we looked
        if kept is not None:
            return kept
        made = await make()
        if made.ttl_seconds > 0:
            await self.put(key, made)
        return Kept(made.value, False, 0.0, made.ttl_seconds)

    async def clear(self) -> int:
        """Forget everything; how many entries the farthest store held."""
        return max([await store.clear() for store in self._stores], default=0)

    async def stats(self) -> list[Stats]:
        return [await store.stats() for store in self._stores]

    async def aclose(self) -> None:
        for store in self._stores:
            await store.aclose()

    def _now(self) -> float:
        return self._clock.now().timestamp()
