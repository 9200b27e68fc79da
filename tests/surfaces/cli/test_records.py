"""The command `webquarry records`: whether records are sound, what can be rescued, and a new
beginning.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import webquarry
from webquarry.errors import RecordsFailure
from webquarry.surfaces.cli.app import app

NAME = "state.sqlite3"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path / "state"))
    return tmp_path / "state"


def records(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["records", *arguments])


def begin(text: str) -> str:
    answer = webquarry.call("sequential_search", searchStep=text, stepNumber=1)
    return str(answer.as_dict()["sessionId"])


def damage(folder: Path) -> None:
    """Spoil the first page."""
    data = bytearray((folder / NAME).read_bytes())
    data[:4096] = b"\xff" * 4096
    (folder / NAME).write_bytes(data)


def test_sound_records_are_said_to_be_so_and_so_are_those_that_are_not_there_yet() -> None:
    before = records("check", "--json")
    begin("Tides cannot be stored.")
    after = records("check", "--text")

    assert json.loads(before.stdout)["status"] == "ok"
    assert "are sound" in after.stdout


def test_damaged_records_can_be_rescued_and_begun_anew_and_nothing_is_deleted(
    folder: Path, tmp_path: Path
) -> None:
    id = begin("Tides cannot be stored.")
    damage(folder)

    checked = records("check", "--json")
    with pytest.raises(RecordsFailure, match="damaged"):
        begin("Another one.")
    spoilt = (folder / NAME).read_bytes()
    rescued = records("rescue", "--out", str(tmp_path / "out.jsonl"))
    assert (folder / NAME).read_bytes() == spoilt
    moved = Path(json.loads(records("reset", "--json").stdout)["moved"])
    other = begin("Another one.")

    error = json.loads(checked.stdout)["error"]
    assert (checked.exit_code, error["kind"], error["reason"]) == (1, "records", "damaged")
    assert "records rescue" in error["suggestedAction"]
    assert rescued.exit_code == 0
    assert "1 sessions with 1 entries" in rescued.stderr
    (row,) = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert row["id"] == id
    assert "Tides cannot be stored." in json.dumps(row["entries"])
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o777 == 0o600
    assert (moved / NAME).read_bytes() == spoilt
    assert (moved / "state.key").exists()
    assert other != id


def test_a_rescue_writes_to_stdout_and_overwrites_no_file(tmp_path: Path) -> None:
    begin("Tides cannot be stored.")
    (tmp_path / "there").write_text("mine")

    printed = records("rescue")
    refused = records("rescue", "--out", str(tmp_path / "there"))

    assert json.loads(printed.stdout)["type"] == "journal"
    assert "Nothing is lost." in printed.stderr
    assert refused.exit_code == 1
    assert (tmp_path / "there").read_text() == "mine"


def test_where_there_is_nothing_that_is_said(tmp_path: Path) -> None:
    assert json.loads(records("reset", "--json").stdout) == {"moved": None}
    missing = records("rescue", "--from", str(tmp_path))

    assert missing.exit_code == 1
    assert "There is no record file" in missing.stderr


def test_what_was_moved_away_can_be_moved_back(folder: Path) -> None:
    id = begin("Tides cannot be stored.")
    moved = Path(json.loads(records("reset", "--json").stdout)["moved"])
    assert json.loads(CliRunner().invoke(app, ["session", "list", "--json"]).stdout) == {
        "sessions": []
    }
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()
    for path in moved.iterdir():
        path.replace(folder / path.name)

    listed = json.loads(CliRunner().invoke(app, ["session", "list", "--json"]).stdout)
    assert [one["sessionId"] for one in listed["sessions"]] == [id]
