"""What a server says of itself when nothing can be recorded: not ready and why, once in the log, in
the figures, and no path to anybody who calls it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.redis_server import running
from tests.surfaces.server.http_process import Served, http_server, message_in
from webquarry.records.file import RecordFile
from webquarry.records.journals import FileJournals
from webquarry.surfaces.server.health import Health
from webquarry.surfaces.server.tokens import METRICS, TokenFile
from webquarry.toolkit import Toolkit

REPLAY = {"WEBQUARRY_REPLAY": "demo"}
STEP = {
    "name": "sequential_search",
    "arguments": {"searchStep": "Look for tides.", "stepNumber": 1},
}
SEARCH = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}


def get(server: Served, path: str, **headers: str) -> httpx2.Response:
    url = server.url.replace("/mcp", path)
    return httpx2.get(url, headers=headers, timeout=30, trust_env=False)


def call(server: Served, params: Mapping[str, Any], token: str) -> str:
    """The text of an answer."""
    answer = server.post("tools/call", params, headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200, answer.text
    return json.dumps(message_in(answer.text)["result"])


def make_records(folder: Path) -> None:
    file = RecordFile(folder)
    work = FileJournals(file).begin("ada", "s1", b"first", 1.0, most=5, idle_seconds=100.0)
    asyncio.run(work)
    file.close()


def end(server: Served) -> str:
    """End the server; its log."""
    server.process.terminate()
    server.process.wait(30)
    assert server.process.stderr is not None
    return server.process.stderr.read()


@pytest.mark.slow
def test_a_server_whose_key_is_lost_or_whose_records_are_damaged_is_not_ready_and_says_why(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "hidden-place"
    make_records(folder)
    key = (folder / "state.key").read_bytes()
    sound = (folder / "state.sqlite3").read_bytes()
    (folder / "state.key").unlink()
    tokens = TokenFile(tmp_path / "tokens.json")
    token, watcher = tokens.add("laptop"), tokens.add("prometheus", use=METRICS)
    environ = REPLAY | {
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(tokens.path),
        "WEBQUARRY_STATE_FOLDER": str(folder),
    }
    with http_server(environ) as server:
        lost = get(server, "/health/ready")
        refused = [call(server, STEP, token) for _ in range(3)]
        searched = call(server, SEARCH, token)
        figures = get(server, "/metrics", Authorization=f"Bearer {watcher}").text

        (folder / "state.key").write_bytes(key)
        healed = get(server, "/health/ready")
        stepped = call(server, STEP, token)

        (folder / "state.sqlite3").write_bytes(b"\xff" * len(sound))
        damaged = get(server, "/health/ready")
        log = end(server)

    assert (lost.status_code, lost.json()) == (503, {"status": "not_ready", "records": "lost_key"})
    assert all("lost_key" in text and "isError" in text for text in refused)
    assert "hidden-place" not in "".join([lost.text, *refused, searched])
    assert "tidal" in searched.lower()
    assert "webquarry_records_up 0" in figures
    assert 'webquarry_records_trouble{reason="lost_key"} 1' in figures
    assert 'webquarry_records_refused_total{reason="lost_key"}' in figures
    assert "hidden-place" not in figures
    assert (healed.status_code, healed.json()) == (200, {"status": "ok"})
    assert "sessionId" in stepped
    assert (damaged.status_code, damaged.json()["records"]) == (503, "damaged")
    assert log.count("its key state.key is missing or damaged") == 1
    assert log.count("can be used again") == 1
    assert log.count("it is damaged (") == 1


@pytest.mark.slow
def test_a_redis_that_is_full_makes_a_server_not_ready_until_there_is_room() -> None:
    with running() as redis, http_server(redis.environ) as server:
        assert get(server, "/health/ready").json() == {"status": "ok", "redis": "ok"}
        redis.say("CONFIG", "SET", "maxmemory", "1")
        refused = [message_in(server.post("tools/call", STEP).text) for _ in range(3)]
        full = get(server, "/health/ready")
        figures = get(server, "/metrics").text
        redis.say("CONFIG", "SET", "maxmemory", "0")
        healed = get(server, "/health/ready")
        stepped = message_in(server.post("tools/call", STEP).text)
        log = end(server)

    assert all(one["result"]["isError"] for one in refused)
    assert (full.status_code, full.json()) == (503, {"status": "not_ready", "redis": "full"})
    assert 'webquarry_records_trouble{reason="full"} 1' in figures
    assert "webquarry_records_up 0" in figures
    assert (healed.status_code, healed.json()) == (200, {"status": "ok", "redis": "ok"})
    assert "sessionId" in json.dumps(stepped)
    assert log.count("refused a command (full)") == 1
    assert log.count("takes writes again") == 1


def test_a_server_without_a_folder_for_records_is_ready_for_searches_and_says_what_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")

    async def look(environ: dict[str, str]) -> Response:
        async with Toolkit.open(environ=REPLAY | environ) as kit:
            return await Health(kit)._answer_ready(Request({"type": "http"}))

    folder = str(tmp_path / "file" / "below")
    without = asyncio.run(look({"WEBQUARRY_STATE_FOLDER": folder}))
    chosen = asyncio.run(look({"WEBQUARRY_STATE_FOLDER": folder, "WEBQUARRY_RECORDS": "memory"}))

    assert without.status_code == 200
    assert json.loads(bytes(without.body)) == {"status": "degraded", "records": "no_folder"}
    assert json.loads(bytes(chosen.body)) == {"status": "ok"}
