"""Seed 003, row by row, as far as it is about the exchange with the model. Each test is named after
the row it stands for.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.ask.fakes import FakeReply, FakeServers, home, open_engine
from webquarry._search.models import Result
from webquarry.ask import exchange
from webquarry.ask.models import ModelReply, Question
from webquarry.ask.searching import MOST_BYTES, format_results, select_results
from webquarry.ask.vendors.anthropic import TOOL

SEED = Path(__file__).with_name("003_df3a3c127d10510b.txt").read_text("utf-8")
BLOCKS = re.findall(r"```json\n(.*?)\n```", SEED, re.DOTALL)


def ask(
    stage: FakeServers, folder: Path, context: str, prompt: str = "What is it?", **settings: str
) -> ModelReply:
    async def work() -> ModelReply:
        search = settings.pop("brave", "yes") == "yes"
        async with open_engine(home(stage, folder, search=search, **settings)) as engine:
            return await engine.ask(Question(context, prompt), engine.statement())

    return asyncio.run(work())


# Configuration


def test_configuration_2_the_key_comes_from_the_environment_variable(
    stage: FakeServers, tmp_path: Path
) -> None:
    assert ask(stage, tmp_path, "Bitcoin [search]").searched


def test_configuration_3_the_key_comes_from_the_config_file(
    stage: FakeServers, tmp_path: Path
) -> None:
    folder = tmp_path / ".stps"
    folder.mkdir()
    for name, variable in (
        ("brave_api_key", "BRAVE_API_KEY"),
        ("anthropic_api_key", "ANTHROPIC_API_KEY"),
    ):
        (folder / name).write_text(stage.environ[variable] + "\n")
        (folder / name).chmod(0o600)

    assert ask(stage, tmp_path, "Bitcoin [search]", brave="no", ANTHROPIC_API_KEY="").searched


# 1. Tool definition in request


def test_the_tool_definition_is_that_of_the_seed_to_the_byte(
    stage: FakeServers, tmp_path: Path
) -> None:
    written = BLOCKS[0].replace('"messages": [...]', '"messages": []')
    tools = json.loads(written)["tools"]
    ask(stage, tmp_path, "Bitcoin")

    assert json.dumps([TOOL]) == json.dumps(tools)
    assert json.dumps(stage.bodies[0]["tools"]) == json.dumps(tools)


def test_max_tokens_is_1000(stage: FakeServers, tmp_path: Path) -> None:
    ask(stage, tmp_path, "Bitcoin")
    assert stage.bodies[0]["max_tokens"] == 1000


def test_the_model_of_the_seed_is_accepted(stage: FakeServers, tmp_path: Path) -> None:
    model = re.search(r'"model": "(.+?)"', SEED)
    assert model
    ask(stage, tmp_path, "Bitcoin", WEBQUARRY_ASK_MODEL=model[1])

    assert stage.bodies[0]["model"] == model[1] == "claude-sonnet-4-5-20250929"


def test_parallel_tool_use_is_off(stage: FakeServers, tmp_path: Path) -> None:
    ask(stage, tmp_path, "Bitcoin")
    assert stage.bodies[0]["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}


# 2. Response handling


def test_end_turn_returns_the_text_immediately(stage: FakeServers, tmp_path: Path) -> None:
    stage.answer = lambda question, model: "A currency."
    reply = ask(stage, tmp_path, "Bitcoin")

    assert (reply.answer, reply.searched, reply.partial) == ("A currency.", False, False)
    assert (stage.messages, stage.searches) == (1, 0)


def test_tool_use_executes_the_search_and_makes_a_second_call(
    stage: FakeServers, tmp_path: Path
) -> None:
    stage.answer = lambda question, model: "95,234 USD."
    reply = ask(stage, tmp_path, "Bitcoin [search]")

    assert (reply.answer, reply.searched) == ("95,234 USD.", True)
    assert (stage.messages, stage.searches) == (2, 1)
    assert [source.url for source in reply.sources] == [
        f"https://site{n}.example/" for n in range(1, 6)
    ]


def test_max_tokens_returns_the_partial_response(stage: FakeServers, tmp_path: Path) -> None:
    stage.answer = lambda question, model: "The first component to"
    reply = ask(stage, tmp_path, "Bitcoin [cut]")

    assert (reply.answer, reply.partial, reply.error) == ("The first component to", True, None)


def test_max_tokens_with_a_tool_call_that_was_cut_runs_no_search(
    stage: FakeServers, tmp_path: Path
) -> None:
    content = [
        {"type": "text", "text": "I will"},
        {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {"query": "bit"}},
    ]
    stage.rule = lambda body: FakeReply(
        {"content": content, "stop_reason": "max_tokens", "usage": {}}
    )

    assert (ask(stage, tmp_path, "Bitcoin").answer, stage.searches) == ("I will", 0)


def test_pause_turn_sends_the_turn_back_and_goes_on(stage: FakeServers, tmp_path: Path) -> None:
    stage.answer = lambda question, model: "Done."
    reply = ask(stage, tmp_path, "Bitcoin [pause]")

    assert reply.answer == "Working on it. Done."
    assert stage.bodies[1]["messages"][1] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "Working on it. "}],
    }
    assert stage.bodies[1]["tools"] == stage.bodies[0]["tools"]


def test_a_model_that_only_pauses_is_not_asked_for_ever(stage: FakeServers, tmp_path: Path) -> None:
    paused = {
        "content": [{"type": "text", "text": "Hm. "}],
        "stop_reason": "pause_turn",
        "usage": {},
    }
    stage.rule = lambda body: FakeReply(paused)

    assert ask(stage, tmp_path, "Bitcoin").partial
    assert stage.messages == 3


def test_refusal_is_an_error_with_its_reason(stage: FakeServers, tmp_path: Path) -> None:
    reply = ask(stage, tmp_path, "Bitcoin [refuse]")

    assert reply.answer is None
    assert (
        reply.text == "ERROR: The model declined to answer (cyber): The request may enable misuse."
    )


def test_unknown_stop_reason_returns_the_text(stage: FakeServers, tmp_path: Path) -> None:
    reply = ask(stage, tmp_path, "Bitcoin [odd]")

    assert reply.error is None
    assert reply.partial


# 3. Brave search execution


def test_the_results_are_formatted_as_in_the_example() -> None:
    example = SEED.split("Example output:\n```\n")[1].split("\n\n[3 more")[0]
    results = [
        Result("Bitcoin Price Today - $95,234 "
               "USD", "https://coinmarketcap.com/...", "Current Bitcoin price is $95,234.15, up "
                                                       "2.3% in the last 24 hours...", "brave"),
        Result("BTC Live Price "
               "Chart", "https://www.coingecko.com/...", "Real-time Bitcoin trading at $95,240 "
                                                         "with market cap of $1.88T...", "brave"),
    ]  # fmt: skip

    assert format_results(results) == example


def test_the_query_of_the_model_goes_to_brave_with_the_key_in_its_header(
    stage: FakeServers, tmp_path: Path
) -> None:
    ask(stage, tmp_path, "Bitcoin & co [search]")

    assert stage.queries == ["Bitcoin & co [search]"]
    assert any(b"x-subscription-token" in head.lower() for head in stage.heads)


# 4. Second API call with tool result


def test_the_second_call_has_the_form_of_the_seed(stage: FakeServers, tmp_path: Path) -> None:
    model: dict[str, Any] = json.loads(BLOCKS[1])
    use = model["messages"][1]["content"]
    first = {"content": use, "stop_reason": "tool_use", "usage": {}}
    stage.rule = lambda body: FakeReply(first) if len(body["messages"]) == 1 else None
    ask(stage, tmp_path, "Bitcoin", "What is the current price?")
    sent = stage.bodies[1]

    assert sent["messages"][0] == model["messages"][0]
    assert sent["messages"][1] == model["messages"][1]
    result = sent["messages"][2]["content"][0]
    assert result.pop("content").startswith(
        "Search Results:\n\n1. Bitcoin price USD (1)\n   https://site1.example/\n   "
    )
    assert result == {"type": "tool_result", "tool_use_id": "toolu_01ABC123"}
    assert sent["max_tokens"] == model["max_tokens"]


def test_the_second_call_sends_the_tools_again_and_leaves_no_choice_of_one(
    stage: FakeServers, tmp_path: Path
) -> None:
    ask(stage, tmp_path, "Bitcoin [search]")

    assert stage.bodies[1]["tools"] == stage.bodies[0]["tools"]
    assert stage.bodies[1]["tool_choice"] == {"type": "none"}


def test_the_assistants_blocks_go_back_whole(stage: FakeServers, tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "", "signature": "EqQBSAMPLE"},
        {"type": "text", "text": "I'll look that up."},
        {
            "type": "tool_use",
            "id": "t1",
            "name": "web_search",
            "input": {"query": "q"},
            "caller": {"type": "direct"},
        },
    ]
    first = {"content": blocks, "stop_reason": "tool_use", "usage": {}}
    stage.rule = lambda body: FakeReply(first) if len(body["messages"]) == 1 else None
    ask(stage, tmp_path, "Bitcoin")

    assert stage.bodies[1]["messages"][1]["content"] == blocks


def test_single_tool_call_limit_further_calls_are_answered_with_is_error(
    stage: FakeServers, tmp_path: Path
) -> None:
    reply = ask(stage, tmp_path, "Bitcoin [two searches]")
    first, second = stage.bodies[1]["messages"][2]["content"]

    assert (stage.searches, reply.usage.searches) == (1, 1)
    assert "is_error" not in first
    assert second["is_error"] is True
    assert [first["tool_use_id"], second["tool_use_id"]] == ["toolu_01A", "toolu_01B"]


# Error handling


def test_1_missing_brave_key_skips_the_tool_definition(stage: FakeServers, tmp_path: Path) -> None:
    reply = ask(stage, tmp_path, "Bitcoin [search]", brave="no")

    assert "tools" not in stage.bodies[0]
    assert "tool_choice" not in stage.bodies[0]
    assert reply.error is None


@pytest.mark.parametrize("status", [401, pytest.param(429, marks=pytest.mark.slow), 500])
def test_2_brave_failures_become_the_error_result_word_for_word(
    stage: FakeServers, tmp_path: Path, status: int
) -> None:
    stage.search_status = status
    reply = ask(stage, tmp_path, "Bitcoin [search]", retries="0")
    text = re.search(r'"content": "(Search unavailable.+?)"', SEED)
    assert text

    assert stage.bodies[1]["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_01A", "content": text[1], "is_error": True}
    ]
    assert (reply.searched, reply.sources, reply.error) == (False, (), None)


def test_3_an_unknown_tool_name_is_ignored_and_the_text_returned(
    stage: FakeServers, tmp_path: Path
) -> None:
    reply = ask(stage, tmp_path, "Bitcoin [unknown tool]")

    assert reply.answer == "I will look that up."
    assert (stage.messages, stage.searches) == (1, 0)


def test_3_unknown_tool_without_text_gets_an_error_result_and_another_request(
    stage: FakeServers, tmp_path: Path
) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "run_shell", "input": {}}
    first = {"content": [use], "stop_reason": "tool_use", "usage": {}}
    stage.rule = lambda body: FakeReply(first) if len(body["messages"]) == 1 else None
    reply = ask(stage, tmp_path, "Bitcoin")

    assert reply.error is None
    assert stage.bodies[1]["messages"][2]["content"][0]["is_error"] is True
    assert stage.searches == 0


def test_3_a_missing_query_parameter_sends_an_error_result(
    stage: FakeServers, tmp_path: Path
) -> None:
    reply = ask(stage, tmp_path, "Bitcoin [no query]")

    assert stage.bodies[1]["messages"][2]["content"][0]["is_error"] is True
    assert (stage.messages, stage.searches, reply.error) == (2, 0, None)


def test_4_the_times_are_30_and_10_and_30_seconds_within_90() -> None:
    times = re.search(
        r"Current total timeout: (\d+)s\n- Budget: (\d+)s Claude \+ (\d+)s Brave \+ (\d+)s", SEED
    )
    assert times

    assert (exchange.TOTAL_SECONDS, exchange.CALL_SECONDS, exchange.SEARCH_SECONDS) == (90, 30, 10)
    assert [int(one) for one in times.groups()] == [90, 30, 10, 30]


def test_4_a_search_that_takes_too_long_is_cancelled_and_sent_as_an_error_result(
    stage: FakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "SEARCH_SECONDS", 0.1)
    stage.search_latency = 30
    reply = ask(stage, tmp_path, "Bitcoin [search]")

    assert stage.bodies[1]["messages"][2]["content"][0]["is_error"] is True
    assert reply.error is None


def test_4_a_model_that_takes_too_long_is_an_error(
    stage: FakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "CALL_SECONDS", 0.1)
    monkeypatch.setattr(exchange, "SECONDS_PER_TOKEN", 0.0)
    stage.latency = 30
    reply = ask(stage, tmp_path, "Bitcoin", retries="0")

    assert reply.error is not None
    assert (reply.error.code, reply.error.retryable) == ("timeout", True)


def test_5_large_search_results_are_cut_to_five_of_about_200_characters() -> None:
    long = [
        Result(f"Title {n}", f"https://site{n}.example/", "word " * 500, "brave") for n in range(20)
    ]
    text = format_results(select_results(long))

    assert len(select_results(long)) == 5
    assert all(150 < len(line.strip()) <= 200 for line in text.splitlines() if "word" in line)


@pytest.mark.parametrize("letter", ["x", "é", "語", "🦦"])
def test_5_the_whole_stays_within_about_1500_tokens_in_any_script(letter: str) -> None:
    long = [
        Result(letter * 5000, f"https://site{n}.example/{'y' * 900}", letter * 5000, "brave")
        for n in range(9)
    ]

    assert len(format_results(select_results(long)).encode()) <= MOST_BYTES == 3 * 1500


def test_a_result_cannot_pass_for_two() -> None:
    sly = Result(
        "A\n\n2. B\n   https://evil.example/", "https://a.example/", "x\r\n\r\n3. C", "brave"
    )

    assert format_results([sly]).count("\n") == 4


# Cost implications


def test_a_question_that_searches_takes_two_calls_and_one_search(
    stage: FakeServers, tmp_path: Path
) -> None:
    usage = ask(stage, tmp_path, "Bitcoin [search]").usage

    assert (usage.calls, usage.searches) == (2, 1)
    assert usage.usd > 0.005


# Behaviour matrix


@pytest.mark.parametrize(
    ("brave", "needs", "searches", "messages"),
    [("yes", True, 1, 2), ("yes", False, 0, 1), ("no", True, 0, 1), ("no", False, 0, 1)],
    ids=[
        "key and current info: searched",
        "key and knowledge: no search",
        "no key and current info: from training",
        "no key and knowledge: from knowledge",
    ],
)
def test_behaviour_matrix(
    stage: FakeServers, tmp_path: Path, brave: str, needs: bool, searches: int, messages: int
) -> None:
    reply = ask(stage, tmp_path, "Bitcoin [search]" if needs else "Python", brave=brave)

    assert reply.answer
    assert (stage.searches, stage.messages) == (searches, messages)


# Success criteria


def test_the_text_of_the_question_is_that_of_the_seed(stage: FakeServers, tmp_path: Path) -> None:
    ask(stage, tmp_path, "Bitcoin", "What is the current price?")

    assert stage.bodies[0]["messages"] == [json.loads(BLOCKS[1])["messages"][0]]


def test_no_sampling_parameter_is_sent(stage: FakeServers, tmp_path: Path) -> None:
    ask(stage, tmp_path, "Bitcoin [search]")

    assert all(not {"temperature", "top_p", "top_k"} & set(body) for body in stage.bodies)
