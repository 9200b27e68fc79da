"""Searches for the model: a provider and a query go in, what was found or the reason why nothing
was comes out.

All questions of an engine share what is known of a provider. One that asks us to slow down is
waited for, outside the time of a search, and asked at the pace that it was seen to bear. One that
did not accept the key, whose quota is spent, or that keeps failing rests: meanwhile the model is
not offered the tool (`find_rest`), so that nobody pays for a question that leads nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from webquarry._search.models import Found, Query
from webquarry.clock import Clock
from webquarry.errors import (
    LONGEST_WAIT_SECONDS,
    AuthFailure,
    Cancelled,
    NetworkFailure,
    RateLimited,
    WebquarryError,
)
from webquarry.settings import Settings

MOST_WAIT_SECONDS = 600.0  # a longer Retry-After is an answer to give up on
_MOST_WAITS = 20  # for one search
_REFUSED_SECONDS = 300.0  # before a key that was not accepted is tried again, unless it changes
_SPENT_SECONDS = 600.0  # the same for a quota that is used up
_UNASKED_PAUSE_SECONDS = 1.0  # where the provider wants a pause and names none
_LEAST_SECONDS = 0.001  # a timeout of nothing would not even begin
_TEST_SECONDS = 0.1  # between two looks whether a provider that rested is back
_FIRST_WAIT_SECONDS = 0.25  # before a second try of what failed in passing; doubled for a third
_GROWTH = 10  # searches without a complaint after which the pace doubles
_SLOWER = 1.1  # so much longer is the pause between two searches after a further complaint
_CAREFUL = 10  # where the last complaint came, that takes so many times as long


class SearchSource(Protocol):
    """Who knows the search providers."""

    async def search(self, provider: str, query: Query) -> Found:
        """What a provider found."""

    def describe_search_key(self, provider: str) -> str:
        """What tells its credentials from others."""

    def get_search_interval(self, provider: str) -> float:
        """The least number of seconds between two searches of it."""


class SearchPace:
    """When searches of one provider begin: as they come, until it complains; from then on with a
    pause between two of them, as long as its complaint showed to be needed.
    """

    def __init__(self, clock: Clock, least: float = 0.0) -> None:
        self._clock = clock
        self._least = least
        self.interval = least
        self._next_start = 0.0
        self._resume_at = 0.0
        self._counts_since = clock.monotonic()
        self._successes = 0
        self._quiet = 0  # successes since the pace was changed
        self._complained = 0.0  # the interval of the last complaint

    async def wait_turn(self) -> float:
        """Wait until a search may begin; that moment comes back."""
        while True:
            now = self._clock.monotonic()
            start = max(now, self._next_start, self._resume_at)
            self._next_start = start + self.interval
            if start > now:
                await self._clock.sleep(start - now)
            if start >= self._resume_at:  # else a pause was asked for meanwhile
                return start

    def record_success(self) -> None:
        """A search went well: after some of them the pace is tried at the double."""
        self._successes += 1
        self._quiet += 1
        needed = _GROWTH
        if self.interval / 2 <= self._complained:
            needed *= _CAREFUL
        if self.interval and self._quiet >= needed:
            self._quiet = 0
            self.interval = max(self._least, self.interval / 2)

    def record_complaint(self, started_at: float, seconds: float) -> None:
        """A search that began then was too much: nobody begins one for so many seconds, and later
        ones as seldom as they went well so far.
        """
        now = self._clock.monotonic()
        self._resume_at = max(self._resume_at, now + seconds)
        if started_at < self._counts_since and self._complained:
            return  # it began before the pace was changed
        elapsed = now + seconds - self._counts_since
        self._complained = self.interval
        sustained = min(seconds, elapsed / max(1, self._successes))
        slower = min(2 * seconds, self.interval * _SLOWER)  # it was too much even so
        self.interval = max(self.interval, sustained, slower)
        self._next_start = max(self._next_start, self._resume_at)
        self._counts_since = now
        self._successes = self._quiet = 0


@dataclass
class _ProviderHealth:
    """What is known of one provider."""

    pace: SearchPace
    places: asyncio.Semaphore  # of searches under way at once
    failures: int = 0  # in a row
    rests_until: float = 0.0
    reason: str = ""  # why it rests
    refused_key: str | None = None  # what tells the key that was not accepted from another


class Searcher:
    """The searches of one engine. Belongs to one event loop."""

    def __init__(self, source: SearchSource, clock: Clock, settings: Settings) -> None:
        self._source = source
        self._clock = clock
        self._settings = settings
        self._healths: dict[str, _ProviderHealth] = {}

    def find_rest(self, provider: str) -> str | None:
        """Why a provider is not to be asked now; None when it may be."""
        health = self._healths.get(provider)
        if health is None or self._clock.monotonic() >= health.rests_until:
            return None
        key = health.refused_key
        if key is not None and key != self._source.describe_search_key(provider):
            health.rests_until, health.refused_key, health.failures = 0.0, None, 0
            return None
        return health.reason

    async def search(
        self, provider: str, query: Query, seconds: float, check: Callable[[], None]
    ) -> Found:
        """What was found. Each try has so many seconds; waits that the provider asks for are not
        counted. `check` raises when nobody waits any more. Raises the error of the last try.
        """
        health = self._get_health(provider)
        waits = tries = 0
        while True:
            rest = self.find_rest(provider)
            if rest is not None:
                raise NetworkFailure(rest, provider=provider)
            async with health.places:
                started_at = await health.pace.wait_turn()
                check()
                begun = self._clock.monotonic()
                outcome = await self._try_once(provider, query, seconds)
            if isinstance(outcome, Found):
                health.failures = 0
                if not outcome.cached:
                    health.pace.record_success()
                return outcome
            error = outcome
            waits += 1
            if self._waits_for(health, error, started_at, waits):
                if not error.retry_after_seconds:
                    await self._clock.sleep(_TEST_SECONDS)
                continue
            seconds -= self._clock.monotonic() - begun
            tries += 1
            pause = _FIRST_WAIT_SECONDS * 2.0 ** (tries - 1)
            self._record_failure(health, provider, error)
            may_repeat = error.retryable and not isinstance(error, RateLimited)
            if not may_repeat or tries > self._settings.retries or seconds <= pause:
                raise error
            seconds -= pause
            await self._clock.sleep(pause)

    async def _try_once(
        self, provider: str, query: Query, seconds: float
    ) -> Found | WebquarryError:
        """What was found within so many seconds, or what went wrong."""
        try:
            async with asyncio.timeout(max(_LEAST_SECONDS, seconds)):
                return await self._source.search(provider, query)
        except TimeoutError:
            text = f"The search took longer than {seconds:g} seconds."
            return NetworkFailure(text, retryable=False, provider=provider)
        except Cancelled:
            raise
        except WebquarryError as error:
            return error

    def _get_health(self, provider: str) -> _ProviderHealth:
        health = self._healths.get(provider)
        if health is None:
            interval = self._source.get_search_interval(provider)
            # More at once would wait for their turn inside their time.
            places = 1 if interval else self._settings.host_concurrency
            pace = SearchPace(self._clock, interval)
            health = _ProviderHealth(pace, asyncio.Semaphore(places))
            self._healths[provider] = health
        return health

    def _waits_for(
        self, health: _ProviderHealth, error: WebquarryError, started_at: float, waits: int
    ) -> bool:
        """Whether the search is tried again after a pause that the provider asked for."""
        if not isinstance(error, RateLimited) or not error.retryable or waits > _MOST_WAITS:
            return False
        pause = error.retry_after_seconds
        if pause is None:
            pause = _UNASKED_PAUSE_SECONDS
            error.retry_after_seconds = pause
        if pause > MOST_WAIT_SECONDS:
            return False
        if pause:  # else one search is a test of whether it is back
            health.pace.record_complaint(started_at, pause)
        return True

    def _record_failure(
        self, health: _ProviderHealth, provider: str, error: WebquarryError
    ) -> None:
        """Let the provider rest, if what went wrong would meet the next search, too."""
        if error.kind == "bad_input":
            return  # the query was at fault
        health.failures += 1
        seconds = 0.0
        if isinstance(error, AuthFailure):
            seconds = _REFUSED_SECONDS
            health.refused_key = self._source.describe_search_key(provider)
        elif isinstance(error, RateLimited):
            seconds = error.retry_after_seconds or _SPENT_SECONDS
        elif health.failures >= self._settings.breaker_failures:
            seconds = error.retry_after_seconds or self._settings.breaker_rest_seconds
        if seconds:
            until = self._clock.monotonic() + min(seconds, LONGEST_WAIT_SECONDS)
            health.rests_until = max(health.rests_until, until)
            health.reason = error.message
