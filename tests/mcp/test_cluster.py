"""Three servers that share a Redis, with requests in turn."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.mcp.http_process import Served, http_server, message_in, modern
from tests.mcp.search_service import running_search
from tests.redis_server import RedisServer, running
from webquarry.mcp.auth import TokenFile

pytestmark = pytest.mark.slow

SERVERS = 3
CALLERS = 10
CLIENTS = 100
STEPS = 4


@dataclass
class Cluster:
    """The servers, and a client that uses them in turn."""

    servers: list[Served]
    tokens: list[str]
    redis: RedisServer
    killed: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)  # servers on which a request failed
    _next: Callable[[], int] = field(default_factory=lambda: itertools.count().__next__)

    async def call(
        self, client: httpx2.AsyncClient, caller: int, name: str, **arguments: Any
    ) -> Any:
        """Call a tool on the next server; on another one if its connection is lost."""
        body, headers = modern("tools/call", name=name, arguments=arguments)
        headers |= {"Authorization": f"Bearer {self.tokens[caller]}"}
        while True:
            url = self.servers[self._next() % len(self.servers)].url
            if url in self.killed:
                continue
            try:
                response = await client.post(url, json=body, headers=headers)
            except httpx2.TransportError:
                self.failed.append(url)
                continue
            assert response.status_code == 200, response.text
            return message_in(response.text)["result"]


@contextmanager
def running_cluster(tmp_path: Path, more: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    tokens = TokenFile(tmp_path / "tokens.json")
    given = [tokens.add(f"caller {number}") for number in range(CALLERS)]
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


def open_client() -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_connections=CLIENTS, max_keepalive_connections=CLIENTS)
    return httpx2.AsyncClient(trust_env=False, verify=False, timeout=120, limits=limits)


def test_a_killed_server_loses_no_acknowledged_step_and_sessions_are_isolated(
    tmp_path: Path,
) -> None:
    acknowledged: dict[tuple[int, str], list[str]] = {}
    half = CLIENTS * STEPS // 2

    async def research(cluster: Cluster, client: httpx2.AsyncClient, number: int) -> None:
        caller, session = number % CALLERS, None
        for step in range(1, STEPS + 1):
            text = f"step {step} of client {number}"
            more = {"sessionId": session} if session else {"researchGoal": f"goal {number}"}
            result = await cluster.call(
                client,
                caller,
                "sequential_search",
                searchStep=text,
                stepNumber=step,
                nextStepNeeded=True,
                **more,
            )
            assert not result.get("isError"), result
            session = result["structuredContent"]["sessionId"]
            acknowledged.setdefault((caller, session), []).append(text)
            if sum(map(len, acknowledged.values())) >= half and not cluster.killed:
                cluster.killed.add(cluster.servers[1].url)
                cluster.servers[1].process.kill()

    async def run(cluster: Cluster) -> None:
        name = "get_research_session"
        async with open_client() as client:
            await asyncio.gather(*(research(cluster, client, number) for number in range(CLIENTS)))
            for (caller, session), texts in acknowledged.items():
                for number, text in enumerate(texts, 1):
                    found = await cluster.call(
                        client, caller, name, sessionId=session, stepNumber=number
                    )
                    assert text in json.dumps(found["structuredContent"])
            for caller, session in list(acknowledged)[:20]:
                other = (caller + 1) % CALLERS
                refused = await cluster.call(client, other, name, sessionId=session)
                assert refused["isError"]
                assert json.loads(refused["content"][1]["text"])["kind"] == "not_found"

    with running_cluster(tmp_path) as cluster:
        asyncio.run(run(cluster))
    assert cluster.killed
    assert set(cluster.failed) <= cluster.killed
    assert sum(map(len, acknowledged.values())) == CLIENTS * STEPS


def test_without_redis_searches_work_and_session_steps_fail(tmp_path: Path) -> None:
    step = {"searchStep": "a step", "nextStepNeeded": True}

    async def run(cluster: Cluster) -> None:
        async with open_client() as client:
            begun = await cluster.call(
                client, 0, "sequential_search", stepNumber=1, researchGoal="goal", **step
            )
            session = begun["structuredContent"]["sessionId"]
            second = {"stepNumber": 2, "sessionId": session, **step}
            cluster.redis.stop()

            found = await cluster.call(client, 0, "web_search", query="without redis")
            assert found["structuredContent"]["resultCount"] == 5
            failed = await cluster.call(client, 0, "sequential_search", **second)
            assert failed["isError"]
            assert json.loads(failed["content"][1]["text"])["retryable"]
            reports = [await get_report(client, server) for server in cluster.servers]
            assert {"status": "degraded", "redis": "gone"} in reports

            cluster.redis.start()
            again = await cluster.call(client, 0, "sequential_search", **second)
            assert again["structuredContent"]["totalSteps"] == 2
            for server in cluster.servers:  # each one notices with its next call
                while await get_report(client, server) != {"status": "ok", "redis": "ok"}:
                    await cluster.call(client, 0, "get_research_session", sessionId=session)

    async def get_report(client: httpx2.AsyncClient, server: Served) -> Any:
        return (await client.get(server.url.replace("/mcp", "/health/ready"))).json()

    with running_search() as (_, environ), running_cluster(tmp_path, environ) as cluster:
        asyncio.run(run(cluster))


def test_servers_share_limits_and_apply_them_alone_without_redis(tmp_path: Path) -> None:
    def post(server: Served) -> int:
        headers = {"Authorization": f"Bearer {cluster.tokens[0]}"}
        return server.post("ping", headers=headers).status_code

    with running_cluster(tmp_path, {"WEBQUARRY_HTTP_DAY_LIMIT": "4"}) as cluster:
        shared = [post(server) for _ in range(2) for server in cluster.servers]
        cluster.redis.stop()
        alone = [post(cluster.servers[0]) for _ in range(5)]

    assert shared == [200] * 4 + [429] * 2
    assert alone == [200] * 2 + [429] * 3  # it has granted two before
