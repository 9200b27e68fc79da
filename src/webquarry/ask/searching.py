"""The search that a model may use: one provider, its pace, and the text that the model is shown.

Retries and failing providers are the router's affair. A provider that throttles is waited for
within the time limit of a search; searches that have not begun wait for the end of its pause. A
provider that rests is not offered to the model (`find_rest`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from webquarry._search.models import Found, Query, Result
from webquarry.ask.limiter import Limiter
from webquarry.clock import Clock
from webquarry.errors import LONGEST_WAIT_SECONDS, AuthFailure, NetworkFailure, RateLimited
from webquarry.pages.clean import clean_line, clean_url
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry._search.router import Router

MOST_WAIT_SECONDS = 600.0  # a longer Retry-After is an error
_REJECTED_KEY_SECONDS = 300.0  # pause, unless the key changes
_SPENT_QUOTA_SECONDS = 600.0
_DEFAULT_WAIT_SECONDS = 1.0  # after a provider throttled

MOST_RESULTS = 5
MOST_TOKENS = 1500
MOST_BYTES = 3 * MOST_TOKENS  # a safe estimate for every script
_TITLE_LENGTH = 200
_ADDRESS_LENGTH = 500
_DESCRIPTION_LENGTH = 200
UNAVAILABLE = "Search unavailable. Please answer from your knowledge."
ONE_ONLY = "Only one search is allowed for a question. Please answer with what you have."
UNKNOWN_TOOL = "There is no such tool. Please answer from your knowledge."


class Searcher:
    """The searches of one engine, with the engine's keys. `router` belongs to one event loop."""

    def __init__(
        self,
        get_environ: Callable[[], Mapping[str, str]],
        open_router: Callable[[Mapping[str, str]], Router],
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._get_environ = get_environ
        self._open_router = open_router
        self._clock = clock
        self._settings = settings
        self._opened: tuple[Mapping[str, str], Router] | None = None
        self._pauses: dict[str, tuple[float, str]] = {}  # by provider: until when, and why
        self._late: Counter[str] = Counter()  # timeouts in a row, by provider
        self._limiters: dict[str, Limiter] = {}  # by provider

    @property
    def router(self) -> Router:
        """The router; a new one when the keys have changed."""
        environ = self._get_environ()
        if self._opened is None or self._opened[0] != environ:
            self._opened = (environ, self._open_router(environ))
            self._pauses.clear()
        return self._opened[1]

    def describe_key(self, provider: str) -> str:
        """Return a hash that changes with the credentials of a provider."""
        found = self.router.provider(provider)
        parts = [provider]
        for wanted in found.credentials:
            if wanted.variable not in found.missing:
                parts.append(found.credential(wanted.variable))
        return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]

    def find_rest(self, provider: str) -> str | None:
        """Return why a provider is not asked now; None if it is, or if it is waited for."""
        router = self.router
        until, reason = self._pauses.get(provider, (0.0, ""))
        if self._clock.monotonic() < until:
            return reason
        error = router.services.find_rest(provider)
        return None if error is None or isinstance(error, RateLimited) else error.message

    async def search(
        self, provider: str, query: Query, seconds: float, check: Callable[[], None]
    ) -> Found:
        """Search within `seconds`, in which waits for `Retry-After` count and waits for other
        searches do not. `check` raises when the answer is not needed any more.
        """
        limiter = self._get_limiter(provider)
        left = seconds
        while True:
            rest = self.find_rest(provider)
            if rest is not None:
                raise NetworkFailure(rest, provider=provider)
            sent_at = await limiter.acquire()
            try:
                check()
                async with asyncio.timeout(left):
                    found = await self.router.route(query, provider=provider)
            except RateLimited as error:
                wait = error.retry_after_seconds or _DEFAULT_WAIT_SECONDS
                if not error.retryable or wait > MOST_WAIT_SECONDS:
                    self._pause(provider, max(wait, _SPENT_QUOTA_SECONDS), error.message)
                    raise
                limiter.record_throttled(sent_at, wait)
                left -= self._clock.monotonic() - sent_at + wait
                if left <= 0:
                    raise
                continue
            except AuthFailure as error:
                self._pause(provider, _REJECTED_KEY_SECONDS, error.message)
                raise
            except TimeoutError:
                raise self._count_timeout(provider, seconds) from None
            finally:
                limiter.release()
            self._late[provider] = 0
            if not found.cached:
                limiter.record_success()
            return found

    def _get_limiter(self, provider: str) -> Limiter:
        limiter = self._limiters.get(provider)
        if limiter is None:
            # With an interval, further searches would wait within their time limit.
            has_interval = self.router.provider(provider).min_interval_seconds > 0
            most = 1 if has_interval else self._settings.host_concurrency
            limiter = self._limiters[provider] = Limiter(most, self._clock)
        return limiter

    def _count_timeout(self, provider: str, seconds: float) -> NetworkFailure:
        """Return the error of a timeout; after some in a row, pause the provider."""
        reason = f"The search took longer than {seconds:g} seconds."
        self._late[provider] += 1
        if self._late[provider] >= self._settings.breaker_failures:
            self._pause(provider, self._settings.breaker_rest_seconds, reason)
        return NetworkFailure(reason, retryable=False, provider=provider)

    def _pause(self, provider: str, seconds: float, reason: str) -> None:
        """Pause a provider: it is not offered to the model."""
        until = self._clock.monotonic() + min(seconds, LONGEST_WAIT_SECONDS)
        self._pauses[provider] = (until, reason)


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
