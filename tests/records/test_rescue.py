"""What can still be read of damaged records is written down, and nothing is changed by that."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from scripts import damage
from webquarry.records.rescue import RescueReport, rescue_records

NAME = "state.sqlite3"
ENTRIES = sum(damage.JOURNALS.values())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("filled")
    damage.fill_records(place / "records", place / "killed")
    return place


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return tmp_path / "records"


def rescue(folder: Path) -> tuple[RescueReport, list[dict[str, Any]]]:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    rows: list[dict[str, Any]] = []
    report = rescue_records(folder, rows.append)

    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    return report, rows


@pytest.mark.parametrize("where", ["records", "killed"])
def test_everything_is_read_of_sound_records_also_of_those_of_a_killed_process(
    folder: Path, where: str
) -> None:
    report, rows = rescue(folder.with_name(where))

    assert (report.journals, report.entries) == (len(damage.JOURNALS), ENTRIES)
    assert (report.answers, report.spending) == (damage.STATEMENTS, damage.STATEMENTS)
    assert report.is_whole
    journals = {row["id"]: row for row in rows if row["type"] == "journal"}
    assert set(journals) == set(damage.JOURNALS)
    assert all(row["whole"] for row in journals.values())
    assert {row["amount"] for row in rows if row["type"] == "spending"} == {250_000_000}


def test_a_damaged_page_costs_what_was_on_it_and_nothing_else(folder: Path) -> None:
    data = bytearray((folder / NAME).read_bytes())
    pages = len(data) // damage.PAGE
    kept: list[int] = []
    for page in range(1, pages):
        spoilt = bytearray(data)
        spoilt[page * damage.PAGE : (page + 1) * damage.PAGE] = bytes(damage.PAGE)
        (folder / NAME).write_bytes(spoilt)
        report, _ = rescue(folder)
        kept.append(report.entries + report.answers + report.spending)

    whole = ENTRIES + 2 * damage.STATEMENTS
    assert sum(kept) / len(kept) > whole * 0.7
    assert max(kept) <= whole


def test_without_its_first_page_the_rest_is_read_all_the_same(folder: Path) -> None:
    data = bytearray((folder / NAME).read_bytes())
    data[: damage.PAGE] = bytes(damage.PAGE)
    (folder / NAME).write_bytes(data)

    report, _ = rescue(folder)

    assert (report.journals, report.entries) == (len(damage.JOURNALS), ENTRIES)
    assert (report.answers, report.spending) == (damage.STATEMENTS, damage.STATEMENTS)


def test_entries_that_are_gone_are_counted_as_lost(folder: Path) -> None:
    database = sqlite3.connect(folder / NAME)
    with database:
        database.execute("DELETE FROM journal_entries WHERE number = 3")
        database.execute("UPDATE ask_answers SET value = x'00'")
    database.close()

    report, rows = rescue(folder)

    missing = sum(count >= 3 for count in damage.JOURNALS.values())
    assert report.entries == ENTRIES - missing
    assert report.lost == missing + damage.STATEMENTS
    assert f"At least {report.lost} values are lost" in report.describe()
    whole = [row["id"] for row in rows if row["type"] == "journal" and row["whole"]]
    assert whole == [id for id, count in damage.JOURNALS.items() if count < 3]


def test_a_journal_that_lost_its_last_entry_is_not_whole(folder: Path) -> None:
    database = sqlite3.connect(folder / NAME)
    with database:
        database.execute("DELETE FROM journal_entries WHERE number = 36")
    database.close()

    report, rows = rescue(folder)

    assert (report.entries, report.lost) == (ENTRIES - 1, 1)
    assert [row["whole"] for row in rows if row["type"] == "journal"].count(False) == 1


def test_without_the_key_only_the_ledger_can_be_read_and_that_is_said(folder: Path) -> None:
    (folder / "state.key").unlink()

    report, rows = rescue(folder)

    assert {row["type"] for row in rows} == {"spending"}
    assert report.key_missing
    assert report.lost == ENTRIES + damage.STATEMENTS
    assert "key" in report.describe()


def test_of_what_is_no_database_nothing_is_read_and_nothing_is_raised(folder: Path) -> None:
    (folder / NAME).write_bytes(b"not a database at all" * 1000)

    report, rows = rescue(folder)

    assert rows == []
    assert not report.is_whole
