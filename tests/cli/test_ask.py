"""`webquarry ask`, run as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ask.fakes import MODEL_KEY, SEARCH_KEY, FakeServers, home
from tests.cli.test_app import Runner


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


@pytest.fixture
def stage() -> Iterator[FakeServers]:
    with FakeServers() as stage:
        yield stage


def test_the_answer_and_its_sources_are_on_stdout_and_the_cost_on_stderr(
    run: Runner, stage: FakeServers, tmp_path: Path
) -> None:
    stage.answer = lambda question, model: "Nobody.\x1b[31m"
    done = run(
        "ask", "Who? [search]", "--context", "httpx2", "--text", settings=home(stage, tmp_path)
    )

    assert done.returncode == 0
    assert done.stdout.decode().startswith(
        "Nobody.\n\nSources\n 1. httpx2 (1) https://site1.example/\n"
    )
    assert done.stderr.decode().startswith("claude-sonnet-5-5: 2 calls, 1 search, ")
    assert done.stderr.decode().endswith(" USD\n")
    assert stage.bodies[0]["messages"][0]["content"] == "Context: httpx2\n\nQuestion: Who? [search]"


def test_as_json_it_is_one_object_and_the_second_time_it_costs_nothing(
    run: Runner, stage: FakeServers, tmp_path: Path
) -> None:
    both = [run("ask", "Who?", settings=home(stage, tmp_path)) for _ in range(2)]
    first, second = (json.loads(done.stdout) for done in both)

    assert (first["remembered"], second["remembered"]) == (False, True)
    assert first["answer"] == second["answer"]
    assert first["usage"]["usd"] > 0 == second["usage"]["usd"]
    assert b"stored answer; it cost nothing" in both[1].stderr
    assert stage.messages == 1


def test_every_flag_reaches_the_model(run: Runner, stage: FakeServers, tmp_path: Path) -> None:
    stage.answer = lambda question, model: '{"year": 1843}'
    flags = (
        "--model",
        "claude-haiku-5-5",
        "--max-tokens",
        "77",
        "--no-search",
        "--schema",
        '{"year": "INTEGER"}',
    )
    done = run("ask", "When?", *flags, settings=home(stage, tmp_path))
    sent = stage.bodies[0]

    assert (sent["model"], sent["max_tokens"], "tools" in sent, "output_config" in sent) == (
        "claude-haiku-5-5", 77, False, True,
    )  # fmt: skip
    assert json.loads(done.stdout)["value"] == {"year": 1843}


def test_dry_run_reports_the_maximum_cost_without_a_request(
    run: Runner, stage: FakeServers, tmp_path: Path
) -> None:
    done = run("ask", "Who?", "--dry-run", settings=home(stage, tmp_path))

    assert json.loads(done.stdout)["dry_run"]["calls"] == 1
    assert json.loads(done.stdout)["dry_run"]["worst_usd"] > 0.01
    assert stage.messages == 0


def test_more_than_max_usd_is_refused_before_anything_is_spent(
    run: Runner, stage: FakeServers, tmp_path: Path
) -> None:
    done = run("ask", "Who?", "--max-usd", "0.001", settings=home(stage, tmp_path))

    assert done.returncode == 1
    assert "max_usd" in json.loads(done.stdout)["error"]["message"]
    assert stage.messages == 0


def test_without_a_key_it_says_at_once_how_to_give_one(
    run: Runner, stage: FakeServers, tmp_path: Path
) -> None:
    done = run("ask", "Who?", settings=home(stage, tmp_path, ANTHROPIC_API_KEY=""))
    advice = json.loads(done.stdout)["error"]["suggestedAction"]

    assert done.returncode == 1
    assert all(
        way in advice
        for way in ("ANTHROPIC_API_KEY", "~/.stps/anthropic_api_key", "stps_set_api_key")
    )


@pytest.mark.parametrize(
    ("settings", "question"),
    [
        ({"retries": "0"}, "Who? [fail]"),
        ({}, "Who? [refuse]"),
        ({"ANTHROPIC_API_KEY": "sk-bad-key-00"}, "Who?"),
    ],
)
def test_a_failure_is_exit_code_1_with_the_reason_and_no_key(
    run: Runner, stage: FakeServers, tmp_path: Path, settings: dict[str, str], question: str
) -> None:
    done = run("ask", question, settings=home(stage, tmp_path) | settings)

    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["message"]
    for key in (MODEL_KEY, SEARCH_KEY, "sk-bad-key-00"):
        assert key.encode() not in done.stdout + done.stderr
