"""The server on stdio line by line: invalid lines, batches, and calls in progress at EOF."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.duckduckgo_site import Asked, DuckDuckGoSite, as_recorded
from tests.mcp.stdio_process import PATIENCE, Lines, lines

CALL = (
    '{"jsonrpc": "2.0", "id": %s, "method": "tools/call",'
    ' "params": {"name": "web_search", "arguments": {"query": %s}}}'
)


@pytest.fixture
def site() -> Iterator[DuckDuckGoSite]:
    with DuckDuckGoSite(as_recorded) as site:
        yield site


def call(id: int, name: str = "web_search", **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def answers_by_id(server: Lines, number: int) -> dict[Any, Any]:
    """The next responses by their ids."""
    answers = [server.read() for _ in range(number)]
    return {answer["id"]: answer for answer in answers}


# --- invalid lines


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("garbage", -32700),
        ("{", -32700),
        ("\x00", -32700),
        ("é\ud7ff", -32700),
        ("[]", -32600),
        ("null", -32600),
        ('{"jsonrpc": "2.0"}', -32600),
        ("[" * 10_000, -32600),
    ],
)
def test_invalid_line_is_answered_and_the_next_one_is_handled(
    site: DuckDuckGoSite, line: str, code: int
) -> None:
    with lines(site.environ) as server:
        server.write("")  # ignored
        server.write(line)
        answer = server.read()
        assert (answer["id"], answer["error"]["code"]) == (None, code)
        assert len(server.ask("tools/list")["tools"]) == 2
        assert server.end()[:2] == (0, "")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-11-25"])
def test_too_deep_request_or_too_long_number_is_refused_with_its_id(
    site: DuckDuckGoSite, version: str
) -> None:
    with lines(site.environ, version=version) as server:
        server.write(CALL % (71, "[" * 300 + "]" * 300))
        server.write(CALL % ('"seventy-two"', "9" * 5_000))
        server.write(CALL % (73, "[" * 50_000))
        answers = answers_by_id(server, 3)

    assert answers.keys() == {71, "seventy-two", 73}
    assert {answer["error"]["code"] for answer in answers.values()} <= {-32600, -32700}


# --- batches


# --- the end of stdin


def test_calls_in_progress_are_answered_after_stdin_is_closed() -> None:
    asked, may_answer = threading.Event(), threading.Event()

    def answer(request: Asked) -> bytes:
        asked.set()
        may_answer.wait(PATIENCE)
        return as_recorded(request)

    with DuckDuckGoSite(answer) as site, lines(site.environ) as server:
        server.write(json.dumps(call(71, query="seal wear")))
        server.write(json.dumps(call(72, "instant_answer", query="sample")))
        assert asked.wait(PATIENCE)
        assert server.process.stdin
        server.process.stdin.close()
        server.process.stdin = None
        may_answer.set()
        code, out, err = server.end()

    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    assert (code, err) == (0, "")
    assert answers.keys() == {71, 72}
    assert not any(answer["result"]["isError"] for answer in answers.values())
