"""Circuit breakers: a provider that fails repeatedly is not asked for a while, then probed once.

closed: asked as usual. open: not asked until its rest is over. half-open: one caller may ask (the
probe), others are refused until the probe has ended.
"""

from __future__ import annotations

from webquarry.clock import Clock
from webquarry.errors import LONGEST_WAIT_SECONDS, NotRecorded, ProviderFailure, WebquarryError
from webquarry.settings import Settings

# What says something about the provider's health. Bad input and an empty answer do not; a bad key
# is the user's to mend.
TRIPPING = frozenset({"network", "rate_limited", "blocked", "challenge", "too_large", "internal"})


class Breaker:
    """The state of one provider."""

    def __init__(self, clock: Clock, threshold: int, rest_seconds: float) -> None:
        self._clock = clock
        self._threshold = threshold
        self._rest_seconds = rest_seconds
        self._failures = 0
        self._rests_until: float | None = None
        self._probing = False
        self.cause: type[WebquarryError] = ProviderFailure  # what made it rest

    @property
    def state(self) -> str:
        """closed, open or half-open."""
        if self._rests_until is None:
            return "closed"
        if self._clock.monotonic() < self._rests_until:
            return "open"
        return "half-open"

    @property
    def rest_left(self) -> float:
        """Seconds until the provider may be asked again."""
        if self._rests_until is None:
            return 0.0
        return max(0.0, self._rests_until - self._clock.monotonic())

    def admit(self) -> bool:
        """May the provider be asked now? Who is admitted reports back with `record_success`,
        `record_failure` or `release`.
        """
        state = self.state
        if state == "closed":
            return True
        if state == "open" or self._probing:
            return False
        self._probing = True
        return True

    def record_success(self) -> None:
        """The provider answered, if only with "nothing found"."""
        self._failures = 0
        self._rests_until = None
        self._probing = False

    def record_failure(self, error: WebquarryError) -> None:
        """The provider failed; a rest that it asked for itself begins at once."""
        was_probe = self._probing
        self._probing = False
        if error.kind not in TRIPPING:
            return
        if isinstance(error, NotRecorded):  # a recording says nothing about the provider
            return
        self._failures += 1
        asked_seconds = error.retry_after_seconds or 0.0
        if was_probe or asked_seconds or self._failures >= self._threshold:
            self.rest(asked_seconds or self._rest_seconds, type(error))

    def rest(self, seconds: float, cause: type[WebquarryError]) -> None:
        """Leave the provider alone for so long from now, an hour at most."""
        self._rests_until = self._clock.monotonic() + min(seconds, LONGEST_WAIT_SECONDS)
        self.cause = cause

    def release(self) -> None:
        """The caller left before the provider answered: nothing was learnt."""
        self._probing = False


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
