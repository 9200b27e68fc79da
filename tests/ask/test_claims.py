"""Who asks a question: what a claim gives, when it ends, and that the process behind it counts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from webquarry.store.claims import describe_owner, is_dead, renew_claims, take_claim
from webquarry.store.records import RecordFile

NOW = 1_800_000_000.0
LEASE = 30.0


@pytest.fixture
def file(tmp_path: Path) -> Iterator[RecordFile]:
    file = RecordFile(tmp_path)
    yield file
    file.close()


def take(file: RecordFile, owner: str, now: float = NOW) -> bool:
    return file.do(lambda db, cipher: take_claim(db, cipher, "key", owner, now, LEASE))


def test_claim_is_one_owners_until_it_ends() -> None:
    file = RecordFile(None)
    one, two = describe_owner(), describe_owner()

    assert take(file, one)
    assert take(file, one)
    assert not take(file, two)
    assert not take(file, two, NOW + LEASE - 1)
    assert take(file, two, NOW + LEASE)
    assert not take(file, one, NOW + LEASE)
    file.close()


def test_claim_that_is_renewed_lasts(file: RecordFile) -> None:
    one, two = describe_owner(), describe_owner()
    take(file, one)
    file.do(lambda db, cipher: renew_claims(db, one, NOW + 20, LEASE))

    assert not take(file, two, NOW + LEASE + 10)
    assert take(file, two, NOW + LEASE + 20)


def test_claim_from_far_ahead_was_made_by_a_wrong_clock(file: RecordFile) -> None:
    take(file, describe_owner(), NOW + 10**6)

    assert take(file, describe_owner())


def test_damaged_claim_is_none(file: RecordFile) -> None:
    take(file, describe_owner())
    file.do(lambda db, _: db.execute("UPDATE ask_claims SET owner = x'ff', ends_at = 'soon'"))

    assert take(file, describe_owner())


def test_claim_of_a_process_that_was_killed_counts_no_longer(file: RecordFile) -> None:
    code = "from webquarry.store.claims import describe_owner; print(describe_owner(), flush=True)"
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
def test_number_that_another_process_has_now_is_not_the_owner() -> None:
    machine, pid, start, token = describe_owner().split(" ")

    assert pid == str(os.getpid())
    assert not is_dead(f"{machine} {pid} {start} {token}")
    assert is_dead(f"{machine} {pid} 1{start} {token}")
    assert not is_dead(f"elsewhere {pid} 1{start} {token}")
    assert not is_dead("nonsense")
