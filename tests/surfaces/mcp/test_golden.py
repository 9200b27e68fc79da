"""The same call gives the same JSON through the library, the command line and MCP, on the recorded web."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp import Client
from typer.testing import CliRunner

import webquarry
from webquarry.errors import WebquarryError
from webquarry.surfaces import library
from webquarry.surfaces.cli import app
from webquarry.surfaces.mcp.server import build_server

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("web_search", {"query": "tidal energy storage"}),
    ("web_search", {"query": "tidal energy storage", "num_results": 2, "claim": "Tides store energy."}),
    ("web_search", {"query": "tidal energy storage", "site": None, "num_results": 3.0}),
    ("scrape_page", {"url": "{page}"}),
    ("scrape_page", {"url": "{page}", "mode": "preview"}),
    ("scrape_page", {"url": "{page}", "outline": True}),
    ("scrape_page", {"url": "{page}", "mode": "raw", "max_length": 2000}),
]
FAILURES: list[tuple[str, dict[str, Any]]] = [
    ("web_search", {}),
    ("web_search", {"query": " "}),
    ("web_search", {"query": "x", "provider": "nobody"}),
    ("web_search", {"query": "x", "limit": 3}),
    ("scrape_page", {"url": "ftp://site.example/"}),
    ("scrape_page", {"url": "http://127.0.0.1/"}),
]


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")


def by_mcp(name: str, arguments: dict[str, Any]) -> Any:
    async def run() -> Any:
        async with Client(build_server("webquarry", "research"), mode="legacy") as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(run())


def by_command_line(name: str, arguments: dict[str, Any]) -> Any:
    done = CliRunner().invoke(app, ["call", name, json.dumps(arguments), "--json"])
    return json.loads(done.stdout)


def filled(arguments: dict[str, Any]) -> dict[str, Any]:
    """With the address of the first page that a search finds where one is needed."""
    if arguments.get("url") != "{page}":
        return arguments
    found = webquarry.call("web_search", query="tidal energy storage").as_dict()
    return arguments | {"url": found["urls"][0]}


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_an_answer_is_the_same_through_every_door(name: str, arguments: dict[str, Any]) -> None:
    arguments = filled(arguments)
    by_library = webquarry.call(name, **arguments).as_dict()

    result = by_mcp(name, arguments)

    assert by_library
    assert by_command_line(name, arguments) == by_library
    assert result.structured_content == by_library
    assert json.loads(result.content[0].text) == by_library


@pytest.mark.parametrize(("name", "arguments"), FAILURES)
def test_a_failure_is_told_in_the_same_words_through_every_door(name: str, arguments: dict[str, Any]) -> None:
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
