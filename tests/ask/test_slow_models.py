"""A model that is slow: how long it may take, and that what may have been paid for is not repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ask.asking import asked, with_engine
from tests.ask.fakes import FakeServers
from webquarry.ask import exchange
from webquarry.ask.engine import Engine
from webquarry.ask.models import Question


def test_time_of_a_call_follows_the_longest_answer() -> None:
    assert exchange.limit_call(1) < 31
    assert exchange.limit_call(1000) > 45
    assert exchange.limit_call(8000) > 200
    assert exchange.limit_call(128_000) == exchange.MOST_CALL_SECONDS


def test_model_that_takes_longer_than_the_least_time_is_paid_once_and_answers(
    servers: FakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As 35 seconds are to 30, on a machine that may be busy."""
    monkeypatch.setattr(exchange, "CALL_SECONDS", 0.05)
    servers.latency = 0.2
    reply = asked(servers, tmp_path, Question("a [search]", "b"))[0]

    assert (reply.error, reply.searched) == (None, True)
    assert servers.messages == 2


@pytest.mark.slow
def test_call_that_timed_out_is_not_repeated_and_counts_as_uncertain_once(
    servers: FakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "CALL_SECONDS", 3.0)  # to reach the server, on a busy machine
    monkeypatch.setattr(exchange, "SECONDS_PER_TOKEN", 0.0)
    servers.latency = 600.0

    async def work(engine: Engine) -> None:
        reply = await engine.ask(Question("a", "b"), engine.statement())
        assert reply.error is not None
        assert (reply.error.code, reply.error.retryable) == ("timeout", True)
        assert "not repeated" in reply.error.message
        (record,) = await engine.usage()
        assert (record.calls, record.usd) == (0, 0.0)
        assert 0 < record.uncertain_usd < 0.05

    with_engine(servers, tmp_path, work, search=False, retries="5")
    assert servers.messages == 1
