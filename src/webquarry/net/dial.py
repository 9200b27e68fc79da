"""How a connection is made: resolve once, judge every address, dial by address.

A host and a port come in from the connection pool; out goes a connected stream. The name is never
resolved a second time, so that what was judged is what is dialled. `Refused` passes through the
pool as itself; everything else is one of httpcore2's own errors. Several addresses are raced with a
head start for each (RFC 8305), families taking turns.
"""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import zip_longest
from typing import Any
from weakref import WeakSet

import httpcore2

from webquarry.net.guard.addresses import parse_address
from webquarry.net.guard.guard import Guard
from webquarry.net.sockets import SocketStream

Stream = httpcore2.AsyncNetworkStream

HEAD_START_SECONDS = 0.25
MOST_DIALLED = 6  # a name with hundreds of addresses must not make us knock on hundreds of doors


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
        async with time_limit(timeout, host):
            addresses = await resolve_allowed_addresses(host, port, self._guard)
            to_dial = alternate_families(addresses)[:MOST_DIALLED]
            stream = await race_connections(to_dial, dial)
            if isinstance(stream, SocketStream):  # it knows all that is asked for here
                return stream
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


@asynccontextmanager
async def time_limit(seconds: float, host: str) -> AsyncIterator[None]:
    """Resolving and dialling share one limit."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise httpcore2.ConnectTimeout(
            f"no connection to {host} within {seconds:g} seconds"
        ) from error


async def resolve_allowed_addresses(host: str, port: int, guard: Guard | None) -> list[str]:
    """The addresses of a host, each once; `Refused` if the guard objects to any of them."""
    if parse_address(host) is not None:
        addresses = [host]
    else:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            # Python encodes the name, and cannot when a label is too long.
            raise httpcore2.ConnectError(f"the name {host} does not resolve") from error
        addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
        if not addresses:
            raise httpcore2.ConnectError(f"the name {host} has no address")
    if guard is not None:
        for address in addresses:
            guard.check_address(address, host)
    return addresses


def alternate_families(addresses: Sequence[str]) -> list[str]:
    """IPv6 and IPv4 by turns, beginning with the family that the system put first."""
    is_ipv6_first = ":" in addresses[0]
    first: list[str] = []
    second: list[str] = []
    for address in addresses:
        is_ipv6 = ":" in address
        if is_ipv6 == is_ipv6_first:
            first.append(address)
        else:
            second.append(address)
    by_turns: list[str] = []
    for pair in zip_longest(first, second):
        by_turns += [address for address in pair if address is not None]
    return by_turns


async def race_connections(
    addresses: Sequence[str], dial: Callable[[str], Coroutine[Any, Any, Stream]]
) -> Stream:
    """The stream of the first address that answers. The next is tried when one fails or its head
    start is over.
    """
    waiting = list(addresses)
    attempts: list[asyncio.Task[Stream]] = []
    running: set[asyncio.Task[Stream]] = set()
    winner: asyncio.Task[Stream] | None = None
    failure: BaseException | None = None
    try:
        while winner is None and (waiting or running):
            if waiting:
                attempt = asyncio.create_task(dial(waiting.pop(0)))
                attempts.append(attempt)
                running.add(attempt)
            head_start = HEAD_START_SECONDS if waiting else None
            done, running = await asyncio.wait(
                running, timeout=head_start, return_when=asyncio.FIRST_COMPLETED
            )
            succeeded = [task for task in done if task.exception() is None]
            failures = [task.exception() for task in done if task.exception() is not None]
            if succeeded:
                winner = succeeded[0]
            if failures:
                failure = failures[0]
    finally:
        # The others are no longer needed; some may have answered all the same.
        losers = [task for task in attempts if task is not winner]
        for task in losers:
            task.cancel()
        for outcome in await asyncio.gather(*losers, return_exceptions=True):
            if not isinstance(outcome, BaseException):
                await outcome.aclose()
    if winner is None:
        assert failure is not None
        raise failure  # as it is: the pool cuts off what an error was raised from
    return winner.result()
