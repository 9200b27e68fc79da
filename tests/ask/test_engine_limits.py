"""The engine: what a statement, a day and a provider allow, and that nobody goes beyond it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ask.asking import asked, questions, with_engine
from tests.ask.fakes import Rehearsal, trouble
from webquarry.ask.engine import Engine
from webquarry.ask.models import Limits, Question
from webquarry.errors import LimitReached


def test_more_paid_questions_than_max_rows_are_refused_with_nothing_spent(
    stage: Rehearsal, tmp_path: Path
) -> None:
    with pytest.raises(LimitReached, match=r"max_rows\) is 50"):
        asked(stage, tmp_path, *questions(51), WEBQUARRY_ASK_MAX_ROWS="50")

    assert stage.messages == 0


def test_what_is_remembered_does_not_count_towards_max_rows(
    stage: Rehearsal, tmp_path: Path
) -> None:
    asked(stage, tmp_path, *questions(40))
    asked(stage, tmp_path, *questions(60), WEBQUARRY_ASK_MAX_ROWS="20")

    assert stage.messages == 60


def test_a_plan_over_the_limit_names_its_rows(stage: Rehearsal, tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        engine.statement().plan(50_000)

    with pytest.raises(LimitReached, match="50,000"):
        with_engine(stage, tmp_path, work)


def test_max_usd_is_never_exceeded_and_what_was_paid_for_is_kept(
    stage: Rehearsal, tmp_path: Path
) -> None:
    stage.answer = lambda question, model: "word " * 400  # about 500 tokens, half a cent
    limits = Limits(max_usd=0.1)

    async def work(engine: Engine) -> tuple[float, int]:
        statement = engine.statement(limits=limits)
        with pytest.raises(LimitReached, match="max_usd"):
            await engine.ask_all(questions(100), statement)
        with pytest.raises(LimitReached):
            await engine.ask_all(questions(200), statement)
        return sum(spent.usd + spent.uncertain_usd for spent in engine.usage()), stage.answered

    spent, answered = with_engine(stage, tmp_path, work, search=False)
    before = stage.messages
    asked(stage, tmp_path, *questions(100), search=False, WEBQUARRY_ASK_MAX_USD="none")

    assert 10 < answered < 30
    assert 0.05 < spent <= 0.1
    assert stage.messages - before == 100 - answered


def test_the_limit_of_a_day_holds_for_all_processes_together(
    stage: Rehearsal, tmp_path: Path
) -> None:
    stage.answer = lambda question, model: "word " * 400
    settings = {"WEBQUARRY_ASK_MAX_USD_PER_DAY": "0.08"}
    asked(stage, tmp_path, *questions(10), search=False, **settings)

    with pytest.raises(LimitReached, match="max_usd_per_day"):
        asked(stage, tmp_path, *questions(20)[10:], search=False, **settings)
    assert stage.answered < 20


def test_a_dry_run_asks_nobody_and_counts_what_the_real_run_asks(
    stage: Rehearsal, tmp_path: Path
) -> None:
    asked(stage, tmp_path, *questions(3))
    wanted = [*questions(10), *questions(10)]

    async def work(engine: Engine) -> tuple[int, float]:
        statement = engine.statement(dry_run=True)
        replies = await engine.ask_all(wanted, statement)
        await engine.ask_all(wanted, statement)
        assert [reply.answer is None for reply in replies[:10]] == [False] * 3 + [True] * 7
        return statement.progress().planned, statement.progress().worst_usd

    planned, worst = with_engine(stage, tmp_path, work)
    assert stage.messages == 3
    asked(stage, tmp_path, *wanted)

    assert stage.messages - 3 == planned == 7
    assert 0.01 < worst < 1


def test_no_more_calls_are_under_way_than_the_concurrency(stage: Rehearsal, tmp_path: Path) -> None:
    stage.latency = 0.01
    asked(stage, tmp_path, *questions(100), WEBQUARRY_ASK_CONCURRENCY="7")

    assert stage.most_in_flight == 7


def test_a_cap_of_the_provider_is_found_and_everybody_is_answered(
    stage: Rehearsal, tmp_path: Path
) -> None:
    stage.latency, stage.cap, stage.retry_after = 0.02, 8, "0.1"

    replies = asked(stage, tmp_path, *questions(300), WEBQUARRY_ASK_CONCURRENCY="32")

    assert all(reply.error is None for reply in replies)
    assert stage.throttled < 60


def test_nobody_asks_before_the_pause_that_the_provider_wants_ends(
    stage: Rehearsal, tmp_path: Path
) -> None:
    slow = trouble(429, "slow down", {"retry-after": "0.5"})
    stage.rule = lambda body: slow if stage.messages == 1 else None
    replies = asked(stage, tmp_path, *questions(3), WEBQUARRY_ASK_CONCURRENCY="1")

    assert all(reply.error is None for reply in replies)
    assert stage.moments[1] - stage.moments[0] >= 0.5


def test_a_429_without_a_time_to_come_back_is_the_answer(stage: Rehearsal, tmp_path: Path) -> None:
    stage.cap, stage.retry_after = 0, None

    reply = asked(stage, tmp_path, Question("a", "b"))[0]

    assert reply.error is not None
    assert (reply.error.code, reply.error.retryable, stage.messages) == ("rate_limited", False, 1)


def test_a_wait_of_an_hour_is_the_answer_for_every_row_and_holds_nobody_up(
    stage: Rehearsal, tmp_path: Path
) -> None:
    stage.cap, stage.retry_after = 0, "3600"

    replies = asked(stage, tmp_path, *questions(100), WEBQUARRY_ASK_CONCURRENCY="4")

    assert {reply.error.code for reply in replies if reply.error} == {"rate_limited"}
    assert stage.messages <= 8
