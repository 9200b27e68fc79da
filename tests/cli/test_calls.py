"""The command `webquarry calls`: what was called on this machine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from webquarry.cli.app import cli as app
from webquarry.errors import NotFound
from webquarry.store.calls import CallLog


@pytest.fixture(autouse=True)
def own_log(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CallLog:
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path))
    return CallLog(tmp_path / "calls", 20_000_000, 30 * 86_400)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["calls", *arguments])


def test_calls_are_shown_for_a_person_and_for_a_program(own_log: CallLog) -> None:
    with own_log.watch("web_search", {"query": "tides \x1b[31m red"}):
        pass
    with pytest.raises(NotFound), own_log.watch("scrape_page", {"url": "https://a.example/"}):
        raise NotFound("There is no such page.")
    own_log.flush()

    text = run("--text").stdout
    data = json.loads(run("--json").stdout)

    assert "\x1b" not in text
    assert re.search(r'web_search\s+"tides\s+red"', text)
    assert "not_found: There is no such page." in " ".join(text.split())
    assert [call["tool"] for call in data["calls"]] == ["web_search", "scrape_page"]
    assert data["calls"][1]["outcome"] == "not_found"


def test_a_look_goes_on_where_the_last_one_ended(own_log: CallLog) -> None:
    for number in range(3):
        with own_log.watch("web_search", {"number": number}):
            pass
    own_log.flush()
    first = json.loads(run("-n", "1", "--after", "0", "--json").stdout)["calls"][0]
    others = json.loads(run("--after", str(first["id"]), "--json").stdout)["calls"]
    same = json.loads(run("--receipt", first["receipt"], "--json").stdout)["calls"]

    assert [call["arguments"]["number"] for call in others] == [1, 2]
    assert same == [first]


def test_an_empty_log_says_so() -> None:
    assert run("--text").stdout == "No call is in the log.\n"


def test_calls_are_followed_as_they_are_made(
    own_log: CallLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call is there, one is made between two looks; then the user has seen enough."""
    with own_log.watch("web_search", {"number": 1}):
        pass
    own_log.flush()
    looks = iter([1])

    def wait(seconds: float) -> None:
        if next(looks, None) is None:
            raise KeyboardInterrupt
        monkeypatch.undo()
        with own_log.watch("web_search", {"number": 2}):
            pass
        own_log.flush()
        monkeypatch.setattr("webquarry.cli.store.time.sleep", wait)

    monkeypatch.setattr("webquarry.cli.store.time.sleep", wait)
    lines = run("--follow", "--json").stdout.splitlines()

    assert [json.loads(line)["arguments"]["number"] for line in lines] == [1, 2]
