"""What every place for journals does: what was acknowledged is there, for its owner alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.redis_server import KEY, RedisServer, running
from webquarry.secret import Secret
from webquarry.store.journals import FileJournals, Journal, JournalExists, JournalMoved, Journals
from webquarry.store.records import RecordFile
from webquarry.store.redis_connection import RedisConnection
from webquarry.store.redis_stores import RedisJournals

HOURS = 4 * 3600.0
Scenario = Callable[[Journals, Journals], Awaitable[None]]


class Places:
    """Runs a scenario with the journals of two servers that share one place."""

    def __init__(self, folder: Path | None, redis: RedisServer | None) -> None:
        self._folder, self._redis = folder, redis

    def run(self, scenario: Scenario) -> None:
        asyncio.run(self._in_redis(scenario) if self._redis else self._in_files(scenario))

    async def _in_files(self, scenario: Scenario) -> None:
        files = [RecordFile(self._folder), RecordFile(self._folder)]
        await scenario(*map(FileJournals, files))
        for file in files:
            file.close()

    async def _in_redis(self, scenario: Scenario) -> None:
        assert self._redis is not None
        connections = [
            RedisConnection(Secret(self._redis.url), KEY),
            RedisConnection(Secret(self._redis.url), KEY),
        ]
        await scenario(*(RedisJournals(connection, seconds=30) for connection in connections))
        for connection in connections:
            await connection.aclose()


@pytest.fixture(params=["file", "redis"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Places]:
    if request.param == "file":
        yield Places(tmp_path, None)
        return
    with running() as server:
        yield Places(None, server)


async def begin(
    found: Journals, id: str, now: float = 1000.0, owner: str = "ada", most: int = 50
) -> None:
    await found.begin(owner, id, b"first", now, most=most, idle_seconds=HOURS)


async def read(found: Journals, id: str, now: float = 1000.0, owner: str = "ada") -> Journal:
    journal = await found.read(owner, id, now, idle_seconds=HOURS)
    assert journal is not None
    return journal


def test_what_one_server_wrote_another_one_reads(places: Places) -> None:
    async def scenario(one: Journals, other: Journals) -> None:
        await begin(one, "s1", 1000.25)
        assert await one.append("ada", "s1", b"second \x00\xff", 1001.1) == 2
        assert await other.append("ada", "s1", b"", 1002.0) == 3
        found = await read(other, "s1", 1003.0)
        assert found == Journal(
            "s1", 1000.25, 1002.0, (b"first", b"second \x00\xff", b""), False, 3
        )

    places.run(scenario)


def test_journals_are_isolated_per_caller(places: Places) -> None:
    async def scenario(one: Journals, _: Journals) -> None:
        await begin(one, "s1", owner="ada")
        assert await one.read("bob", "s1", 1001.0, idle_seconds=HOURS) is None
        assert await one.list("bob", 1001.0, idle_seconds=HOURS) == []
        with pytest.raises(KeyError):
            await one.append("bob", "s1", b"x", 1001.0)
        await begin(one, "s1", owner="bob")
        assert await one.append("bob", "s1", b"of bob", 1001.0) == 2
        assert [found.id for found in await one.list("ada", 1001.0, idle_seconds=HOURS)] == ["s1"]
        assert (await read(one, "s1", owner="ada")).entries == (b"first",)

    places.run(scenario)


def test_a_journal_that_is_deleted_is_gone_for_all_and_others_stay(places: Places) -> None:
    async def scenario(one: Journals, other: Journals) -> None:
        await begin(one, "s1")
        await one.append("ada", "s1", b"second", 1001.0)
        await begin(one, "s2")
        await begin(one, "s1", owner="bob")
        assert await other.delete("ada", "s1")
        assert not await one.delete("ada", "s1")
        assert await one.read("ada", "s1", 1001.0, idle_seconds=HOURS) is None
        assert [found.id for found in await one.list("ada", 1001.0, idle_seconds=HOURS)] == ["s2"]
        assert (await read(one, "s1", owner="bob")).entries == (b"first",)
        await begin(one, "s1", 1002.0)  # its name is free again
        assert (await read(one, "s1", 1002.0)).entries == (b"first",)

    places.run(scenario)


def test_of_two_who_read_the_same_journal_only_one_can_add_the_next_entry(places: Places) -> None:
    async def scenario(one: Journals, other: Journals) -> None:
        await begin(one, "s1")
        await one.append("ada", "s1", b"mine", 1001.0, after=1)
        with pytest.raises(JournalMoved):
            await other.append("ada", "s1", b"theirs", 1001.0, after=1)
        with pytest.raises(JournalMoved):
            await other.append("ada", "s1", b"theirs", 1001.0, after=3)
        assert (await read(one, "s1", 1001.0)).entries == (b"first", b"mine")

    places.run(scenario)


def test_many_who_write_at_once_lose_nothing(places: Places) -> None:
    async def scenario(one: Journals, other: Journals) -> None:
        await begin(one, "s1")
        words = [f"{number}".encode() for number in range(30)]
        numbers = await asyncio.gather(
            *(
                (one, other)[number % 2].append("ada", "s1", word, 1001.0)
                for number, word in enumerate(words)
            )
        )
        entries = (await read(one, "s1", 1001.0)).entries
        assert sorted(numbers) == list(range(2, 32))
        assert all(entries[number - 1] == word for number, word in zip(numbers, words, strict=True))

    places.run(scenario)


def test_idle_journal_expires(places: Places) -> None:
    async def scenario(one: Journals, _: Journals) -> None:
        await begin(one, "s1", now=0.0)
        await one.append("ada", "s1", b"x", 100.0)
        assert await one.read("ada", "s1", 100.0 + HOURS, idle_seconds=HOURS)
        assert await one.read("ada", "s1", 101.0 + HOURS, idle_seconds=HOURS) is None
        assert await one.list("ada", 101.0 + HOURS, idle_seconds=HOURS) == []
        await begin(one, "s1", now=101.0 + HOURS)  # its name is free again
        assert (await read(one, "s1", 101.0 + HOURS)).entries == (b"first",)

    places.run(scenario)


def test_idle_journals_of_all_callers_are_deleted_on_creation(places: Places) -> None:
    async def scenario(one: Journals, _: Journals) -> None:
        await begin(one, "old", now=0.0, owner="bob")
        await begin(one, "new", now=1.0 + HOURS, owner="ada")
        with pytest.raises(KeyError):
            await one.append("bob", "old", b"x", 2.0 + HOURS)

    places.run(scenario)


async def list_ids(journals: Journals, now: float) -> list[str]:
    return [found.id for found in await journals.list("ada", now, idle_seconds=HOURS)]


def test_beyond_the_most_a_finished_journal_gives_way_before_one_that_is_idle_for_longer(
    places: Places,
) -> None:
    async def scenario(one: Journals, _: Journals) -> None:
        await begin(one, "a", 1.0, most=2)
        await begin(one, "b", 2.0, most=2)
        await one.append("ada", "b", b"end", 4.0, finished=True)
        await begin(one, "c", 5.0, most=2)
        assert await list_ids(one, 6.0) == ["c", "a"]
        with pytest.raises(JournalExists):
            await begin(one, "a", 6.0, most=5)
        await begin(one, "of bob", 7.0, owner="bob", most=1)  # who has a most of his own
        assert await list_ids(one, 8.0) == ["c", "a"]

    places.run(scenario)
