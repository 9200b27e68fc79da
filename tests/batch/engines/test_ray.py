"""Two Ray workers that share a Redis: what they pay together. Ray Data, and Daft on Ray."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray

import webquarry.batch
from tests.ask.fakes import FakeServers, home
from tests.batch.processes import DISTINCT, PROMPT, ROWS, wait_until
from tests.batch.program import build_texts
from tests.redis_server import running
from webquarry.batch import AskFunction, ray_ask

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[FakeServers, dict[str, str]]]:
    """A model, and the environment of workers that share a Redis and have no record file."""
    with FakeServers(latency=0.02) as servers, running() as server:
        environ = home(servers, tmp_path_factory.mktemp("home"), search=False)
        environ = server.environ | environ | {"WEBQUARRY_STATE_FOLDER": "/nonexistent/state"}
        del environ["HOME"]  # where Ray's workers find the token of their cluster
        yield servers, environ


@pytest.fixture(scope="module")
def cluster(redis: tuple[FakeServers, dict[str, str]]) -> Iterator[None]:
    """Ray on this machine, with two workers; it takes half a minute to start."""
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": redis[1] | {"PYTHONPATH": str(ROOT)}},
        object_store_memory=80 * 1024 * 1024,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture
def servers(
    cluster: None, redis: tuple[FakeServers, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeServers]:
    """The model that has not been asked in this test."""
    servers, environ = redis
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    servers.messages, servers.latency = 0, 0.02
    yield servers
    webquarry.batch.close()


def ask(prompt: str, **options: Any) -> list[dict[str, Any]]:
    """The answers of all rows, by two workers."""
    texts = build_texts(ROWS, DISTINCT)
    rows = ray.data.from_items([{"company": text} for text in texts]).repartition(8)
    asked = ray_ask(rows, "company", prompt, ray_options={"num_cpus": 1}, **options)
    return [row["answer"] for row in asked.take_all()]


def test_ray_pays_for_each_question_once_and_keeps_the_caps(servers: FakeServers) -> None:
    rows = ask("What is made there?", run="capped", max_rows=20)
    assert servers.messages == 20
    assert sum((row["error"] or {}).get("code") == "limit" for row in rows) == 8000

    rows = ask("What is made there?", run="whole")
    assert servers.messages == DISTINCT
    assert all(row["answer"] for row in rows)
    (bill,) = webquarry.batch.read_bill("whole")
    assert (bill.calls, bill.uncertain_usd) == (DISTINCT - 20, 0.0)

    ask("What is made there?", run="again")
    assert servers.messages == DISTINCT


def test_worker_that_is_killed_costs_the_calls_under_way_only(servers: FakeServers) -> None:
    servers.latency = 0.1
    killed: list[int] = []

    def kill_one() -> None:
        wait_until(lambda: servers.messages >= 30)
        for process in Path("/proc").glob("[0-9]*"):
            try:
                name = (process / "cmdline").read_bytes()
                environ = (process / "environ").read_bytes()
            except OSError:
                continue
            if name.startswith(b"ray::") and os.environ["ANTHROPIC_BASE_URL"].encode() in environ:
                killed.append(int(process.name))
                os.kill(killed[0], signal.SIGKILL)
                return

    killer = threading.Thread(target=kill_one)
    killer.start()
    rows = ask("Who leads it?", run="killed")
    killer.join()

    assert killed
    assert all(row["answer"] for row in rows)
    assert DISTINCT <= servers.messages <= DISTINCT + 12
    asked = servers.messages
    ask("Who leads it?", run="killed")
    assert servers.messages == asked


def test_daft_on_ray_pays_for_each_question_once(servers: FakeServers) -> None:
    daft = pytest.importorskip("daft")
    daft.set_runner_ray()
    frame = daft.from_pydict({"company": build_texts(ROWS, DISTINCT)}).into_partitions(4)
    asked = frame.with_column("a", webquarry.batch.daft_ask("company", PROMPT))
    rows = asked.to_pydict()["a"]

    assert servers.messages == DISTINCT
    assert all(row["answer"] for row in rows)


def test_no_key_is_in_the_pickled_function(servers: FakeServers) -> None:
    import ray.cloudpickle as cloudpickle

    pickled = cloudpickle.dumps(AskFunction(PROMPT, column="company"))

    assert len(pickled) < 1024
    for name in ("ANTHROPIC_API_KEY", "WEBQUARRY_STORE_KEY", "WEBQUARRY_REDIS_URL"):
        assert os.environ[name].encode() not in pickled
