"""How the providers are doing, as far as is known: the contract, and what one server knows by
itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from webquarry._search.services.breaker import Breaker
from webquarry.clock import Clock
from webquarry.settings import Settings


class Breakers(ABC):
    """A breaker for each provider; what trips one may be told to other servers."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._breakers: dict[str, Breaker] = {}

    def breaker(self, name: str) -> Breaker:
        """The breaker of a provider, as of when somebody last learnt about it."""
        found = self._breakers.get(name)
        if found is None:
            failures = self._settings.breaker_failures
            rest_seconds = self._settings.breaker_rest_seconds
            found = self._breakers[name] = Breaker(self._clock, failures, rest_seconds)
        return found

    @abstractmethod
    async def learn(self, names: Sequence[str]) -> None:
        """Take over what others have found out about these providers."""

    @abstractmethod
    async def tell(self, name: str) -> None:
        """A call of this provider has failed here: if it rests now, let the others know."""


class LocalBreakers(Breakers):
    """One server: there is nobody to learn from."""

    async def learn(self, names: Sequence[str]) -> None:
        return

    async def tell(self, name: str) -> None:
        return
