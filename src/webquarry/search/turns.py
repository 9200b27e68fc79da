"""Providers asked in turn until one of them has results: a plan in, what was found or the error
that helps most out.

Anything but results passes the turn on. "Nothing found" is the answer only when nobody after it had
results. A turn is that of `Asker`. One deadline holds for the whole: each provider may use half of
the time that is left, and the last one all of it, so that a slow one leaves time for the next.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from webquarry.clock import Clock
from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.search.models import Attempt, Batch, Found, Query
from webquarry.search.paging import Gathering, gather
from webquarry.search.provider import Provider
from webquarry.search.query.domains import DomainFilter
from webquarry.search.query.filters import Sieve, notes_on, unapplied, with_reserve
from webquarry.search.services.asker import Asker, Turn
from webquarry.search.services.breakers import Breakers
from webquarry.search.services.failure import nobody_answered
from webquarry.settings import Settings

AskPage = Callable[[Provider, Query, float], Awaitable[Batch]]  # with the seconds that it may take


@dataclass(frozen=True)
class Plan:
    """One search, ready to be asked."""

    names: tuple[str, ...]  # of the providers, in order
    because: str  # where the order comes from
    query: Query  # as providers take it
    domains: DomainFilter  # where results may come from
    notes: tuple[str, ...] = ()


class Turns:
    """Knows how the providers have been doing. One for the process."""

    def __init__(
        self,
        providers: Mapping[str, Provider],
        ask: AskPage,
        settings: Settings,
        clock: Clock,
        board: Breakers | None = None,
    ) -> None:
        self._providers = providers
        self._ask = ask
        self._settings = settings
        self._clock = clock
        self._asker = Asker(settings, clock, board)

    def healthy(self) -> list[str]:
        """The providers that are configured and not resting, sorted by name."""
        return [
            name
            for name in sorted(self._providers)
            if self._asker.is_healthy(self._providers[name])
        ]

    def states(self) -> dict[str, str]:
        """How each provider is doing, by name: closed (asked as usual), open (resting) or
        half-open.
        """
        return {name: self._asker.state(self._providers[name]) for name in sorted(self._providers)}

    async def take(self, plan: Plan) -> Found:
        """Ask one after the other."""
        attempts: list[Attempt] = []
        failures: list[WebquarryError] = []
        empty: Found | None = None
        end = self._clock.monotonic() + self._settings.timeout_seconds
        await self._asker.learn(plan.names)
        for name in plan.names:
            turn = await self._turn(self._providers[name], plan, self._share(name, plan, end))
            attempts.append(turn.attempt)
            if turn.error is not None:
                failures.append(turn.error)
            elif turn.value is not None:
                found = self._found(name, plan, turn.value)
                if found.results:
                    return _with(found, attempts)
                empty = empty or found
        if empty is not None:
            return _with(empty, attempts)
        others = [
            name
            for name in self.healthy()
            if name not in plan.names and self._providers[name].kind == "web"
        ]
        raise nobody_answered(failures, attempts, others)

    def _share(self, name: str, plan: Plan, end: float) -> float:
        """Seconds for this provider: all that is left if nobody after it can be asked, half of it
        otherwise.
        """
        left = end - self._clock.monotonic()
        after = plan.names[plan.names.index(name) + 1 :]
        if any(self._providers[other].configured for other in after):
            return left / 2
        return left

    async def _turn(self, provider: Provider, plan: Plan, seconds: float) -> Turn[Gathering]:
        """Gather what the provider has; what had come when the time was over counts."""
        gathering = Gathering(
            plan.query.count, Sieve.of(plan.query, plan.domains, provider, self._clock.now()).admits
        )

        async def work(seconds: float) -> Gathering:
            end = self._clock.monotonic() + seconds

            async def ask(provider: Provider, query: Query) -> Batch:
                return await self._ask(provider, query, max(0.001, end - self._clock.monotonic()))

            await gather(ask, provider, with_reserve(plan.query, provider), gathering)
            return gathering

        def late(seconds: float) -> Gathering:
            if not gathering.results:
                said = f"{provider.label} did not answer within {seconds:.3g} s."
                raise NetworkFailure(said, provider=provider.name)
            gathering.partial = True
            gathering.notes.append(f"{provider.label} was cut short after {seconds:.3g} s.")
            return gathering

        return await self._asker.turn(
            provider, work, seconds=seconds, count=_count, late=late, why_nothing=_why_nothing
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


def _count(gathering: Gathering) -> int:
    return len(gathering.results)


def _why_nothing(gathering: Gathering) -> str:
    if gathering.came:
        return f"None of {gathering.came} results passed the filters."
    return "It found nothing."
