"""The circuit breakers of all providers, as one process knows them."""

from __future__ import annotations

from webquarry._search.services.breaker import Breaker
from webquarry.clock import Clock
from webquarry.settings import Settings


class Breakers:
    """A breaker for each provider."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._breakers: dict[str, Breaker] = {}

    def breaker(self, name: str) -> Breaker:
        """Return the breaker of a provider."""
        found = self._breakers.get(name)
        if found is None:
            failures = self._settings.breaker_failures
            rest_seconds = self._settings.breaker_rest_seconds
            found = self._breakers[name] = Breaker(self._clock, failures, rest_seconds)
        return found
