"""Many calls at once, some of them cancelled: nothing that they opened stays open."""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client

from tests.mcp.http_process import http_server, modern
from tests.mcp.in_process import connect

CALLS = 200
HURRY = {"WEBQUARRY_CACHE": "0"}
REPLY = (
    b'{"query": "x", "results": '
    b'[{"title": "Otters", "url": "https://site.example/", "content": "Text."}]}'
)


@asynccontextmanager
async def slow_site() -> AsyncIterator[tuple[dict[str, str], set[asyncio.StreamWriter]]]:
    """A slow search site: the environment that uses it, and its open connections."""
    connected: set[asyncio.StreamWriter] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.add(writer)
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                await asyncio.sleep(random.random() * 0.05)
                head = (
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(REPLY)}\r\n\r\n"
                )
                writer.write(head.encode() + REPLY)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            connected.discard(writer)
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield (
            {"SEARXNG_URL": f"http://127.0.0.1:{port}", "SEARCH_PROVIDER": "searxng"} | HURRY,
            connected,
        )


def test_cancelled_calls_leave_no_task_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    random.seed(7)

    async def run() -> tuple[int, int, int]:
        async with slow_site() as (environ, connected):
            for name, value in environ.items():
                monkeypatch.setenv(name, value)
            before = len(asyncio.all_tasks())
            done = 0
            async with Client(connect("core"), mode="2026-07-28") as client:
                calls = [
                    asyncio.create_task(client.call_tool("web_search", {"query": f"number {n}"}))
                    for n in range(CALLS)
                ]
                for call in random.sample(calls, CALLS // 2):
                    await asyncio.sleep(random.random() * 0.002)
                    call.cancel()
                results = await asyncio.gather(*calls, return_exceptions=True)
                done = sum(
                    not isinstance(one, BaseException) and not one.is_error for one in results
                )
            while connected:
                await asyncio.sleep(0.01)
            gc.collect()
            await asyncio.sleep(0)
            return before, len(asyncio.all_tasks()), done

    before, after, done = asyncio.run(asyncio.wait_for(run(), 60))

    assert after == before
    assert done >= CALLS // 2


@pytest.mark.slow
def test_disconnected_clients_leave_no_file_or_connection_open() -> None:
    random.seed(11)

    async def call(client: httpx2.AsyncClient, url: str, number: int) -> int:
        body, headers = modern(
            "tools/call", name="web_search", arguments={"query": f"number {number}"}
        )
        return (await client.post(url, json=body, headers=headers)).status_code

    async def run() -> tuple[int, int, int]:
        async with slow_site() as (environ, connected):
            with http_server(environ, "--toolset", "core") as served:
                await asyncio.to_thread(
                    served.ask, "tools/call", {"name": "web_search", "arguments": {"query": "warm"}}
                )
                before = served.open_files()
                limits = httpx2.Limits(max_connections=50)
                async with httpx2.AsyncClient(trust_env=False, limits=limits, timeout=60) as client:
                    calls = [
                        asyncio.create_task(call(client, served.url, number))
                        for number in range(CALLS)
                    ]
                    for one in random.sample(calls, CALLS // 2):
                        await asyncio.sleep(random.random() * 0.004)
                        one.cancel()
                    results = await asyncio.gather(*calls, return_exceptions=True)
                # Idle connections of the engine are limited per host; the call log has three files.
                while served.open_files() > before + 10 + 3:
                    await asyncio.sleep(0.05)
                return before, len(connected), results.count(200)

    _, connected, done = asyncio.run(asyncio.wait_for(run(), 90))

    assert connected <= 10
    assert done >= CALLS // 2
