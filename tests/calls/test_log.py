"""The log of calls: what is kept of a call, for whom, how much of it, and what a crash leaves."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from webquarry.caller import serving
from webquarry.errors import NetworkFailure, NotFound
from webquarry.secret import Secret
from webquarry.settings import Settings
from webquarry.store.calls import CallLog, OngoingCall, describe_call
from webquarry.toolkit import Toolkit
from webquarry.tools import load

PAGE = "https://tidelines.example/2026/09/storing-the-tide"


def open_log(folder: Path, most_bytes: int = 1_000_000, seconds: float = 3600) -> CallLog:
    return CallLog(folder / "calls", most_bytes, seconds)


def log_one(calls: CallLog, tool: str = "web_search", **arguments: Any) -> None:
    with calls.watch(tool, arguments):
        pass
    calls.flush()


def environ_of(folder: Path) -> dict[str, str]:
    return {
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_STATE_FOLDER": str(folder),
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
    }


def test_the_last_call_of_a_process_is_logged(tmp_path: Path) -> None:
    code = "import webquarry; webquarry.search('tidal energy storage')"
    environ = environ_of(tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )

    assert done.stderr == ""
    logged = open_log(tmp_path).list_latest()
    assert [call.tool for call in logged] == ["web_search"]


def test_call_is_logged_with_its_outcome(tmp_path: Path) -> None:
    environ = environ_of(tmp_path)

    async def call() -> None:
        async with Toolkit.open(Settings.from_environment(environ), environ) as kit:
            await load("research", "scrape_page").call_and_log(kit, {"url": PAGE})
            await load("research", "web_search").call_and_log(
                kit, {"query": "tidal energy storage"}
            )

    before = time.time()
    asyncio.run(call())
    read, search = open_log(tmp_path).list_after()

    assert (read.tool, read.outcome, read.arguments) == ("scrape_page", "ok", {"url": PAGE})
    assert (read.found, read.read) == (0, 1)
    assert read.sources[0].url == PAGE
    assert read.sources[0].read
    assert (search.read, search.cached) == (0, False)
    assert search.found > 1
    assert search.providers is not None
    assert before <= read.at <= search.at <= time.time()
    assert read.seconds > 0
    assert read.process == os.getpid()
    assert read.id < search.id


def test_failures_and_cancelled_calls_are_logged_by_kind(tmp_path: Path) -> None:
    calls = open_log(tmp_path)
    for error in (NotFound("There is no such page."), ValueError("a bug"), KeyboardInterrupt()):
        with pytest.raises(type(error)), calls.watch("scrape_page", {}):
            raise error
    calls.flush()

    outcomes = [(logged.outcome, logged.message) for logged in calls.list_after()]
    assert outcomes == [
        ("not_found", "There is no such page."),
        ("internal", "ValueError"),
        ("cancelled", "KeyboardInterrupt"),
    ]


def test_secrets_are_masked_and_long_texts_cut_short() -> None:
    key = Secret("sk-otter-0123456789abcdef").reveal()
    arguments = {
        "url": f"https://example.org/?api_key=hunter2hunter2&q={key}",
        "headers": {"Authorization": "Bearer abcdefgh", "deep": {"a": {"b": {"c": {"d": 1}}}}},
        "text": "word " * 100_000,
        "many": list(range(1000)),
    }
    call = OngoingCall("scrape_page", arguments)
    call.error = NetworkFailure(f"No answer for {key}.")
    written = json.dumps(describe_call(call))

    assert len(written) < 5_000
    for secret in ("hunter2", key, "Bearer", "abcdefgh"):
        assert secret not in written


def test_calls_are_isolated_per_caller(tmp_path: Path) -> None:
    calls = open_log(tmp_path)
    with serving("ada"):
        log_one(calls, query="hers")
    with serving("bob"):
        log_one(calls, query="his")
        assert [logged.arguments for logged in calls.list_after()] == [{"query": "his"}]
    with serving("ada"):
        assert [logged.arguments for logged in calls.list_after()] == [{"query": "hers"}]

    assert calls.list_after() == []


def test_on_disk_nothing_can_be_read_without_the_key(tmp_path: Path) -> None:
    calls = open_log(tmp_path)
    with serving("ada"):
        log_one(calls, query="otters")
    folder = tmp_path / "calls"
    stored = b"".join(path.read_bytes() for path in folder.glob("calls.sqlite3*"))

    assert stored
    for word in (b"otters", b"ada", b"web_search"):
        assert word not in stored
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}


def test_what_came_later_is_asked_for_by_the_last_id(tmp_path: Path) -> None:
    calls = open_log(tmp_path)
    for number in range(5):
        log_one(calls, number=number)
    listed = calls.list_after()

    assert [logged.arguments["number"] for logged in calls.list_after(listed[2].id)] == [3, 4]
    assert calls.list_after(listed[-1].id) == []
    assert [logged.arguments["number"] for logged in calls.list_after(most=2)] == [0, 1]
    assert [logged.arguments["number"] for logged in calls.list_latest(2)] == [3, 4]
    assert calls.list_after(receipt=listed[3].receipt) == [listed[3]]


def test_the_log_is_bounded_in_bytes_and_the_oldest_calls_go_first(tmp_path: Path) -> None:
    calls = open_log(tmp_path, most_bytes=100_000)
    for number in range(900):
        log_one(calls, number=number)
    kept = [logged.arguments["number"] for logged in calls.list_after(most=1000)]
    size = (tmp_path / "calls" / "calls.sqlite3").stat().st_size

    assert size < 150_000
    assert len(kept) > 100
    assert kept == list(range(900 - len(kept), 900))


def test_calls_that_are_too_old_are_not_listed(tmp_path: Path) -> None:
    log_one(open_log(tmp_path), number=1)

    assert open_log(tmp_path, seconds=0.0).list_after() == []


def test_a_damaged_log_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    calls = open_log(tmp_path)
    log_one(calls, number=1)
    calls.close()
    file = tmp_path / "calls" / "calls.sqlite3"
    file.write_bytes(b"damaged " * 1000)
    log_one(open_log(tmp_path), number=2)

    assert [logged.arguments for logged in calls.list_after()] == [{"number": 2}]
    assert "calls.sqlite3.damaged" in caplog.text


def test_a_log_that_cannot_be_written_is_said_once_and_costs_no_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "calls").write_text("no folder", "utf-8")
    calls = open_log(tmp_path)
    log_one(calls)
    log_one(calls)

    assert len(caplog.records) == 1
    assert "calls.sqlite3 cannot be used" in caplog.text
