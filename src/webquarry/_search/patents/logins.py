"""Tokens of services that want one before they answer: kept in memory until they are over, one
request for all callers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx2

from webquarry._search.patents.provider import PatentProvider
from webquarry._search.services.services import Services
from webquarry.clock import Clock
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply
from webquarry.secret import Secret

_LEAST_SECONDS = 0.001  # for a request, however late it is

BuildRequest = Callable[[], httpx2.Request]


class Logins:
    """Sends requests with the token that they need. One for the process."""

    def __init__(self, services: Services[PatentProvider], clock: Clock) -> None:
        self._services = services
        self._clock = clock
        self._tokens: dict[str, tuple[Secret, float]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def send(self, provider: PatentProvider, build: BuildRequest, seconds: float) -> Reply:
        """The reply to a request; a token that is over is replaced, once."""
        end = self._clock.monotonic() + seconds
        request = build()
        token = await self._get_token(provider, seconds)
        if token is None:
            return await self._services.send(provider, request, seconds)
        request = provider.with_login(request, token)
        reply = await self._services.send(provider, request, self._left(end))
        if not provider.is_login_over(reply):
            return reply
        self._forget(provider, token)
        fresh = await self._get_token(provider, self._left(end))
        assert fresh is not None
        request = provider.with_login(build(), fresh)
        return await self._services.send(provider, request, self._left(end))

    def _left(self, end: float) -> float:
        """Seconds until the end, and never none at all."""
        return max(_LEAST_SECONDS, end - self._clock.monotonic())

    async def _get_token(self, provider: PatentProvider, seconds: float) -> Secret | None:
        """The token that is kept, or a new one; None for a provider that needs none."""
        request = provider.build_login()
        if request is None:
            return None
        async with self._locks.setdefault(provider.name, asyncio.Lock()):
            token, until = self._tokens.get(provider.name, (None, 0.0))
            if token is not None and self._clock.monotonic() < until:
                return token
            reply = await self._services.send(provider, request, seconds)
            try:
                login = provider.parse_login(reply)
            except WebquarryError:
                self._tokens.pop(provider.name, None)
                raise
            until = self._clock.monotonic() + login.seconds
            self._tokens[provider.name] = (login.token, until)
            return login.token

    def _forget(self, provider: PatentProvider, token: Secret) -> None:
        """Give up a token, unless somebody else has got another meanwhile."""
        kept, _ = self._tokens.get(provider.name, (None, 0.0))
        if kept == token:
            del self._tokens[provider.name]
