"""The network under a connection pool of httpcore2: our own way to connect (`connecting.py`).

`Refused` passes through the pool as itself; everything else is one of httpcore2's own errors.
"""

from __future__ import annotations

import select
import ssl
import time
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

import httpcore2
import httpx2

from webquarry.net.connecting import connect_allowed, time_limit
from webquarry.net.guard.guard import Guard

Stream = httpcore2.AsyncNetworkStream


class Dialler(httpcore2.AsyncNetworkBackend):
    """The network under a connection pool. Without a guard, every address is dialled."""

    def __init__(
        self,
        guard: Guard | None,
        timeout_seconds: float,
        sockets: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._guard = guard
        self._timeout = timeout_seconds
        self._sockets = sockets or httpcore2.AnyIOBackend()
        self._streams: WeakSet[_KnownSocketStream] = WeakSet()

    def silent_seconds(self, host: str, port: int) -> float:
        """For how long nothing has come on any open connection to a host."""
        heard_at = 0.0
        for stream in self._streams:
            if stream.dialled == (host, port):
                heard_at = max(heard_at, stream.heard_at)
        return time.monotonic() - heard_at

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the pool's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> Stream:
        async def dial(address: str) -> Stream:
            return await self._sockets.connect_tcp(
                address, port, local_address=local_address, socket_options=socket_options
            )

        if timeout is None:
            timeout = self._timeout
        try:
            async with time_limit(timeout, host):
                stream = await connect_allowed(host, port, self._guard, dial)
        except httpx2.ConnectTimeout as error:
            raise httpcore2.ConnectTimeout(str(error)) from error.__cause__
        except httpx2.ConnectError as error:
            raise httpcore2.ConnectError(str(error)) from error.__cause__
        return _KnownSocketStream(stream, (host, port), self._streams)


class _KnownSocketStream(Stream):
    """A stream that knows its socket: for every request a pool asks each idle stream whether it was
    closed over there, and finding the socket anew each time took longer than asking it. It also
    knows when something last came.
    """

    def __init__(
        self, stream: Stream, dialled: tuple[str, int], known: WeakSet[_KnownSocketStream]
    ) -> None:
        self._stream = stream
        self.dialled = dialled
        self.heard_at = time.monotonic()
        self._known = known
        known.add(self)
        self._socket = None
        if hasattr(select, "poll"):
            self._socket = stream.get_extra_info("socket")

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the pool's
    ) -> bytes:
        data = await self._stream.read(max_bytes, timeout)
        self.heard_at = time.monotonic()
        return data

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the pool's
    ) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the pool's
    ) -> Stream:
        stream = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return _KnownSocketStream(stream, self.dialled, self._known)

    def get_extra_info(self, info: str) -> Any:
        if info != "is_readable" or self._socket is None:
            return self._stream.get_extra_info(info)
        number = self._socket.fileno()
        if number < 0:
            return True  # closed, as httpcore2 has it
        poll = select.poll()
        poll.register(number, select.POLLIN)
        return bool(poll.poll(0))
