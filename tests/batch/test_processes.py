"""Eight plain processes work on one run: what they pay together, with a record file and with Redis."""

from __future__ import annotations

import pyarrow
import pytest

from tests.ask.fakes import FakeServers
from tests.batch.processes import DISTINCT, PROMPT, ROWS, run_all, start, wait_until
from tests.redis_server import RedisServer
from webquarry.batch import AskFunction

pytestmark = pytest.mark.slow
WORKERS = 8
UNDER_WAY = 24  # exchanges of one process at once, with 16 calls: some are being written down


@pytest.fixture(params=["file", "redis"])
def shared(
    request: pytest.FixtureRequest, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The environment of processes that share a record file, or a Redis and no file at all."""
    if request.param == "file":
        return environ
    server: RedisServer = request.getfixturevalue("redis_server")
    given = server.environ | {
        "HOME": environ["HOME"],
        "WEBQUARRY_STATE_FOLDER": "/nonexistent/state",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return environ | given


def ask(**options: object) -> AskFunction:
    return AskFunction(PROMPT, column="company", **options)  # type: ignore[arg-type]


def test_eight_processes_make_each_call_once_and_a_second_run_none(
    servers: FakeServers, shared: dict[str, str]
) -> None:
    servers.latency = 0.02
    function = ask()
    results = run_all(function, shared, WORKERS)

    assert servers.messages == DISTINCT
    assert sum(one["calls"] for one in results) == DISTINCT
    assert [one["answered"] for one in results] == [ROWS] * WORKERS
    bill = function.read_bill()
    assert (bill.calls, bill.questions, bill.uncertain_usd) == (DISTINCT, DISTINCT, 0.0)
    assert bill.hits == WORKERS * ROWS - DISTINCT

    results = run_all(function, shared, 2)
    assert servers.messages == DISTINCT
    assert [one["answered"] for one in results] == [ROWS] * 2


@pytest.mark.parametrize("limit", ["rows", "usd"])
def test_cap_of_twenty_makes_twenty_calls(
    servers: FakeServers, shared: dict[str, str], limit: str
) -> None:
    servers.latency = 0.02
    function = ask(max_rows=20)
    if limit == "usd":
        function = ask(max_usd=_price_of(20), max_rows=None)
    results = run_all(function, shared, WORKERS)
    extra = int(limit == "usd")  # the one whose price was looked up

    assert servers.messages == 20 + extra
    assert sum(one["calls"] for one in results) == 20
    for one in results:
        assert one["answered"] == (20 + extra) * ROWS // DISTINCT
        assert one["errors"] == {"limit": ROWS - one["answered"]}
    bill = function.read_bill()
    assert (bill.calls, bill.uncertain_usd) == (20, 0.0)


def _price_of(calls: int) -> float:
    """Return the price of calls, with the reservation that the last one needs."""
    first = ask()
    texts = pyarrow.array(["Company 000"])
    first.answer(texts)
    paid = first.read_bill().usd
    plan = ask(dry_run=True)
    plan.answer(pyarrow.array(["Company 001"]))
    worst = plan.plan().worst_usd
    assert worst > paid > 0
    return paid * (calls - 1) + worst + paid / 2


def test_after_a_kill_only_the_rest_and_the_calls_under_way_are_paid(
    servers: FakeServers, shared: dict[str, str]
) -> None:
    servers.latency = 0.05
    function = ask()
    with start(function, shared, 2) as processes:
        wait_until(lambda: servers.messages >= 30)
        for process in processes:
            process.kill()
            process.wait()
        made = servers.messages
    servers.latency = 0.0
    results = run_all(function, shared, 2)

    assert [one["answered"] for one in results] == [ROWS] * 2
    again = servers.messages - made
    assert DISTINCT - made <= again <= DISTINCT - made + 2 * UNDER_WAY
    bill = function.read_bill()
    # One call per question is certain. Repeated ones are uncertain.
    assert bill.calls == DISTINCT
    assert bill.uncertain_usd > 0
    assert bill.questions <= DISTINCT + 2 * UNDER_WAY
