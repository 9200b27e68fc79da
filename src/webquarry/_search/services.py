"""The services of one kind (web search, papers, patents): registration, guarded calls, requests.

services = Services(Provider, client, settings, environ, clock)
async with services.guard(services.get("brave"), seconds=20) as call:     # see `guard`
    reply = await services.send(call.service, request, seconds=20)
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cached_property, partial
from typing import Generic, TypeVar

import httpx2

from webquarry._search.guard import (
    Breakers,
    GuardedCall,
    apply_retry_after,
    build_rest_error,
    find_service,
    guard,
)
from webquarry._search.service import Service
from webquarry.clock import Clock
from webquarry.errors import LONGEST_WAIT_SECONDS, RateLimited, WebquarryError, describe_wait
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.net.sender import IS_FINAL
from webquarry.settings import Settings

S = TypeVar("S", bound=Service)
T = TypeVar("T")

LEAST_SECONDS = 0.001  # shortest timeout of a request
_MOST_STEPS = 4  # requests of one call


class Pace:
    """Serializes the calls of a service with a minimum interval, over all tasks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._locks: dict[str, asyncio.Lock] = {}
        self._started_at: dict[str, float] = {}

    @asynccontextmanager
    async def hold(self, service: Service) -> AsyncIterator[None]:
        """Wait until the service may be called, and delay other calls during the block."""
        if service.min_interval_seconds <= 0:
            yield
            return
        async with self._locks.setdefault(service.name, asyncio.Lock()):
            last_start = self._started_at.get(service.name, -math.inf)
            pause = last_start + service.min_interval_seconds - self._clock.monotonic()
            if pause > 0:
                await self._clock.sleep(pause)
            self._started_at[service.name] = self._clock.monotonic()
            yield


class Services(Generic[S]):
    """All services of one kind, with their state. One per process."""

    def __init__(
        self,
        kind: type[S],
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock,
        board: Breakers | None = None,
        pace: Pace | None = None,
        prepare: Callable[[S], None] | None = None,
    ) -> None:
        self._prepare = prepare  # called with each configured service
        self._kind = kind
        self._client = client
        self._settings = settings
        self._environ = environ
        self._board = board or Breakers(settings, clock)
        self._pace = pace or Pace(clock)
        self._configured: dict[str, S] = {}
        self._not_before: dict[str, float] = {}
        self.clock = clock

    @cached_property
    def _classes(self) -> dict[str, type[S]]:
        return {one.name: one for one in self._kind.members()}

    def get(self, name: str) -> S:
        """Return the service of this name; only its own credentials are read."""
        if name not in self._configured:
            if name not in self._classes:
                return find_service(name, self.by_name())
            service = self._classes[name].configure(self._settings, self._environ, self.clock)
            if self._prepare is not None:
                self._prepare(service)
            self._configured[name] = service
        return self._configured[name]

    def find(self, name: str) -> S:
        """Return the service of this name or alias, or raise `BadInput`."""
        return find_service(name, self.by_name())

    def by_name(self) -> dict[str, S]:
        """Return all services, configured or not, sorted by name."""
        return {name: self.get(name) for name in self._classes}

    def all(self) -> list[S]:
        """Return the same as a list."""
        return list(self.by_name().values())

    def get_configured(self) -> list[S]:
        """Return the services that have their credentials."""
        return [service for service in self.all() if service.configured]

    def healthy(self) -> list[S]:
        """Return the configured services whose breaker is not open."""
        states = self.states()
        return [service for service in self.get_configured() if states[service.name] != "open"]

    def states(self) -> dict[str, str]:
        """Return the state of each circuit breaker by name."""
        return {name: self._board.breaker(name).state for name in self._classes}

    def find_rest(self, name: str) -> WebquarryError | None:
        """Return the error of calls while the circuit breaker of a service is open, else None."""
        breaker = self._board.breaker(name)
        return build_rest_error(self.get(name), breaker) if breaker.state == "open" else None

    def guard(self, service: S, seconds: float) -> AbstractAsyncContextManager[GuardedCall]:
        """Return a guarded block of at most `seconds`: see `guard`."""
        return guard(service, self._board, self.clock, seconds)

    async def fetch(
        self,
        service: S,
        build: Callable[[], httpx2.Request],
        next_request: Callable[[Reply], httpx2.Request | None],
        parse: Callable[[Reply], Iterable[T]],
        seconds: float,
    ) -> tuple[GuardedCall, list[T]]:
        """Return a guarded call and its records, without our keys. Each further request is built
        from the previous reply.
        """
        records: list[T] = []
        async with self.guard(service, seconds) as call:
            if call.is_admitted:
                with service.explain_errors():
                    reply = await self.send(service, build(), seconds)
                    for _ in range(_MOST_STEPS - 1):
                        with apply_retry_after(reply):
                            request = next_request(reply)
                        if request is None:
                            break
                        reply = await self.send(service, request, seconds)
                    with apply_retry_after(reply):
                        records = [service.conceal(record) for record in parse(reply)]
                call.found = len(records)
        return call, records

    def pace(self, service: S) -> AbstractAsyncContextManager[None]:
        """Return a block with one request to a service: see `Pace.hold`."""
        return self._pace.hold(service)

    async def send(
        self,
        service: S,
        request: httpx2.Request,
        seconds: float | None = None,
        parse: Callable[[Reply], object] | None = None,
    ) -> Reply:
        """Send one request after the pause of the service and return the reply.

        Without `seconds`, the timeout of the settings applies, without the pause. With `parse`, a
        reply that means an exhausted quota is not retried.
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
                request.extensions[IS_FINAL] = partial(_is_exhausted, parse)
            reply = await self._client.send(request, timeout_seconds=left)
        rest = min(service.rest_after(reply), LONGEST_WAIT_SECONDS)
        if rest:
            self._not_before[service.name] = self.clock.monotonic() + rest
        return reply

    async def probe(self, service: S, seconds: float | None = None) -> None:
        """Send the probe of a service and raise its error, if any."""
        with service.explain_errors():
            reply = await self.send(service, service.build_probe(), seconds, service.parse_probe)
            service.parse_probe(reply)

    async def _wait_until_welcome(self, service: S, end: float) -> None:
        """Wait for the pause that the service asked for, or raise if it ends too late."""
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


def _is_exhausted(parse: Callable[[Reply], object], reply: Reply) -> bool:
    """Return whether a reply means an exhausted quota, so that a retry is pointless."""
    try:
        parse(reply)
    except RateLimited as error:
        return not error.retryable
    except Exception:  # the caller parses it too and raises this
        return False
    return False
