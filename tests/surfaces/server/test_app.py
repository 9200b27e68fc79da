"""The MCP server over HTTP, as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator

import httpx2
import pytest
from mcp import Client

from tests.surfaces.mcp.stdio_process import command_of, hanging_site
from tests.surfaces.server.http_process import (
    HEADERS,
    MODERN,
    Served,
    http_server,
    message_in,
    modern,
)
from webquarry.calls.receipt import digest_text, make_receipt

REPLAY = {"WEBQUARRY_REPLAY": "demo"}
QUERY = {"query": "tidal energy storage"}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with http_server(REPLAY, "--toolset", "core") as served:
        yield served


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_spellings_of_the_path_answer_without_a_redirect(server: Served, path: str) -> None:
    answer = server.post("tools/list", url=server.url.removesuffix("/mcp") + path)

    assert answer.status_code == 200
    assert [tool["name"] for tool in message_in(answer.text)["result"]["tools"]][:2] == [
        "web_search",
        "scrape_page",
    ]


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_clients_of_both_eras_list_and_call(server: Served, mode: str) -> None:
    async def run() -> None:
        async with Client(server.url, mode=mode) as client:
            assert len((await client.list_tools()).tools) >= 2
            result = await client.call_tool("web_search", QUERY)
            assert result.structured_content["resultCount"] > 0
            answer = json.dumps(
                result.structured_content, ensure_ascii=False, separators=(",", ":")
            )
            receipt = make_receipt("web_search", QUERY, digest_text(answer))
            assert result.meta is not None
            assert result.meta["webquarry/receipt"] == receipt
            assert {resource.name for resource in (await client.list_resources()).resources} >= {
                "lenses-catalog"
            }

    asyncio.run(run())


def test_a_client_that_sends_no_version_and_reads_the_first_text_as_json_is_served(
    server: Served,
) -> None:
    result = server.ask("tools/call", {"name": "web_search", "arguments": QUERY})

    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_health_is_told(server: Served) -> None:
    answer = httpx2.get(server.url.removesuffix("/mcp") + "/health/live", trust_env=False)

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "http://127.0.0.1:3000"}, 200),
        ({"Host": "localhost:80"}, 200),
    ],
)
@pytest.mark.parametrize("era", ["legacy", MODERN])
def test_pages_of_other_sites_and_names_of_other_hosts_are_refused(
    server: Served, era: str, headers: dict[str, str], status: int
) -> None:
    if era == MODERN:
        body, usual = modern("tools/list")
        answer = httpx2.post(server.url, json=body, headers=usual | headers, trust_env=False)
    else:
        answer = server.post("tools/list", headers=headers)

    assert answer.status_code == status


def test_a_request_that_is_too_large_is_refused() -> None:
    with http_server(REPLAY | {"WEBQUARRY_HTTP_MAX_REQUEST_BYTES": "2000"}) as served:
        assert served.post("tools/list").status_code == 200
        assert served.post("tools/list", {"cursor": "x" * 2000}).status_code == 413


def test_one_toolkit_serves_all_requests() -> None:
    """The second call finds what the first has kept in memory."""
    with http_server(REPLAY) as served:
        cached = [
            served.ask("tools/call", {"name": "web_search", "arguments": QUERY})["_meta"][
                "webquarry/cache"
            ]["cached"]
            for _ in range(2)
        ]

    assert cached == [False, True]


def test_a_client_that_hangs_up_stops_the_work() -> None:
    async def run() -> None:
        async with hanging_site() as (origin, asked, left):
            environ = {"WEBQUARRY_DUCKDUCKGO_HTML_URL": origin, "SEARCH_PROVIDER": "duckduckgo"}
            with http_server(environ) as served:
                body, headers = modern("tools/call", name="web_search", arguments={"query": "x"})
                async with httpx2.AsyncClient(trust_env=False) as client:
                    call = asyncio.create_task(client.post(served.url, json=body, headers=headers))
                    await asked.wait()
                    call.cancel()
                    await left.wait()  # the server hung up on the site
                assert served.ask("tools/list")["tools"]

    asyncio.run(asyncio.wait_for(run(), 30))


def test_progress_comes_before_the_answer(server: Served) -> None:
    body, headers = modern(
        "tools/call",
        name="web_search",
        arguments={"query": "duckdb udf"},
        meta={"progressToken": "t"},
    )
    answer = httpx2.post(server.url, json=body, headers=headers, trust_env=False)
    events = [
        json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")
    ]

    assert next(event["params"]["message"] for event in events[:-1]).startswith("asking ")
    assert {event["params"]["progressToken"] for event in events[:-1]} == {"t"}
    assert "result" in events[-1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_told_to_end_it_ends_with_nothing_to_complain_about(number: int) -> None:
    with http_server(REPLAY) as served:
        assert served.ask("tools/list")["tools"]
        served.process.send_signal(number)
        assert served.process.wait(20) == 0
        assert served.process.communicate() == ("", "")


@pytest.mark.slow
def test_a_call_under_way_does_not_hold_the_end_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> int:
        async with hanging_site() as (origin, asked, left):
            environ = {"WEBQUARRY_DUCKDUCKGO_HTML_URL": origin, "SEARCH_PROVIDER": "duckduckgo"}
            environ |= {"WEBQUARRY_HTTP_GRACE_SECONDS": "1"}
            with http_server(environ) as served:
                call = asyncio.create_task(
                    asyncio.to_thread(
                        served.post,
                        "tools/call",
                        {"name": "web_search", "arguments": {"query": "x"}},
                    )
                )
                await asked.wait()
                served.process.terminate()
                code = await asyncio.to_thread(served.process.wait, 20)
                await left.wait()
                await asyncio.gather(call, return_exceptions=True)
                return code

    assert asyncio.run(asyncio.wait_for(run(), 30)) == 0


def test_a_port_that_is_taken_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            command_of(("webquarry", "mcp", "--http")),
            env=dict(os.environ)
            | REPLAY
            | {"PORT": port},  # the port is also taken from the environment
            capture_output=True,
            text=True,
        )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"webquarry: Port {port} on 127.0.0.1 cannot be used")
    assert len(done.stderr.splitlines()) == 1


def test_logs_are_json_when_asked_for(server: Served) -> None:
    with http_server(REPLAY, "--log-format", "json", "--log-level", "debug") as served:
        served.post("tools/call", {"name": "web_search", "arguments": {"query": "never recorded"}})
        served.process.terminate()
        _, err = served.process.communicate(timeout=20)

    assert all(set(json.loads(line)) >= {"time", "level", "message"} for line in err.splitlines())


def test_what_is_no_json_is_refused_as_such(server: Served) -> None:
    answer = httpx2.post(server.url, content=b"{", headers=HEADERS, trust_env=False)

    assert answer.status_code == 400
