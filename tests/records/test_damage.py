"""Damaged records are errors; the others stay readable."""

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

from webquarry.errors import RecordsFailure
from webquarry.store.journals import FileJournals
from webquarry.store.records import RecordFile

HOURS = 4 * 3600.0
NAME = "state.sqlite3"
LOG = f"{NAME}-wal"


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
from webquarry.store.records import RecordFile
from webquarry.store.journals import FileJournals

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

    entries = read(folder)
    assert entries is not None
    assert len(entries) >= 20


def change_row(folder: Path, statement: str) -> None:
    database = sqlite3.connect(folder / NAME)
    with database:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journals SET touched_at = 1e300",
        "UPDATE journals SET created_at = 'early'",
        "UPDATE journals SET locked_id = 7",
        "UPDATE journal_entries SET value = 'text'",
        "UPDATE journal_entries SET value = x'0011'",
        "UPDATE journal_entries SET number = -1 WHERE number = 1",
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
