"""What one server finds out about a provider, the others know."""

from __future__ import annotations

import asyncio

import pytest

from tests.net.doubles import FakeClock
from tests.redis_server import RedisServer
from tests.search.engines import HOMELESS, KEYS, Engines, brave, failed
from webquarry._search.models import Query
from webquarry._search.router import Router
from webquarry._search.services.breakers import LocalBreakers
from webquarry._search.services.redis_breakers import RedisBreakers
from webquarry.cache.cache import Cache
from webquarry.errors import BadInput, NetworkFailure, RateLimited, WebquarryError
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.store.redis.connection import RedisConnection

SETTINGS = Settings(breaker_failures=1, breaker_rest_seconds=600)


def board(connection: RedisConnection, clock: FakeClock) -> RedisBreakers:
    return RedisBreakers(SETTINGS, clock, connection, learn_seconds=0)


def test_a_provider_that_trips_on_one_server_rests_on_the_others_for_the_same_reason(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as first, redis_server.connect() as second:
            clock = FakeClock()
            one, other = board(first, FakeClock()), board(second, clock)
            one.breaker("brave").record_failure(RateLimited("slow down", retry_after_seconds=120))
            await one.tell("brave")
            await other.learn(["brave", "tavily"])
            assert other.breaker("brave").state == "open"
            assert other.breaker("brave").cause is RateLimited
            assert 60 < other.breaker("brave").rest_left <= 120
            assert other.breaker("tavily").state == "closed"
            clock.seconds += 121
            assert other.breaker("brave").state == "half-open"

    asyncio.run(scenario())


def test_what_trips_nothing_is_not_told_and_a_shorter_rest_does_not_end_a_longer_one(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as first, redis_server.connect() as second:
            one, other = board(first, FakeClock()), board(second, FakeClock())
            one.breaker("brave").record_failure(BadInput("no"))
            await one.tell("brave")
            await other.learn(["brave"])
            assert other.breaker("brave").state == "closed"
            for name, seconds in (("one", 500.0), ("other", 50.0)):
                teller = {"one": one, "other": other}[name]
                teller.breaker("tavily").record_failure(
                    NetworkFailure("gone", retry_after_seconds=seconds)
                )
                await teller.tell("tavily")
            await other.learn(["tavily"])
            assert other.breaker("tavily").rest_left > 100

    asyncio.run(scenario())


def test_without_redis_a_server_knows_what_it_has_seen_itself(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection:
            one = board(connection, FakeClock())
            redis_server.stop()
            one.breaker("brave").record_failure(NetworkFailure("gone"))
            await one.tell("brave")
            await one.learn(["brave"])
            assert one.breaker("brave").state == "open"

    asyncio.run(scenario())


def test_a_search_on_another_server_does_not_ask_the_provider_that_rests(
    redis_server: RedisServer,
) -> None:
    environ = (
        HOMELESS
        | KEYS
        | {"WEBQUARRY_RETRIES": "0", "SEARCH_PROVIDER": "brave", "WEBQUARRY_BREAKER_FAILURES": "1"}
    )
    settings = Settings.from_environment(environ)
    engines = Engines(brave=[failed(503), brave("https://a.org/")])

    async def search(connection: RedisConnection) -> None:
        clock = FakeClock()
        async with Client(settings, clock, pages=engines, providers=engines) as client:
            shared = RedisBreakers(settings, clock, connection)
            await Router(client, settings, environ, clock, lambda: Cache([], clock), shared).route(
                Query("x", 1)
            )

    async def scenario() -> None:
        async with redis_server.connect() as first, redis_server.connect() as second:
            with pytest.raises(WebquarryError):
                await search(first)
            with pytest.raises(WebquarryError, match="left alone") as caught:
                await search(second)
            assert caught.value.retry_after_seconds

    asyncio.run(scenario())
    assert engines.names == ["brave"]


def test_one_server_alone_has_nobody_to_learn_from() -> None:
    async def scenario() -> None:
        alone = LocalBreakers(SETTINGS, FakeClock())
        alone.breaker("brave").record_failure(NetworkFailure("gone"))
        await alone.tell("brave")
        await alone.learn(["brave"])
        assert alone.breaker("brave").state == "open"

    asyncio.run(scenario())
