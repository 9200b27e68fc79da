"""The search that a model may use: one provider, its limits, and the text that the model is shown.

A provider that throttles is waited for, outside the time limit of a search. One that rejects the
key, whose quota is used up, or that keeps failing is paused: the model is not offered the tool
meanwhile (`find_rest`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry._search.models import Found, Query, Result
from webquarry.ask.limiter import Limiter
from webquarry.clock import Clock
from webquarry.errors import (
    LONGEST_WAIT_SECONDS,
    AuthFailure,
    BadInput,
    Cancelled,
    NetworkFailure,
    RateLimited,
    WebquarryError,
)
from webquarry.pages.clean import clean_line, clean_url
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry._search.router import Router

MOST_WAIT_SECONDS = 600.0  # a longer Retry-After is an error
_MOST_WAITS = 20  # of one search
_REJECTED_KEY_SECONDS = 300.0  # pause, unless the key changes
_SPENT_QUOTA_SECONDS = 600.0
_DEFAULT_PAUSE_SECONDS = 1.0
_FIRST_WAIT_SECONDS = 0.25  # before the second try; doubled for each further one

MOST_RESULTS = 5
MOST_TOKENS = 1500
MOST_BYTES = 3 * MOST_TOKENS  # a safe estimate for every script
_TITLE_LENGTH = 200
_ADDRESS_LENGTH = 500
_DESCRIPTION_LENGTH = 200
UNAVAILABLE = "Search unavailable. Please answer from your knowledge."
MISSING_QUERY = "The query parameter is missing. Please answer from your knowledge."
ONE_ONLY = "Only one search is allowed for a question. Please answer with what you have."
UNKNOWN_TOOL = "There is no such tool. Please answer from your knowledge."


class SearchProviders:
    """The router of one engine, which has the engine's keys."""

    def __init__(
        self,
        get_environ: Callable[[], Mapping[str, str]],
        open_router: Callable[[Mapping[str, str]], Router],
    ) -> None:
        self._get_environ = get_environ
        self._open_router = open_router
        self._opened: tuple[Mapping[str, str], Router] | None = None

    @property
    def router(self) -> Router:
        """The router; a new one when the keys have changed."""
        environ = self._get_environ()
        if self._opened is None or self._opened[0] != environ:
            self._opened = (environ, self._open_router(environ))
        return self._opened[1]

    async def search(self, provider: str, query: Query) -> Found:
        """Search with the router's cache and pacing."""
        return await self.router.route(query, provider=provider)

    def get_search_interval(self, provider: str) -> float:
        """Return the minimum seconds between two searches."""
        return self.router.provider(provider).min_interval_seconds

    def describe_search_key(self, provider: str) -> str:
        """Return a hash that changes with the credentials of a provider."""
        found = self.router.provider(provider)
        parts = [provider]
        for wanted in found.credentials:
            if wanted.variable not in found.missing:
                parts.append(found.credential(wanted.variable))
        return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


@dataclass
class _Health:
    """State of one provider."""

    limiter: Limiter
    failures: int = 0  # in a row
    rests_until: float = 0.0
    reason: str = ""  # of the pause
    rejected_key: str | None = None


class Searcher:
    """The searches of one engine. Belongs to one event loop."""

    def __init__(self, providers: SearchProviders, clock: Clock, settings: Settings) -> None:
        self._providers = providers
        self._clock = clock
        self._settings = settings
        self._healths: dict[str, _Health] = {}

    def find_rest(self, provider: str) -> str | None:
        """Return why a provider is paused; None if it is not."""
        health = self._healths.get(provider)
        if health is None or self._clock.monotonic() >= health.rests_until:
            return None
        key = health.rejected_key
        if key is not None and key != self._providers.describe_search_key(provider):
            health.rests_until, health.rejected_key, health.failures = 0.0, None, 0
            return None
        return health.reason

    async def search(
        self, provider: str, query: Query, seconds: float, check: Callable[[], None]
    ) -> Found:
        """Search; waits that the provider asks for do not count towards `seconds`. `check` raises
        when the answer is not needed any more. Raises the error of the last try.
        """
        health = self._healths.get(provider)
        if health is None:
            # With an interval, further searches would wait within their time limit.
            interval = self._providers.get_search_interval(provider)
            most = 1 if interval else self._settings.host_concurrency
            health = self._healths[provider] = _Health(Limiter(most, self._clock))
        limiter = health.limiter
        waits = tries = 0
        while True:
            rest = self.find_rest(provider)
            if rest is not None:
                raise NetworkFailure(rest, provider=provider)
            sent_at = await limiter.acquire()
            try:
                check()
                async with asyncio.timeout(max(0.0, seconds)):
                    found = await self._providers.search(provider, query)
            except Cancelled:
                raise
            except TimeoutError:
                text = f"The search took longer than {seconds:g} seconds."
                error: WebquarryError = NetworkFailure(text, retryable=False, provider=provider)
            except WebquarryError as caught:
                error = caught
            else:
                health.failures = 0
                if not found.cached:
                    limiter.record_success()
                return found
            finally:
                limiter.release()
            pause = error.retry_after_seconds or _DEFAULT_PAUSE_SECONDS
            is_throttled = isinstance(error, RateLimited) and error.retryable
            if is_throttled and pause <= MOST_WAIT_SECONDS and waits < _MOST_WAITS:
                waits += 1
                limiter.record_throttled(sent_at, pause)
                continue
            seconds -= self._clock.monotonic() - sent_at
            pause = _FIRST_WAIT_SECONDS * 2.0**tries
            tries += 1
            self._record_failure(health, provider, error)
            may_repeat = error.retryable and not isinstance(error, RateLimited)
            if not may_repeat or tries > self._settings.retries or seconds <= pause:
                raise error
            seconds -= pause
            await self._clock.sleep(pause)

    def _record_failure(self, health: _Health, provider: str, error: WebquarryError) -> None:
        """Pause the provider if the next search would fail too."""
        if isinstance(error, BadInput):
            return
        health.failures += 1
        seconds = 0.0
        if isinstance(error, AuthFailure):
            seconds = _REJECTED_KEY_SECONDS
            health.rejected_key = self._providers.describe_search_key(provider)
        elif isinstance(error, RateLimited):
            seconds = error.retry_after_seconds or _SPENT_QUOTA_SECONDS
        elif health.failures >= self._settings.breaker_failures:
            seconds = error.retry_after_seconds or self._settings.breaker_rest_seconds
        if seconds:
            until = self._clock.monotonic() + min(seconds, LONGEST_WAIT_SECONDS)
            health.rests_until = max(health.rests_until, until)
            health.reason = error.message


def select_results(results: Sequence[Result]) -> tuple[Result, ...]:
    """Return the first five results, fewer if they are long."""
    selected = list(results[:MOST_RESULTS])
    while len(selected) > 1 and len(format_results(selected).encode()) > MOST_BYTES:
        selected.pop()
    return tuple(selected)


def format_results(results: Sequence[Result]) -> str:
    """Return the text of the tool's result. Titles and descriptions become one visible line each,
    so that they cannot imitate another result.
    """
    if not results:
        return "Search Results:\n\nNothing was found."
    parts = []
    for number, result in enumerate(results, 1):
        lines = [
            f"{number}. {_shorten(clean_line(result.title), _TITLE_LENGTH)}",
            f"   {_shorten(clean_url(result.url), _ADDRESS_LENGTH)}",
        ]
        description = _shorten(clean_line(result.snippet), _DESCRIPTION_LENGTH)
        if description:
            lines.append(f"   {description}")
        parts.append("\n".join(lines))
    return "Search Results:\n\n" + "\n\n".join(parts)


def _shorten(text: str, most: int) -> str:
    """Return one line of at most `most` characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 3]
    if " " in head[most // 2 :]:
        head = head[: head.rfind(" ")]
    return head.rstrip() + "..."
