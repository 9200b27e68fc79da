"""The same call returns the same JSON from the library, the command line and MCP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp import Client

import webquarry
from tests.mcp.in_process import with_client
from webquarry import api as library
from webquarry._read.workers.job import RunnerKind
from webquarry.api import call_with
from webquarry.cli.app import cli as app
from webquarry.errors import WebquarryError

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("web_search", {"query": "tidal energy storage"}),
    ("web_search", {"query": "tidal energy storage", "site": None, "num_results": 3.0}),
    (
        "academic_search",
        {
            "query": "tidal energy storage",
            "year_from": 2024.0,
            "num_results": 2,
            "open_access": True,
        },
    ),
    ("scrape_page", {"url": "{page}"}),
    ("scrape_page", {"url": "{page}", "question": "vanadium flow battery", "max_tokens": 120}),
    ("scrape_page", {"url": "{page}", "mode": "raw", "max_length": 2000}),
    ("search_and_scrape", {"query": "tidal energy storage"}),
    (
        "search_and_scrape",
        {
            "query": "tidal energy storage",
            "num_results": 8,
            "claim": "Tides store 12 MWh of energy.",
        },
    ),
    ("patent_search", {"query": "tidal turbine folding blades"}),
    ("patent_search", {"query": "US10999998B2"}),
    (
        "format_bibliography",
        {"sources": ["https://doi.org/10.1000/182", {"url": "https://a.org/p", "title": "P {x}"}]},
    ),
]
FAILURES: list[tuple[str, dict[str, Any]]] = [
    ("web_search", {}),
    ("web_search", {"query": "x", "provider": "nobody"}),
    ("search_and_scrape", {"query": "x", "provider": "nobody"}),
    ("scrape_page", {"url": "ftp://site.example/"}),
    ("scrape_page", {"url": "http://127.0.0.1/"}),
    ("sequential_search", {"searchStep": "x", "stepNumber": 2}),
    ("sequential_search", {"searchStep": "x", "stepNumber": 2, "sessionId": "s-1"}),
    ("get_research_session", {"sessionId": "s-1"}),
    ("format_bibliography", {}),
]
STYLES = ("apa", "mla", "bibtex", "ris", "csl-json")
# The calls of a research session; each interface gets its own record.
STORY: list[tuple[str, dict[str, Any]]] = [
    (
        "sequential_search",
        {
            "searchStep": "Who stores tidal energy?",
            "stepNumber": 1,
            "researchGoal": "Tidal storage",
        },
    ),
    ("web_search", {"query": "tidal energy storage", "sessionId": "{session}"}),
    ("scrape_page", {"url": "{page}", "sessionId": "{session}"}),
    (
        "sequential_search",
        {
            "searchStep": "And what of it?",
            "stepNumber": 2,
            "sessionId": "{session}",
            "depth": "thorough",
        },
    ),
    (
        "sequential_search",
        {"searchStep": "Who does?", "stepNumber": 3, "sessionId": "{session}", "revisesStep": 1},
    ),
    ("get_research_session", {"sessionId": "{session}"}),
    ("get_research_session", {"sessionId": "{session}", "stepNumber": 2}),
    ("research_export", {"sessionId": "{session}"}),
    ("research_export", {"sessionId": "{session}", "format": "json", "verify_links": True}),
    *(("format_bibliography", {"sessionId": "{session}", "style": style}) for style in STYLES),
    ("sequential_search", {"searchStep": "Again.", "stepNumber": 1}),
    ("sequential_search", {"searchStep": "Again.", "stepNumber": 1}),
]


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")


def by_mcp(name: str, arguments: dict[str, Any]) -> Any:
    async def work(client: Client) -> Any:
        return await client.call_tool(name, arguments)

    return with_client(work)


def by_command_line(name: str, arguments: dict[str, Any]) -> Any:
    done = CliRunner().invoke(app, ["call", name, json.dumps(arguments), "--json"])
    return json.loads(done.stdout)


def filled(arguments: dict[str, Any]) -> dict[str, Any]:
    """Replace {page} by the first page that a search finds."""
    if arguments.get("url") != "{page}":
        return arguments
    found = webquarry.call("web_search", query="tidal energy storage").as_dict()
    return arguments | {"url": found["urls"][0]}


@pytest.mark.slow
def test_answers_are_equal_for_every_kind_of_page_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("read_workers", "1")
    monkeypatch.setenv("WEBQUARRY_CACHE", "0")
    url = "https://tidelines.example/2026/09/storing-the-tide"
    calls: list[tuple[str, dict[str, Any]]] = [
        ("scrape_page", {"url": url}),
        ("scrape_page", {"url": url, "mode": "raw"}),
        ("scrape_page", {"url": url, "question": "What stores the tide?"}),
        ("search_and_scrape", {"query": "tidal energy storage", "claim": "Tides store energy."}),
    ]
    runners: list[RunnerKind] = ["workers", "fork", "threads"]
    answers = []
    for runner in runners:
        found = [call_with(name, arguments, "research", runner) for name, arguments in calls]
        answers.append([json.dumps(answer.as_dict()) for answer in found])

    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_answers_are_equal_in_every_interface(name: str, arguments: dict[str, Any]) -> None:
    arguments = filled(arguments)
    by_library = webquarry.call_with(name, arguments).as_dict()

    result = by_mcp(name, arguments)

    assert by_library
    assert by_command_line(name, arguments) == by_library
    assert result.structured_content == by_library
    assert json.loads(result.content[0].text) == by_library


def by_library(name: str, arguments: dict[str, Any]) -> Any:
    return webquarry.call_with(name, arguments).as_dict()


def by_structured_content(name: str, arguments: dict[str, Any]) -> Any:
    return by_mcp(name, arguments).structured_content


def run_story(interface: Callable[[str, dict[str, Any]], Any]) -> list[Any]:
    """The answers to the calls of STORY."""
    page = webquarry.call("web_search", query="tidal energy storage").as_dict()["urls"][0]
    answers: list[Any] = []
    for name, arguments in STORY:
        session = answers[0]["sessionId"] if answers else ""
        places = {"{session}": session, "{page}": page}
        filled_in = {key: places.get(value, value) for key, value in arguments.items()}
        answers.append(interface(name, filled_in))
    return answers


@pytest.mark.slow
def test_research_sessions_are_equal_in_every_interface(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stories = []
    for number, interface in enumerate(
        [by_library, by_command_line, by_structured_content, by_library]
    ):
        monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path / str(number)))
        stories.append(run_story(interface))

    assert stories[1:] == [stories[0]] * 3
    recovered = stories[0][5]
    assert recovered["stepIndex"][0]["supersededBy"] == 3
    assert recovered["sources"][0]["read"]
    assert "### Step 1 (superseded by step 3)" in stories[0][7]["content"]
    assert stories[0][8]["sources"][0]["link"] == {"state": "ok"}
    assert all(
        answer["count"] == recovered["summary"]["readSources"] for answer in stories[0][9:14]
    )
    assert len({answer["sessionId"] for answer in (stories[0][0], *stories[0][-2:])}) == 3


@pytest.mark.parametrize(("name", "arguments"), FAILURES)
def test_failures_have_the_same_text_in_every_interface(
    name: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(WebquarryError) as caught:
        library.call_with(name, arguments)
    error = caught.value

    result = by_mcp(name, arguments)

    assert result.is_error
    assert result.content[0].text == f"{error.message} {error.suggested_action}"
    assert json.loads(result.content[1].text) == {
        key: value for key, value in error.as_dict().items() if key != "message"
    }
    assert error.message in json.dumps(by_command_line(name, arguments), ensure_ascii=False)
