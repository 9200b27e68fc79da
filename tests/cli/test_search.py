"""`webquarry search` and `webquarry cache`, run as a user runs them."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

import webquarry
from tests.cli.test_app import Runner, on_terminal, without_colours
from tests.executables import Answer, Asked, Site, as_json
from tests.mcp.in_process import call as call_tool
from webquarry.cli.app import load_command
from webquarry.toolkit import Toolkit
from webquarry.tools import load

RECORDED = {"WEBQUARRY_REPLAY": "demo", "BRAVE_API_KEY": "demo"}
QUERY = "tidal energy storage"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


def found(run: Runner, *arguments: str, settings: dict[str, str] = RECORDED) -> dict[str, Any]:
    done = run("search", *arguments, settings=settings)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("search", "web_search"),
        ("papers", "academic_search"),
        ("patents", "patent_search"),
        ("read", "scrape_page"),
    ],
)
def test_options_of_a_command_are_the_parameters_of_its_tool(command: str, tool: str) -> None:
    found: Any = load_command(command)
    parameters = list(inspect.signature(load("research", tool).function).parameters.values())[1:]
    parameters = [one for one in parameters if one.name != "again"]  # has no effect
    defaults = found.build_arguments(found.make_context(command, ["example.org"]).params)

    assert set(defaults) == {parameter.name for parameter in parameters}
    for parameter in parameters:
        if parameter.name not in ("query", "url") and defaults[parameter.name] is not None:
            assert defaults[parameter.name] == parameter.default


def test_the_json_is_the_tools_answer_through_every_door(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments: dict[str, Any] = {
        "query": QUERY,
        "num_results": 3,
        "claim": "A battery fills the gap",
    }
    by_flags = run(
        "search", QUERY, "-n", "3", "--claim", "A battery fills the gap", settings=RECORDED
    )
    by_call = run("call", "web_search", json.dumps(arguments), settings=RECORDED)
    for name, value in RECORDED.items():
        monkeypatch.setenv(name, value)

    async def by_protocol() -> types.CallToolResult:
        async with Toolkit.open() as kit:
            return await call_tool(load("research", "web_search"), kit, arguments)

    assert by_flags.stdout == by_call.stdout
    data = json.loads(by_flags.stdout)
    assert data == webquarry.call("web_search", **arguments).as_dict()
    answer = asyncio.run(by_protocol())
    assert answer.structured_content == data
    assert isinstance(answer.content[0], types.TextContent)
    assert json.loads(answer.content[0].text) == data
    assert set(answer.meta or {}) >= {"webquarry/cache", "webquarry/routing"}


def test_a_person_gets_a_numbered_list() -> None:
    seen = without_colours(on_terminal("search", QUERY, "-n", "3", **RECORDED))

    assert " 1. Storing the tide" in seen
    assert "https://tidelines.example/2026/09/storing-the-tide\n    2026-09-14" in seen


def test_explain_writes_the_providers_to_stderr_next_to_json(run: Runner) -> None:
    routing = RECORDED | {"SEARCH_ROUTING": "tavily,brave,duckduckgo"}
    explained, plain = (
        run("search", QUERY, "--explain", settings=routing),
        run("search", QUERY, settings=routing),
    )
    lines = explained.stderr.decode().splitlines()

    assert plain.stdout == explained.stdout
    assert lines[0] == "Order: tavily, brave, duckduckgo (set by SEARCH_ROUTING)"
    assert lines[1].startswith("1. tavily: auth, 0.00 s. TAVILY_API_KEY was not found.")
    assert lines[2].startswith("2. brave: ok, ")


@pytest.fixture
def engine() -> Iterator[Site]:
    """Brave on 127.0.0.1, which finds one page, or nothing for the word nothing."""

    def answer(asked: Asked) -> Answer:
        hits = (
            []
            if "nothing" in asked.target
            else [{"title": "T", "url": "https://a.org/", "description": "D"}]
        )
        return as_json({"query": {"more_results_available": False}, "web": {"results": hits}})

    with Site(answer) as site:
        yield site


def environment(site: Site, folder: Path) -> dict[str, str]:
    only_brave = {
        "BRAVE_API_KEY": "canary-brave-5f1e",
        "WEBQUARRY_BRAVE_URL": site.origin,
        "SEARCH_PROVIDER": "brave",
    }
    return only_brave | {"WEBQUARRY_CACHE_FOLDER": str(folder), "retries": "0"}


def test_no_results_exit_with_0_and_suggestions(run: Runner, engine: Site, tmp_path: Path) -> None:
    done = run(
        "search", "nothing", "--time-range", "day", "--text", settings=environment(engine, tmp_path)
    )

    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[:2] == [
        "Nothing was found.",
        "  Try: without --time-range",
    ]


def test_a_second_process_finds_the_answer_in_the_cache_which_can_be_counted_and_cleared(
    run: Runner, engine: Site, tmp_path: Path
) -> None:
    settings = environment(engine, tmp_path / "cache")

    def apart(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-W", "error", "-m", "webquarry", *arguments]
        return subprocess.run(
            command, env=dict(os.environ) | settings, capture_output=True, timeout=60, check=True
        )

    def stats() -> dict[str, Any]:
        report: dict[str, Any] = json.loads(run("cache", "stats", settings=settings).stdout)
        return report

    assert stats()["entries"] == 0
    assert not (tmp_path / "cache").exists(), "to look does not make it"
    first, second = apart("search", "tides"), apart("search", "tides", "--explain")
    assert first.stdout == second.stdout
    assert first.stderr == b"", "everything that was opened is closed"
    assert second.stderr.decode().splitlines()[1].startswith("From the cache, ")
    assert len(engine.asked) == 1

    report = stats()
    assert (report["enabled"], report["entries"]) == (True, 1)
    assert report["bytes"] > 100
    assert report["place"] == str(tmp_path / "cache" / "cache.sqlite3")
    assert json.loads(run("cache", "clear", settings=settings).stdout) == {"cleared": 1}
    assert stats()["entries"] == 0
    assert b"canary" not in (tmp_path / "cache" / "cache.sqlite3").read_bytes()


@pytest.mark.parametrize("command", ["search", "papers", "patents"])
def test_blank_query_says_what_to_do(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = Runner(monkeypatch)(command, " ")

    assert done.returncode == 1
    assert "The query is blank.\nTry: Say what to search for." in done.stderr.decode()
