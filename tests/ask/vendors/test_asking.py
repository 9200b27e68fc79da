"""Whatever the vendor, the engine asks by the same rules: against a server in each vendor's shape."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.ask.asking import with_engine
from tests.ask.fakes import FakeReply, FakeServers
from webquarry.ask.engine import Engine
from webquarry.ask.models import ModelReply, Question
from webquarry.errors import AuthFailure, BadInput, LimitReached

MODELS = (
    "claude-sonnet-5-5",
    "openai/gpt-6-luna",
    "gemini/gemini-3.8-flash",
    "ollama/qwen3",
    "vllm/Qwen/Qwen3",
    "lmstudio/qwen3",
    "openrouter/x/y",
    "compatible/some-model",
)
PAID = MODELS[:3]
LOCAL = ("ollama/qwen3", "vllm/Qwen/Qwen3", "lmstudio/qwen3", "compatible/some-model")
FORM = '{"ceo": "VARCHAR", "founded": "INTEGER"}'
each_model = pytest.mark.parametrize("model", MODELS)


def ask(servers: FakeServers, folder: Path, *wanted: Question, **settings: Any) -> list[ModelReply]:
    """The replies of a new engine to which all vendors are these servers."""

    async def work(engine: Engine) -> list[ModelReply]:
        return await engine.ask_all(wanted, engine.statement())

    replies: list[ModelReply] = with_vendors(servers, folder, work, **settings)
    return replies


def with_vendors(servers: FakeServers, folder: Path, work: Any, **settings: Any) -> Any:
    """What the work makes of a new engine to which all vendors are these servers."""
    return with_engine(servers, folder, work, **{**servers.environ_of_vendors, **settings})


def ask_in_turn(
    servers: FakeServers, folder: Path, *wanted: Question, **options: Any
) -> list[ModelReply]:
    """The replies of one engine that is asked one question after another."""

    async def work(engine: Engine) -> list[ModelReply]:
        statement = engine.statement()
        return [await engine.ask(question, statement) for question in wanted]

    replies: list[ModelReply] = with_vendors(servers, folder, work, **options)
    return replies


def codes(replies: list[ModelReply]) -> list[str | None]:
    return [reply.error.code if reply.error else None for reply in replies]


@each_model
def test_answer_is_returned_and_stored(servers: FakeServers, tmp_path: Path, model: str) -> None:
    question = Question("ACME", "Who leads it?", model=model)

    first = ask(servers, tmp_path, question)[0]
    second = ask(servers, tmp_path, question)[0]

    assert first.answer == "Answer to: Context: ACME\n\nQuestion: Who leads it?"
    assert (first.error, first.searched, first.partial, first.model) == (None, False, False, model)
    assert first.usage.calls == 1
    assert first.usage.output_tokens > 0
    assert (second.answer, second.remembered) == (first.answer, True)
    assert servers.messages == 1


@each_model
def test_one_search_is_made_and_its_sources_are_stored(
    servers: FakeServers, tmp_path: Path, model: str
) -> None:
    reply, other = ask(
        servers,
        tmp_path,
        Question("ACME", "Who leads it? [search]", model=model),
        Question("Bolt", "Who leads it? [two searches]", model=model),
    )

    assert reply.searched
    assert reply.sources[0].url == "https://site1.example/"
    assert other.searched
    assert (servers.searches, servers.messages) == (2, 4)


@each_model
@pytest.mark.parametrize("mark", ["", "[search]"])
def test_typed_answer_is_typed_with_a_search_and_without(
    servers: FakeServers, tmp_path: Path, model: str, mark: str
) -> None:
    typed = '{"ceo": "Ada", "founded": 1843}'

    def answer(question: str, model: str) -> str:
        # A model follows only a form that was requested.
        return typed if "founded" in json.dumps(servers.bodies[-1]) else "Ada, in 1843."

    servers.answer = answer
    reply = ask(servers, tmp_path, Question("ACME", f"Facts? {mark}", model=model, schema=FORM))[0]

    assert reply.value == {"ceo": "Ada", "founded": 1843}
    assert reply.searched == bool(mark)
    assert servers.messages <= 2


def test_refusal_of_one_vendor_is_no_refusal_of_another(
    servers: FakeServers, tmp_path: Path
) -> None:
    async def work(engine: Engine) -> list[ModelReply]:
        statement = engine.statement(ends_when_refused=False)
        wanted = [
            Question("a", "b", model="openai/gpt-6-luna"),
            Question("c", "b", model="gemini/gemini-3.8-flash"),
            Question("d", "b", model="ollama/qwen3"),
        ]
        return await engine.ask_all(wanted, statement)

    keys = {"OPENAI_API_KEY": "wrong-key-00001", "GEMINI_API_KEY": ""}
    replies = with_vendors(servers, tmp_path, work, **keys)

    assert codes(replies) == ["auth", "auth", None]
    assert replies[1].error.message == "No key of the Gemini API is configured."


@each_model
def test_throttling_vendor_is_waited_for(servers: FakeServers, tmp_path: Path, model: str) -> None:
    details = [{"@type": "x.RetryInfo", "retryDelay": "0.05s"}]
    error = {"message": "slow down", "code": None, "details": details, "type": "rate_limit_error"}
    busy = FakeReply({"error": error}, 429, {"retry-after-ms": "50"})
    servers.rule = lambda body: busy if servers.messages == 1 else None

    reply = ask(servers, tmp_path, Question("a", "b", model=model))[0]

    assert (reply.error, servers.messages) == (None, 2)
    first, second = servers.moments
    assert second - first >= 0.05


@pytest.mark.parametrize("model", ["openai/gpt-6-luna", "gemini/gemini-3.8-flash"])
def test_spent_quota_is_not_asked_for_again(
    servers: FakeServers, tmp_path: Path, model: str
) -> None:
    violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}
    error = {"code": "insufficient_quota", "details": [{"violations": [violation]}]}
    servers.rule = lambda body: FakeReply({"error": error}, 429, {"retry-after": "1"})
    wanted = [Question(f"row {number}", "b", model=model) for number in range(5)]

    replies = ask(servers, tmp_path, *wanted, ask_concurrency="1")

    assert codes(replies) == ["quota"] * 5
    assert servers.messages == 1


@each_model
def test_malformed_response_is_an_error_and_counts_as_uncertain(
    servers: FakeServers, tmp_path: Path, model: str
) -> None:
    servers.rule = lambda body: FakeReply({"hello": "world"})

    async def work(engine: Engine) -> tuple[ModelReply, float]:
        reply = await engine.ask(Question("a", "b", model=model), engine.statement())
        return reply, (await engine.usage())[0].uncertain_usd

    reply, uncertain = with_vendors(servers, tmp_path, work)

    assert codes([reply]) == ["bad_answer"]
    assert (uncertain > 0) == (model not in LOCAL)


# Money


@pytest.mark.parametrize("model", LOCAL)
def test_model_on_this_machine_costs_nothing_and_breaks_no_limit(
    servers: FakeServers, tmp_path: Path, model: str
) -> None:
    question = Question("a", "b", model=model)
    reply = ask(servers, tmp_path, question, search=False, WEBQUARRY_ASK_MAX_USD="0")[0]

    assert (reply.error, reply.usage.usd, reply.usage.unpriced_calls) == (None, 0, 0)


def test_unknown_price_is_reported_as_uncertain(
    servers: FakeServers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(engine: Engine) -> tuple[ModelReply, Any]:
        question = Question("a", "b", model="openai/gpt-9")
        reply = await engine.ask(question, engine.statement())
        return reply, (await engine.usage())[0]

    with caplog.at_level(logging.WARNING):
        reply, bill = with_vendors(servers, tmp_path, work)

    assert (reply.usage.usd, reply.usage.unpriced_calls) == (0, 1)
    assert (bill.model, bill.usd) == ("openai/gpt-9", 0)
    assert bill.uncertain_usd > 0
    assert caplog.text.count("no price is known for the model openai/gpt-9") == 1


def test_answer_without_counts_is_never_free(servers: FakeServers, tmp_path: Path) -> None:
    choice = {"message": {"role": "assistant", "content": "Ada."}, "finish_reason": "stop"}
    servers.rule = lambda body: FakeReply({"choices": [choice]})

    async def work(engine: Engine) -> tuple[ModelReply, Any]:
        question = Question("a", "b", model="openai/gpt-6-luna")
        reply = await engine.ask(question, engine.statement())
        return reply, (await engine.usage())[0]

    reply, bill = with_vendors(servers, tmp_path, work)

    assert (reply.answer, reply.usage.calls, bill.usd) == ("Ada.", 1, 0)
    assert bill.uncertain_usd > 0


def test_openrouter_cost_is_taken_from_the_reply(servers: FakeServers, tmp_path: Path) -> None:
    message = {"role": "assistant", "content": "Ada."}
    used = {"prompt_tokens": 96, "completion_tokens": 20, "cost": 0.0625}
    choice = {"message": message, "finish_reason": "stop"}
    servers.rule = lambda body: FakeReply({"choices": [choice], "usage": used})

    reply = ask(servers, tmp_path, Question("a", "b", model="openrouter/x/y"))[0]

    assert (reply.usage.usd, reply.usage.unpriced_calls) == (0.0625, 0)


@pytest.mark.parametrize("model", [*PAID, "openrouter/x/y"])
def test_limit_is_never_exceeded(servers: FakeServers, tmp_path: Path, model: str) -> None:
    with pytest.raises(LimitReached):
        ask(servers, tmp_path, Question("a", "b", model=model), WEBQUARRY_ASK_MAX_USD="0.0001")

    assert servers.messages == 0


def test_thoughts_are_reserved_for(servers: FakeServers, tmp_path: Path) -> None:
    """1,000 tokens of gpt-6-astra cost 0.05 USD, and 2,000 more are for what it thinks."""

    async def work(engine: Engine) -> float:
        statement = engine.statement(dry_run=True)
        await engine.ask(Question("a", "b", model="openai/gpt-6-astra"), statement)
        return statement.progress().worst_usd

    worst = with_vendors(servers, tmp_path, work, search=False)

    assert 0.15 < worst < 0.2
    assert servers.messages == 0


# Servers that lack something


def test_server_that_takes_no_tools_is_asked_without_one_and_remembered(
    servers: FakeServers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    error = {"message": "gemma2 does not support tools", "type": "invalid_request_error"}
    servers.rule = lambda body: FakeReply({"error": error}, 400) if "tools" in body else None
    wanted = [Question(f"row {number}", "b", model="vllm/gemma2") for number in range(3)]

    with caplog.at_level(logging.WARNING):
        replies = ask_in_turn(servers, tmp_path, *wanted)

    assert codes(replies) == [None] * 3
    assert ["tools" in body for body in servers.bodies] == [True, False, False, False]
    assert caplog.text.count("takes no tools") == 1


def test_openai_model_that_always_thinks_answers_without_a_search(
    servers: FakeServers, tmp_path: Path
) -> None:
    question = Question("ACME", "Who leads it? [search]", model="openai/gpt-6-astra")
    reply = ask(servers, tmp_path, question)[0]

    assert (reply.error, reply.searched) == (None, False)
    assert "tools" not in servers.bodies[-1]


def test_search_that_a_server_gives_as_text_is_no_answer(
    servers: FakeServers, tmp_path: Path
) -> None:
    def answer(question: str, model: str) -> str:
        if "tools" in servers.bodies[-1]:
            return '<tool_call>\n{"name": "web_search", "arguments": {"query": "x"}}\n</tool_call>'
        return "Ada."

    servers.answer = answer
    reply = ask(servers, tmp_path, Question("a", "b", model="vllm/qwen"))[0]

    assert (reply.answer, servers.messages) == ("Ada.", 2)


def test_schema_is_sent_as_instructions_to_a_server_without_response_format(
    servers: FakeServers, tmp_path: Path
) -> None:
    error = {"message": "response_format is not supported", "type": "invalid_request_error"}
    servers.rule = lambda body: (
        FakeReply({"error": error}, 400) if "response_format" in body else None
    )
    servers.answer = lambda question, model: '{"ceo": "Ada", "founded": 1843}'
    wanted = [Question(str(one), "Facts?", model="lmstudio/small", schema=FORM) for one in (1, 2)]

    replies = ask_in_turn(servers, tmp_path, *wanted, search=False)

    assert [reply.value for reply in replies] == [{"ceo": "Ada", "founded": 1843}] * 2
    assert servers.messages == 3
    assert "JSON Schema" in servers.bodies[-1]["messages"][0]["content"]


def test_question_that_is_refused_however_it_is_put_has_the_first_error(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.rule = lambda body: FakeReply({"error": {"message": f"no {len(body)}"}}, 400)
    reply = ask(servers, tmp_path, Question("a", "b", model="ollama/x"))[0]

    assert codes([reply]) == ["bad_request"]
    assert reply.error is not None
    assert reply.error.message.endswith("no 6")
    assert servers.messages == 3  # without the effort, without the tool


def test_error_of_a_missing_model_has_an_action(servers: FakeServers, tmp_path: Path) -> None:
    servers.gone_models = {"qwen9"}
    reply = ask(servers, tmp_path, Question("a", "b", model="ollama/qwen9"))[0]

    assert codes([reply]) == ["model_gone"]
    assert reply.error is not None
    assert "ollama pull" in reply.error.message


# Names, keys and addresses


def test_same_question_to_two_vendors_is_two_answers(servers: FakeServers, tmp_path: Path) -> None:
    models = ("ollama/x", "vllm/x", "gemini/x", "gemini/y", "x")
    ask(servers, tmp_path, *[Question("a", "b", model=model) for model in models])

    assert servers.messages == len(models)


@pytest.mark.parametrize("model", ["openai/", "compatible/x"])
def test_invalid_question_is_an_error(servers: FakeServers, tmp_path: Path, model: str) -> None:
    with pytest.raises(BadInput):
        ask(servers, tmp_path, Question("a", "b", model=model), WEBQUARRY_COMPATIBLE_URL="")


def test_unknown_vendor_is_rejected(servers: FakeServers, tmp_path: Path) -> None:
    question = Question("a", "b", model="nobody/x")

    with pytest.raises(BadInput, match="called 'nobody'"):
        ask(servers, tmp_path, question, ANTHROPIC_BASE_URL="", WEBQUARRY_ANTHROPIC_URL="")

    assert servers.messages == 0


def test_key_does_not_leave_this_machine_unencrypted(servers: FakeServers, tmp_path: Path) -> None:
    settings = {"WEBQUARRY_OPENAI_URL": "http://models.example", "OPENAI_API_KEY": "sk-key-0001"}
    with pytest.raises(AuthFailure, match="without encryption") as caught:
        ask(servers, tmp_path, Question("a", "b", model="openai/x"), **settings)

    assert "sk-key-0001" not in f"{caught.value} {caught.value.suggested_action}"
