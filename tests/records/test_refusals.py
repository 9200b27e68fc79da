"""A record that cannot be written durably is refused with the reason, and written as soon as it can
be; what was acknowledged is never written to where nobody finds it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.records.record_files import (
    NAME,
    append,
    append_until_refused,
    begin,
    count_entries,
    opened,
    read,
    refusal,
)
from webquarry.caller import serving
from webquarry.settings import Settings
from webquarry.store.journals import FileJournals
from webquarry.store.open import open_records


def test_where_no_folder_can_be_made_records_are_refused_until_it_can(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    folder = tmp_path / "home" / "folder"
    with opened(folder) as file:
        failure = refusal(lambda: begin(file, "s1"))
        (tmp_path / "home").unlink()
        begin(file, "s1")

    assert failure.reason == "no_folder"
    assert failure.message.startswith(f"The folder {folder} for records cannot be used: ")
    assert "which may be a temporary one" in failure.suggested_action
    assert count_entries(folder, "s1") == 1


def test_without_a_home_a_record_is_refused_unless_memory_was_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    homeless = open_records(Settings(), {})
    in_memory = open_records(Settings.from_environment({"records": "memory"}), {})
    failure = refusal(lambda: begin(homeless, "s1"))
    begin(in_memory, "s1")

    assert failure.reason == "no_folder"
    assert "WEBQUARRY_STATE_FOLDER" in failure.suggested_action
    assert read(in_memory, "s1") is not None
    in_memory.close()
    homeless.close()


def test_a_full_disk_is_said_and_records_go_on_when_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        (pages,) = file.do(lambda database, _: database.execute("PRAGMA page_count").fetchone())
        file.do(lambda database, _: database.execute(f"PRAGMA max_page_count = {pages}"))
        acknowledged, failure = append_until_refused(file)
        assert file.trouble == "full"
        # The next call opens the file anew, which knows nothing of the limit.
        assert append(file, "s1") == acknowledged + 1
        assert file.trouble is None

    assert (failure.reason, failure.retryable) == ("full", True)
    assert "disk is full" in failure.message
    assert count_entries(tmp_path, "s1") == acknowledged + 1
    assert caplog.text.count("disk is full") == 1
    assert caplog.text.count("can be used again") == 1


LIMITED = """
import asyncio, json, resource, sys
from pathlib import Path
from webquarry.errors import RecordsFailure
from webquarry.store.records import RecordFile
from webquarry.store.journals import FileJournals

async def main():
    journals = FileJournals(RecordFile(Path(sys.argv[1])))
    await journals.begin("ada", "s1", b"first", 1.0, most=5, idle_seconds=100.0)
    acknowledged = 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
    try:
        while acknowledged < 500:
            acknowledged = await journals.append("ada", "s1", b"x" * 5000, 2.0)
    except RecordsFailure as failure:
        reason = failure.reason
    refused_again = 0
    resource.setrlimit(resource.RLIMIT_FSIZE, (33_000, resource.RLIM_INFINITY))
    for _ in range(3):
        try:
            acknowledged = await journals.append("ada", "s1", b"x" * 50_000, 2.0)
        except RecordsFailure:
            refused_again += 1
        assert await journals.read("ada", "s1", 2.0, idle_seconds=100.0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    acknowledged = await journals.append("ada", "s1", b"after", 3.0)
    print(json.dumps([reason, refused_again, acknowledged]))

asyncio.run(main())
"""


def test_a_disk_that_takes_no_more_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    reason, refused_again, acknowledged = json.loads(done.stdout)

    with opened(tmp_path) as file:
        journal = asyncio.run(FileJournals(file).read("ada", "s1", 4.0, idle_seconds=100.0))
    assert reason in ("full", "failing")
    assert refused_again == 3
    assert done.stderr.count("cannot be written") == 1, "reading does not end it"
    assert done.stderr.count("can be used again") == 1
    assert journal is not None
    assert len(journal.entries) == acknowledged
    assert journal.entries[-1] == b"after"


# Root may write anywhere, so that it becomes somebody else; what is imported late is imported
# before that.
READ_ONLY = """
import asyncio, json, os, sys, tempfile
from pathlib import Path
from webquarry.errors import RecordsFailure
from webquarry.store.records import RecordFile
from webquarry.store.journals import FileJournals

async def step(folder):
    journals = FileJournals(RecordFile(folder))
    try:
        await journals.begin("ada", "s1", b"first", 1.0, most=5, idle_seconds=100.0)
    except RecordsFailure as failure:
        return failure.reason
    return "ok"

folder, key_folder = Path(sys.argv[1]), Path(sys.argv[2])
with tempfile.TemporaryDirectory() as elsewhere:
    assert asyncio.run(step(Path(elsewhere))) == "ok"
    assert asyncio.run(step(Path(elsewhere) / "file.txt")) == "ok"
if os.getuid() == 0:
    os.seteuid(65534)
reasons = [asyncio.run(step(folder)), asyncio.run(step(folder / "below"))]
reasons.append(asyncio.run(step(key_folder)))
os.seteuid(os.getuid())
print(json.dumps(reasons))
"""


def test_a_folder_that_may_not_be_written_and_a_key_that_may_not_be_read_are_refused() -> None:
    with tempfile.TemporaryDirectory(prefix="wq-") as place:
        Path(place).chmod(0o755)
        folder, key_folder = Path(place) / "mine", Path(place) / "key"
        folder.mkdir(mode=0o555)
        with opened(key_folder) as file:
            begin(file, "s0")
        key_folder.chmod(0o777)
        for path in key_folder.iterdir():
            path.chmod(0o666)
        (key_folder / "state.key").chmod(0o000)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(folder), str(key_folder)],
            capture_output=True,
            text=True,
            check=True,
        )
        folder.chmod(0o755)

        assert json.loads(done.stdout) == ["permission"] * 3
        assert list(folder.iterdir()) == []


def test_another_key_is_a_lost_key_and_not_an_empty_record(tmp_path: Path) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
    (tmp_path / "state.key").write_bytes(bytes(32))
    with opened(tmp_path) as file:
        failure = refusal(lambda: read(file, "s1"))

    assert failure.reason == "lost_key"


def test_an_empty_file_is_a_damaged_one_and_not_a_new_one(tmp_path: Path) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
    (tmp_path / NAME).write_bytes(b"")
    with opened(tmp_path) as file:
        assert refusal(lambda: begin(file, "s2")).reason == "damaged"

    assert (tmp_path / NAME).read_bytes() == b""


def test_callers_of_a_server_get_the_reason_without_a_path(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / NAME).write_bytes(b"not a database at all" * 100)
    (tmp_path / "state.key").write_bytes(bytes(32))
    with opened(tmp_path) as file, caplog.at_level(logging.ERROR):
        with serving("bob"):
            failure = refusal(lambda: append(file, "s1"))
        local = refusal(lambda: append(file, "s1"))

    assert str(tmp_path) not in json.dumps(failure.as_dict())
    assert failure.reason == "damaged"
    assert str(tmp_path) in local.message
    assert str(tmp_path) in caplog.text
    assert caplog.text.count("it is damaged") == 1


def test_a_file_of_an_older_release_is_brought_up_to_date_and_belongs_to_its_key(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        file.do(lambda database, _: _make_older(database))
    with opened(tmp_path) as file:
        assert append(file, "s1") == 2


def _make_older(database: Any) -> None:
    """As the release before wrote it."""
    database.execute("DROP TABLE key_check")
    database.execute("ALTER TABLE journals DROP COLUMN seal")
    database.execute("ALTER TABLE ask_spending DROP COLUMN seal")
    for column in ("owner", "questions"):
        database.execute(f"ALTER TABLE ask_reservations DROP COLUMN {column}")
    database.execute("PRAGMA user_version = 2")


def test_no_other_process_loses_its_locks_when_a_second_file_is_opened_and_closed(
    tmp_path: Path,
) -> None:
    """Closing any handle of a file takes the locks of the whole process from it: the last of
    another process would then write the log back and delete it under us.
    """
    with opened(tmp_path) as file:
        begin(file, "s1")
        with opened(tmp_path) as second:
            append(second, "s1")
        script = (
            "import sqlite3, sys; one = sqlite3.connect(sys.argv[1]);"
            " one.execute('PRAGMA user_version').fetchone(); one.close()"
        )
        subprocess.run([sys.executable, "-c", script, str(tmp_path / NAME)], check=True)
        assert os.path.exists(tmp_path / f"{NAME}-wal")
        assert append(file, "s1") == 3
