"""The MCP server over HTTP: requests and responses, headers, batches, streams, disconnects."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client
from starlette.types import Message

from tests.mcp.asgi import make_scope
from tests.mcp.http_process import HEADERS, MODERN, Served, http_server, modern
from tests.mcp.stdio_process import command_of
from webquarry.mcp.handlers import ToolServer
from webquarry.mcp.http import McpEndpoint
from webquarry.mcp.listing import load_listing
from webquarry.mcp.protocol import Request

REPLAY = {"WEBQUARRY_REPLAY": "demo"}
QUERY = {"query": "tidal energy storage"}
SEARCH = {"name": "web_search", "arguments": QUERY}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with http_server(REPLAY) as served:
        yield served


def post(server: Served, body: Any, headers: Mapping[str, str] | None = None) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = HEADERS | dict(headers or {})
    return httpx2.post(server.url, content=content, headers=sent, timeout=30, trust_env=False)


def message(id: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_paths_respond_without_a_redirect(server: Served, path: str) -> None:
    response = server.post("tools/list", url=server.url.removesuffix("/mcp") + path)

    assert response.status_code == 200
    tools = [tool["name"] for tool in response.json()["result"]["tools"]]
    assert tools[:2] == ["web_search", "scrape_page"]


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_the_sdk_client_lists_and_calls_in_both_eras(server: Served, mode: str) -> None:
    async def run() -> None:
        async with Client(server.url, mode=mode) as client:
            assert len((await client.list_tools()).tools) >= 2
            result = await client.call_tool("web_search", QUERY)
            assert result.structured_content["resultCount"] > 0
            assert result.meta is not None
            assert result.meta["webquarry/receipt"].startswith("wq-")
            names = {resource.name for resource in (await client.list_resources()).resources}
            assert "lenses-catalog" in names

    asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Host": "localhost:80"}, 200),
        ({"Host": "[::1]:80"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000.evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Accept": "application/json"}, 406),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "application/*, text/*;q=0.1"}, 200),
        ({"Content-Type": "text/plain"}, 400),
        ({"Content-Type": "Application/JSON; charset=utf-8"}, 200),
        ({"X-Filler": "x" * 40_000}, 431),
    ],
    ids=str,
)
@pytest.mark.parametrize("era", ["handshake", MODERN])
def test_headers_are_checked_in_both_eras(
    server: Served, era: str, headers: dict[str, str], status: int
) -> None:
    body, usual = modern("tools/list")
    if era != MODERN:
        body, usual = message(1, "tools/list"), {}

    assert post(server, body, usual | headers).status_code == status


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/metrics", "/ui"])
def test_other_host_names_are_refused_on_every_path(server: Served, path: str) -> None:
    port = urlsplit(server.url).port
    ours = [f"127.0.0.1:{port}", f"localhost:{port}", "localhost", f"[::1]:{port}"]
    others = [f"rebound.example:{port}", "rebound.example", "localhost.rebound.example", ""]

    assert {server.get(path, Host=host).status_code for host in ours} == {200}
    assert {server.get(path, Host=host).status_code for host in others} == {421}


@pytest.mark.parametrize("others", [["evil.example"], ["localhost", "evil.example"], [""]])
def test_every_host_header_is_checked(server: Served, others: list[str]) -> None:
    with closing(HTTPConnection(urlsplit(server.url).netloc, timeout=30)) as connection:
        connection.putrequest("GET", "/health/live", skip_host=True)
        for host in ("localhost", *others):
            connection.putheader("Host", host)
        connection.endheaders()
        assert connection.getresponse().status == 421


def test_a_repeated_routing_header_is_refused(server: Served) -> None:
    body, headers = modern("tools/list")
    pairs = [*headers.items(), ("Mcp-Method", "tools/list")]
    response = httpx2.post(server.url, json=body, headers=pairs, trust_env=False)

    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize(
    ("method", "params", "status"),
    [
        ("tools/call", {"name": "no_such_tool", "arguments": {}}, 400),
        ("tools/call", {}, 400),
        ("no/such/method", {}, 404),
        ("tools/list", {"meta": {"io.modelcontextprotocol/protocolVersion": 5}}, 400),
    ],
)
def test_errors_of_2026_07_28_have_http_statuses(
    server: Served, method: str, params: dict[str, Any], status: int
) -> None:
    body, headers = modern(method, **params)
    handshake = post(server, message(1, method, **{k: v for k, v in params.items() if k != "meta"}))

    assert post(server, body, headers).status_code == status
    assert handshake.status_code == 200


def test_a_request_body_over_the_limit_is_refused() -> None:
    with http_server(REPLAY) as served:
        assert served.post("tools/list").status_code == 200
        assert served.post("tools/list", {"cursor": "x" * 1_048_576}).status_code == 413
        assert served.post("tools/list", {"cursor": "x" * 5_000_000}).status_code == 413


def test_progress_notifications_precede_the_response(server: Served) -> None:
    arguments = {"query": "columnar storage formats"}
    meta = {"progressToken": "t"}
    body, headers = modern("tools/call", name="web_search", arguments=arguments, meta=meta)
    response = post(server, body, headers)
    events = [
        json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")
    ]

    assert response.headers["content-type"] == "text/event-stream"
    assert events[0]["params"]["message"].startswith("asking ")
    assert {event["params"]["progressToken"] for event in events[:-1]} == {"t"}
    assert events[-1]["id"] == body["id"]


class Endpoint:
    """The endpoint of a server whose tool is `work`, with a connection that a test controls."""

    def __init__(self, work: Callable[[Request], Awaitable[bytes]], ping_seconds: float) -> None:
        server = ToolServer(load_listing("core"), lambda: pytest.fail("no engine is needed"))
        server.handlers["tools/call"] = work
        self._endpoint = McpEndpoint(server, ping_seconds=ping_seconds)
        self.sent: asyncio.Queue[Message] = asyncio.Queue()
        self.disconnected = asyncio.Event()

    async def call(self) -> None:
        body = json.dumps(message(1, "tools/call", **SEARCH)).encode()
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if messages:
                return messages.pop()
            await self.disconnected.wait()
            return {"type": "http.disconnect"}

        await self._endpoint(make_scope("/mcp", HEADERS), receive, self.sent.put)


def test_a_silent_call_is_answered_with_a_stream_of_pings() -> None:
    async def run() -> list[Message]:
        may_end = asyncio.Event()

        async def work(request: Request) -> bytes:
            await may_end.wait()
            return b'{"late":true}'

        endpoint = Endpoint(work, ping_seconds=0.01)
        call = asyncio.create_task(endpoint.call())
        sent = [await endpoint.sent.get() for _ in range(3)]
        may_end.set()
        await call
        while not endpoint.sent.empty():
            sent.append(endpoint.sent.get_nowait())
        return sent

    start, *events = asyncio.run(asyncio.wait_for(run(), 30))

    assert dict(start["headers"])[b"content-type"] == b"text/event-stream"
    assert {event["body"] for event in events[:-1]} == {b": ping\r\n\r\n"}
    assert events[-1]["body"].startswith(b"event: message\r\ndata: {")
    assert b'"late":true' in events[-1]["body"]
    assert not events[-1]["more_body"]


def test_a_disconnect_cancels_the_call_without_a_response() -> None:
    async def run() -> bool:
        is_started, is_cancelled = asyncio.Event(), False

        async def work(request: Request) -> bytes:
            nonlocal is_cancelled
            is_started.set()
            try:
                return await asyncio.Future[bytes]()
            except asyncio.CancelledError:
                is_cancelled = True
                raise

        endpoint = Endpoint(work, ping_seconds=60)
        call = asyncio.create_task(endpoint.call())
        await is_started.wait()
        endpoint.disconnected.set()
        await call
        return is_cancelled and endpoint.sent.empty()

    assert asyncio.run(asyncio.wait_for(run(), 30))


def test_a_call_that_the_server_cancels_gets_an_error() -> None:
    async def run() -> list[Message]:
        is_started = asyncio.Event()

        async def work(request: Request) -> bytes:
            is_started.set()
            return await asyncio.Future[bytes]()

        endpoint = Endpoint(work, ping_seconds=60)
        call = asyncio.create_task(endpoint.call())
        await is_started.wait()
        call.cancel()
        await call
        return [endpoint.sent.get_nowait() for _ in range(2)]

    start, body = asyncio.run(asyncio.wait_for(run(), 30))

    assert start["status"] == 503
    assert (json.loads(body["body"])["id"], json.loads(body["body"])["error"]["code"]) == (
        1,
        -32000,
    )


def test_a_port_in_use_is_reported_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            command_of(("webquarry", "mcp", "--http")),
            env=dict(os.environ) | REPLAY | {"PORT": port},
            capture_output=True,
            text=True,
        )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"webquarry: Cannot listen on 127.0.0.1 port {port}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_every_request_has_an_id_in_its_response_and_in_the_log() -> None:
    with http_server(REPLAY, "--log-level", "info", "--log-format", "json") as served:
        given = served.post("ping", headers={"X-Request-Id": "from-the-balancer-1"})
        made = served.post("ping")
        invalid = served.post("ping", headers={"X-Request-Id": "a b{}"})
        served.get("/health/live")
        log = served.stop()

    ids = [response.headers["x-request-id"] for response in (given, made, invalid)]
    assert ids[0] == "from-the-balancer-1"
    assert re.fullmatch("[0-9a-f]{16}", ids[1])
    assert re.fullmatch("[0-9a-f]{16}", ids[2])
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert all(set(line) >= {"time", "level", "message"} for line in lines)
    logged = [line for line in lines if line["message"].startswith("POST /mcp 200")]
    assert [line["request"] for line in logged] == ids
    assert "/health/live" not in log
