"""Three servers and a real Redis behind a round robin: whoever dies, what was acknowledged is
there, and nobody else's.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.redis_server import RedisServer, running
from tests.surfaces.mcp.stdio_process import command_of
from tests.surfaces.server.http_process import Served, http_server, message_in, modern
from webquarry.surfaces.server.tokens import TokenFile

pytestmark = pytest.mark.slow

SERVERS = 3
PEOPLE = 10
CLIENTS = 100
STEPS = 4


@dataclass
class Cluster:
    """The servers, and a way to ask them in turn."""

    servers: list[Served]
    tokens: list[str]
    redis: RedisServer
    dead: set[str] = field(default_factory=set)
    lost: list[str] = field(default_factory=list)  # servers on which a call broke off
    _turn: Callable[[], int] = field(default_factory=lambda: itertools.count().__next__)

    async def call(
        self, client: httpx2.AsyncClient, person: int, name: str, **arguments: Any
    ) -> Any:
        """One call on whichever server is next; one that breaks off with its server is made again
        on another.
        """
        body, headers = modern("tools/call", name=name, arguments=arguments)
        headers |= {"Authorization": f"Bearer {self.tokens[person]}"}
        while True:
            url = self.servers[self._turn() % len(self.servers)].url
            if url in self.dead:
                continue
            try:
                answer = await client.post(url, json=body, headers=headers)
            except httpx2.TransportError:
                self.lost.append(url)
                continue
            assert answer.status_code == 200, answer.text
            return message_in(answer.text)["result"]


@contextmanager
def clustered(tmp_path: Path, more: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    tokens = TokenFile(tmp_path / "tokens.json")
    given = [tokens.add(f"person {number}") for number in range(PEOPLE)]
    with ExitStack() as stack:
        redis = stack.enter_context(running(lasting=True))
        environ = redis.environ | {
            "WEBQUARRY_HTTP_AUTH": "token",
            "WEBQUARRY_TOKENS_FILE": str(tokens.path),
            "WEBQUARRY_STATE_FOLDER": str(tmp_path / "state"),
            "WEBQUARRY_CACHE_FOLDER": str(tmp_path / "cache"),
            **(more or {}),
        }
        servers = [stack.enter_context(http_server(environ)) for _ in range(SERVERS)]
        yield Cluster(servers, given, redis)


def patient_client() -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS)
    return httpx2.AsyncClient(trust_env=False, verify=False, timeout=120, limits=limits)


def test_a_server_that_is_killed_loses_no_acknowledged_step_and_shows_nobody_anothers(
    tmp_path: Path,
) -> None:
    acknowledged: dict[tuple[int, str], list[str]] = {}
    half = CLIENTS * STEPS // 2

    async def research(cluster: Cluster, client: httpx2.AsyncClient, number: int) -> None:
        person = number % PEOPLE
        session = None
        for step in range(1, STEPS + 1):
            text = f"step {step} of client {number}"
            more = {"sessionId": session} if session else {"researchGoal": f"goal {number}"}
            result = await cluster.call(
                client,
                person,
                "sequential_search",
                searchStep=text,
                stepNumber=step,
                nextStepNeeded=True,
                **more,
            )
            assert not result.get("isError"), result
            session = result["structuredContent"]["sessionId"]
            acknowledged.setdefault((person, session), []).append(text)
            if sum(map(len, acknowledged.values())) >= half and not cluster.dead:
                cluster.dead.add(cluster.servers[1].url)
                cluster.servers[1].process.kill()

    async def run(cluster: Cluster) -> None:
        async with patient_client() as client:
            await asyncio.gather(*(research(cluster, client, number) for number in range(CLIENTS)))
            for (person, session), texts in acknowledged.items():
                for number, text in enumerate(texts, 1):
                    found = await cluster.call(
                        client, person, "get_research_session", sessionId=session, stepNumber=number
                    )
                    assert text in json.dumps(found["structuredContent"])
            for person, session in list(acknowledged)[:20]:
                other = await cluster.call(
                    client, (person + 1) % PEOPLE, "get_research_session", sessionId=session
                )
                assert other["isError"]
                assert json.loads(other["content"][1]["text"])["kind"] == "not_found"

    with clustered(tmp_path) as cluster:
        asyncio.run(run(cluster))
    assert cluster.dead
    assert set(cluster.lost) <= cluster.dead
    assert sum(map(len, acknowledged.values())) == CLIENTS * STEPS


class Provider:
    """A SearXNG that answers when it is let, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.came = threading.Event()
        self.let = threading.Event()
        self.let.set()

    def answer(self, path: str) -> bytes:
        self.asked.append(path)
        self.came.set()
        self.let.wait(60)
        results = [
            {"url": f"https://example.org/{one}", "title": f"Result {one}", "content": "x"}
            for one in range(5)
        ]
        return json.dumps({"query": "x", "results": results, "unresponsive_engines": []}).encode()


@contextmanager
def searxng() -> Iterator[tuple[Provider, dict[str, str]]]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = provider.answer(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked may be gone
                self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_address[1]}"
            yield provider, {"SEARXNG_URL": url, "SEARCH_PROVIDER": "searxng"}
        finally:
            provider.let.set()
            server.shutdown()
            thread.join()


def test_the_same_search_on_three_servers_at_once_reaches_the_provider_once(tmp_path: Path) -> None:
    async def run(cluster: Cluster, provider: Provider) -> list[Any]:
        provider.let.clear()
        async with patient_client() as client:
            calls = [
                asyncio.create_task(cluster.call(client, 0, "web_search", query="tides"))
                for _ in range(50)
            ]
            done, _ = await asyncio.wait(
                calls, timeout=1
            )  # nobody can be done; most have arrived by now
            assert not done
            provider.let.set()
            return await asyncio.gather(*calls)

    with searxng() as (provider, environ), clustered(tmp_path, environ) as cluster:
        found = asyncio.run(run(cluster, provider))

    assert len(provider.asked) == 1
    assert {len(one["structuredContent"]["results"]) for one in found} == {5}


def test_without_redis_calls_go_on_and_steps_fail_loudly_until_it_is_back(tmp_path: Path) -> None:
    async def run(cluster: Cluster) -> None:
        async with patient_client() as client:
            step = {"searchStep": "a step", "nextStepNeeded": True}
            begun = await cluster.call(
                client, 0, "sequential_search", stepNumber=1, researchGoal="goal", **step
            )
            session = begun["structuredContent"]["sessionId"]
            cluster.redis.stop()

            found = await cluster.call(client, 0, "web_search", query="while it is gone")
            assert found["structuredContent"]["resultCount"] == 5
            failed = await cluster.call(
                client, 0, "sequential_search", stepNumber=2, sessionId=session, **step
            )
            assert failed["isError"]
            assert json.loads(failed["content"][1]["text"])["retryable"]
            states = [await state(client, server) for server in cluster.servers]
            assert {"status": "degraded", "redis": "gone"} in states

            cluster.redis.start()
            again = await cluster.call(
                client, 0, "sequential_search", stepNumber=2, sessionId=session, **step
            )
            assert again["structuredContent"]["totalSteps"] == 2
            for (
                server
            ) in cluster.servers:  # each one notices by itself, with the first call that asks
                while await state(client, server) != {"status": "ok", "redis": "ok"}:
                    await cluster.call(client, 0, "get_research_session", sessionId=session)

    async def state(client: httpx2.AsyncClient, server: Served) -> Any:
        return (await client.get(server.url.replace("/mcp", "/health/ready"))).json()

    with searxng() as (_, environ), clustered(tmp_path, environ) as cluster:
        asyncio.run(run(cluster))


def test_without_redis_every_server_counts_for_itself(tmp_path: Path) -> None:
    with clustered(tmp_path, {"WEBQUARRY_HTTP_DAY_LIMIT": "4"}) as cluster:
        cluster.redis.stop()
        headers = {"Authorization": f"Bearer {cluster.tokens[0]}"}
        codes = [cluster.servers[0].post("ping", headers=headers).status_code for _ in range(9)]

    assert codes == [200] * 4 + [429] * 5


def test_a_redis_that_is_gone_at_the_start_is_an_error(tmp_path: Path) -> None:
    environ = dict(os.environ) | {
        "WEBQUARRY_REDIS_URL": f"unix://{tmp_path}/nobody.sock",
        "WEBQUARRY_STORE_KEY": "ab" * 32,
    }
    command = command_of(("webquarry", "mcp", "--http", "--port", "0"))
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 1
    assert "Redis" in done.stderr
    assert "serving" not in done.stderr
