"""The store that several servers share: found by all of them, readable by none but them, and never
in the way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any

import pytest

from tests.redis_server import RedisServer
from webquarry.clock import Clock
from webquarry.store.cache import Cache, CacheEntry, Made, MemoryStore
from webquarry.store.redis_connection import RedisConnection, RedisUnavailable
from webquarry.store.redis_stores import RedisStore

OTHER_KEY = bytes(32)


def test_what_one_server_keeps_another_one_finds_until_its_time_is_over(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as one, redis_server.connect() as other:
            await RedisStore(one, 1000).put("k", CacheEntry(b"v", 100.0, 160.0))
            found = RedisStore(other, 1000)
            assert await found.get("k", 159.9) == CacheEntry(b"v", 100.0, 160.0)
            assert await found.get("k", 160.0) is None
            assert await found.get("other", 100.0) is None
            name = one.key("cache", "k")
            assert 0 < int(await one.run(lambda redis: redis.pttl(name))) <= 60_000

    asyncio.run(scenario())


def test_a_server_with_another_key_finds_nothing(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as one, redis_server.connect(OTHER_KEY) as other:
            await RedisStore(one, 1000).put("k", CacheEntry(b"v", 0.0, 60.0))
            assert await RedisStore(other, 1000).get("k", 1.0) is None

    asyncio.run(scenario())


def test_without_redis_calls_go_on_and_the_outage_is_said_once_and_so_is_its_end(
    redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection:
            cache = Cache([RedisStore(connection, 1000)], Clock())
            await cache.put("k", Made(b"v", 60))
            redis_server.stop()
            assert await cache.get("k") is None
            await cache.put("l", Made(b"v", 60))
            assert (await cache.get_or_make("m", made)).value == b"made"
            assert not connection.is_up
            redis_server.start()
            await cache.put("n", Made(b"v", 60))
            assert await cache.get("n")
            assert connection.is_up

    async def made() -> Made:
        return Made(b"made", 60)

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())
    assert caplog.text.count("is gone") == 1
    assert caplog.text.count("answers again") == 1


def test_a_redis_that_hangs_is_left_alone_for_a_while_and_then_asked_again(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with redis_server.connect(timeout_seconds=0.05, rest_seconds=3600) as connection:
            redis_server.freeze()
            with pytest.raises(RedisUnavailable, match="did not answer within"):
                await connection.run(lambda redis: redis.get(b"k"))
            asked: list[str] = []

            def ask(redis: Any) -> Awaitable[Any]:
                asked.append("asked")
                found: Awaitable[Any] = redis.ping()
                return found

            with pytest.raises(RedisUnavailable):
                await connection.run(ask)
            assert asked == []
            redis_server.thaw()
            await connection.run(ask, seconds=30, insist=True)  # a record is worth asking for
            assert asked == ["asked"]
            assert await connection.run(ask, seconds=30)  # and what it found out is good for all

    asyncio.run(scenario())


def test_a_full_redis_keeps_nothing_and_that_is_said_once(
    redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection:
            store = RedisStore(connection, 1000)
            redis_server.say("CONFIG", "SET", "maxmemory", "1")
            await store.put("k", CacheEntry(b"v", 0.0, 60.0))
            await store.put("l", CacheEntry(b"v", 0.0, 60.0))
            assert await store.get("k", 1.0) is None
            assert connection.is_up

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())
    assert caplog.text.count("refused a command") == 1


def test_only_values_in_the_shared_store_are_cached_for_all(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection:
            cache = cache_of(connection)
            await cache.put("k", Made(b"v", 60))
            assert await cache.is_kept_for_all("k")
            redis_server.stop()
            assert await cache.get("k")  # out of the memory in front
            assert not await cache.is_kept_for_all("k")
        alone = Cache([MemoryStore(1000)], Clock())
        await alone.put("k", Made(b"v", 60))
        assert await alone.is_kept_for_all("k")

    asyncio.run(scenario())


def cache_of(connection: RedisConnection) -> Cache:
    """A server's cache, whose memory looks behind itself at every call."""
    behind = RedisStore(connection, 1000)
    return Cache([MemoryStore(1000), behind], Clock())
