"""The engine: errors of rows, keys, models and replies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.ask.asking import asked, questions, with_engine
from tests.ask.fakes import MODEL_KEY, SEARCH_KEY, FakeServers, error_reply
from webquarry.ask.engine import Engine
from webquarry.ask.models import ModelReply, Question
from webquarry.ask.store import FileQuestionStore
from webquarry.errors import AuthFailure, BadInput, RecordsFailure


def test_one_failing_row_fails_no_other(servers: FakeServers, tmp_path: Path) -> None:
    wanted = [*questions(20), Question("bad [fail]", "What is it?"), *questions(40)[20:]]

    replies = asked(servers, tmp_path, *wanted, retries="0")

    assert [reply.error is not None for reply in replies] == [False] * 20 + [True] + [False] * 20
    assert (
        replies[20].text == "ERROR: The model's provider answered HTTP 500: Internal server error"
    )


@pytest.mark.parametrize("status", [500, 503, 529])
def test_temporary_failure_is_tried_again(
    servers: FakeServers, tmp_path: Path, status: int
) -> None:
    servers.rule = lambda body: error_reply(status, "Overloaded") if servers.messages == 1 else None

    reply = asked(servers, tmp_path, Question("a", "b"))[0]

    assert (reply.error, servers.messages) == (None, 2)


WRONG_KEY = {"ANTHROPIC_API_KEY": "sk-ant-wrong-000", "ask_concurrency": "4"}


def test_key_that_is_not_accepted_ends_the_statement_with_one_error(
    servers: FakeServers, tmp_path: Path
) -> None:
    with pytest.raises(AuthFailure, match="did not accept the key"):
        asked(servers, tmp_path, *questions(200), search=True, **WRONG_KEY)

    assert servers.messages <= 8


def test_key_that_is_not_accepted_is_the_error_of_each_row_where_that_is_wanted(
    servers: FakeServers, tmp_path: Path
) -> None:
    async def work(engine: Engine) -> list[ModelReply]:
        return await engine.ask_all(questions(200), engine.statement(ends_when_refused=False))

    replies = with_engine(servers, tmp_path, work, search=True, **WRONG_KEY)

    assert {reply.error.code for reply in replies if reply.error} == {"auth"}
    assert len(replies) == 200
    assert servers.messages <= 8


def test_error_of_a_retired_model_names_the_setter(servers: FakeServers, tmp_path: Path) -> None:
    servers.gone_models = {"claude-sonnet-4-5-20250929"}
    old = Question("a", "b", model="claude-sonnet-4-5-20250929")

    replies = asked(servers, tmp_path, old, Question("a", "b"))

    assert replies[0].error is not None
    assert "stps_set_model" in replies[0].error.message
    assert replies[1].error is None


def test_without_a_key_it_is_an_error_at_once_that_names_three_ways(
    servers: FakeServers, tmp_path: Path
) -> None:
    with pytest.raises(AuthFailure) as caught:
        asked(servers, tmp_path, Question("a", "b"), ANTHROPIC_API_KEY="")

    for way in ("ANTHROPIC_API_KEY", "~/.stps/anthropic_api_key", "stps_set_api_key"):
        assert way in caught.value.suggested_action
    assert servers.messages == 0


def test_search_that_must_be_and_cannot_be_is_an_error(
    servers: FakeServers, tmp_path: Path
) -> None:
    with pytest.raises(AuthFailure, match="no search provider"):
        asked(servers, tmp_path, Question("a", "b", search=True), search=False)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (Question("a", "b", max_tokens=0), "max_tokens"),
        (Question("a", "b", model="two\nlines"), "model"),
        (Question("a", "b", schema="[]"), "schema"),
        (Question("a", "b", schema='{"a": "MONEY"}'), "MONEY"),
    ],
)
def test_invalid_question_is_an_error_and_costs_nothing(
    servers: FakeServers, tmp_path: Path, question: Question, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        asked(servers, tmp_path, question)

    assert servers.messages == 0


def test_no_key_is_in_any_reply_log_or_file_even_when_the_provider_repeats_it(
    servers: FakeServers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="webquarry")
    servers.rule = lambda body: error_reply(
        400, f"Authorization: Bearer {MODEL_KEY} is not liked, nor {SEARCH_KEY}"
    )
    failed = asked(servers, tmp_path, Question("a", "b"))
    servers.rule = None
    servers.search_status = 500
    answered = asked(servers, tmp_path, Question("a [search]", "b"), Question("c", "d"))

    said = f"{failed} {answered} {caplog.text}".encode()
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for key in (MODEL_KEY.encode(), SEARCH_KEY.encode()):
        assert key not in said
        assert key not in files
    assert b"Answer to" not in files, "answers are encrypted"


def test_nothing_is_asked_without_a_writable_ledger(servers: FakeServers, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    folder = str(tmp_path / "file" / "below")
    for _ in range(3):
        with pytest.raises(RecordsFailure) as caught:
            asked(servers, tmp_path, *questions(2), WEBQUARRY_STATE_FOLDER=folder)
        assert caught.value.reason == "no_folder"
    assert servers.messages == 0

    chosen = {"records": "memory", "WEBQUARRY_STATE_FOLDER": folder}
    replies = asked(servers, tmp_path, *questions(2), search=True, **chosen)
    assert [reply.error for reply in replies] == [None, None]


def test_answer_that_was_paid_for_and_not_written_down_is_not_paid_for_again(
    servers: FakeServers, tmp_path: Path
) -> None:
    async def work(engine: Engine) -> None:
        assert isinstance(engine.store, FileQuestionStore)
        records = engine.store._records
        write = records.do

        def fail_to_keep(work: Any) -> Any:
            if servers.messages:
                raise RecordsFailure("The disk is full.", reason="full")
            return write(work)

        records.do = fail_to_keep  # type: ignore[method-assign]
        with pytest.raises(RecordsFailure):
            await engine.ask(Question("a", "b"), engine.statement())
        records.do = write  # type: ignore[method-assign]
        reply = await engine.ask(Question("a", "b"), engine.statement())
        assert reply.error is None
        assert servers.messages == 1

    with_engine(servers, tmp_path, work, search=False)
