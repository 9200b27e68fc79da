"""The encrypted file of the cache: damaged, deleted, full, shared by processes."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.cache.kept_values import HandClock, with_cache
from webquarry.cache.base import CacheEntry
from webquarry.cache.cache import Cache, Made
from webquarry.cache.disk import DiskStore
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


def test_a_key_file_cut_short_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "cache.key").write_bytes(b"short")
    Cipher.open(tmp_path / "cache.key")
    assert len((tmp_path / "cache.key").read_bytes()) == 32


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
        assert "set aside" in caplog.text
        assert [path.read_bytes() for path in tmp_path.glob("*.damaged-*")] == [damage]


def keeps_one_value(folder: Path) -> None:
    """One run of a cache keeps a value, and the next one finds it."""

    async def keep(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))

    async def find(cache: Cache, clock: HandClock) -> None:
        assert (await cache.get("k")) is not None

    with_cache(folder, keep)
    with_cache(folder, find)


def test_a_database_with_tables_of_another_shape_is_set_aside(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "cache.sqlite3")
    database.execute("CREATE TABLE entries (something_else)")
    database.close()

    keeps_one_value(tmp_path)
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


def test_a_file_of_an_earlier_release_is_emptied_and_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = sqlite3.connect(tmp_path / "cache.sqlite3")
    database.execute(
        "CREATE TABLE entries (name BLOB PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL,"
        " expires_at REAL NOT NULL, used_at REAL NOT NULL) WITHOUT ROWID"
    )
    database.execute("PRAGMA user_version = 1")
    database.close()

    keeps_one_value(tmp_path)

    assert list(tmp_path.glob("*.damaged-*")) == []
    assert caplog.text == ""


def test_to_look_for_a_name_reads_no_values(tmp_path: Path) -> None:
    keeps_one_value(tmp_path)
    database = sqlite3.connect(tmp_path / "cache.sqlite3")
    (plan,) = database.execute("EXPLAIN QUERY PLAN SELECT 1 FROM entries WHERE name = x'00'")
    database.close()

    assert "USING COVERING INDEX" in plan[-1]


def test_what_cannot_be_opened_in_the_place_of_the_file_is_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache.sqlite3").mkdir()

    with caplog.at_level(logging.WARNING):
        keeps_one_value(tmp_path)
    assert "set aside" in caplog.text


def test_a_damaged_file_that_cannot_be_moved_leaves_memory_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache.sqlite3").write_bytes(b"not a database at all" * 100)

    def refuse(path: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    async def work(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))
        assert (await cache.get("k")) is not None

    monkeypatch.setattr(Path, "replace", refuse)
    with caplog.at_level(logging.WARNING):
        with_cache(tmp_path, work)
    assert caplog.text.count("memory only") == 1


def test_a_file_that_another_process_has_renewed_is_not_set_aside_again(tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite3").write_bytes(b"not a database at all" * 100)

    async def run() -> None:
        late = DiskStore(tmp_path, 1_000_000)
        with pytest.raises(sqlite3.DatabaseError) as caught:
            late._open()
        other = Cache([DiskStore(tmp_path, 1_000_000)], HandClock())
        await other.put("k", Made(b"v", 60))
        late._replace_damaged(caught.value, is_last=False)
        assert (await other.get("k")) is not None
        await late.put("l", CacheEntry(b"w", 0, 1e12))
        await late.aclose()
        await other.aclose()

    asyncio.run(run())
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


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
    assert caplog.text.count("memory only") == 1


@pytest.mark.parametrize("names", [("",), ("", "-wal", "-shm"), ("-wal",)])
def test_a_file_that_was_deleted_under_us_is_begun_anew(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    async def work(cache: Cache, clock: HandClock) -> None:
        await cache.put("k", Made(b"v", 60))
        for name in names:
            (tmp_path / f"cache.sqlite3{name}").unlink()
        await cache.put("l", Made(b"w", 60))

    async def find(cache: Cache, clock: HandClock) -> None:
        assert (await cache.get("l")) is not None

    with_cache(tmp_path, work)
    with_cache(tmp_path, find)


def test_a_full_disk_leaves_memory_alone_for_a_while_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        store = DiskStore(tmp_path, 10_000_000)
        await store.put("k", CacheEntry(b"v", 0, 1e9))
        assert store._file.open().execute("PRAGMA max_page_count = 3").fetchone()
        for number in range(5):
            await store.put(f"large {number}", CacheEntry(bytes(50_000), 0, 1e9))
        assert await store.get("k", 1.0) is None  # it rests
        store._rests_until = 0.0
        await store.put("l", CacheEntry(b"w", 0, 1e9))
        found = await store.get("l", 1.0)
        assert found is not None
        assert found.value == b"w"
        await store.aclose()

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    assert caplog.text.count("memory only") == 1
    assert list(tmp_path.glob("*.damaged-*")) == []


def test_what_was_set_aside_is_removed_after_a_while_and_no_more_than_three_are_kept(
    tmp_path: Path,
) -> None:
    week = 7 * 86_400 * 10**9
    now = time.time_ns()
    old = tmp_path / f"cache.sqlite3.damaged-{now - week - 10**9}"
    recent = [tmp_path / f"cache.sqlite3.damaged-{now - number}" for number in range(1, 6)]
    mine = tmp_path / "cache.sqlite3.damaged-by-me"
    for path in (old, *recent[:4], mine):
        path.write_bytes(b"damaged")
    recent[4].mkdir()

    keeps_one_value(tmp_path)

    assert sorted(tmp_path.glob("*.damaged-*")) == sorted([*recent[:3], mine])


def test_a_file_that_calls_itself_read_only_where_we_may_write_is_damaged(tmp_path: Path) -> None:
    keeps_one_value(tmp_path)
    data = bytearray((tmp_path / "cache.sqlite3").read_bytes())
    data[18] = 200  # the version of the format that is needed to write to it
    (tmp_path / "cache.sqlite3").write_bytes(data)

    keeps_one_value(tmp_path)
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


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
    from webquarry.cache.base import CacheEntry
    from webquarry.cache.disk import DiskStore

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
