"""The front of a server over HTTP: what it answers itself, what it hands on, and what it leaves of
an answer that takes long or that nobody waits for.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS
from scripts.mcp_clients.calls import CALLS, SESSION, fill_session
from starlette.types import Message, Receive, Scope, Send

from tests.surfaces.server.asgi import Answered, asked, scope_of
from tests.surfaces.server.http_process import HEADERS, MODERN, http_server, modern
from webquarry import meter
from webquarry.errors import WebquarryError
from webquarry.surfaces.mcp.front.light_loop import frame
from webquarry.surfaces.mcp.front.prepared import find_prepared
from webquarry.surfaces.mcp.front.protocol import KnownRequests
from webquarry.surfaces.server.front.application import Admission, HttpFront
from webquarry.surfaces.server.front.heads import HeadCheck
from webquarry.surfaces.server.slow_clients import SlowClientLimits

LOCAL = HEADERS | {"Host": "localhost:80"}
CALL = {"name": "web_search", "arguments": {"query": "x"}}
REPLAY = {"WEBQUARRY_REPLAY": "demo"}


class Calls:
    """Tools whose answer is made by a function."""

    def __init__(self, make: Callable[[], Awaitable[bytes]]) -> None:
        self._make = make

    async def answer(self, message: Any, revision: str) -> bytes:
        return frame(message, await self._make())


async def make_result() -> bytes:
    return b'{"made":true}'


async def hand_on(scope: Scope, receive: Receive, send: Send) -> None:
    """The application behind: it says what it was given."""
    body = (await receive()).get("body", b"")
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": body})


def build(calls: Any = None, seconds: float = 60, set_name: str = "research") -> HttpFront:
    prepared = find_prepared("webquarry", set_name)
    assert prepared is not None
    heads = HeadCheck(["http://localhost:*"], ["localhost:*"], 4096, 10_000)
    admission = Admission(heads, SlowClientLimits(hand_on, 10_000))
    tools: Any = calls or Calls(make_result)
    return HttpFront(hand_on, KnownRequests(prepared.load()), tools, admission, seconds)


def ask(message: Any, headers: Any = LOCAL, **parts: Any) -> Answered:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return asyncio.run(asked(build(**parts), headers=headers, body=body))


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


@pytest.mark.parametrize("method", ["ping", "tools/list", "prompts/list", "resources/list"])
def test_what_is_prepared_is_one_json_answer_with_an_id(method: str) -> None:
    answer = ask(request(method), LOCAL | {"X-Request-Id": "from-my-proxy"})

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["x-request-id"] == "from-my-proxy"
    assert json.loads(answer.body)["id"] == 7


def test_a_call_is_answered_by_the_tool() -> None:
    made = ask(request("tools/call", **CALL))

    assert json.loads(made.body) == {"jsonrpc": "2.0", "id": 7, "result": {"made": True}}


@pytest.mark.parametrize("raised", [WebquarryError("No key."), ImportError("no module")])
def test_a_tool_that_does_not_even_load_costs_its_own_call_its_answer(raised: Exception) -> None:
    async def fail() -> bytes:
        raise raised

    answer = json.loads(ask(request("tools/call", **CALL), calls=Calls(fail)).body)

    assert answer["id"] == 7
    is_ours = isinstance(raised, WebquarryError)
    assert ("result" in answer, "error" in answer) == (is_ours, not is_ours)


def test_a_notification_is_accepted_and_nothing_comes_of_it() -> None:
    answer = ask({"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize(
    ("message", "headers"),
    [
        (request("tools/call", **CALL, _meta={"progressToken": 1}), LOCAL),
        (request("tools/call", name="nobody"), LOCAL),
        (request("resources/read", uri="lenses://catalog"), LOCAL),
        (request("nobody/knows"), LOCAL),
        ([request("ping")], LOCAL),
        (b"{", LOCAL),
        (b"[" * 5000, LOCAL),
        (request("ping", x="x" * 10_000), LOCAL),
        (request("ping"), LOCAL | {"Host": "evil.example"}),
        (request("ping"), LOCAL | {"Origin": "http://evil.example"}),
        (request("ping"), LOCAL | {"Accept": "application/json"}),
        (request("ping"), LOCAL | {"Content-Type": "text/plain"}),
        (request("ping"), LOCAL | {"Content-Length": "10001"}),
        (request("ping"), LOCAL | {"X-Filler": "x" * 5000}),
        (request("ping"), LOCAL | {"MCP-Protocol-Version": "1999-01-01"}),
        (request("tools/list"), LOCAL | {"MCP-Protocol-Version": MODERN}),
    ],
)
def test_what_is_not_certainly_in_order_is_handed_on_as_it_came(
    message: Any, headers: dict[str, str]
) -> None:
    sent = message if isinstance(message, bytes) else json.dumps(message).encode()
    answer = ask(message, headers)

    assert (answer.status, answer.body) == (299, sent)


def test_a_request_of_the_newest_revision_is_answered_if_its_head_says_the_same() -> None:
    body, headers = modern("tools/call", **CALL)

    assert ask(body, LOCAL | headers).status == 200
    assert ask(body, LOCAL | headers | {"Mcp-Name": "scrape_page"}).status == 299
    assert ask(body, LOCAL | headers | {"Mcp-Param-Query": "x"}).status == 299


def test_a_request_is_measured_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    ended: list[Any] = []

    class Listener:
        def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
            """Nothing is counted here."""

        def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
            ended.append((name, outcome, labels))

        def within(self, name: str, labels: dict[str, str]) -> Any:
            import contextlib

            return contextlib.nullcontext()

    listener = Listener()
    meter.listen(listener)
    try:
        with caplog.at_level(logging.INFO, "webquarry"):
            ask(request("ping"))
    finally:
        meter.unlisten(listener)

    assert ended == [("request", "200", {"path": "/mcp"})]
    assert [record.getMessage().split(" in ")[0] for record in caplog.records] == ["POST /mcp 200"]


def test_a_call_that_takes_long_is_answered_by_a_stream_that_stays_alive() -> None:
    async def run() -> list[Message]:
        sent: list[Message] = []
        pinged_twice = asyncio.Event()

        async def make_later() -> bytes:
            await pinged_twice.wait()
            return b'{"late":true}'

        async def send(message: Message) -> None:
            sent.append(message)
            if len(sent) == 3:
                pinged_twice.set()

        body = json.dumps(request("tools/call", **CALL)).encode()
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return waiting.pop() if waiting else await asyncio.Future[Message]()

        front = build(Calls(make_later), seconds=0.01)
        await front(scope_of("/mcp", LOCAL), receive, send)
        return sent

    start, *events = asyncio.run(asyncio.wait_for(run(), 30))

    assert dict(start["headers"])[b"content-type"] == b"text/event-stream"
    assert b"x-request-id" in dict(start["headers"])
    assert {event["body"] for event in events[:-1]} == {b": ping\r\n\r\n"}
    assert events[-1]["body"].startswith(b"event: message\r\ndata: {")
    assert b'"late":true' in events[-1]["body"]
    assert not events[-1]["more_body"]


def test_a_client_that_hangs_up_ends_the_call_that_is_made_for_it() -> None:
    async def run() -> bool:
        is_begun, is_ended = asyncio.Event(), asyncio.Event()

        async def make_never() -> bytes:
            is_begun.set()
            try:
                return await asyncio.Future[bytes]()
            finally:
                is_ended.set()

        body = json.dumps(request("tools/call", **CALL)).encode()
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            await is_begun.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            raise AssertionError(message)

        await build(Calls(make_never))(scope_of("/mcp", LOCAL), receive, send)
        return is_ended.is_set()

    assert asyncio.run(asyncio.wait_for(run(), 30))


@pytest.mark.parametrize("revision", KNOWN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize(("set_name", "most"), [("research", 28_000), ("core", 12_000)])
def test_the_list_of_tools_is_small_on_the_wire(set_name: str, most: int, revision: str) -> None:
    body, headers = modern("tools/list")
    if revision != MODERN:
        body, headers = request("tools/list"), {"MCP-Protocol-Version": revision}
    answer = ask(body, LOCAL | headers, set_name=set_name)

    assert answer.status == 200
    assert len(json.loads(answer.body)["result"]["tools"]) > 2
    assert len(answer.body) <= most


@pytest.mark.slow
def test_a_client_finds_every_answer_in_order_by_the_schemas_that_are_listed() -> None:
    """The client of the SDK validates what it gets by the output schema of the list."""

    async def run() -> None:
        with http_server(REPLAY) as served:
            async with Client(served.url) as client:
                await client.list_tools()
                session = ""
                for name, arguments in CALLS["research"].items():
                    result = await client.call_tool(name, fill_session(arguments, session))
                    assert not result.is_error, (name, result.content)
                    assert result.structured_content, name
                    session = result.structured_content.get("sessionId", session)

    assert SESSION in json.dumps(CALLS)
    asyncio.run(asyncio.wait_for(run(), 120))
