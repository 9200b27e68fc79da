"""Interface of the patent registers: they build requests and parse replies, and open no socket.

A register that requires a token builds the request for it (`build_login`) and parses the reply
(`parse_login`); `Logins` stores the token in memory until it expires.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import httpx2

from webquarry._search.patents.models import PatentBatch, PatentQuery
from webquarry._search.patents.numbers import PatentNumber
from webquarry._search.services.service import Service
from webquarry._search.services.services import LEAST_SECONDS, Services
from webquarry.clock import Clock
from webquarry.net.models import Reply
from webquarry.secret import Secret


@dataclass(frozen=True)
class Login:
    """A token and its lifetime in seconds."""

    token: Secret
    seconds: float


class PatentProvider(Service):
    """One register. A subclass in `providers/` is registered by its file."""

    most: ClassVar[int] = 100  # patents in one answer

    @abstractmethod
    def build_search(self, query: PatentQuery) -> httpx2.Request:
        """Return the request for the first `query.count` patents; values cannot add syntax."""

    @abstractmethod
    def build_lookup(self, number: PatentNumber) -> httpx2.Request:
        """Return the request for one publication."""

    @abstractmethod
    def parse_reply(self, reply: Reply) -> PatentBatch:
        """Return the patents or raise the error; none only if the register said so."""

    def notes_on(self, query: PatentQuery) -> tuple[str, ...]:
        """Return sentences on what of the query could not be sent."""
        return ()

    def build_login(self) -> httpx2.Request | None:
        """Return the request for a token, or None if the credentials are sent with each request."""
        return None

    def parse_login(self, reply: Reply) -> Login:
        """Return the token of the reply to `build_login`, or raise the error."""
        raise NotImplementedError

    def with_login(self, request: httpx2.Request, token: Secret) -> httpx2.Request:
        """Add the token to a request."""
        request.headers["Authorization"] = f"Bearer {token.reveal()}"
        return request

    def is_login_over(self, reply: Reply) -> bool:
        """Return whether the reply says that the token expired."""
        return False

    def parse_probe(self, reply: Reply) -> None:
        self.parse_reply(reply)


class Logins:
    """Sends requests with the token that they need. One for the process."""

    def __init__(self, services: Services[PatentProvider], clock: Clock) -> None:
        self._services = services
        self._clock = clock
        self._tokens: dict[str, tuple[Secret, float]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def send(
        self, provider: PatentProvider, build: Callable[[], httpx2.Request], seconds: float
    ) -> Reply:
        """Send a request and return the reply; an expired token is replaced once."""
        end = self._clock.monotonic() + seconds
        request = build()
        token = await self._get_token(provider, seconds)
        if token is None:
            return await self._services.send(provider, request, seconds)
        reply = await self._services.send(
            provider, provider.with_login(request, token), self._left(end)
        )
        if not provider.is_login_over(reply):
            return reply
        if self._tokens.get(provider.name, (None, 0.0))[0] == token:
            del self._tokens[provider.name]
        fresh = await self._get_token(provider, self._left(end))
        assert fresh is not None
        request = provider.with_login(build(), fresh)
        return await self._services.send(provider, request, self._left(end))

    def _left(self, end: float) -> float:
        return max(LEAST_SECONDS, end - self._clock.monotonic())

    async def _get_token(self, provider: PatentProvider, seconds: float) -> Secret | None:
        """Return the stored token or a new one; None for a provider that needs none."""
        request = provider.build_login()
        if request is None:
            return None
        async with self._locks.setdefault(provider.name, asyncio.Lock()):
            token, until = self._tokens.pop(provider.name, (None, 0.0))
            if token is None or self._clock.monotonic() >= until:
                reply = await self._services.send(provider, request, seconds)
                login = provider.parse_login(reply)
                token = login.token
                until = self._clock.monotonic() + login.seconds
            self._tokens[provider.name] = (token, until)
            return token
