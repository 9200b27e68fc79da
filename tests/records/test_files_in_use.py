"""Record files that are copied, moved, damaged or migrated by a newer release."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from tests.records.record_files import (
    NAME,
    append,
    begin,
    count_entries,
    opened,
    refusal,
)


def make_backup(folder: Path, backup: Path) -> None:
    """A record file with one journal of three entries, and a copy of it alone."""
    with opened(folder) as file:
        begin(file, "old")
        append(file, "old")
        append(file, "old")


def test_a_killed_process_and_a_folder_that_was_copied_as_a_whole_keep_their_log(
    tmp_path: Path,
) -> None:
    folder, copy = tmp_path / "records", tmp_path / "copy"
    make_backup(folder, tmp_path / "backup")
    with opened(folder) as file:
        append(file, "old")
        shutil.copytree(folder, copy)

    assert count_entries(copy, "old") == 4


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


def test_damaged_file_is_left_alone_and_its_error_says_what_to_do(tmp_path: Path) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
    with (tmp_path / NAME).open("r+b") as raw:
        raw.seek(100)
        raw.write(b"\xff" * 400)
    damaged = (tmp_path / NAME).read_bytes()
    with opened(tmp_path) as file:
        failure = refusal(lambda: append(file, "s1"))
        again = refusal(lambda: begin(file, "s2"))

    assert failure.reason == again.reason == "damaged"
    assert str(tmp_path / NAME) in failure.message
    assert "Restore a backup copy" in failure.suggested_action
    assert "move state.sqlite3 and state.key to another folder" in failure.suggested_action
    assert (tmp_path / NAME).read_bytes() == damaged
