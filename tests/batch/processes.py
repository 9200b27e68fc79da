"""Several programs that work on one run, and what they say."""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from webquarry.batch import AskFunction

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 120
PROMPT = "What industry is it in?"
ROWS, DISTINCT = 10_000, 100


@contextmanager
def start(
    function: AskFunction, environ: Mapping[str, str], count: int
) -> Iterator[list[subprocess.Popen[str]]]:
    """Start programs that ask at the same time."""
    given = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    pickled = base64.b64encode(pickle.dumps(function)).decode()
    command = [sys.executable, "-m", "tests.batch.program", str(ROWS), str(DISTINCT)]
    with ExitStack() as stack:
        processes: list[subprocess.Popen[str]] = []
        for _ in range(count):
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=given | dict(environ),
                cwd=ROOT,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            processes.append(process)
            tell(process, pickled)
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            tell(process, "go")
        yield processes


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def finish(processes: list[subprocess.Popen[str]]) -> list[dict[str, Any]]:
    """What each of them says at its end."""
    return [json.loads(one.communicate(timeout=PATIENCE_SECONDS)[0]) for one in processes]


def run_all(function: AskFunction, environ: Mapping[str, str], count: int) -> list[dict[str, Any]]:
    with start(function, environ, count) as processes:
        return finish(processes)


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.005)
