"""How long a question that searches takes from SQL, against a model of 2 s and a search of 1 s: in
seconds, and as a ratio to the plain sum of what is waited for.

Seed 003 wants such an answer within 10 seconds. The model and the search are fake ones in a process
of their own; the sum is model + search + model. The first question of a process also loads what it
needs, so it stands apart. A batch of rows has the same sum, and shows what asking at once costs.

    python bench/ask_latency.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import webquarry.sql

ROOT = Path(__file__).parents[1]
MODEL_SECONDS = 2.0
SEARCH_SECONDS = 1.0
GOAL_SECONDS = 10.0
ROWS = 16
_SERVERS = """
import json, sys
from tests.model_servers import FakeServers
with FakeServers(latency={model}) as servers:
    servers.search_latency = {search}
    print(json.dumps(servers.environ), flush=True)
    sys.stdin.read()
"""


@dataclass(frozen=True)
class Figure:
    """What one statement took."""

    name: str
    seconds: float
    ratio: float  # to the plain sum
    cpu: float  # seconds of this process alone: on a busy machine the rest is waiting for a turn
    calls: int
    searches: int


@contextmanager
def serve(model: float, search: float) -> Iterator[dict[str, str]]:
    """The environment of a process that takes the fake servers for the real ones."""
    code = _SERVERS.format(model=model, search=search)
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.communicate()


def measure(model: float = MODEL_SECONDS, search: float = SEARCH_SECONDS) -> list[Figure]:
    """The first question, a later one, and rows at once."""
    plain_sum = model + search + model
    statements = {
        "the first question": "SELECT stps_ask_ai('Bitcoin [search]', 'price?')",
        "a later question": "SELECT stps_ask_ai('Ether [search]', 'price?')",
        f"{ROWS} rows at once": "SELECT stps_ask_ai('T' || range || ' [search]', 'price?') "
        f"FROM range({ROWS})",
    }
    figures = []
    with (
        serve(model, search) as environ,
        tempfile.TemporaryDirectory() as home,
        webquarry.sql.open(environ=dict(os.environ) | environ | {"HOME": home}) as session,
    ):
        for name, statement in statements.items():
            begun, used = time.perf_counter(), time.process_time()
            usage = session.sql(statement, lint=False).progress.usage
            seconds, cpu = time.perf_counter() - begun, time.process_time() - used
            ratio = seconds / plain_sum
            figures.append(Figure(name, seconds, ratio, cpu, usage.calls, usage.searches))
    return figures


def main() -> None:
    print(f"model {MODEL_SECONDS:g} s, search {SEARCH_SECONDS:g} s; goal: {GOAL_SECONDS:g} s")
    for figure in measure():
        verdict = "within" if figure.seconds < GOAL_SECONDS else "BEYOND"
        print(
            f"{figure.name}: {figure.seconds:.2f} s, {figure.ratio:.2f} x the plain sum, "
            f"{figure.cpu:.2f} s of CPU, "
            f"{figure.calls} calls, {figure.searches} searches ({verdict} the goal)"
        )


if __name__ == "__main__":
    main()
