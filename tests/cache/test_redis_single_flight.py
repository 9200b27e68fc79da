"""Single flight across servers: one of them makes it, whatever happens to that one."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cache.kept_values import Gate
from tests.redis_server import RedisServer, WatchedConnection
from webquarry.cache.cache import Cache, CachedValue, Made
from webquarry.cache.redis import RedisStore
from webquarry.cache.redis_single_flight import RedisSingleFlight
from webquarry.clock import Clock
from webquarry.store.redis.connection import RedisConnection
from webquarry.store.redis.scripts import LEASE_RENEW

LONG = 3600.0  # a lease that does not end within a test


@dataclass(frozen=True)
class Server:
    """One server's cache, and what its connection was told."""

    cache: Cache
    connection: WatchedConnection

    @property
    def waits(self) -> bool:
        """Whether it has found another server at work."""
        return any(
            isinstance(said, list) and said[0] == b"wait" for _, said in self.connection.said
        )


@asynccontextmanager
async def servers(
    redis: RedisServer, count: int, lease: float = LONG, keeping: bool = True
) -> AsyncIterator[list[Server]]:
    """Several servers, each with a connection of its own."""
    async with AsyncExitStack() as stack:
        connections = [await stack.enter_async_context(redis.connect()) for _ in range(count)]
        yield [
            Server(cache_of(connection, lease, keeping), connection) for connection in connections
        ]


def cache_of(connection: RedisConnection, lease: float, keeping: bool = True) -> Cache:
    return Cache(
        [RedisStore(connection, 1_000_000)] if keeping else [],
        Clock(),
        RedisSingleFlight(connection, lease),
    )


async def until(there: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not there():
            await asyncio.sleep(0.005)


async def waiting(found: Sequence[Server]) -> None:
    """Until all of them but one wait."""
    await until(lambda: sum(server.waits for server in found) == len(found) - 1)


async def one_behind_the_other(
    found: Sequence[Server], gate: Gate, next_gate: Gate
) -> tuple[asyncio.Task[CachedValue], asyncio.Task[CachedValue]]:
    """The calls of two servers: the first has begun its work, and the second waits for it."""
    first = asyncio.create_task(found[0].cache.get_or_make("k", gate.make))
    await until(lambda: gate.begun == 1)
    second = asyncio.create_task(found[1].cache.get_or_make("k", next_gate.make))
    await waiting(found)
    return first, second


@pytest.mark.parametrize("keeping", [True, False])
@pytest.mark.parametrize("ttl", [60, 0])
def test_fifty_callers_on_three_servers_make_one_value_kept_or_not(
    redis_server: RedisServer, ttl: float, keeping: bool
) -> None:
    async def scenario() -> None:
        async with servers(redis_server, 3, keeping=keeping) as found:
            gate = Gate(ttl)
            tasks = [
                asyncio.create_task(found[number % 3].cache.get_or_make("k", gate.make))
                for number in range(50)
            ]
            await waiting(found)
            gate.open.set()
            assert {kept.value for kept in await asyncio.gather(*tasks)} == {b"value"}
            assert gate.begun == 1

    asyncio.run(scenario())


def test_a_value_that_is_not_kept_is_made_again_for_whoever_comes_later(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with servers(redis_server, 2) as found:
            gate = Gate(ttl=0)
            first, second = (
                asyncio.create_task(server.cache.get_or_make("k", gate.make)) for server in found
            )
            await waiting(found)
            gate.open.set()
            assert [(await task).max_age_seconds for task in (first, second)] == [0, 0]
            assert gate.begun == 1
            await found[1].cache.get_or_make("k", gate.make)
            assert gate.begun == 2

    asyncio.run(scenario())


def test_what_nobody_waits_for_is_not_handed_on(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with servers(redis_server, 1) as (only,):
            gate = Gate(ttl=0)
            gate.open.set()
            await only.cache.get_or_make("k", gate.make)
            assert redis_server.say("DBSIZE") == b":0\r\n"

    asyncio.run(scenario())


def test_an_error_is_of_its_own_server_and_the_others_try_one_at_a_time(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with servers(redis_server, 4) as found:
            at_once = most_at_once = tries = 0

            async def make() -> Made:
                nonlocal at_once, most_at_once, tries
                tries += 1
                at_once += 1
                most_at_once = max(most_at_once, at_once)
                if tries == 1:
                    await waiting(found)
                await asyncio.sleep(0.01)
                at_once -= 1
                if tries < 3:
                    raise ValueError(f"try {tries}")
                return Made(b"value", 60)

            said = await asyncio.gather(
                *(server.cache.get_or_make("k", make) for server in found), return_exceptions=True
            )
            assert sorted(str(one) for one in said if isinstance(one, ValueError)) == [
                "try 1",
                "try 2",
            ]
            assert [one.value for one in said if not isinstance(one, BaseException)] == [
                b"value"
            ] * 2
            assert (tries, most_at_once) == (3, 1)

    asyncio.run(scenario())


def test_when_the_one_who_makes_it_leaves_another_server_does(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with servers(redis_server, 2) as found:
            stuck, gate = Gate(), Gate()
            gate.open.set()
            first, second = await one_behind_the_other(found, stuck, gate)
            first.cancel()
            assert (await second).value == b"value"

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_lease_is_renewed_for_as_long_as_the_work_takes(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with servers(redis_server, 2, lease=3) as found:
            gate = Gate()
            tasks = [
                asyncio.create_task(server.cache.get_or_make("k", gate.make)) for server in found
            ]
            await waiting(found)
            renewed = [server.connection.said for server in found]
            await until(
                lambda: sum(text == LEASE_RENEW for said in renewed for text, _ in said) >= 4
            )  # which is one lease
            assert gate.begun == 1
            gate.open.set()
            assert {kept.value for kept in await asyncio.gather(*tasks)} == {b"value"}
            assert gate.begun == 1

    asyncio.run(scenario())


def test_when_redis_goes_while_a_server_waits_it_makes_the_value_itself(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with servers(redis_server, 2) as found:
            gate, own = Gate(), Gate()
            own.open.set()
            first, second = await one_behind_the_other(found, gate, own)
            redis_server.stop()
            assert (await second).value == b"value"
            gate.open.set()
            assert (await first).value == b"value"
            assert (gate.begun, own.begun) == (1, 1)

    asyncio.run(scenario())


HOLDER = """
import asyncio, sys
from webquarry.cache.cache import Cache
from webquarry.cache.redis_single_flight import RedisSingleFlight
from webquarry.store.redis.connection import RedisConnection
from webquarry.clock import Clock
from webquarry.secret import Secret

async def main():
    url, key = Secret(sys.argv[1]), bytes.fromhex(sys.argv[2])
    connection = RedisConnection(url, key, timeout_seconds=30)

    async def make():
        print("making", flush=True)
        await asyncio.Event().wait()

    await Cache([], Clock(), RedisSingleFlight(connection, 1.0)).get_or_make("k", make)

asyncio.run(main())
"""


def test_when_the_server_that_makes_it_is_killed_another_one_takes_over(
    redis_server: RedisServer,
) -> None:
    holder = redis_server.begin(HOLDER, "making")

    async def scenario() -> None:
        async with servers(redis_server, 2) as found:
            gate = Gate()
            gate.open.set()
            tasks = [
                asyncio.create_task(server.cache.get_or_make("k", gate.make)) for server in found
            ]
            await until(lambda: all(server.waits for server in found))
            assert gate.begun == 0
            holder.kill()
            assert {kept.value for kept in await asyncio.gather(*tasks)} == {b"value"}
            assert gate.begun == 1

    asyncio.run(scenario())
    holder.communicate(timeout=60)


SEARCHER = """
import asyncio, sys
from webquarry._search.models import Query
from webquarry.toolkit import Toolkit

async def main():
    async with Toolkit.open(shared=True) as kit:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        searches = [kit.router.route(Query("tides", 1)) for _ in range(int(sys.argv[1]))]
        found = await asyncio.gather(*searches)
        assert {one.results[0].url for one in found} == {"https://a.org/"}
        print("found", len(found), flush=True)

asyncio.run(main())
"""


def test_fifty_searches_at_once_on_three_servers_reach_the_provider_once(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    result = b'{"title": "A", "url": "https://a.org/", "description": "About a."}'
    body = b'{"web": {"results": [' + result + b"]}}"
    asked: list[str] = []

    async def scenario() -> list[str]:
        async def provider(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
            await until(lambda: b":waiting" in redis_server.say("KEYS", "webquarry:flight:*"))
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
            writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
            await writer.drain()
            writer.close()
            await writer.wait_closed()

        listening = await asyncio.start_server(provider, "127.0.0.1", 0)
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            environ = os.environ | redis_server.environ
            environ |= {
                "BRAVE_API_KEY": "canary-brave-1234",
                "WEBQUARRY_BRAVE_URL": f"http://127.0.0.1:{port}",
            }
            environ |= {"SEARCH_PROVIDER": "brave", "HOME": str(tmp_path)}
            processes = [await begun(environ, count) for count in (17, 17, 16)]
            for process in processes:
                assert process.stdout is not None
                assert await process.stdout.readline() == b"ready\n"
            said = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
        return [out.decode().strip() for out, _ in said]

    assert asyncio.run(scenario()) == ["found 17", "found 17", "found 16"]
    assert len(asked) == 1


async def begun(environ: dict[str, str], count: int) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", SEARCHER, str(count), env=environ, stdin=pipe, stdout=pipe
    )
