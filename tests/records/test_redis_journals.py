"""Journals in Redis: what was acknowledged lasts, a failure is loud, and nothing is done twice."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.redis_server import RedisServer, WatchedConnection, running
from webquarry.errors import RecordsFailure
from webquarry.store.redis_connection import RedisUnavailable
from webquarry.store.redis_stores import RedisJournals

HOURS = 4 * 3600.0


@pytest.fixture
def lasting_server() -> Iterator[RedisServer]:
    with running(lasting=True) as server:
        yield server


def journals(connection: WatchedConnection) -> RedisJournals:
    return RedisJournals(connection, seconds=30)


async def begin(found: RedisJournals, id: str = "s1", now: float = 1000.0) -> None:
    await found.begin("ada", id, b"first", now, most=50, idle_seconds=HOURS)


async def entries(found: RedisJournals) -> tuple[bytes, ...]:
    journal = await found.read("ada", "s1", 1000.0, idle_seconds=HOURS)
    assert journal is not None
    return journal.entries


def test_while_redis_is_gone_every_call_fails_loudly_and_then_it_heals(
    lasting_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with lasting_server.connect(rest_seconds=3600) as connection:
            found = journals(connection)
            await begin(found)
            lasting_server.stop()
            for call in (
                begin(found, "s2"),
                found.append("ada", "s1", b"lost", 1001.0),
                found.read("ada", "s1", 1001.0, idle_seconds=HOURS),
                found.list("ada", 1001.0, idle_seconds=HOURS),
            ):
                with pytest.raises(
                    RecordsFailure, match="cannot be used: there is no connection"
                ) as caught:
                    await call  # and where it was is nobody's business
                assert caught.value.retryable
            lasting_server.start()
            assert await found.append("ada", "s1", b"second", 1002.0, after=1) == 2
            assert await entries(found) == (b"first", b"second")

    asyncio.run(scenario())


def test_an_acknowledged_entry_survives_kill_9_of_redis(lasting_server: RedisServer) -> None:
    async def scenario() -> None:
        async with lasting_server.connect() as connection:
            found = journals(connection)
            await begin(found)
            acknowledged = 1
            for number in range(20):
                acknowledged = await found.append("ada", "s1", str(number).encode(), 1001.0)
            lasting_server.stop(signal.SIGKILL)
            lasting_server.start()
            assert len(await entries(found)) == acknowledged == 21

    asyncio.run(scenario())


class Forgetful(RedisJournals):
    """Carries every change out, and loses the first answer; meanwhile somebody else may write."""

    meanwhile: RedisJournals | None = None

    def __init__(self, connection: WatchedConnection) -> None:
        super().__init__(connection, seconds=30)
        self._lost = False

    async def _send(self, text: str, arguments: Sequence[Any]) -> Any:
        said = await super()._send(text, arguments)
        if "RPUSH" in text and not self._lost:
            self._lost = True
            if self.meanwhile:
                await self.meanwhile.append("ada", "s1", b"meanwhile", 1001.0)
            raise RedisUnavailable("connection lost", lost=True)
        return said


def test_a_change_whose_answer_was_lost_is_not_made_twice(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection:
            await begin(Forgetful(connection))
            assert await Forgetful(connection).append("ada", "s1", b"second", 1001.0) == 2
            assert await Forgetful(connection).append("ada", "s1", b"third", 1001.0, after=2) == 3
            hurried = Forgetful(connection)
            hurried.meanwhile = journals(connection)
            assert await hurried.append("ada", "s1", b"fourth", 1001.0, after=3) == 4
            assert await entries(hurried) == (
                b"first",
                b"second",
                b"third",
                b"fourth",
                b"meanwhile",
            )

    asyncio.run(scenario())


def test_a_redis_that_is_full_refuses_and_nothing_is_half_written(
    redis_server: RedisServer,
) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection:
            found = journals(connection)
            await begin(found)
            redis_server.say("CONFIG", "SET", "maxmemory", "1")
            with pytest.raises(RecordsFailure, match="maxmemory"):
                await found.append("ada", "s1", b"x", 1001.0)
            with pytest.raises(RecordsFailure, match="maxmemory"):
                await begin(found, "s2")
            redis_server.say("CONFIG", "SET", "maxmemory", "0")
            assert await entries(found) == (b"first",)
            assert [one.id for one in await found.list("ada", 1001.0, idle_seconds=HOURS)] == ["s1"]

    asyncio.run(scenario())


@pytest.mark.parametrize("moment", ["never", "1e300"])
def test_changed_time_is_a_damaged_record(redis_server: RedisServer, moment: str) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection:
            found = journals(connection)
            await begin(found)
            key = b"webquarry:journal:meta:" + found._name("ada", "s1")
            change = "redis.call('HSET', KEYS[1], 'touched', ARGV[1]) return 1"
            await connection.script(change, [key], [moment])
            with pytest.raises(RecordsFailure) as caught:
                await entries(found)
            assert caught.value.reason == "damaged"

    asyncio.run(scenario())


def test_a_server_with_another_key_finds_no_journal(redis_server: RedisServer) -> None:
    async def scenario() -> None:
        async with redis_server.connect() as connection, redis_server.connect(bytes(32)) as other:
            await begin(journals(connection))
            assert await journals(other).read("ada", "s1", 1000.0, idle_seconds=HOURS) is None
            assert await journals(other).list("ada", 1000.0, idle_seconds=HOURS) == []

    asyncio.run(scenario())
