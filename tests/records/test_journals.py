"""Journals in the record file: what was acknowledged is there, for its owner alone."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from webquarry.records.base import JournalMoved, RecordsFailure, TooManyJournals
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals

HOURS = 4 * 3600.0


def journals(folder: Path | None) -> FileJournals:
    return FileJournals(RecordFile(folder))


async def begin(found: FileJournals, id: str, now: float = 1000.0, owner: str = "ada", most: int = 50) -> None:
    await found.begin(owner, id, b"first", now, most=most, idle_seconds=HOURS)


def close(*found: FileJournals) -> None:
    for one in found:
        one._file.close()


def test_what_one_process_wrote_another_one_reads(tmp_path: Path) -> None:
    async def scenario() -> tuple[bytes, ...]:
        one, other = journals(tmp_path), journals(tmp_path)
        await begin(one, "s1")
        assert await one.append("ada", "s1", b"second", 1001.0) == 2
        found = await other.read("ada", "s1", 1002.0, idle_seconds=HOURS)
        close(one, other)
        assert found is not None
        return found.entries

    assert asyncio.run(scenario()) == (b"first", b"second")


def test_a_journal_of_somebody_else_is_not_there(tmp_path: Path) -> None:
    async def scenario() -> None:
        one = journals(tmp_path)
        await begin(one, "s1", owner="ada")
        assert await one.read("bob", "s1", 1001.0, idle_seconds=HOURS) is None
        assert await one.list("bob", 1001.0, idle_seconds=HOURS) == []
        assert not await one.drop("bob", "s1")
        with pytest.raises(KeyError):
            await one.append("bob", "s1", b"x", 1001.0)
        assert [found.id for found in await one.list("ada", 1001.0, idle_seconds=HOURS)] == ["s1"]
        close(one)

    asyncio.run(scenario())


def test_of_two_who_read_the_same_journal_only_one_can_add_the_next_entry(tmp_path: Path) -> None:
    async def scenario() -> None:
        one, other = journals(tmp_path), journals(tmp_path)
        await begin(one, "s1")
        await one.append("ada", "s1", b"mine", 1001.0, after=1)
        with pytest.raises(JournalMoved):
            await other.append("ada", "s1", b"theirs", 1001.0, after=1)
        close(one, other)

    asyncio.run(scenario())


def test_a_journal_ends_when_nobody_has_touched_it_for_long(tmp_path: Path) -> None:
    async def scenario() -> None:
        one = journals(tmp_path)
        await begin(one, "s1", now=0.0)
        await one.append("ada", "s1", b"x", 100.0)
        assert await one.read("ada", "s1", 100.0 + HOURS, idle_seconds=HOURS)
        assert await one.read("ada", "s1", 101.0 + HOURS, idle_seconds=HOURS) is None
        await begin(one, "s1", now=101.0 + HOURS)  # its name is free again
        close(one)

    asyncio.run(scenario())


def test_beyond_the_most_a_finished_journal_gives_way_and_an_unfinished_one_never_does(tmp_path: Path) -> None:
    async def scenario() -> None:
        one = journals(tmp_path)
        await begin(one, "a", 1.0, most=2)
        await begin(one, "b", 2.0, most=2)
        with pytest.raises(TooManyJournals):
            await begin(one, "c", 3.0, most=2)
        await one.append("ada", "b", b"end", 4.0, finished=True)
        await begin(one, "c", 5.0, most=2)
        assert [found.id for found in await one.list("ada", 6.0, idle_seconds=HOURS)] == ["c", "a"]
        with pytest.raises(FileExistsError):
            await begin(one, "a", 6.0, most=5)
        close(one)

    asyncio.run(scenario())


def test_nothing_readable_is_in_the_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        one = journals(tmp_path)
        await one.begin("ada-lovelace", "session-id", b"what we look for", 1.0, most=5, idle_seconds=HOURS)
        close(one)

    asyncio.run(scenario())
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith("state.sqlite3"))
    assert not any(word in kept for word in (b"ada-lovelace", b"session-id", b"what we look for"))
    assert (tmp_path / "state.sqlite3").stat().st_mode & 0o777 == 0o600


def test_an_entry_moved_to_another_place_is_noticed(tmp_path: Path) -> None:
    async def scenario() -> None:
        one = journals(tmp_path)
        await begin(one, "s1")
        await one.append("ada", "s1", b"second", 1.0)
        with sqlite3.connect(tmp_path / "state.sqlite3") as database:
            database.execute("UPDATE journal_entries SET number = 3 - number + 10")
        database.close()
        with pytest.raises(RecordsFailure, match="cannot be decrypted"):
            await one.read("ada", "s1", 2.0, idle_seconds=HOURS)
        close(one)

    asyncio.run(scenario())


def test_a_missing_key_is_an_error_and_no_new_key_is_made(tmp_path: Path) -> None:
    one = journals(tmp_path)
    asyncio.run(begin(one, "s1"))
    close(one)
    (tmp_path / "state.key").unlink()

    other = journals(tmp_path)
    with pytest.raises(RecordsFailure, match="missing or damaged"):
        asyncio.run(begin(other, "s2"))
    close(other)

    assert not (tmp_path / "state.key").exists()


def test_a_damaged_file_and_one_of_a_newer_release_are_left_as_they_are(tmp_path: Path) -> None:
    one = journals(tmp_path)
    asyncio.run(begin(one, "s1"))
    close(one)
    with sqlite3.connect(tmp_path / "state.sqlite3") as database:
        database.execute("PRAGMA user_version = 999")
    database.close()

    other = journals(tmp_path)
    with pytest.raises(RecordsFailure, match="version 999"):
        asyncio.run(begin(other, "s2"))
    close(other)

    (tmp_path / "state.sqlite3").write_bytes(b"not a database at all" * 100)
    third = journals(tmp_path)
    with pytest.raises(RecordsFailure, match="cannot be used"):
        asyncio.run(begin(third, "s2"))
    close(third)
    assert (tmp_path / "state.sqlite3").read_bytes().startswith(b"not a database")


def test_where_nothing_can_be_written_records_are_kept_in_memory_and_that_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        (tmp_path / "file").write_text("in the way")
        one = journals(tmp_path / "file" / "folder")
        await begin(one, "s1")
        assert await one.read("ada", "s1", 1001.0, idle_seconds=HOURS)
        close(one)

    asyncio.run(scenario())
    assert "in memory only" in caplog.text


def test_an_acknowledged_entry_survives_kill_9(tmp_path: Path) -> None:
    script = """
import asyncio, sys
from pathlib import Path
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals

async def main():
    one = FileJournals(RecordFile(Path(sys.argv[1])))
    await one.begin("ada", "s1", b"first", 1.0, most=5, idle_seconds=100.0)
    while True:
        number = await one.append("ada", "s1", b"entry", 2.0)
        print(number, flush=True)

asyncio.run(main())
"""
    process = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    acknowledged = 0
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged == 20:
            break
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read().split()
    process.stdout.close()
    process.wait()
    acknowledged = int(rest[-1]) if rest and rest[-1].isdigit() else acknowledged

    one = journals(tmp_path)
    found = asyncio.run(one.read("ada", "s1", 3.0, idle_seconds=100.0))
    close(one)
    assert found is not None
    assert len(found.entries) >= acknowledged
