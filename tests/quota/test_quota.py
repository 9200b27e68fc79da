"""Quotas: limits per window and slots, on one server and on several that share a Redis."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest

from tests.redis_server import RedisServer, running
from webquarry.errors import NoSlot
from webquarry.store.quota import Limit, LocalQuota, Quota, QuotaDenied, QuotaGranted
from webquarry.store.redis_stores import RedisQuota

MINUTE = Limit("ada minute", 3, 60)
DAY = Limit("ada day", 5, 86400)
NOON = 60.0 * 1_000_000  # the beginning of a minute
Scenario = Callable[[Quota, Quota], Awaitable[None]]


class Places:
    """Runs a scenario with two quotas of one Redis, or twice with one local quota."""

    def __init__(self, redis: RedisServer | None) -> None:
        self._redis = redis

    def run(self, scenario: Scenario) -> None:
        asyncio.run(self._run(scenario))

    async def _run(self, scenario: Scenario) -> None:
        if self._redis is None:
            alone = LocalQuota()
            await scenario(alone, alone)
            return
        async with self._redis.connect() as one, self._redis.connect() as other:
            await scenario(RedisQuota(one), RedisQuota(other))


@pytest.fixture(params=["local", "redis"])
def places(request: pytest.FixtureRequest) -> Iterator[Places]:
    if request.param == "local":
        yield Places(None)
        return
    with running() as server:
        yield Places(server)


def test_a_limit_holds_over_all_servers(places: Places) -> None:
    async def scenario(one: Quota, other: Quota) -> None:
        assert await one.take([MINUTE], NOON) == QuotaGranted(2)
        assert await other.take([MINUTE], NOON + 1) == QuotaGranted(1)
        assert await one.take([MINUTE], NOON + 2) == QuotaGranted(0)
        said = await other.take([MINUTE], NOON + 30)
        assert isinstance(said, QuotaDenied)
        assert said.limit == MINUTE
        assert said.retry_after_seconds == pytest.approx(
            30 + 20
        )  # then two of the three are still within a minute
        again = NOON + 30 + said.retry_after_seconds
        assert isinstance(await one.take([MINUTE], again - 0.1), QuotaDenied)
        assert await one.take([MINUTE], again + 0.1) == QuotaGranted(0)

    places.run(scenario)


def test_all_limits_are_counted_or_none(places: Places) -> None:
    async def scenario(one: Quota, other: Quota) -> None:
        for _ in range(3):
            assert isinstance(await one.take([MINUTE, DAY], NOON), QuotaGranted)
        for _ in range(20):  # denied by the minute, so the day is not used up
            said = await other.take([MINUTE, DAY], NOON)
            assert isinstance(said, QuotaDenied)
            assert said.limit == MINUTE
        assert await other.take([MINUTE, DAY], NOON + 600) == QuotaGranted(1)
        assert await other.take([MINUTE, DAY], NOON + 600) == QuotaGranted(0)
        said = await one.take([MINUTE, DAY], NOON + 600)
        assert isinstance(said, QuotaDenied)
        assert said.limit == DAY
        assert said.retry_after_seconds > 3600

    places.run(scenario)


def test_concurrent_requests_do_not_exceed_the_limit(places: Places) -> None:
    async def scenario(one: Quota, other: Quota) -> None:
        limit = Limit("crowd", 20, 60)
        said = await asyncio.gather(
            *((one, other)[number % 2].take([limit], NOON) for number in range(50))
        )
        assert sum(isinstance(word, QuotaGranted) for word in said) == 20

    places.run(scenario)


def test_an_early_clock_does_not_block_later_requests(
    places: Places,
) -> None:
    async def scenario(one: Quota, other: Quota) -> None:
        ahead = NOON + 30 * 86400
        for _ in range(3):
            assert isinstance(await one.take([MINUTE, DAY], ahead), QuotaGranted)
        denied = await one.take([MINUTE, DAY], NOON)
        assert isinstance(denied, QuotaDenied)
        assert denied.limit == MINUTE
        assert denied.retry_after_seconds <= 2 * MINUTE.window_seconds
        again = NOON + denied.retry_after_seconds + 0.1
        assert isinstance(await other.take([MINUTE, DAY], again), QuotaGranted)

    places.run(scenario)


def test_slots_are_limited_and_released(places: Places) -> None:
    async def scenario(one: Quota, other: Quota) -> None:
        async with one.slot("ada", 2):
            async with other.slot("ada", 2):
                with pytest.raises(NoSlot, match="2 calls are under way") as caught:
                    async with one.slot("ada", 2):
                        pass
                assert caught.value.as_dict()["retryAfterSeconds"] == 1
                async with one.slot("bob", 2):
                    pass
            async with other.slot("ada", 2):
                pass
        with pytest.raises(ValueError, match="of the call"):
            async with one.slot("ada", 1):
                raise ValueError("of the call")
        async with other.slot("ada", 1):
            pass

    places.run(scenario)


def test_without_redis_a_server_counts_from_what_it_has_granted(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as first, redis_server.connect() as second:
            one, other = RedisQuota(first), RedisQuota(second)
            await one.take([MINUTE], NOON)
            await one.take([MINUTE], NOON)
            async with one.slot("ada", 1):
                redis_server.stop()
                assert isinstance(await one.take([MINUTE], NOON), QuotaGranted)
                assert isinstance(await one.take([MINUTE], NOON), QuotaDenied)
                assert isinstance(await other.take([MINUTE], NOON), QuotaGranted)
                with pytest.raises(NoSlot):
                    async with one.slot("ada", 1):
                        pass
                async with other.slot("ada", 1):
                    pass
            redis_server.start()  # it has forgotten everything
            assert await one.take([MINUTE], NOON) == QuotaGranted(2)
            assert await other.take([MINUTE], NOON) == QuotaGranted(1)
            async with one.slot("ada", 1):
                with pytest.raises(NoSlot):
                    async with other.slot("ada", 1):
                        pass

    asyncio.run(scenario())


HOLDER = """
import asyncio, sys
from webquarry.store.redis_connection import RedisConnection
from webquarry.store.redis_stores import RedisQuota
from webquarry.secret import Secret

async def main():
    url, key = Secret(sys.argv[1]), bytes.fromhex(sys.argv[2])
    connection = RedisConnection(url, key, timeout_seconds=30)
    async with RedisQuota(connection, lease_seconds=1.0).slot("ada", 1):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def test_slots_of_a_killed_server_expire(redis_server: RedisServer) -> None:
    holder = redis_server.begin(HOLDER, "held")

    async def scenario() -> None:
        async with redis_server.connect() as connection:
            quota = RedisQuota(connection)
            with pytest.raises(NoSlot):
                async with quota.slot("ada", 1):
                    pass
            holder.kill()
            async with asyncio.timeout(60):
                while True:
                    try:
                        async with quota.slot("ada", 1):
                            return
                    except NoSlot:
                        await asyncio.sleep(0.05)

    asyncio.run(scenario())
    holder.communicate(timeout=60)


@pytest.mark.slow
def test_a_held_slot_is_renewed(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection, redis_server.connect() as second:
            one, other = RedisQuota(connection, lease_seconds=3), RedisQuota(second)
            async with one.slot("ada", 1):
                async with asyncio.timeout(60):
                    while (
                        len(connection.said) < 5
                    ):  # taken once and renewed four times, which takes longer than a lease
                        await asyncio.sleep(0.01)
                with pytest.raises(NoSlot):
                    async with other.slot("ada", 1):
                        pass

    asyncio.run(scenario())


def test_old_counts_are_removed() -> None:
    async def scenario() -> None:
        quota = LocalQuota()
        quota._sweep_at = 100
        for number in range(99):
            await quota.take([Limit(f"visitor {number}", 1, 60)], NOON)
        await quota.take([DAY], NOON)
        await quota.take([MINUTE], NOON + 300)
        assert len(quota._counts) == 2

    asyncio.run(scenario())
