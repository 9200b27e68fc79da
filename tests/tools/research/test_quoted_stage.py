"""A quote that check_quotes finds for a session makes its source a quoted one, in the session, its
exports and its pack.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import webquarry
from webquarry.cli.app import cli as app

PAGE = "https://tidelines.example/2026/09/storing-the-tide"


@pytest.fixture(autouse=True)
def own_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path / "state"))


def test_a_quote_that_was_checked_is_in_the_session_its_export_and_its_pack(tmp_path: Path) -> None:
    begun = webquarry.call("sequential_search", searchStep="Storing the tide", stepNumber=1)
    id = str(begun.as_dict()["sessionId"])
    webquarry.call("web_search", query="tidal energy storage", sessionId=id)
    page = webquarry.call("scrape_page", url=PAGE, sessionId=id).as_dict()
    sentence = max(re.findall(r"[A-Z][a-z ]{40,200}", page["content"]), key=len)
    checked = webquarry.call(
        "check_quotes",
        quotes=[sentence, "words that nobody has ever written there"],
        sources=[PAGE],
        sessionId=id,
    ).as_dict()
    exported = webquarry.call("research_export", sessionId=id, format="json").as_dict()
    by_url = {source["url"]: source for source in exported["sources"]}

    assert [quote["tier"] for quote in checked["quotes"]] == ["exact", "absent"]
    assert (by_url[PAGE]["stage"], by_url[PAGE]["quoted"]) == ("quoted", 1)
    assert by_url[PAGE]["quotes"][0]["spans"] == [
        [span["start"], span["end"]] for span in checked["quotes"][0]["spans"]
    ]

    file = tmp_path / "evidence.wacz"
    runner = CliRunner()
    assert runner.invoke(app, ["pack", id, "-o", str(file)]).exit_code == 0
    report = json.loads(runner.invoke(app, ["verify", str(file), "--json"]).stdout)
    assert report["intact"]
    assert report["quotes"] == {"absent": 1, "exact": 1}

    draft = tmp_path / "report.md"
    draft.write_text(f'The report says "{sentence.strip()}" ([source]({PAGE})).\n', "utf-8")
    options = ["--source", str(file), "--offline", "--no-references", "--json"]
    check = runner.invoke(app, ["check", str(draft), *options])
    assert check.exit_code == 0, check.output
