"""Batches over HTTP: of revision 2025-03-26, whose clients name no revision, and of no other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest

from tests.surfaces.server.asgi import asked
from tests.surfaces.server.http_process import HEADERS, Served, http_server
from webquarry.surfaces.mcp.wire.http_batches import BatchRequests


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with http_server({"WEBQUARRY_REPLAY": "demo"}) as server:
        yield server


def post(served: Served, body: Any, headers: Mapping[str, str] | None = None) -> httpx2.Response:
    return httpx2.post(
        served.url, json=body, headers=HEADERS | dict(headers or {}), timeout=30, trust_env=False
    )


def request(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


@pytest.mark.parametrize("headers", [{}, {"MCP-Protocol-Version": "2025-03-26"}])
def test_a_batch_is_answered_by_one_list(served: Served, headers: Mapping[str, str]) -> None:
    query = {"query": "tidal energy storage"}
    batch = [
        request(1, "tools/call", name="web_search", arguments=query),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("two", "tools/list"),
        request(3, "tools/call", name="no_such_tool", arguments={}),
        request(4, "initialize", protocolVersion="2025-03-26"),
        5,
    ]
    answer = post(served, batch, headers)
    by_id = {one["id"]: one for one in answer.json()}

    assert (answer.status_code, len(answer.json())) == (200, 5)
    assert by_id[1]["result"]["structuredContent"]["results"]
    assert len(by_id["two"]["result"]["tools"]) == 13
    assert by_id[3]["error"]["code"] == -32602
    assert by_id[4]["error"]["code"] == by_id[None]["error"]["code"] == -32600


def test_a_batch_of_notifications_alone_is_accepted_and_not_answered(served: Served) -> None:
    answer = post(served, [{"jsonrpc": "2.0", "method": "notifications/initialized"}])

    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_other_revisions_refuse_a_batch_in_plain_words(served: Served, version: str) -> None:
    answer = post(served, [request(1, "tools/list")], {"MCP-Protocol-Version": version})
    error = answer.json()["error"]

    assert answer.status_code == 400
    assert error["code"] == -32600
    assert "pydantic" not in error["message"]


@pytest.mark.parametrize("batch", [[], [request(n, "ping") for n in range(101)]])
def test_an_empty_batch_and_a_very_long_one_are_refused(served: Served, batch: Any) -> None:
    answer = post(served, batch)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)


def test_a_batch_under_another_host_is_refused_as_a_single_message_is(served: Served) -> None:
    single = post(served, request(1, "ping"), {"Host": "evil.example"})
    batch = post(served, [request(1, "ping")], {"Host": "evil.example"})

    assert (batch.status_code, batch.content) == (single.status_code, single.content)
    assert batch.status_code == 421


def test_each_message_of_a_batch_is_a_request_of_its_own() -> None:
    """Those behind count and refuse them one by one: the second of these three is too much."""
    bodies: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        message = json.loads((await receive())["body"])
        bodies.append(message)
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
        status = 200
        if len(bodies) == 2:
            answer = {"error": "rate_limited", "error_description": "That is enough."}
            status = 429
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})

    batch = [request(n, "ping") for n in (1, 2, 3)]
    door = BatchRequests(app, ["/mcp"], 100_000)
    found = asyncio.run(asked(door, body=json.dumps(batch).encode()))
    answers = json.loads(found.body)

    assert bodies == batch
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert answers[1]["error"] == {"code": -32000, "message": "That is enough."}
    assert answers[2]["result"] == {}
