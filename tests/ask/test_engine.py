"""The engine: what is asked, remembered, shared, limited and cancelled, counted by the model on the other side."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.ask.fakes import MODEL_KEY, SEARCH_KEY, Rehearsal, Said, home, open_engine, trouble
from webquarry.ask.engine import Engine
from webquarry.ask.models import Cancelled, LimitReached, Limits, Question, Reply
from webquarry.errors import AuthFailure, BadInput

T = TypeVar("T")
NO_LIMITS = Limits()


@pytest.fixture
def stage() -> Iterator[Rehearsal]:
    with Rehearsal() as stage:
        yield stage


def questions(number: int, mark: str = "") -> list[Question]:
    return [Question(f"row {n} {mark}".strip(), "What is it?") for n in range(number)]


def asked(stage: Rehearsal, folder: Path, *wanted: Question, search: bool = True, **settings: str) -> list[Reply]:
    """The replies of a new engine in this home."""

    async def work() -> list[Reply]:
        async with open_engine(home(stage, folder, search=search, **settings)) as engine:
            return await engine.ask_all(wanted, engine.statement())

    return asyncio.run(work())


def with_engine(stage: Rehearsal, folder: Path, work: Any, *, search: bool = True, **settings: str) -> Any:
    """What the work, a coroutine function, makes of a new engine."""

    async def run() -> Any:
        async with open_engine(home(stage, folder, search=search, **settings)) as engine:
            return await work(engine)

    return asyncio.run(run())


def test_equal_questions_of_one_batch_are_asked_once_and_paid_once(stage: Rehearsal, tmp_path: Path) -> None:
    same = Question("Python", "Who made it?")

    replies = asked(stage, tmp_path, same, Question("Rust", "Who made it?"), same)

    assert stage.messages == 2
    assert [reply.answer is not None for reply in replies] == [True] * 3
    assert [reply.usage.calls for reply in replies] == [1, 1, 0]
    assert replies[2].remembered


def test_an_answer_is_remembered_by_the_next_process(stage: Rehearsal, tmp_path: Path) -> None:
    question = Question("Python", "Who made it?")
    first = asked(stage, tmp_path, question)[0]
    again = asked(stage, tmp_path, question)[0]

    assert stage.messages == 1
    assert (again.answer, again.remembered, again.usage.usd) == (first.answer, True, 0.0)


@pytest.mark.parametrize(
    "other",
    [
        Question("Python", "Who made it?", max_tokens=50),
        Question("Python", "Who made it?", model="claude-haiku-5-5"),
        Question("Python", "Who made it?", search=False),
        Question("Python", "Who made it?", instructions="Be brief."),
        Question("Python", "Who made it?", schema='{"name": "VARCHAR"}'),
        Question("Python", "Who made it? ", fresh=True),
        Question("", "PythonWho made it?"),
    ],
)
def test_whatever_decides_the_answer_makes_it_another_question(
    stage: Rehearsal, tmp_path: Path, other: Question
) -> None:
    stage.answer = lambda question, model: '{"name": "Guido"}'
    asked(stage, tmp_path, Question("Python", "Who made it?"))
    asked(stage, tmp_path, other)

    assert stage.messages == 2


def test_a_fresh_question_takes_no_kept_answer_and_its_own_is_kept(stage: Rehearsal, tmp_path: Path) -> None:
    question = Question("Python", "Who made it?")
    asked(stage, tmp_path, question)
    stage.answer = lambda text, model: "a new answer"
    asked(stage, tmp_path, Question("Python", "Who made it?", fresh=True))

    assert stage.messages == 2
    assert asked(stage, tmp_path, question)[0].answer == "a new answer"


def test_errors_are_never_kept(stage: Rehearsal, tmp_path: Path) -> None:
    stage.rule = lambda body: trouble(400, "nonsense")
    failed = asked(stage, tmp_path, Question("Python", "Who made it?"))[0]
    stage.rule = None
    answered = asked(stage, tmp_path, Question("Python", "Who made it?"))[0]

    assert failed.answer is None
    assert failed.error is not None
    assert failed.error.code == "bad_request"
    assert answered.answer


def test_one_failing_row_fails_no_other(stage: Rehearsal, tmp_path: Path) -> None:
    wanted = [*questions(20), Question("bad [fail]", "What is it?"), *questions(40)[20:]]

    replies = asked(stage, tmp_path, *wanted, WEBQUARRY_RETRIES="0")

    assert [reply.error is not None for reply in replies] == [False] * 20 + [True] + [False] * 20
    assert replies[20].text == "ERROR: The model's provider answered HTTP 500: Internal server error"


def test_questions_in_flight_are_shared_across_statements(stage: Rehearsal, tmp_path: Path) -> None:
    stage.latency = 0.1

    async def work(engine: Engine) -> list[list[Reply]]:
        return await asyncio.gather(*(engine.ask_all(questions(64), engine.statement()) for _ in range(4)))

    replies = with_engine(stage, tmp_path, work)

    assert stage.messages == 64
    assert {reply.answer for reply in replies[0]} == {reply.answer for reply in replies[3]}
    assert sum(reply.usage.calls for part in replies for reply in part) == 64


def test_more_paid_questions_than_max_rows_are_refused_with_nothing_spent(stage: Rehearsal, tmp_path: Path) -> None:
    with pytest.raises(LimitReached, match=r"max_rows\) is 50"):
        asked(stage, tmp_path, *questions(51), WEBQUARRY_ASK_MAX_ROWS="50")

    assert stage.messages == 0


def test_what_is_remembered_does_not_count_towards_max_rows(stage: Rehearsal, tmp_path: Path) -> None:
    asked(stage, tmp_path, *questions(40))
    asked(stage, tmp_path, *questions(60), WEBQUARRY_ASK_MAX_ROWS="20")

    assert stage.messages == 60


def test_a_plan_over_the_limit_names_its_rows(stage: Rehearsal, tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        engine.statement().plan(50_000)

    with pytest.raises(LimitReached, match="50,000"):
        with_engine(stage, tmp_path, work)


def test_max_usd_is_never_exceeded_and_what_was_paid_for_is_kept(stage: Rehearsal, tmp_path: Path) -> None:
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


def test_the_limit_of_a_day_holds_for_all_processes_together(stage: Rehearsal, tmp_path: Path) -> None:
    stage.answer = lambda question, model: "word " * 400
    settings = {"WEBQUARRY_ASK_MAX_USD_PER_DAY": "0.08"}
    asked(stage, tmp_path, *questions(10), search=False, **settings)

    with pytest.raises(LimitReached, match="max_usd_per_day"):
        asked(stage, tmp_path, *questions(20)[10:], search=False, **settings)
    assert stage.answered < 20


def test_a_dry_run_asks_nobody_and_counts_what_the_real_run_asks(stage: Rehearsal, tmp_path: Path) -> None:
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


def test_a_cap_of_the_provider_is_found_and_everybody_is_answered(stage: Rehearsal, tmp_path: Path) -> None:
    stage.latency, stage.cap, stage.retry_after = 0.02, 8, "0.1"

    replies = asked(stage, tmp_path, *questions(300), WEBQUARRY_ASK_CONCURRENCY="32")

    assert all(reply.error is None for reply in replies)
    assert stage.throttled < 60


def test_nobody_asks_before_the_pause_that_the_provider_wants_ends(stage: Rehearsal, tmp_path: Path) -> None:
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


def test_a_wait_of_an_hour_is_the_answer_for_every_row_and_holds_nobody_up(stage: Rehearsal, tmp_path: Path) -> None:
    stage.cap, stage.retry_after = 0, "3600"

    replies = asked(stage, tmp_path, *questions(100), WEBQUARRY_ASK_CONCURRENCY="4")

    assert {reply.error.code for reply in replies if reply.error} == {"rate_limited"}
    assert stage.messages <= 8


def test_after_a_cancellation_no_search_is_begun_either(stage: Rehearsal, tmp_path: Path) -> None:
    stage.latency = 0.2

    async def work(engine: Engine) -> None:
        engine.grace_seconds = 30
        asking = asyncio.ensure_future(engine.ask_all(questions(4, "[search]"), engine.statement()))
        while stage.in_flight < 4:
            await asyncio.sleep(0.01)
        engine.cancel()
        with pytest.raises(Cancelled):
            await asking

    with_engine(stage, tmp_path, work)

    assert (stage.messages, stage.searches) == (4, 0)


@pytest.mark.parametrize("status", [500, 503, 529])
def test_a_passing_failure_is_tried_again_and_counted(stage: Rehearsal, tmp_path: Path, status: int) -> None:
    stage.rule = lambda body: trouble(status, "Overloaded") if stage.messages == 1 else None

    async def work(engine: Engine) -> tuple[Reply, int]:
        statement = engine.statement()
        return await engine.ask(Question("a", "b"), statement), statement.progress().retries

    reply, retries = with_engine(stage, tmp_path, work)

    assert reply.error is None
    assert (stage.messages, retries) == (2, 1)


def test_a_bad_key_is_tried_once_and_not_for_every_row(stage: Rehearsal, tmp_path: Path) -> None:
    replies = asked(
        stage, tmp_path, *questions(200), ANTHROPIC_API_KEY="sk-ant-wrong-000", WEBQUARRY_ASK_CONCURRENCY="4"
    )

    assert {reply.error.code for reply in replies if reply.error} == {"auth"}
    assert len(replies) == 200
    assert stage.messages <= 8


def test_a_model_that_is_gone_gets_an_error_that_names_the_setter(stage: Rehearsal, tmp_path: Path) -> None:
    stage.gone_models = {"claude-sonnet-4-5-20250929"}
    old = Question("a", "b", model="claude-sonnet-4-5-20250929")

    replies = asked(stage, tmp_path, old, Question("a", "b"))

    assert replies[0].error is not None
    assert "stps_set_model" in replies[0].error.message
    assert replies[1].error is None


def test_without_a_key_it_is_an_error_at_once_that_names_three_ways(stage: Rehearsal, tmp_path: Path) -> None:
    with pytest.raises(AuthFailure) as caught:
        asked(stage, tmp_path, Question("a", "b"), ANTHROPIC_API_KEY="")

    for way in ("ANTHROPIC_API_KEY", "~/.stps/anthropic_api_key", "stps_set_api_key"):
        assert way in caught.value.suggested_action
    assert stage.messages == 0


def test_a_search_that_must_be_and_cannot_be_is_an_error(stage: Rehearsal, tmp_path: Path) -> None:
    with pytest.raises(AuthFailure, match="no search provider"):
        asked(stage, tmp_path, Question("a", "b", search=True), search=False)


def test_cancelling_begins_no_further_call_and_keeps_what_was_answered(stage: Rehearsal, tmp_path: Path) -> None:
    stage.latency = 0.2

    async def work(engine: Engine) -> None:
        engine.grace_seconds = 30  # those under way have time to end, however slow this machine is
        statement = engine.statement()
        asking = asyncio.ensure_future(engine.ask_all(questions(64), statement))
        while stage.answered < 4:
            await asyncio.sleep(0.01)
        begun = stage.messages
        engine.cancel()
        with pytest.raises(Cancelled):
            await asking
        with pytest.raises(Cancelled):
            await engine.ask_all(questions(1), statement)
        assert stage.messages <= begun + 4, "but for those that were on their way"

    with_engine(stage, tmp_path, work, WEBQUARRY_ASK_CONCURRENCY="4")
    begun = stage.messages
    asked(stage, tmp_path, *questions(64))

    assert begun < 64
    assert stage.answered == 64, "what was under way was kept, and only the rest asked for"


def test_a_call_that_does_not_end_in_time_is_cut_off_and_counted_as_uncertain(stage: Rehearsal, tmp_path: Path) -> None:
    stage.latency = 30

    async def work(engine: Engine) -> float:
        engine.grace_seconds = 0.05
        asking = asyncio.ensure_future(engine.ask_all(questions(2), engine.statement()))
        while stage.in_flight < 2:
            await asyncio.sleep(0.01)
        engine.cancel()
        with pytest.raises(Cancelled):
            await asking
        return sum(spent.uncertain_usd for spent in engine.usage())

    assert with_engine(stage, tmp_path, work) > 0.02


def test_a_cancelled_statement_takes_no_answer_from_another(stage: Rehearsal, tmp_path: Path) -> None:
    stage.latency = 0.1

    async def work(engine: Engine) -> list[Reply]:
        one, two = engine.statement(), engine.statement()
        first = asyncio.ensure_future(engine.ask_all(questions(8), one))
        second = asyncio.ensure_future(engine.ask_all(questions(8), two))
        while not stage.in_flight:
            await asyncio.sleep(0.01)
        one.cancel()
        with pytest.raises(Cancelled):
            await first
        return await second

    replies = with_engine(stage, tmp_path, work, WEBQUARRY_ASK_CONCURRENCY="2")

    assert all(reply.error is None for reply in replies)
    assert stage.messages == 8


def test_two_engines_share_neither_keys_nor_options_nor_memory(stage: Rehearsal, tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        async with open_engine(home(stage, tmp_path / "other")) as other:
            engine.keys.set("BRAVE_API_KEY", "another-key-000")
            engine.options.set("model", "claude-haiku-5-5")
            await engine.ask(Question("a", "b"), engine.statement())
            assert other.options.get("model") == "claude-sonnet-5-5"
            found = other.keys.find("BRAVE_API_KEY")
            assert found is not None
            assert found.value.reveal() == SEARCH_KEY
            assert other.remembered(Question("a", "b")) is None

    with_engine(stage, tmp_path, work)


def test_an_answer_that_was_searched_for_is_good_for_half_an_hour_and_others_for_a_day(
    stage: Rehearsal, tmp_path: Path
) -> None:
    async def work(engine: Engine) -> list[float]:
        for mark in ("[search]", ""):
            await engine.ask(Question(f"a {mark}", "b"), engine.statement())
        kept = engine.shape(max_tokens=1000).kept
        return [one.expires_at - one.made_at for one in kept.values()]

    assert with_engine(stage, tmp_path, work) == [1800, 86400]


def test_lowering_how_long_answers_are_kept_holds_for_those_kept_already(stage: Rehearsal, tmp_path: Path) -> None:
    async def work(engine: Engine) -> tuple[bool, bool]:
        await engine.ask(Question("a", "b"), engine.statement())
        before = engine.remembered(Question("a", "b")) is not None
        engine.options.set("kept_seconds", "0")
        return before, engine.remembered(Question("a", "b")) is not None

    assert with_engine(stage, tmp_path, work) == (True, False)


def test_with_the_cache_off_nothing_is_kept(stage: Rehearsal, tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        engine.options.set("cache", "off")
        for _ in range(2):
            await engine.ask(Question("a", "b"), engine.statement())

    with_engine(stage, tmp_path, work)
    asked(stage, tmp_path, Question("a", "b"))

    assert stage.messages == 3


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (Question("a", "b", max_tokens=0), "max_tokens"),
        (Question("a", "b", model="two\nlines"), "model"),
        (Question("a", "b", schema="[]"), "schema"),
        (Question("a", "b", schema='{"a": "MONEY"}'), "MONEY"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_spent(
    stage: Rehearsal, tmp_path: Path, question: Question, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        asked(stage, tmp_path, question)

    assert stage.messages == 0


def test_a_typed_answer_is_asked_for_as_structured_output_and_checked(stage: Rehearsal, tmp_path: Path) -> None:
    stage.answer = lambda question, model: '{"ceo": "Ada", "founded": 1843}'
    form = '{"ceo": "VARCHAR", "founded": "INTEGER"}'

    reply = asked(stage, tmp_path, Question("ACME", "Facts?", schema=form))[0]

    assert reply.value == {"ceo": "Ada", "founded": 1843}
    sent = stage.bodies[0]["output_config"]["format"]
    assert sent["type"] == "json_schema"
    assert sent["schema"]["required"] == ["ceo", "founded"]


def test_a_typed_answer_of_another_form_is_trouble_and_not_kept(stage: Rehearsal, tmp_path: Path) -> None:
    stage.answer = lambda question, model: '{"founded": "long ago"}'
    question = Question("ACME", "Facts?", schema='{"founded": "INTEGER"}')

    replies = [asked(stage, tmp_path, question)[0] for _ in range(2)]

    assert [reply.error and reply.error.code for reply in replies] == ["bad_answer", "bad_answer"]
    assert stage.messages == 2


def test_usage_and_cost_are_those_that_the_provider_reports(stage: Rehearsal, tmp_path: Path) -> None:
    used = {
        "input_tokens": 412,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1890,
        "output_tokens": 14,
    }
    stage.rule = lambda body: Said(
        {"content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn", "usage": used}
    )

    usage = asked(stage, tmp_path, Question("a", "b"))[0].usage

    assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (1, 512, 14, 1890)
    assert usage.usd == pytest.approx((412 * 2 + 100 * 2.5 + 1890 * 0.2 + 14 * 10) / 1e6)


@pytest.mark.parametrize("body", [{}, {"content": "text"}, {"content": []}, {"content": [1, None]}])
def test_a_reply_that_is_no_message_is_trouble(stage: Rehearsal, tmp_path: Path, body: dict[str, Any]) -> None:
    stage.rule = lambda asked: Said(body)

    reply = asked(stage, tmp_path, Question("a", "b"))[0]

    assert reply.answer is None
    assert reply.error is not None


def test_no_key_is_in_any_reply_log_or_file_even_when_the_provider_repeats_it(
    stage: Rehearsal, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="webquarry")
    stage.rule = lambda body: trouble(400, f"Authorization: Bearer {MODEL_KEY} is not liked, nor {SEARCH_KEY}")
    failed = asked(stage, tmp_path, Question("a", "b"))
    stage.rule = None
    stage.search_status = 500
    answered = asked(stage, tmp_path, Question("a [search]", "b"), Question("c", "d"))

    said = f"{failed} {answered} {caplog.text}".encode()
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for key in (MODEL_KEY.encode(), SEARCH_KEY.encode()):
        assert key not in said
        assert key not in files
    assert b"Answer to" not in files, "answers are encrypted"
