"""Who asks a question: what a claim gives, when it ends, and that the process behind it counts."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from webquarry.ask.answers import KeptAnswer
from webquarry.ask.billing.group_commit import GroupCommit
from webquarry.ask.claims import FileClaims, Standing
from webquarry.ask.models import ModelReply
from webquarry.clock import Clock
from webquarry.records.claims import is_claimed, renew_claims, take_claim
from webquarry.records.file import RecordFile
from webquarry.records.owners import describe_owner, is_dead

NOW = 1_800_000_000.0
LEASE = 30.0


@pytest.fixture
def file(tmp_path: Path) -> Iterator[RecordFile]:
    file = RecordFile(tmp_path)
    yield file
    file.close()


def take(file: RecordFile, owner: str, now: float = NOW) -> bool:
    return file.do(lambda db, cipher: take_claim(db, cipher, "key", owner, now, LEASE))


def test_a_claim_is_one_owners_until_it_ends() -> None:
    file = RecordFile(None)
    one, two = describe_owner(), describe_owner()

    assert take(file, one)
    assert take(file, one)
    assert not take(file, two)
    assert not take(file, two, NOW + LEASE - 1)
    assert take(file, two, NOW + LEASE)
    assert not take(file, one, NOW + LEASE)
    file.close()


def test_a_claim_that_is_renewed_lasts(file: RecordFile) -> None:
    one, two = describe_owner(), describe_owner()
    take(file, one)
    file.do(lambda db, cipher: renew_claims(db, one, NOW + 20, LEASE))

    assert not take(file, two, NOW + LEASE + 10)
    assert take(file, two, NOW + LEASE + 20)


def test_a_claim_from_far_ahead_was_made_by_a_wrong_clock(file: RecordFile) -> None:
    take(file, describe_owner(), NOW + 10**6)

    assert take(file, describe_owner())


def test_a_damaged_claim_is_none(file: RecordFile) -> None:
    take(file, describe_owner())
    file.do(lambda db, _: db.execute("UPDATE ask_claims SET owner = x'ff', ends_at = 'soon'"))

    assert take(file, describe_owner())


def test_the_claim_of_a_process_that_was_killed_counts_no_longer(file: RecordFile) -> None:
    code = (
        "from webquarry.records.owners import describe_owner; print(describe_owner(), flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", f"{code}; input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        owner = process.stdout.readline().strip()
        assert not is_dead(owner)
        assert take(file, owner)
        assert not take(file, describe_owner())
        process.kill()
        process.wait()

    assert is_dead(owner)
    assert take(file, describe_owner())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system has no /proc")
def test_a_number_that_another_process_has_now_is_not_the_owner() -> None:
    machine, pid, start, token = describe_owner().split(" ")

    assert pid == str(os.getpid())
    assert not is_dead(f"{machine} {pid} {start} {token}")
    assert is_dead(f"{machine} {pid} 1{start} {token}")
    assert not is_dead(f"elsewhere {pid} 1{start} {token}")
    assert not is_dead("nonsense")


def test_an_answer_ends_its_claim_and_reaches_those_who_wait(file: RecordFile) -> None:
    kept = KeptAnswer(ModelReply("yes"), NOW, NOW + 10**9)
    settled: list[bool] = []

    async def work() -> tuple[Standing, Standing, Standing]:
        commits = GroupCommit(file)
        one, two = FileClaims(commits, Clock()), FileClaims(commits, Clock())
        first = await one.claim("key", "one", LEASE, lambda kept: True)
        second = await two.claim("key", "two", LEASE, lambda kept: True)
        waiting = asyncio.create_task(two.wait("key", "two", LEASE, lambda kept: True))
        await asyncio.sleep(0)
        await one.answer("key", "one", kept, lambda db, cipher: settled.append(True))
        await waiting
        third = await two.claim("key", "two", LEASE, lambda kept: True)
        for claims in (one, two):
            await claims.aclose()
        return first, second, third

    first, second, third = asyncio.run(work())

    assert (first.is_mine, second.is_mine, second.kept) == (True, False, None)
    assert third.kept is not None
    assert third.kept.reply.answer == "yes"
    assert settled == [True]
    assert not claimed(file)


def test_a_claim_that_is_released_without_an_answer_is_free(file: RecordFile) -> None:
    async def work() -> bool:
        commits = GroupCommit(file)
        one, two = FileClaims(commits, Clock()), FileClaims(commits, Clock())
        await one.claim("key", "one", LEASE, lambda kept: True)
        one.release("key", "one")
        await two.wait("key", "two", LEASE, lambda kept: True)
        standing = await two.claim("key", "two", LEASE, lambda kept: True)
        for claims in (one, two):
            await claims.aclose()
        return standing.is_mine

    assert asyncio.run(work())


def claimed(file: RecordFile) -> Any:
    def look(db: Any, cipher: Any) -> bool:
        return is_claimed(db, cipher, "key", "somebody", Clock().now().timestamp(), LEASE)

    return file.do(look)
