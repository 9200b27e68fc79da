"""Every result has a receipt, which the call log and the other interfaces have, too."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.mcp.in_process import with_client
from webquarry.calls.log import CallLog
from webquarry.calls.receipt import RECEIPT_META, digest_text, make_receipt
from webquarry.calls.segments import CallSegments

PAGE = "https://tidelines.example/2026/09/storing-the-tide"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("scrape_page", {"url": PAGE, "max_length": 2000}),
    ("web_search", {"query": "tidal energy storage"}),
    ("scrape_page", {"url": "https://nowhere.example/"}),  # not recorded: a failure
]


@pytest.fixture(autouse=True)
def own_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path))


def list_receipts(folder: Path) -> list[str]:
    log = CallLog(CallSegments(folder / "calls", 1_000_000, 3600))
    return [call.receipt for call in log.list_after()]


def call_in_process() -> list[Any]:
    async def work(client: Client) -> list[Any]:
        return [await client.call_tool(name, arguments) for name, arguments in CALLS]

    return with_client(work)


def call_by_stdio() -> list[dict[str, Any]]:
    about = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    for number, (name, arguments) in enumerate(CALLS, 1):
        params = {"name": name, "arguments": arguments}
        messages.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    done = subprocess.run(
        [sys.executable, "-m", "webquarry", "mcp"],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
        env=os.environ | {"WEBQUARRY_MCP_GRACE_SECONDS": "20"},
    )
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    return [answers[number]["result"] for number in range(1, len(CALLS) + 1)]


def test_receipt_is_computed_from_the_call_and_the_answer(tmp_path: Path) -> None:
    results = call_in_process()
    receipts = [result.meta[RECEIPT_META] for result in results]

    for (name, arguments), result in zip(CALLS[:2], results, strict=False):
        answer = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
        assert result.meta[RECEIPT_META] == make_receipt(name, arguments, digest_text(answer))
    assert results[2].is_error
    assert len(set(receipts)) == len(CALLS)
    assert list_receipts(tmp_path) == receipts


def test_stdio_sends_and_logs_the_same_receipts(tmp_path: Path) -> None:
    by_stdio = [result["_meta"][RECEIPT_META] for result in call_by_stdio()]
    logged = list_receipts(tmp_path)
    in_process = [result.meta[RECEIPT_META] for result in call_in_process()]

    assert by_stdio == in_process
    assert sorted(logged) == sorted(by_stdio)


def test_library_logs_the_same_receipts_as_mcp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import webquarry

    receipts = [result.meta[RECEIPT_META] for result in call_in_process()]
    other = tmp_path / "other"
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(other))

    async def run() -> None:
        async with webquarry.open() as quarry:
            await quarry.scrape_page(**CALLS[0][1])
            await quarry.web_search(**CALLS[1][1])

    asyncio.run(run())

    assert list_receipts(other) == receipts[:2]
