"""The services of one folder, asked for the same thing (the web, papers, patents): who they are, a
guarded call of one, one request of one, and how they are doing.

    services = Services("webquarry._search.providers", Provider, client, settings, environ, clock)
    async with services.guard(services.get("brave"), seconds=20) as call:     # see `guard`
        reply = await services.send(call.service, request, seconds=20)

One that minds haste is asked one call at a time (`Pace`); one that asked to be left alone after an
answer (`Service.rest_after`) is, as far as the time allows.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import cached_property, partial
from typing import Generic, TypeVar

import httpx2

from webquarry._search.guard import (
    CUT_SHORT,
    Breakers,
    GuardedCall,
    apply_retry_after,
    guard,
    unknown_service,
)
from webquarry._search.service import Service
from webquarry.clock import Clock
from webquarry.errors import LONGEST_WAIT_SECONDS, RateLimited, describe_wait
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.net.sender import IS_FINAL
from webquarry.registry import members_of
from webquarry.settings import Settings

_FREE = nullcontext()


class Pace:
    """Keeps calls of a service apart; one without a least interval is always free."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._locks: dict[str, asyncio.Lock] = {}
        self._started_at: dict[str, float] = {}

    def hold(self, service: Service) -> AbstractAsyncContextManager[None]:
        """Wait until the service may be asked, and let nobody else ask it for the length of the
        block.
        """
        if service.min_interval_seconds <= 0:
            return _FREE
        return self._hold(service)

    @asynccontextmanager
    async def _hold(self, service: Service) -> AsyncIterator[None]:
        async with self._locks.setdefault(service.name, asyncio.Lock()):
            last_start = self._started_at.get(service.name, -math.inf)
            earliest = last_start + service.min_interval_seconds
            pause = earliest - self._clock.monotonic()
            if pause > 0:
                await self._clock.sleep(pause)
            self._started_at[service.name] = self._clock.monotonic()
            yield


S = TypeVar("S", bound=Service)

LEAST_SECONDS = 0.001  # a request always has some time: the deadline around it is what ends it


class Services(Generic[S]):
    """Knows its services and how they have been doing. One for the process and each folder."""

    def __init__(
        self,
        package: str,
        base: type[S],
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock,
        group: str | None = None,
        board: Breakers | None = None,
        pace: Pace | None = None,
        prepare: Callable[[S], None] | None = None,
    ) -> None:
        self._prepare = prepare  # is shown every service that was configured
        self._package = package
        self._base = base
        self._group = group  # of entry points, by which other packages add theirs
        self._client = client
        self._settings = settings
        self._environ = environ
        self._board = board or Breakers(settings, clock)
        self._pace = pace or Pace(clock)  # shared by whoever asks the same services
        self._configured: dict[str, S] = {}
        self._not_before: dict[str, float] = {}
        self.clock = clock

    @cached_property
    def _classes(self) -> dict[str, type[S]]:
        """The classes by name, sorted; nothing is configured yet."""
        classes = members_of(self._package, self._base, group=self._group)
        by_name = {one.name: one for one in classes}
        return dict(sorted(by_name.items()))

    def get(self, name: str) -> S:
        """The service of exactly this name; its credentials are looked for now, and nobody
        else's.
        """
        if name in self._configured:
            return self._configured[name]
        if name not in self._classes:
            raise unknown_service(name, self.by_name())
        service_class = self._classes[name]
        service = service_class.configure(self._settings, self._environ, self.clock)
        if self._prepare is not None:
            self._prepare(service)
        self._configured[name] = service
        return service

    def find(self, name: str) -> S:
        """The service that people call so; a name that nobody has is BadInput."""
        wanted = name.strip().lower()
        for service in self.all():
            if wanted in (service.name, *service.aliases):
                return service
        raise unknown_service(wanted, self.by_name())

    def all(self) -> list[S]:
        """Every service, configured or not, sorted by name."""
        return list(self.by_name().values())

    def by_name(self) -> Mapping[str, S]:
        """The same by their names."""
        return self._by_name

    @cached_property
    def _by_name(self) -> Mapping[str, S]:
        services = [self.get(name) for name in self._classes]
        return {service.name: service for service in services}

    def get_configured(self) -> list[S]:
        """Those that can be asked at all."""
        return [service for service in self.all() if service.configured]

    def healthy(self) -> list[S]:
        """Those that could be asked now: configured, and not resting after failures."""
        healthy = []
        for service in self.get_configured():
            breaker = self._board.breaker(service.name)
            if breaker.state != "open":
                healthy.append(service)
        return healthy

    def states(self) -> dict[str, str]:
        """How each is doing, by name: closed (asked as usual), open (resting after failures) or
        half-open.
        """
        states = {}
        for name in self._classes:
            breaker = self._board.breaker(name)
            states[name] = breaker.state
        return states

    def guard(
        self, service: S, seconds: float, late: str = CUT_SHORT
    ) -> AbstractAsyncContextManager[GuardedCall]:
        """A block in which a service is asked, for at most so many seconds: see `guard`."""
        return guard(service, self._board, self.clock, seconds, late)

    def pace(self, service: S) -> AbstractAsyncContextManager[None]:
        """A block with one request to a service: after its pause, and nobody else's meanwhile."""
        return self._pace.hold(service)

    async def send(
        self,
        service: S,
        request: httpx2.Request,
        seconds: float | None = None,
        parse: Callable[[Reply], object] | None = None,
    ) -> Reply:
        """The reply to one request, after the service's pause; what it says of haste holds for the
        next one. Without `seconds` the time limit is that of the settings, without the pause. With
        `parse`, which raises what a reply means, a quota that is used up is not asked for again.
        """
        own_answer = await service.answer(request)
        if own_answer is not None:
            return own_answer
        limit = self._settings.timeout_seconds if seconds is None else seconds
        end = self.clock.monotonic() + limit
        async with self._pace.hold(service):
            await self._wait_until_welcome(service, end)
            left = None
            if seconds is not None:
                left = max(LEAST_SECONDS, end - self.clock.monotonic())
            if parse is not None:
                request.extensions[IS_FINAL] = partial(_is_used_up, parse)
            reply = await self._client.send(request, timeout_seconds=left)
        rest = min(service.rest_after(reply), LONGEST_WAIT_SECONDS)
        if rest:
            self._not_before[service.name] = self.clock.monotonic() + rest
        return reply

    async def send_in_steps(
        self,
        service: S,
        request: httpx2.Request,
        next_request: Callable[[Reply], httpx2.Request | None],
        seconds: float,
        most: int,
    ) -> Reply:
        """The last reply of at most so many requests, each of which the reply before leads to."""
        reply = await self.send(service, request, seconds)
        for _ in range(most - 1):
            with apply_retry_after(reply):
                following = next_request(reply)
            if following is None:
                break
            reply = await self.send(service, following, seconds)
        return reply

    async def probe(self, service: S, seconds: float | None = None) -> None:
        """Ask a service the cheapest question there is; what is wrong with it is raised."""
        with service.explain_errors():
            reply = await self.send(service, service.build_probe(), seconds, service.parse_probe)
            service.parse_probe(reply)

    async def _wait_until_welcome(self, service: S, end: float) -> None:
        """Leave the service alone for as long as it asked for, if that is not beyond the end."""
        now = self.clock.monotonic()
        wait = self._not_before.get(service.name, now) - now
        if wait <= 0:
            return
        if now + wait >= end:
            raise RateLimited(
                f"{service.label} asked to be left alone for {describe_wait(wait, 'more')}.",
                retry_after_seconds=wait,
            )
        await self.clock.sleep(wait)


def _is_used_up(parse: Callable[[Reply], object], reply: Reply) -> bool:
    """Whether a reply means that a quota is used up: asking again would be refused again."""
    try:
        parse(reply)
    except RateLimited as error:
        return not error.retryable
    except Exception:  # whoever asked parses it too, and is told
        return False
    return False
