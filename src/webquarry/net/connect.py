"""Network backend of the connection pools: resolve once, check every address, connect by address.

The name is not resolved again after the check, so the address that was checked is the one that is
connected to. `Refused` passes through the pool unchanged; all other failures are errors of
httpcore2. Several addresses are raced as in RFC 8305, alternating between address families.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import zip_longest
from typing import Any

import httpcore2

from webquarry.net.guard import Guard, parse_address

ATTEMPT_DELAY_SECONDS = 0.25  # between connection attempts to different addresses of a name
MAX_ATTEMPTS = 6  # addresses of a name that are tried

Stream = httpcore2.AsyncNetworkStream


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Connects to addresses that the guard allows; without a guard, to every address."""

    def __init__(
        self,
        guard: Guard | None,
        timeout_seconds: float,
        sockets: httpcore2.AsyncNetworkBackend | None = None,
    ) -> None:
        self._guard = guard
        self._timeout = timeout_seconds
        self._sockets = sockets or httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - signature of httpcore2
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> Stream:
        async def dial(address: str) -> Stream:
            return await self._sockets.connect_tcp(
                address, port, local_address=local_address, socket_options=socket_options
            )

        async with connect_timeout(self._timeout if timeout is None else timeout, host):
            addresses = await resolve_allowed_addresses(host, port, self._guard)
            attempts = alternate_families(addresses)[:MAX_ATTEMPTS]
            return await race_connections(attempts, dial)


@asynccontextmanager
async def connect_timeout(seconds: float, host: str) -> AsyncIterator[None]:
    """Cancel the block after `seconds` and raise `ConnectTimeout`."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise httpcore2.ConnectTimeout(
            f"no connection to {host} within {seconds:g} seconds"
        ) from error


async def resolve_allowed_addresses(host: str, port: int, guard: Guard | None) -> list[str]:
    """Resolve a host. Raises `Refused` if the guard refuses any address, or `ConnectError`."""
    if parse_address(host) is not None:
        addresses = [host]
    else:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:  # UnicodeError: a label is too long to encode
            raise httpcore2.ConnectError(f"the name {host} does not resolve") from error
        addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
        if not addresses:
            raise httpcore2.ConnectError(f"the name {host} has no address")
    if guard is not None:
        for address in addresses:
            guard.check_address(address, host)
    return addresses


def alternate_families(addresses: Sequence[str]) -> list[str]:
    """Alternate between IPv6 and IPv4, starting with the family of the first address."""
    is_ipv6_first = ":" in addresses[0]
    first = [address for address in addresses if (":" in address) == is_ipv6_first]
    second = [address for address in addresses if (":" in address) != is_ipv6_first]
    return [address for pair in zip_longest(first, second) for address in pair if address]


async def race_connections(
    addresses: Sequence[str], dial: Callable[[str], Coroutine[Any, Any, Stream]]
) -> Stream:
    """Return the first connection that succeeds. The next attempt starts when one fails or after
    `ATTEMPT_DELAY_SECONDS`; if all fail, the last error is raised.
    """
    waiting = list(addresses)
    running: set[asyncio.Task[Stream]] = set()
    connected: list[Stream] = []
    failure: BaseException | None = None
    try:
        while not connected and (waiting or running):
            if waiting:
                running.add(asyncio.create_task(dial(waiting.pop(0))))
            delay = ATTEMPT_DELAY_SECONDS if waiting else None
            done, running = await asyncio.wait(
                running, timeout=delay, return_when=asyncio.FIRST_COMPLETED
            )
            failure = next((task.exception() for task in done if task.exception()), failure)
            connected += [task.result() for task in done if not task.exception()]
    finally:
        for task in running:
            task.cancel()
        outcomes = await asyncio.gather(*running, return_exceptions=True)
        late = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
        for surplus in [*connected[1:], *late]:
            await surplus.aclose()
    if not connected:
        assert failure is not None
        raise failure
    return connected[0]
