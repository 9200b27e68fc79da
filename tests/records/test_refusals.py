"""A record that cannot be written durably is refused with the reason, and written as soon as it can
be; what was acknowledged is never written to where nobody finds it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from webquarry.caller import serving
from webquarry.errors import RecordsFailure
from webquarry.records.base import Journal
from webquarry.records.examine import examine_records
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals
from webquarry.records.open import open_records
from webquarry.records.rescue import rescue_records
from webquarry.settings import Settings

HOURS = 4 * 3600.0
NAME = "state.sqlite3"
FILES = (NAME, f"{NAME}-wal", f"{NAME}-shm")


@contextmanager
def opened(folder: Path) -> Iterator[RecordFile]:
    file = RecordFile(folder)
    try:
        yield file
    finally:
        file.close()


def begin(file: RecordFile, id: str) -> None:
    work = FileJournals(file).begin("ada", id, b"first", 1000.0, most=50, idle_seconds=HOURS)
    asyncio.run(work)


def append(file: RecordFile, id: str) -> int:
    return asyncio.run(FileJournals(file).append("ada", id, b"more", 1001.0))


def read(file: RecordFile, id: str) -> Journal | None:
    return asyncio.run(FileJournals(file).read("ada", id, 1002.0, idle_seconds=HOURS))


def count_entries(folder: Path, id: str) -> int:
    """As another process finds them."""
    with opened(folder) as file:
        journal = read(file, id)
        assert journal is not None
        return len(journal.entries)


def refusal(work: Callable[[], Any]) -> RecordsFailure:
    with pytest.raises(RecordsFailure) as caught:
        work()
    assert caught.value.kind == "records"
    assert caught.value.as_dict()["reason"] == caught.value.reason
    return caught.value


def append_until_refused(file: RecordFile) -> tuple[int, RecordsFailure]:
    """How many entries there are by then, and why it was refused."""
    acknowledged = 1
    try:
        while acknowledged < 1000:
            acknowledged = append(file, "s1")
    except RecordsFailure as failure:
        return acknowledged, failure
    raise AssertionError("nothing was refused")


def test_where_no_folder_can_be_made_records_are_refused_until_it_can(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    folder = tmp_path / "home" / "folder"
    with opened(folder) as file:
        failure = refusal(lambda: begin(file, "s1"))
        (tmp_path / "home").unlink()
        begin(file, "s1")

    assert failure.reason == "no_folder"
    assert "WEBQUARRY_RECORDS=memory" in failure.suggested_action
    assert count_entries(folder, "s1") == 1


def test_without_a_home_a_record_is_refused_unless_memory_was_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    homeless = open_records(Settings(), {})
    in_memory = open_records(Settings.from_environment({"WEBQUARRY_RECORDS": "memory"}), {})
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
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals

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


def test_an_error_of_the_database_does_not_empty_records_in_memory() -> None:
    file = RecordFile(None)
    begin(file, "s1")
    refusal(lambda: file.do(lambda database, _: database.execute("SELECT * FROM nowhere")))

    assert append(file, "s1") == 2
    file.close()


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
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals

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
        "import os, sys; from pathlib import Path; from tests.records import test_refusals as one;"
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
    import sqlite3

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


def put_folder(place: Path) -> None:
    place.mkdir()


def put_pipe(place: Path) -> None:
    os.mkfifo(place)


def put_device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def put_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening, contextlib.chdir(place.parent):
        listening.bind(place.name)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no pipes in folders")
@pytest.mark.parametrize(
    ("put", "kind"),
    [(put_folder, "folder"), (put_pipe, "pipe"), (put_device, "device"), (put_socket, "socket")],
)
@pytest.mark.parametrize("name", ["state.key", "state.sqlite3"])
@pytest.mark.parametrize("has_other", [False, True])
def test_what_is_no_regular_file_is_named_and_not_waited_for(
    tmp_path: Path, put: Callable[[Path], None], kind: str, name: str, has_other: bool
) -> None:
    if has_other:
        with opened(tmp_path) as file:
            begin(file, "s1")
        (tmp_path / name).unlink()
    put(tmp_path / name)
    with opened(tmp_path) as file:
        failure = refusal(lambda: begin(file, "s2"))

    assert failure.reason == "foreign"
    assert kind in failure.message
    assert "Move" in failure.suggested_action


@pytest.mark.parametrize("has_key", [False, True])
def test_a_database_of_another_program_is_named_and_left_as_it_is(
    tmp_path: Path, has_key: bool
) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "state.sqlite3")) as other:
        other.execute("CREATE TABLE birds (name TEXT)")
        other.commit()
    before = (tmp_path / "state.sqlite3").read_bytes()
    if has_key:
        (tmp_path / "state.key").write_bytes(bytes(32))
    with opened(tmp_path) as file:
        failure = refusal(lambda: begin(file, "s1"))

    assert failure.reason == "foreign"
    assert "another program" in failure.message
    assert (tmp_path / "state.sqlite3").read_bytes() == before


def test_a_file_that_is_no_database_is_damaged_though_the_key_is_missing(tmp_path: Path) -> None:
    (tmp_path / "state.sqlite3").write_bytes(b"no database, but a letter\n" * 200)
    with opened(tmp_path) as file:
        assert refusal(lambda: begin(file, "s1")).reason == "damaged"


def test_another_key_is_a_lost_key_and_not_an_empty_record(tmp_path: Path) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
    (tmp_path / "state.key").write_bytes(bytes(32))
    with opened(tmp_path) as file:
        failure = refusal(lambda: read(file, "s1"))

    assert failure.reason == "lost_key"


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
    import sqlite3

    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        yield
    finally:
        database.close()


@pytest.mark.parametrize(
    ("version", "reason"), [(999, "newer"), (2_000_000_000, "damaged"), (-5, "damaged")]
)
def test_a_newer_file_is_told_from_a_damaged_one(tmp_path: Path, version: int, reason: str) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
        file.do(lambda database, _: database.execute(f"PRAGMA user_version = {version}"))
    with opened(tmp_path) as file:
        assert refusal(lambda: append(file, "s1")).reason == reason


def test_an_empty_file_is_a_damaged_one_and_not_a_new_one(tmp_path: Path) -> None:
    with opened(tmp_path) as file:
        begin(file, "s1")
    (tmp_path / NAME).write_bytes(b"")
    with opened(tmp_path) as file:
        assert refusal(lambda: begin(file, "s2")).reason == "damaged"

    assert (tmp_path / NAME).read_bytes() == b""


def test_a_caller_of_a_server_is_told_the_reason_and_no_path(
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
        file.do(lambda database, _: _make_older(database))
    (tmp_path / "state.key").write_bytes(bytes(32))
    with opened(tmp_path) as file:
        assert refusal(lambda: append(file, "s1")).reason == "lost_key"


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
