"""The encrypted file of the cache: damaged, deleted, full, shared by processes."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.cache.kept_values import HandClock, with_cache
from webquarry.store.cache import Cache, CacheEntry, Made
from webquarry.store.disk_cache import DiskStore
from webquarry.store.encryption import Cipher


def test_neither_the_value_nor_the_key_can_be_read_in_the_file(tmp_path: Path) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        await cache.put("plain-key", Made(b"plain-value", 60))

    with_cache(tmp_path, work)
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"plain-value" not in raw
    assert b"plain-key" not in raw
    assert (tmp_path / "cache.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "cache.sqlite3").stat().st_mode & 0o777 == 0o600


def test_with_another_key_file_the_old_values_are_gone_and_nothing_fails(tmp_path: Path) -> None:
    async def keep(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))

    async def find(cache: Cache, clock: HandClock) -> None:
        assert await cache.get("k") is None

    with_cache(tmp_path, keep)
    (tmp_path / "cache.key").write_bytes(os.urandom(32))
    with_cache(tmp_path, find)


def test_a_value_moved_under_another_name_is_not_believed(tmp_path: Path) -> None:
    cipher = Cipher(os.urandom(32))
    locked = cipher.encrypt(b"v", cipher.hash_name("a"))
    assert cipher.decrypt(locked, cipher.hash_name("a")) == b"v"
    assert cipher.decrypt(locked, cipher.hash_name("b")) is None
    assert cipher.decrypt(b"", cipher.hash_name("a")) is None


@pytest.mark.parametrize(
    "damage", [b"not a database at all" * 100, b"", b"SQLite format 3\x00" + b"\xff" * 4000]
)
def test_a_damaged_file_is_set_aside_with_a_warning_and_work_goes_on(
    tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache.sqlite3").write_bytes(damage)

    async def work(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))

    async def find(cache: Cache, clock: HandClock) -> None:
        assert (await cache.get("k")) is not None

    with caplog.at_level(logging.WARNING):
        with_cache(tmp_path, work)
    with_cache(tmp_path, find)
    if damage:  # an empty file is simply a new one
        assert "created again" in caplog.text
        assert (tmp_path / "cache.sqlite3.damaged").read_bytes() == damage


def test_a_file_that_another_process_has_replaced_is_not_replaced_again(tmp_path: Path) -> None:
    async def run() -> None:
        late = DiskStore(tmp_path, 1_000_000)
        await late.put("k", CacheEntry(b"v", 0, 1e12))
        (tmp_path / "cache.sqlite3").unlink()
        (tmp_path / "cache.sqlite3-wal").unlink()
        other = DiskStore(tmp_path, 1_000_000)
        await other.put("k", CacheEntry(b"v", 0, 1e12))
        late._database._set_aside("damaged")
        assert (await other.get("k", 1)) is not None
        await late.aclose()
        await other.aclose()

    asyncio.run(run())
    assert list(tmp_path.glob("*.damaged")) == []


def test_a_folder_that_cannot_be_made_leaves_memory_alone_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")

    async def work(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))
        await cache.put("l", Made(b"w", 60))
        kept = await cache.get("k")
        assert kept is not None
        assert kept.value == b"v"

    with caplog.at_level(logging.WARNING):
        with_cache(tmp_path / "file" / "below", work)
    assert caplog.text.count("continuing without it") == 1


def test_a_full_disk_leaves_memory_alone_for_a_while_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        store = DiskStore(tmp_path, 10_000_000)
        await store.put("k", CacheEntry(b"v", 0, 1e9))
        store._database.do(lambda connection, _: connection.execute("PRAGMA max_page_count = 3"))
        for number in range(5):
            await store.put(f"large {number}", CacheEntry(bytes(50_000), 0, 1e9))
        assert await store.get("k", 1.0) is None  # not tried again yet
        store._database._unusable_until = 0.0
        await store.put("l", CacheEntry(b"w", 0, 1e9))
        found = await store.get("l", 1.0)
        assert found is not None
        assert found.value == b"w"
        await store.aclose()

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    assert caplog.text.count("continuing without it") == 1
    assert list(tmp_path.glob("*.damaged")) == []


def test_the_file_stays_within_its_size_and_keeps_the_newest(tmp_path: Path) -> None:
    async def run() -> None:
        store = DiskStore(tmp_path, 50_000)
        try:
            for number in range(200):
                await store.put(str(number), CacheEntry(b"x" * 1000, number, 10_000))
            held = await store.stats()
            assert held.bytes < 50_000 + 65 * 1100  # at most what fits between two sweeps on top
            assert await store.get("199", 200)
            assert await store.get("0", 200) is None
        finally:
            await store.aclose()

    asyncio.run(run())


HAMMER = textwrap.dedent(
    """
    import asyncio, sys
    from pathlib import Path
    from webquarry.store.cache import CacheEntry
    from webquarry.store.disk_cache import DiskStore

    async def main(folder, me, rounds):
        store = DiskStore(Path(folder), 50_000_000)
        for number in range(rounds):
            await store.put(f"{me}-{number}", CacheEntry(f"{me}:{number}".encode() * 50, 0, 1e9))
            await store.put("shared", CacheEntry(b"shared" * 100, 0, 1e9))
            got = await store.get(f"{me}-{number}", 1)
            assert got and got.value == f"{me}:{number}".encode() * 50, (me, number)
            assert (await store.get("shared", 1)).value == b"shared" * 100
            if number == 5:
                print("running", flush=True)
        await store.aclose()
        print("done", flush=True)

    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    """
)


def hammer(folder: Path, me: str, rounds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HAMMER, str(folder), me, str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_eight_processes_on_one_file_lose_no_write(tmp_path: Path) -> None:
    processes = [hammer(tmp_path, str(number), 40) for number in range(8)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert out.split() == ["running", "done"]
        assert err == ""

    async def check() -> None:
        store = DiskStore(tmp_path, 50_000_000)
        try:
            missing = [
                f"{me}-{n}"
                for me in range(8)
                for n in range(40)
                if not await store.get(f"{me}-{n}", 1)
            ]
            assert missing == []
        finally:
            await store.aclose()

    asyncio.run(check())


def test_after_a_kill_in_the_middle_the_next_start_works(tmp_path: Path) -> None:
    victim = hammer(tmp_path, "victim", 1_000_000)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "running\n"
    victim.kill()
    victim.communicate(timeout=60)
    survivor = hammer(tmp_path, "survivor", 20)
    out, err = survivor.communicate(timeout=60)
    assert out.split() == ["running", "done"]
    assert err == ""
