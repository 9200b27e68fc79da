"""Readiness: what `/health/ready`, metrics and the log say when records cannot be written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Router

from tests.mcp.asgi import request
from tests.mcp.http_process import Served, http_server, message_in
from tests.redis_server import running
from webquarry.mcp.auth import METRICS, TokenFile
from webquarry.mcp.health import Health
from webquarry.store.journals import FileJournals
from webquarry.store.records import RecordFile
from webquarry.toolkit import Toolkit

REPLAY = {"WEBQUARRY_REPLAY": "demo"}
STEP = {
    "name": "sequential_search",
    "arguments": {"searchStep": "Look for tides.", "stepNumber": 1},
}
SEARCH = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}


def call(server: Served, params: Mapping[str, Any], token: str) -> str:
    """Return the result of a call as text."""
    response = server.post("tools/call", params, headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200, response.text
    return json.dumps(message_in(response.text)["result"])


def make_records(folder: Path) -> None:
    file = RecordFile(folder)
    work = FileJournals(file).begin("ada", "s1", b"first", 1.0, most=5, idle_seconds=100.0)
    asyncio.run(work)
    file.close()


@pytest.mark.slow
def test_a_lost_key_or_damaged_records_make_a_server_not_ready(tmp_path: Path) -> None:
    folder = tmp_path / "hidden-place"
    make_records(folder)
    key = (folder / "state.key").read_bytes()
    sound = (folder / "state.sqlite3").read_bytes()
    (folder / "state.key").unlink()
    tokens = TokenFile(tmp_path / "tokens.json")
    token, prometheus = tokens.add("laptop"), tokens.add("prometheus", use=METRICS)
    environ = REPLAY | {
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(tokens.path),
        "WEBQUARRY_STATE_FOLDER": str(folder),
    }
    with http_server(environ) as server:
        lost = server.get("/health/ready")
        refused = [call(server, STEP, token) for _ in range(3)]
        searched = call(server, SEARCH, token)
        metrics = server.get("/metrics", Authorization=f"Bearer {prometheus}").text

        (folder / "state.key").write_bytes(key)
        restored = server.get("/health/ready")
        stepped = call(server, STEP, token)

        log = server.stop()
    (folder / "state.sqlite3").write_bytes(b"\xff" * len(sound))
    with http_server(environ) as server:
        damaged = server.get("/health/ready")
        damaged_log = server.stop()

    assert (lost.status_code, lost.json()) == (503, {"status": "not_ready", "records": "lost_key"})
    assert all("lost_key" in text and "isError" in text for text in refused)
    assert "hidden-place" not in "".join([lost.text, *refused, searched])
    assert "tidal" in searched.lower()
    assert "webquarry_records_up 0" in metrics
    assert 'webquarry_records_trouble{reason="lost_key"} 1' in metrics
    assert 'webquarry_records_refused_total{reason="lost_key"}' in metrics
    assert "hidden-place" not in metrics
    assert (restored.status_code, restored.json()) == (200, {"status": "ok"})
    assert "sessionId" in stepped
    assert (damaged.status_code, damaged.json()["records"]) == (503, "damaged")
    assert log.count("its key state.key is missing or damaged") == 1
    assert log.count("can be used again") == 1
    assert damaged_log.count("it is damaged (") == 1


@pytest.mark.slow
def test_a_full_redis_makes_a_server_not_ready() -> None:
    with running() as redis, http_server(redis.environ) as server:
        assert server.get("/health/ready").json() == {"status": "ok", "redis": "ok"}
        redis.say("CONFIG", "SET", "maxmemory", "1")
        refused = [message_in(server.post("tools/call", STEP).text) for _ in range(3)]
        full = server.get("/health/ready")
        metrics = server.get("/metrics").text
        redis.say("CONFIG", "SET", "maxmemory", "0")
        restored = server.get("/health/ready")
        stepped = message_in(server.post("tools/call", STEP).text)
        log = server.stop()

    assert all(one["result"]["isError"] for one in refused)
    assert (full.status_code, full.json()) == (503, {"status": "not_ready", "redis": "full"})
    assert 'webquarry_records_trouble{reason="full"} 1' in metrics
    assert "webquarry_records_up 0" in metrics
    assert (restored.status_code, restored.json()) == (200, {"status": "ok", "redis": "ok"})
    assert "sessionId" in json.dumps(stepped)
    assert log.count("refused a command (full)") == 1
    assert log.count("takes writes again") == 1


@pytest.mark.parametrize(
    ("environ", "report"),
    [
        ({}, {"status": "degraded", "records": "no_folder"}),
        ({"records": "memory"}, {"status": "ok"}),
    ],
)
def test_a_server_without_a_folder_for_records_is_ready(
    tmp_path: Path, environ: dict[str, str], report: dict[str, str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    folder = {"WEBQUARRY_STATE_FOLDER": str(tmp_path / "file" / "below")}

    async def run() -> tuple[int, Any]:
        async with Toolkit.open(environ=REPLAY | folder | environ) as kit:
            app = Router(Health(kit).routes())
            reply = await request(app, "/health/ready", method="GET")
            return reply.status, reply.json()

    assert asyncio.run(run()) == (200, report)
