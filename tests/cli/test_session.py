"""The command `webquarry session`: which sessions there are, what one holds, and its export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import webquarry
from webquarry.cli.app import cli as app


@pytest.fixture(autouse=True)
def own_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path))


def session(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["session", *arguments])


def begin(text: str, **arguments: Any) -> str:
    answer = webquarry.call("sequential_search", searchStep=text, stepNumber=1, **arguments)
    return str(answer.as_dict()["sessionId"])


def researched() -> str:
    id = begin("Tides cannot be stored.", researchGoal="Storing [bold]the tide[/bold]")
    webquarry.call("web_search", query="tidal energy storage", num_results=3, sessionId=id)
    webquarry.call(
        "sequential_search", searchStep="They can.", stepNumber=2, revisesStep=1, sessionId=id
    )
    return id


def test_sessions_are_listed_with_their_goals_and_counts() -> None:
    id, other = researched(), begin("Another one.")

    found = json.loads(session("list", "--json").stdout)["sessions"]
    text = session("list", "--text").stdout

    assert {one["sessionId"] for one in found} == {id, other}
    assert {(one["goal"], one["totalSteps"], one["totalSources"]) for one in found} == {
        ("Storing [bold]the tide[/bold]", 2, 3),
        ("Another one.", 1, 0),
    }
    assert f"{id} 2 steps, 3 sources, in progress Storing [bold]the tide[/bold]" in text


def test_one_is_shown_with_steps_and_sources_and_may_be_named_by_its_beginning() -> None:
    id = researched()

    done = session("show", id[:6], "--text")
    lines = done.stdout.splitlines()

    assert done.exit_code == 0
    assert lines[0] == "Storing [bold]the tide[/bold]"
    assert "1. Tides cannot be stored. (superseded by step 2)" in lines
    assert any(line.startswith("[1] ") for line in lines)
    assert (
        json.loads(session("show", id).stdout)
        == webquarry.call("get_research_session", sessionId=id).as_dict()
    )


def test_an_export_is_markdown_on_stdout_and_nothing_else() -> None:
    id = researched()

    done = session("export", id)

    assert done.stdout == webquarry.call("research_export", sessionId=id).as_dict()["content"]
    assert done.stderr == ""
    assert "## Sources\n\n1. " in done.stdout
    assert "Link:" not in done.stdout


@pytest.mark.parametrize("command", ["show", "export"])
def test_unknown_session_error_has_an_action(command: str) -> None:
    done = session(command, "zzz")

    assert done.exit_code == 1
    assert "There is no research session 'zzz'." in done.stderr
    assert "Try: `webquarry session list` shows all" in done.stderr


def test_a_step_without_words_is_refused_in_the_words_of_the_command_line() -> None:
    for words in (["new", " "], ["step", begin("One."), ""], ["note", begin("Two."), " "]):
        done = session(*words)

        assert done.exit_code == 1
        assert "Error: The text is empty." in done.stderr


def test_a_beginning_that_means_several_sessions_is_refused() -> None:
    begin("One."), begin("Two.")

    done = session("export", "")

    assert done.exit_code == 1
    assert "2 sessions start with ''" in done.stderr
    assert done.stdout == ""


def test_a_session_is_begun_gone_on_with_and_finished_by_hand() -> None:
    begun = json.loads(session("new", "How", "is", "it", "stored?").stdout)
    id = begun["sessionId"]
    step = json.loads(session("step", id[:8], "It", "is", "not.", "--confidence", "low").stdout)
    note = json.loads(session("note", id, "Ask", "Marit.").stdout)
    last = session("step", id, "It is.", "--revises", "2", "--done", "--text")

    found = webquarry.call("get_research_session", sessionId=id).as_dict()
    assert (step["stepNumber"], note["stepNumber"]) == (2, 3)
    assert last.stdout.startswith("Step 4 is recorded.\nThe session is finished.\n")
    assert found["summary"]["researchGoal"] == "How is it stored?"
    assert found["status"] == "finished"
    assert [one["text"] for one in found["stepIndex"]] == [
        "How is it stored?", "It is not.", "Note: Ask Marit.", "It is.",
    ]  # fmt: skip
    assert found["stepIndex"][1]["supersededBy"] == 4


@pytest.mark.parametrize("command", [("new", ""), ("step", "{id}", " "), ("note", "{id}", "")])
def test_nothing_to_record_is_an_error(command: tuple[str, ...]) -> None:
    id = begin("One.")

    done = session(*(word.format(id=id) for word in command))

    assert done.exit_code == 1
    assert "Error: " in done.stderr
    assert (
        webquarry.call("get_research_session", sessionId=id).as_dict()["summary"]["totalSteps"] == 1
    )


def delete(*arguments: str, answer: str) -> Result:
    return CliRunner().invoke(app, ["session", "delete", *arguments], input=answer)


@pytest.mark.parametrize("answer", ["n\n", "", "perhaps\n"])
def test_delete_needs_confirmation(
    answer: str,
) -> None:
    id = researched()

    done = delete(id, answer=answer)

    assert done.exit_code == 1
    assert "It cannot be undone" in done.stderr
    assert f"webquarry session export {id}" in done.stderr
    assert webquarry.call("get_research_session", sessionId=id)


@pytest.mark.parametrize(("flags", "answer"), [((), "y\n"), (("--yes",), "")])
def test_delete_removes_only_the_named_session(flags: tuple[str, ...], answer: str) -> None:
    id, other = researched(), begin("Another one.")

    done = delete(id[:8], *flags, answer=answer)

    assert done.exit_code == 0
    assert json.loads(done.stdout) == {"deleted": id}
    left = json.loads(session("list").stdout)["sessions"]
    assert [one["sessionId"] for one in left] == [other]
    assert session("show", id).exit_code == 1
    assert session("delete", id, "--yes").exit_code == 1
