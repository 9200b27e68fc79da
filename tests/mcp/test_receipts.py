"""Every result has a receipt, which the call log and the other interfaces have, too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.mcp.in_process import with_client
from webquarry.store.calls import RECEIPT_META, CallLog

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
    log = CallLog(folder / "calls", 1_000_000, 3600)
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
    )
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    return [answers[number]["result"] for number in range(1, len(CALLS) + 1)]


def test_every_result_has_the_receipt_of_its_row_in_the_log(tmp_path: Path) -> None:
    results = call_in_process()
    receipts = [result.meta[RECEIPT_META] for result in results]

    assert results[2].is_error
    assert len(set(receipts)) == len(CALLS)
    assert list_receipts(tmp_path) == receipts


def test_stdio_sends_and_logs_the_same_receipts(tmp_path: Path) -> None:
    by_stdio = [result["_meta"][RECEIPT_META] for result in call_by_stdio()]

    assert sorted(list_receipts(tmp_path)) == sorted(by_stdio)
