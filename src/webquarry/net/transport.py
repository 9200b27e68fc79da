"""The transport: requests of httpx2 in, responses out, over connections that the guard has judged.

`Refused` comes out as itself, network errors as httpx2's exceptions.
"""

from __future__ import annotations

import asyncio
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import httpx2

from webquarry.net.connecting import Connect, PlainDialler
from webquarry.net.guard.guard import Guard
from webquarry.net.http.authorities import check_authorities
from webquarry.net.http.translation import translate
from webquarry.net.plain_http import PlainConnections
from webquarry.net.proxies import Proxies
from webquarry.settings import Settings

if TYPE_CHECKING:
    import httpcore2

    from webquarry.net.pooled_http import PooledConnections


_POOL_CODE = ("webquarry.net.pooled_http", "anyio._backends._asyncio")  # for TLS and proxies


def open_transport(
    settings: Settings, guard: Guard | None, *, sockets: httpcore2.AsyncNetworkBackend | None = None
) -> httpx2.AsyncBaseTransport:
    """A transport for any URL, or, without a guard, for hosts that the user chose. `sockets`
    replaces the real network.
    """
    return Transport(settings, guard, sockets)


class Transport(httpx2.AsyncBaseTransport):
    """Plain connections, and others that are loaded when they are needed."""

    def __init__(
        self,
        settings: Settings,
        guard: Guard | None,
        sockets: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._settings = settings
        self._guard = guard
        self._sockets = sockets
        self._proxies = Proxies.from_settings(settings)
        if settings.ca_file is not None:
            check_authorities(settings.ca_file)  # what cannot be used is told at once
        self._plain = PlainConnections(self._open_dialler())

    def _open_dialler(self) -> Connect:
        seconds = self._settings.connect_timeout_seconds
        if self._sockets is None:
            return PlainDialler(self._guard, seconds).connect
        from webquarry.net.dial import Dialler

        return Dialler(self._guard, seconds, self._sockets).connect_tcp

    @cached_property
    def _pooled(self) -> PooledConnections:
        from webquarry.net.pooled_http import PooledConnections

        return PooledConnections(self._settings, self._guard, self._proxies, self._sockets)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        if self._guard is not None:
            url = self._guard.check_url(request.url)
        proxy = self._proxies.find(url)
        timeouts = self._find_timeouts(request)
        if proxy is None and url.scheme == "http":
            try:
                return await self._plain.send(request, url, timeouts)
            except Exception as error:
                translate(error, request)
                raise
        if "_pooled" not in vars(self):
            await asyncio.to_thread(import_pool)
        return await self._pooled.send(request, url, timeouts, proxy)

    def _find_timeouts(self, request: httpx2.Request) -> dict[str, float | None]:
        """The timeouts that a request brings, or those of the settings."""
        timeouts: dict[str, float | None] | None = request.extensions.get("timeout")
        if timeouts is not None:
            return timeouts
        seconds = self._settings.timeout_seconds
        timeout = httpx2.Timeout(seconds, connect=self._settings.connect_timeout_seconds)
        return timeout.as_dict()

    async def aclose(self) -> None:
        await self._plain.aclose()
        if "_pooled" in vars(self):
            await self._pooled.aclose()


def import_pool() -> None:
    """Import what requests with TLS need, which takes a tenth of a second; others go on."""
    for name in _POOL_CODE:
        import_module(name)
