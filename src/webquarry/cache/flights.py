"""Who makes a value that several servers want at the same time: the contract, and the answer of one
server alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Kept:
    """A value with its freshness."""

    value: bytes
    cached: bool
    age_seconds: float
    max_age_seconds: float


class Flights(ABC):
    """Work under way on any server, by key. Callers of one server have been brought together before
    (`SingleFlight`).
    """

    @abstractmethod
    async def share(self, key: str, make: Callable[[], Awaitable[Kept]]) -> Kept:
        """What `make` gives here, or what it gave to another server that was already at it. What it
        raises there is not raised here: the next server tries, one at a time.
        """


class LocalFlights(Flights):
    """One server: nobody else is at it."""

    async def share(self, key: str, make: Callable[[], Awaitable[Kept]]) -> Kept:
        return await make()
