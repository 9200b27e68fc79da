"""Asking from SQL on loopback, against a model that takes 200 ms: as ratios to the ideal and to a
serial loop.

The model is a fake one, in a process of its own. Ideal is rows x latency / concurrency. The
serial loop asks one row per statement, as many as fit into two seconds, and is scaled up. CPU is
that of this process alone. The goal is at most 1.7 times the ideal; two cores are shared by both
processes, so the concurrency is printed with its ratio.

    python bench/sql_ask.py
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import webquarry.sql
from webquarry.sql import Session

ROOT = Path(__file__).parents[1]
LATENCY = 0.2
ROWS = 1000
GOAL = 1.7
MODEL = f"""
import json, sys
from tests.model_servers import FakeServers
with FakeServers(latency={LATENCY}) as servers:
    print(json.dumps(servers.environ), flush=True)
    sys.stdin.read()
"""


@contextmanager
def model() -> Iterator[dict[str, str]]:
    """The environment of a process that takes the fake model for the real one."""
    with subprocess.Popen(
        [sys.executable, "-c", MODEL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.communicate()


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(session: Session, statement: str) -> tuple[float, float]:
    """Wall-clock and CPU seconds of a statement."""
    wall, used = time.perf_counter(), cpu()
    session.sql(statement, lint=False)
    return time.perf_counter() - wall, cpu() - used


def serial(session: Session) -> float:
    """Seconds per row of a loop that asks one after the other."""
    begun, count = time.perf_counter(), 0
    while time.perf_counter() - begun < 2:
        session.sql(f"SELECT stps_ask_ai('serial {count}', 'q')", lint=False)
        count += 1
    return (time.perf_counter() - begun) / count


def main() -> None:
    with (
        model() as environ,
        tempfile.TemporaryDirectory() as home,
        webquarry.sql.open(environ=dict(os.environ) | environ | {"HOME": home}) as session,
    ):
        session.sql("SELECT stps_ask_ai('warm', 'up')")
        each = serial(session)
        print(
            f"serial loop: {each * 1000:.0f} ms a row, {each * ROWS:.0f} s for {ROWS:,} rows "
            "(scaled up)"
        )
        for concurrency in (16, 64, 128):
            session.sql(f"SELECT webquarry_set('concurrency', '{concurrency}')")
            asked = f"SELECT count(stps_ask_ai(range, 'at {concurrency}')) FROM range({ROWS})"
            wall, used = timed(session, asked)
            ideal = ROWS * LATENCY / concurrency
            print(
                f"{ROWS:,} rows at {concurrency:>3}: {wall:.2f} s, {wall / ideal:.2f} x ideal "
                f"({ideal:.2f} s), "
                f"{each * ROWS / wall:.0f} x the serial loop, {used / ROWS * 1e6:.0f} us of CPU "
                "a call" + (f" (goal: {GOAL} x ideal)" if concurrency == 64 else "")
            )
        hits = 1_000_000
        wall, used = timed(
            session, f"SELECT count(stps_ask_ai(range % {ROWS}, 'at 64')) FROM range({hits})"
        )
        print(
            f"kept answers, stps_ask_ai: {hits / wall:,.0f} a second, {used / hits * 1e6:.2f} us "
            "of CPU each"
        )
        hits = 100_000
        wall, used = timed(
            session, f"SELECT count(ask(range % {ROWS}, 'at 64').answer) FROM range({hits})"
        )
        print(
            f"kept answers, ask:         {hits / wall:,.0f} a second, {used / hits * 1e6:.2f} us "
            "of CPU each"
        )


if __name__ == "__main__":
    main()
