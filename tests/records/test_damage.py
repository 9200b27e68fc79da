"""Whatever is done to the bytes of the files: the cache goes on, and the records give back what was
acknowledged or say why not.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import damage
from webquarry.errors import RecordsFailure
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals
from webquarry.store.log_check import count_dropped_commits

HOURS = 4 * 3600.0
NAME = "state.sqlite3"
LOG = f"{NAME}-wal"


def test_thirty_runs_with_damaged_files_raise_nothing_unforeseen_and_lose_nothing_in_silence() -> (
    None
):
    tally = damage.run_all(30, seed=11)

    assert tally.failures == []
    assert tally.outcomes["records: refused"] > 5
    assert tally.outcomes["cache: missed"] > 5


def read(folder: Path, id: str = "s1") -> tuple[bytes, ...] | None:
    file = RecordFile(folder)
    try:
        journal = asyncio.run(FileJournals(file).read("ada", id, 3.0, idle_seconds=100.0))
    finally:
        file.close()
    return journal.entries if journal else None


WRITER = """
import asyncio, sys
from pathlib import Path
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals

async def main():
    one = FileJournals(RecordFile(Path(sys.argv[1])))
    await one.begin("ada", "s1", b"first", 1.0, most=5, idle_seconds=100.0)
    while True:
        print(await one.append("ada", "s1", b"entry", 2.0), flush=True)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records whose process was killed while it wrote, with at least twenty entries in the log."""
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 20:
                break
        os.kill(process.pid, signal.SIGKILL)
    return folder


def test_a_log_that_a_killed_process_left_is_read_to_its_end(killed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(killed, folder)

    assert count_dropped_commits(folder / NAME) == 0
    entries = read(folder)
    assert entries is not None
    assert len(entries) >= 20


@pytest.mark.parametrize("place", [4, 20, 40, 60, 5_000, 20_000, -2_000])
def test_a_damaged_log_is_an_error_each_time_and_drops_nothing_in_silence(
    killed: Path, tmp_path: Path, place: int
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(killed, folder)
    data = bytearray((folder / LOG).read_bytes())
    data[place] ^= 0x40
    (folder / LOG).write_bytes(data)

    for _ in range(2):
        with pytest.raises(RecordsFailure) as caught:
            read(folder)
        assert caught.value.reason == "damaged"
    assert (folder / LOG).read_bytes() == data


def test_a_transaction_that_was_never_finished_is_no_damage(killed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(killed, folder)
    data = (folder / LOG).read_bytes()
    frame = 24 + int.from_bytes(data[8:12], "big")
    begun = bytearray(data[32 : 32 + frame])
    begun[4:8] = bytes(4)  # a frame inside a transaction, whose checksum no longer fits
    whole = 32 + (len(data) - 32) // frame * frame
    (folder / LOG).write_bytes(data[:whole] + begun + begun[:24])

    assert count_dropped_commits(folder / NAME) == 0
    assert read(folder) is not None


def change_row(folder: Path, statement: str) -> None:
    database = sqlite3.connect(folder / NAME)
    with database:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journals SET touched_at = 1e300",
        "UPDATE journals SET touched_at = touched_at - 1",
        "UPDATE journals SET created_at = 'early'",
        "UPDATE journals SET finished = 1",
        "UPDATE journals SET owner = x'00'",
        "UPDATE journals SET locked_id = 7",
        "UPDATE journal_entries SET value = 'text'",
        "UPDATE journal_entries SET value = x'0011'",
        "UPDATE journal_entries SET number = -1 WHERE number = 1",
        "DELETE FROM journal_entries WHERE number = 2",
        "DELETE FROM journal_entries WHERE number = 1",
    ],
)
def test_a_row_that_was_changed_on_the_disk_is_a_damaged_record_and_the_others_are_sound(
    tmp_path: Path, statement: str
) -> None:
    async def scenario() -> None:
        file = RecordFile(tmp_path)
        journals = FileJournals(file)
        for id in ("s1", "s2"):
            await journals.begin("ada", id, b"first", 1.0, most=5, idle_seconds=100.0)
            await journals.append("ada", id, b"second", 2.0)
        (name,) = file.do(
            lambda database, _: database.execute("SELECT name FROM journals LIMIT 1").fetchone()
        )
        file.close()
        where = " AND " if "WHERE" in statement else " WHERE "
        column = "name" if "journals" in statement else "journal"
        change_row(tmp_path, f"{statement}{where}{column} = x'{name.hex()}'")
        file = RecordFile(tmp_path)
        journals = FileJournals(file)
        outcomes = []
        for id in ("s1", "s2"):
            try:
                found = await journals.read("ada", id, 3.0, idle_seconds=100.0)
                assert found is not None
                assert found.entries == (b"first", b"second")
                outcomes.append("sound")
            except RecordsFailure as failure:
                outcomes.append(failure.reason)
        assert sorted(outcomes) == ["damaged", "sound"]
        assert file.trouble is None
        assert file.has_damaged_rows
        file.close()

    asyncio.run(scenario())


def test_a_damaged_moment_does_not_end_a_journal_in_silence(tmp_path: Path) -> None:
    async def scenario() -> None:
        file = RecordFile(tmp_path)
        journals = FileJournals(file)
        await journals.begin("ada", "s1", b"first", 1000.0, most=5, idle_seconds=100.0)
        file.close()
        change_row(tmp_path, "UPDATE journals SET touched_at = 1.0")
        file = RecordFile(tmp_path)
        with pytest.raises(RecordsFailure):
            await FileJournals(file).begin("bob", "b", b"x", 1001.0, most=5, idle_seconds=100.0)
        file.close()

    asyncio.run(scenario())
