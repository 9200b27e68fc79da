"""Providers asked in turn until one of them has results: a plan in, what was found or the error that helps most out.

Anything but results passes the turn on. "Nothing found" is the answer only when nobody after it had results. A provider
that keeps failing rests (`Breaker`), for all searches of the process, and of all servers that share a board. One deadline holds for the whole: each provider
may use half of the time that is left, and the last one all of it, so that a slow one leaves time for the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from webquarry.clock import Clock
from webquarry.errors import NetworkFailure, ProviderFailure, WebquarryError
from webquarry.meter import span
from webquarry.progress import note
from webquarry.search.board import BreakerBoard, LocalBoard
from webquarry.search.breaker import Breaker
from webquarry.search.domains import DomainFilter
from webquarry.search.failure import nobody_answered
from webquarry.search.filters import Sieve, notes_on, unapplied, with_reserve
from webquarry.search.models import Attempt, Batch, Found, Query
from webquarry.search.pages import Gathering, gather
from webquarry.search.provider import Provider
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

AskPage = Callable[[Provider, Query, float], Awaitable[Batch]]  # with the seconds that it may take


@dataclass(frozen=True)
class Plan:
    """One search, ready to be asked."""

    names: tuple[str, ...]  # of the providers, in order
    because: str  # where the order comes from
    query: Query  # as providers take it
    domains: DomainFilter  # where results may come from
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Turn:
    """What one provider's turn came to."""

    attempt: Attempt
    gathering: Gathering | None = None  # None: it failed, or was not asked
    error: WebquarryError | None = None


class Turns:
    """Knows how the providers have been doing. One for the process."""

    def __init__(
        self,
        providers: Mapping[str, Provider],
        ask: AskPage,
        settings: Settings,
        clock: Clock,
        board: BreakerBoard | None = None,
    ) -> None:
        self._providers = providers
        self._ask = ask
        self._settings = settings
        self._clock = clock
        self._board = board or LocalBoard(settings, clock)

    def healthy(self) -> list[str]:
        """The providers that are configured and not resting, sorted by name."""
        return [
            name
            for name in sorted(self._providers)
            if self._providers[name].configured and self._board.breaker(name).state != "open"
        ]

    def states(self) -> dict[str, str]:
        """How each provider is doing, by name: closed (asked as usual), open (resting) or half-open."""
        return {name: self._board.breaker(name).state for name in sorted(self._providers)}

    async def take(self, plan: Plan) -> Found:
        """Ask one after the other."""
        attempts: list[Attempt] = []
        failures: list[WebquarryError] = []
        empty: Found | None = None
        end = self._clock.monotonic() + self._settings.timeout_seconds
        await self._board.learn(plan.names)
        for name in plan.names:
            turn = await self._turn(self._providers[name], plan, self._share(name, plan, end))
            attempts.append(turn.attempt)
            if turn.error is not None:
                failures.append(turn.error)
            elif turn.gathering is not None:
                found = self._found(name, plan, turn.gathering)
                if found.results:
                    return _with(found, attempts)
                empty = empty or found
        if empty is not None:
            return _with(empty, attempts)
        others = [name for name in self.healthy() if name not in plan.names and self._providers[name].kind == "web"]
        raise nobody_answered(failures, attempts, others)

    def _share(self, name: str, plan: Plan, end: float) -> float:
        """Seconds for this provider: all that is left if nobody after it can be asked, half of it otherwise."""
        left = end - self._clock.monotonic()
        after = plan.names[plan.names.index(name) + 1 :]
        return left / 2 if any(self._providers[other].configured for other in after) else left

    async def _turn(self, provider: Provider, plan: Plan, seconds: float) -> _Turn:
        breaker = self._board.breaker(provider.name)
        if seconds <= 0:
            return _skipped(provider, NetworkFailure("No time was left to ask it.", provider=provider.name))
        if not breaker.admit():
            return _skipped(provider, self._resting(provider, breaker))
        gathering = Gathering(plan.query.count, Sieve.of(plan.query, plan.domains, provider, self._clock.now()).admits)
        started = self._clock.monotonic()
        note(f"asking {provider.label}")
        try:
            with span("provider", provider=provider.name) as end:
                error = await self._asked(provider, with_reserve(plan.query, provider), gathering, seconds)
                end(error.kind if error else "ok" if gathering.results else "empty")
        except BaseException:  # the caller has left
            breaker.gave_up()
            raise
        took = self._clock.monotonic() - started
        if error is not None:
            breaker.failed(error)
            await self._board.tell(provider.name)
            return _Turn(Attempt(provider.name, error.kind, _reason(provider, error), took), error=error)
        breaker.succeeded()
        return _Turn(_answered(provider, gathering, took), gathering)

    async def _asked(
        self, provider: Provider, query: Query, gathering: Gathering, seconds: float
    ) -> WebquarryError | None:
        """Gather what the provider has; what went wrong comes back, if that left nothing."""
        end = self._clock.monotonic() + seconds

        async def ask(provider: Provider, query: Query) -> Batch:
            return await self._ask(provider, query, max(0.001, end - self._clock.monotonic()))

        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                await gather(ask, provider, query, gathering)
        except TimeoutError:
            if not scope.expired():
                raise
            if not gathering.results:
                return NetworkFailure(
                    f"{provider.label} did not answer within {seconds:.3g} s.", provider=provider.name
                )
            gathering.partial = True
            gathering.notes.append(f"{provider.label} was cut short after {seconds:.3g} s.")
        except WebquarryError as error:
            return error
        except Exception as error:  # a provider from another package may do anything
            log.warning("the provider %s failed in a way of its own", provider.name, exc_info=True)
            return ProviderFailure(f"{provider.label} failed: {type(error).__name__}.", provider=provider.name)
        return None

    def _resting(self, provider: Provider, breaker: Breaker) -> WebquarryError:
        """The error of asking a provider that rests: of the kind that made it rest."""
        left = breaker.rest_left
        when = f"for {left:.0f} more seconds" if left >= 1 else "until a test of it has ended"
        return breaker.cause(
            f"{provider.label} failed before and is left alone {when}.",
            retryable=True,
            retry_after_seconds=round(left, 1),
            suggested_action=f"Wait {max(1, round(left))} seconds and try again, or name another provider.",
            provider=provider.name,
        )

    def _found(self, name: str, plan: Plan, gathering: Gathering) -> Found:
        provider = self._providers[name]
        return Found(
            results=tuple(gathering.results),
            provider=name,
            notes=(*plan.notes, *notes_on(plan.query, provider), *gathering.notes),
            unapplied=unapplied(plan.query, provider),
            order=plan.names,
            because=plan.because,
            partial=gathering.partial,
        )


def _with(found: Found, attempts: list[Attempt]) -> Found:
    return replace(found, attempts=tuple(attempts))


def _skipped(provider: Provider, error: WebquarryError) -> _Turn:
    return _Turn(Attempt(provider.name, "skipped", error.message, 0.0), error=error)


def _answered(provider: Provider, gathering: Gathering, seconds: float) -> Attempt:
    count = len(gathering.results)
    if count:
        return Attempt(provider.name, "ok", f"{count} result{'s' * (count > 1)}.", seconds)
    reason = f"None of {gathering.came} results passed the filters." if gathering.came else "It found nothing."
    return Attempt(provider.name, "empty", reason, seconds)


def _reason(provider: Provider, error: WebquarryError) -> str:
    """Why it failed, in short; the whole instructions for a missing key belong to the error."""
    if error.kind == "auth" and provider.missing:
        return f"{' and '.join(provider.missing)} {'was' if len(provider.missing) == 1 else 'were'} not found."
    return redact(error.message)
