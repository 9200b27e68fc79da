"""Several processes, one record file: what they spend together, and what one leaves behind that is
killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.ask.fakes import FakeReply, FakeServers, home, open_engine
from webquarry.ask import ledger
from webquarry.ask.ledger import SpendingRecord
from webquarry.ask.models import Question
from webquarry.clock import Clock

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 60


class Later(Clock):
    """A clock that is ahead."""

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=ledger.RESERVED_SECONDS + 1)


@contextmanager
def asker(environ: dict[str, str], mark: str, count: int) -> Iterator[subprocess.Popen[str]]:
    """A process that is ready to ask, and asks once it gets a line."""
    command = [sys.executable, "-m", "tests.ask.asker", mark, str(count)]
    given = {
        name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ
    } | environ
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=given, cwd=ROOT
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def build_expensive_reply(body: dict[str, Any]) -> FakeReply:
    """An answer as long as it may be: 0.012 USD."""
    reply = {
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": "long"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1000, "output_tokens": 1000},
    }
    return FakeReply(reply)


def test_two_processes_at_once_never_spend_more_than_the_limit_of_a_day(tmp_path: Path) -> None:
    with FakeServers(latency=0.05) as servers:
        servers.rule = build_expensive_reply
        environ = home(
            servers,
            tmp_path,
            search=False,
            WEBQUARRY_ASK_MAX_USD_PER_DAY="0.2",
        )
        with asker(environ, "one", 20) as one, asker(environ, "two", 20) as two:
            for process in (one, two):
                assert process.stdin is not None
                process.stdin.write("go\n")
                process.stdin.flush()
            results = [
                json.loads(process.communicate(timeout=PATIENCE_SECONDS)[0])
                for process in (one, two)
            ]

        assert all("max_usd_per_day" in one["limit"] for one in results)
        assert 0.1 < servers.answered * 0.012 <= 0.2
        assert sum(one["usd"] for one in results) == pytest.approx(servers.answered * 0.012)


def test_killed_process_loses_no_stored_answer_and_its_reservation_expires(
    tmp_path: Path,
) -> None:
    with FakeServers() as servers:
        environ = home(servers, tmp_path, search=False, TEST_CONCURRENCY="2")
        servers.rule = lambda body: _slower_after(servers, 4)
        with asker(environ, "row", 10) as process:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
            _wait_until(
                lambda: (
                    servers.in_flight == 2
                    and _count(tmp_path, "ask_answers") == servers.answered >= 4
                )
            )
            process.kill()
            process.wait(PATIENCE_SECONDS)
        kept, asked = servers.answered, servers.messages
        under_way = _count(tmp_path, "ask_reservations")
        assert under_way >= 2

        servers.latency, servers.rule = 0.0, None
        spent = asyncio.run(_again(environ))

        assert servers.messages - asked == 10 - kept
        assert _count(tmp_path, "ask_reservations") == 0
        assert sum(one.questions for one in spent) == 10 + under_way
        assert sum(one.uncertain_usd > 0 for one in spent) == 1


def _begin(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def test_two_processes_that_ask_the_same_at_once_pay_for_each_question_once(tmp_path: Path) -> None:
    with FakeServers(latency=0.1) as servers:
        environ = home(servers, tmp_path, search=False)
        with asker(environ, "row", 48) as one, asker(environ, "row", 48) as two:
            _begin(one, two)
            results = [
                json.loads(process.communicate(timeout=PATIENCE_SECONDS)[0])
                for process in (one, two)
            ]

        assert servers.messages == 48
        assert results[0]["answers"] == results[1]["answers"]
        assert sum(one["calls"] for one in results) == 48
        assert sum(one["hits"] for one in results) == 48
        assert _count(tmp_path, "ask_claims") == 0


def test_claims_of_a_killed_process_end_at_once(tmp_path: Path) -> None:
    with FakeServers() as servers:
        environ = home(servers, tmp_path, search=False)
        servers.latency = 600.0
        with asker(environ, "row", 4) as first, asker(environ, "row", 4) as second:
            _begin(first)
            _wait_until(lambda: servers.in_flight == 4)
            _begin(second)
            servers.latency = 0.0
            assert servers.messages == 4
            first.kill()
            first.wait(PATIENCE_SECONDS)
            results = json.loads(second.communicate(timeout=PATIENCE_SECONDS)[0])

        # Long before the lease of half a minute is over.
        assert servers.messages == 8
        assert results["calls"] == 4
        assert _count(tmp_path, "ask_claims") == 0


def _slower_after(servers: FakeServers, answers: int) -> None:
    if servers.answered + 1 >= answers:
        servers.latency = 600.0


async def _again(environ: dict[str, str]) -> list[SpendingRecord]:
    async with open_engine(environ) as engine:
        engine.clock = Later()
        await engine.ask_all(
            [Question(f"row {number}", "What is it?") for number in range(10)], engine.statement()
        )
        return await engine.usage(days=2)


def _count(folder: Path, table: str) -> int:
    place = folder / ".local" / "state" / "webquarry" / "state.sqlite3"
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _wait_until(is_so: Any) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
