"""The engine: deduplication and stored answers, counted by the calls of the model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.ask.asking import asked, questions, with_engine
from tests.ask.fakes import SEARCH_KEY, FakeServers, error_reply, home, open_engine
from webquarry.ask.engine import Engine
from webquarry.ask.models import ModelReply, Question


def test_equal_questions_of_one_batch_are_asked_once_and_paid_once(
    servers: FakeServers, tmp_path: Path
) -> None:
    same = Question("Python", "Who made it?")

    replies = asked(servers, tmp_path, same, Question("Rust", "Who made it?"), same)

    assert servers.messages == 2
    assert [reply.answer is not None for reply in replies] == [True] * 3
    assert [reply.usage.calls for reply in replies] == [1, 1, 0]
    assert replies[2].remembered


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
    servers: FakeServers, tmp_path: Path, other: Question
) -> None:
    servers.answer = lambda question, model: '{"name": "Guido"}'
    asked(servers, tmp_path, Question("Python", "Who made it?"))
    asked(servers, tmp_path, other)

    assert servers.messages == 2


def test_fresh_question_ignores_the_stored_answer_and_replaces_it(
    servers: FakeServers, tmp_path: Path
) -> None:
    question = Question("Python", "Who made it?")
    asked(servers, tmp_path, question)
    servers.answer = lambda text, model: "a new answer"
    asked(servers, tmp_path, Question("Python", "Who made it?", fresh=True))

    assert servers.messages == 2
    assert asked(servers, tmp_path, question)[0].answer == "a new answer"


def test_errors_are_not_stored(servers: FakeServers, tmp_path: Path) -> None:
    servers.rule = lambda body: error_reply(400, "nonsense")
    failed = asked(servers, tmp_path, Question("Python", "Who made it?"))[0]
    servers.rule = None
    answered = asked(servers, tmp_path, Question("Python", "Who made it?"))[0]

    assert failed.answer is None
    assert failed.error is not None
    assert failed.error.code == "bad_request"
    assert answered.answer


def test_questions_in_flight_are_shared_across_statements(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency = 0.1

    async def work(engine: Engine) -> list[list[ModelReply]]:
        return await asyncio.gather(
            *(engine.ask_all(questions(64), engine.statement()) for _ in range(4))
        )

    replies = with_engine(servers, tmp_path, work)

    assert servers.messages == 64
    assert {reply.answer for reply in replies[0]} == {reply.answer for reply in replies[3]}
    assert sum(reply.usage.calls for part in replies for reply in part) == 64


def test_two_engines_share_neither_keys_nor_options_nor_memory(
    servers: FakeServers, tmp_path: Path
) -> None:
    async def work(engine: Engine) -> None:
        async with open_engine(home(servers, tmp_path / "other")) as other:
            engine.keys.set("BRAVE_API_KEY", "another-key-000")
            engine.options.set("model", "claude-haiku-5-5")
            await engine.ask(Question("a", "b"), engine.statement())
            assert other.options.get("model") == "claude-sonnet-5-5"
            found = other.keys.find("BRAVE_API_KEY")
            assert found is not None
            assert found.value.reveal() == SEARCH_KEY

    with_engine(servers, tmp_path, work)


def test_answer_that_was_searched_for_is_good_for_half_an_hour_and_others_for_a_day(
    servers: FakeServers, tmp_path: Path
) -> None:
    async def work(engine: Engine) -> list[float]:
        for mark in ("[search]", ""):
            await engine.ask(Question(f"a {mark}", "b"), engine.statement())
        kept = engine.templates.resolve(Question("", "")).kept
        return [one.expires_at - one.made_at for one in kept.values()]

    assert with_engine(servers, tmp_path, work) == [1800, 86400]


def test_lowered_lifetime_applies_to_stored_answers(servers: FakeServers, tmp_path: Path) -> None:
    async def work(engine: Engine) -> list[bool]:
        replies = [await engine.ask(Question("a", "b"), engine.statement()) for _ in range(2)]
        engine.options.set("kept_seconds", "0")
        replies.append(await engine.ask(Question("a", "b"), engine.statement()))
        return [reply.remembered for reply in replies]

    assert with_engine(servers, tmp_path, work) == [False, True, False]


def test_without_cache_nothing_is_stored(servers: FakeServers, tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        engine.options.set("cache", "off")
        for _ in range(2):
            await engine.ask(Question("a", "b"), engine.statement())

    with_engine(servers, tmp_path, work)
    asked(servers, tmp_path, Question("a", "b"))

    assert servers.messages == 3
