"""How a connection is made: resolve once, judge every address, dial by address.

A host and a port come in; out goes a connected stream. The name is never resolved a second time, so
that what was judged is what is dialled. `Refused` comes out as itself; everything else is one of
httpx2's own errors. Several addresses are raced with a head start for each (RFC 8305), families
taking turns.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from itertools import zip_longest
from typing import Any, Protocol, TypeVar

import httpx2

from webquarry.net.guard.addresses import parse_address
from webquarry.net.guard.guard import Guard
from webquarry.net.sockets import SocketStream, dial

HEAD_START_SECONDS = 0.25
MOST_DIALLED = 6  # a name with hundreds of addresses must not make us knock on hundreds of doors


class Closable(Protocol):
    """What a connection has to know."""

    async def aclose(self) -> None: ...


class Stream(Closable, Protocol):
    """A connection as HTTP uses it; so httpcore2 has it, too."""

    async def read(self, max_bytes: int, seconds: float | None, /) -> bytes: ...

    async def write(self, buffer: bytes, seconds: float | None, /) -> None: ...

    def get_extra_info(self, info: str) -> Any: ...


Connected = TypeVar("Connected", bound=Closable)
Connect = Callable[[str, int, float | None], Awaitable[Stream]]  # host, port, seconds


class PlainDialler:
    """Connects to hosts without TLS. Without a guard, every address is dialled."""

    def __init__(self, guard: Guard | None, seconds: float) -> None:
        self._guard = guard
        self._seconds = seconds

    async def connect(self, host: str, port: int, seconds: float | None = None) -> SocketStream:
        """A connection to a host within so many seconds, or those of the settings."""
        if seconds is None:
            seconds = self._seconds
        async with time_limit(seconds, host):
            return await connect_allowed(host, port, self._guard, lambda to: dial(to, port))


async def connect_allowed(
    host: str,
    port: int,
    guard: Guard | None,
    dial_address: Callable[[str], Coroutine[Any, Any, Connected]],
) -> Connected:
    """A connection to one of the addresses of a host, all of which the guard has judged."""
    addresses = await resolve_allowed_addresses(host, port, guard)
    to_dial = alternate_families(addresses)[:MOST_DIALLED]
    return await race_connections(to_dial, dial_address)


@asynccontextmanager
async def time_limit(seconds: float, host: str) -> AsyncIterator[None]:
    """Resolving and dialling share one limit."""
    try:
        async with asyncio.timeout(seconds) as scope:
            yield
    except TimeoutError as error:
        if not scope.expired():
            raise
        words = f"no connection to {host} within {seconds:g} seconds"
        raise httpx2.ConnectTimeout(words) from error


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
            raise httpx2.ConnectError(f"the name {host} does not resolve") from error
        addresses = list(dict.fromkeys(str(place[0]) for *_, place in found))
        if not addresses:
            raise httpx2.ConnectError(f"the name {host} has no address")
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
    addresses: Sequence[str], dial: Callable[[str], Coroutine[Any, Any, Connected]]
) -> Connected:
    """The stream of the first address that answers. The next is tried when one fails or its head
    start is over.
    """
    waiting = list(addresses)
    attempts: list[asyncio.Task[Connected]] = []
    running: set[asyncio.Task[Connected]] = set()
    winner: asyncio.Task[Connected] | None = None
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
