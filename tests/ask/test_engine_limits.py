"""The engine: limits of statements, days and providers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ask.asking import asked, questions, with_engine
from tests.ask.fakes import FakeServers, error_reply
from webquarry.ask.engine import Engine
from webquarry.ask.models import AskLimits, Question
from webquarry.errors import LimitReached


def test_more_paid_questions_than_max_rows_are_refused_with_nothing_spent(
    servers: FakeServers, tmp_path: Path
) -> None:
    with pytest.raises(LimitReached, match=r"max_rows\) is 50"):
        asked(servers, tmp_path, *questions(51), WEBQUARRY_ASK_MAX_ROWS="50")

    assert servers.messages == 0


def test_stored_answers_do_not_count_towards_max_rows(servers: FakeServers, tmp_path: Path) -> None:
    asked(servers, tmp_path, *questions(40))
    asked(servers, tmp_path, *questions(60), WEBQUARRY_ASK_MAX_ROWS="20")

    assert servers.messages == 60


def test_max_usd_is_never_exceeded_and_paid_answers_are_stored(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.answer = lambda question, model: "word " * 400  # about 500 tokens, half a cent
    limits = AskLimits(max_usd=0.1)

    async def work(engine: Engine) -> tuple[float, int]:
        statement = engine.statement(limits=limits)
        with pytest.raises(LimitReached, match="max_usd"):
            await engine.ask_all(questions(100), statement)
        with pytest.raises(LimitReached):
            await engine.ask_all(questions(200), statement)
        return sum(
            spent.usd + spent.uncertain_usd for spent in await engine.usage()
        ), servers.answered

    spent, answered = with_engine(servers, tmp_path, work, search=False)
    before = servers.messages
    asked(servers, tmp_path, *questions(100), search=False, WEBQUARRY_ASK_MAX_USD="none")

    assert 10 < answered < 30
    assert 0.05 < spent <= 0.1
    assert servers.messages - before == 100 - answered


def test_limit_of_a_day_holds_for_all_processes_together(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.answer = lambda question, model: "word " * 400
    settings = {"WEBQUARRY_ASK_MAX_USD_PER_DAY": "0.08"}
    asked(servers, tmp_path, *questions(10), search=False, **settings)

    with pytest.raises(LimitReached, match="max_usd_per_day"):
        asked(servers, tmp_path, *questions(20)[10:], search=False, **settings)
    assert servers.answered < 20


def test_dry_run_sends_nothing_and_counts_what_the_real_run_asks(
    servers: FakeServers, tmp_path: Path
) -> None:
    asked(servers, tmp_path, *questions(3))
    wanted = [*questions(10), *questions(10)]

    async def work(engine: Engine) -> tuple[int, float]:
        statement = engine.statement(dry_run=True)
        replies = await engine.ask_all(wanted, statement)
        await engine.ask_all(wanted, statement)
        assert [reply.answer is None for reply in replies[:10]] == [False] * 3 + [True] * 7
        return statement.progress().planned, statement.progress().worst_usd

    planned, worst = with_engine(servers, tmp_path, work)
    assert servers.messages == 3
    asked(servers, tmp_path, *wanted)

    assert servers.messages - 3 == planned == 7
    assert 0.01 < worst < 1


def test_no_more_calls_are_under_way_than_the_concurrency(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency = 0.01
    asked(servers, tmp_path, *questions(100), ask_concurrency="7")

    assert servers.most_in_flight == 7


def test_cap_of_the_provider_is_found_and_all_is_answered(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency, servers.cap, servers.retry_after = 0.02, 8, "0.1"

    replies = asked(servers, tmp_path, *questions(300), ask_concurrency="32")

    assert all(reply.error is None for reply in replies)
    assert servers.throttled < 60


def test_nothing_is_sent_before_the_end_of_a_requested_pause(
    servers: FakeServers, tmp_path: Path
) -> None:
    slow = error_reply(429, "slow down", {"retry-after": "0.5"})
    servers.rule = lambda body: slow if servers.messages == 1 else None
    replies = asked(servers, tmp_path, *questions(3), ask_concurrency="1")

    assert all(reply.error is None for reply in replies)
    assert servers.moments[1] - servers.moments[0] >= 0.5


def test_429_without_a_time_to_come_back_is_the_answer(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.cap, servers.retry_after = 0, None

    reply = asked(servers, tmp_path, Question("a", "b"))[0]

    assert reply.error is not None
    assert (reply.error.code, reply.error.retryable, servers.messages) == ("rate_limited", False, 1)


def test_wait_of_an_hour_is_the_error_of_every_row_without_waiting(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.cap, servers.retry_after = 0, "3600"

    replies = asked(servers, tmp_path, *questions(100), ask_concurrency="4")

    assert {reply.error.code for reply in replies if reply.error} == {"rate_limited"}
    assert servers.messages <= 8
