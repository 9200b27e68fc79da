"""Files of records that are deleted, replaced or cut short while they are open."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.records.record_files import (
    FILES,
    NAME,
    append,
    begin,
    count_entries,
    opened,
    read,
    refusal,
)
from webquarry.records.examine import examine_records
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals
from webquarry.records.rescue import rescue_records


@pytest.mark.parametrize("names", [FILES, FILES[:1]], ids=["with its log", "alone"])
def test_a_file_that_was_deleted_under_us_is_begun_anew_and_the_loss_is_told(
    tmp_path: Path, names: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        for name in names:
            (tmp_path / name).unlink()
        failure = refusal(lambda: append(file, "s1"))
        again = refusal(lambda: read(file, "s1"))
        begin(file, "s2")
        assert append(file, "s2") == 2

    assert "deleted or replaced" in failure.message
    assert "gone" in again.message
    assert caplog.text.count("was deleted or replaced while it was open") == 1
    assert count_entries(tmp_path, "s2") == 2


def test_a_file_that_was_replaced_under_us_is_left_and_the_one_in_its_place_used(
    tmp_path: Path,
) -> None:
    folder, backup = tmp_path / "records", tmp_path / "backup"
    with opened(folder) as file:
        begin(file, "old")
    shutil.copytree(folder, backup)
    with opened(folder) as file:
        begin(file, "new")
        for name in FILES:
            (folder / name).unlink()
        (backup / NAME).replace(folder / NAME)
        assert append(file, "old") == 2
        refusal(lambda: append(file, "new"))

    assert count_entries(folder, "old") == 2


@pytest.mark.parametrize("names", [FILES[1:2], FILES[2:], FILES[1:]])
def test_a_log_that_was_deleted_under_us_costs_nothing(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        append(file, "s1")
        for name in names:
            (tmp_path / name).unlink()
        assert append(file, "s1") == 3
        assert read(file, "never there") is None  # for nothing was lost

    assert count_entries(tmp_path, "s1") == 3


def make_backup(folder: Path, backup: Path) -> None:
    """A record file with one journal of three entries, and a copy of it alone."""
    with opened(folder) as file:
        begin(file, "old")
        append(file, "old")
        append(file, "old")
    shutil.copyfile(folder / NAME, backup)


def fill(file: RecordFile, id: str) -> None:
    """Many pages in the file itself, and some in its log."""
    begin(file, id)
    work = FileJournals(file).append("ada", id, b"word " * 2000, 1001.0)
    asyncio.run(work)
    for _ in range(20):
        asyncio.run(FileJournals(file).append("ada", id, b"word " * 700, 1001.0))


def restore(backup: Path, target: Path, way: str) -> None:
    command = {"moved": "mv", "copied": "cp"}[way]
    subprocess.run([command, str(backup), str(target)], check=True)


@pytest.mark.parametrize("way", ["moved", "copied"])
def test_a_backup_that_is_put_over_a_file_in_use_is_read_without_the_log_of_the_one_before(
    tmp_path: Path, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder, backup = tmp_path / "records", tmp_path / "backup.sqlite3"
    make_backup(folder, backup)
    with opened(folder) as file:
        fill(file, "new")
        with sqlite_checkpoint(folder / NAME):
            append(file, "old")
            fill(file, "newer")
        restore(backup, folder / NAME, way)
        assert append(file, "old") == 4
        assert "gone" in refusal(lambda: append(file, "newer")).message

    assert count_entries(folder, "old") == 4
    assert len(list(folder.glob("*.replaced-*-wal"))) == 1
    assert caplog.text.count("is kept as") == 1


def test_a_log_is_not_mixed_into_another_file_by_a_process_that_comes_later(
    tmp_path: Path,
) -> None:
    """The one that wrote it was killed, and a backup moved into the place of the file."""
    folder, backup = tmp_path / "records", tmp_path / "backup.sqlite3"
    make_backup(folder, backup)
    script = (
        "import os, sys; from pathlib import Path; from tests.records import test_files_in_use as one;"
        " file = one.RecordFile(Path(sys.argv[1])); one.fill(file, 'new'); one.append(file, 'old');"
        " os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True)
    assert (folder / f"{NAME}-wal").stat().st_size > 10_000
    restore(backup, folder / NAME, "moved")

    assert examine_records(folder) is None
    assert rescue_records(folder, lambda _: None).entries == 3
    assert count_entries(folder, "old") == 3


def test_a_killed_process_and_a_folder_that_was_copied_as_a_whole_keep_their_log(
    tmp_path: Path,
) -> None:
    folder, copy = tmp_path / "records", tmp_path / "copy"
    make_backup(folder, tmp_path / "backup")
    with opened(folder) as file:
        append(file, "old")
        shutil.copytree(folder, copy)

    assert count_entries(copy, "old") == 4


@pytest.mark.parametrize("left", [0, 40, 20_000], ids=["all of it", "most of it", "its end"])
def test_what_would_be_written_behind_a_log_that_was_cut_short_is_refused(
    tmp_path: Path, left: int
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        for _ in range(4):
            append(file, "s1")
        os.truncate(tmp_path / f"{NAME}-wal", left)
        failure = refusal(lambda: append(file, "s1"))
        begin(file, "s2")
        assert append(file, "s2") == 2

    assert failure.reason == "damaged"
    assert "its log was cut short" in failure.message
    assert count_entries(tmp_path, "s2") == 2


def test_a_log_that_is_cut_short_while_a_record_is_written_is_noticed_before_it_is_acknowledged(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        append(file, "s1")

        def cut(database: Any, _: Any) -> None:
            database.execute("UPDATE key_check SET value = value")
            os.truncate(tmp_path / f"{NAME}-wal", 0)

        assert "its log was cut short" in refusal(lambda: file.do(cut)).message


def test_a_log_that_another_process_moves_into_the_file_is_not_taken_for_cut(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        append(file, "s1")
        with sqlite_checkpoint(tmp_path / NAME):
            assert (tmp_path / f"{NAME}-wal").stat().st_size == 0
            assert append(file, "s1") == 3

    assert count_entries(tmp_path, "s1") == 3


def test_a_file_that_a_newer_release_takes_over_while_it_is_open_is_not_written_to(
    tmp_path: Path,
) -> None:

    with opened(tmp_path) as file:
        begin(file, "s1")
        other = sqlite3.connect(tmp_path / NAME)
        other.execute("PRAGMA user_version = 999")
        other.close()
        failure = refusal(lambda: append(file, "s1"))
        assert file.trouble == "newer"

    assert failure.reason == "newer"


def test_a_key_that_was_deleted_under_us_is_noticed_before_anything_is_written_without_it(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        key = (tmp_path / "state.key").read_bytes()
        (tmp_path / "state.key").unlink()
        failure = refusal(lambda: append(file, "s1"))
        assert not (tmp_path / "state.key").exists()
        (tmp_path / "state.key").write_bytes(key)
        assert append(file, "s1") == 2

    assert failure.reason == "lost_key"
    assert "backup" in failure.suggested_action


def test_damage_under_us_is_noticed_at_the_next_call(tmp_path: Path) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        file.do(lambda database, _: database.execute("SELECT 1"))
        with opened(tmp_path) as other:
            append(other, "s1")
        with sqlite_checkpoint(tmp_path / NAME), (tmp_path / NAME).open("r+b") as raw:
            raw.seek(100)
            raw.write(b"\xff" * 400)
        failure = refusal(lambda: append(file, "s1"))
        again = refusal(lambda: begin(file, "s2"))

    assert failure.reason == again.reason == "damaged"
    assert "webquarry records rescue" in failure.suggested_action


@contextmanager
def sqlite_checkpoint(path: Path) -> Iterator[None]:
    """What is in the log is in the file, for the time of the block."""

    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        yield
    finally:
        database.close()
