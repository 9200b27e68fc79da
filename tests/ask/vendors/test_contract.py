"""Every vendor keeps one contract: the same happenings, in its own words, have the same outcome."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from webquarry.ask.prices import Tokens
from webquarry.ask.vendors.base import (
    CallFailure,
    ModelRequest,
    ModelVendor,
    SearchOutcome,
    Turn,
    find_vendors,
    open_vendor,
    split_model,
)
from webquarry.net.models import Reply
from webquarry.secret import Secret

REPLIES = Path(__file__).parent / "replies"
NOW = datetime.fromtimestamp(1794740000, UTC)
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "ceo": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "founded": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["ceo", "founded"],
    "additionalProperties": False,
}
# By vendor: the folder of its replies, a model of its, and the file of each happening. What a
# compatible server has no reply of its own for is taken from one that has.
CHAT = {
    "answer": "chat/response_plain.json",
    "search": "chat/response_tool_call.json",
    "refusal": "chat/response_refusal.json",
    "filtered": "chat/response_content_filter.json",
    "length": "chat/response_length.json",
    "empty": "chat/response_length_empty.json",
    "structured": "chat/response_schema.json",
    "401": "chat/error_401.json",
    "429": "chat/error_429_rate.json",
    "500": "chat/error_500.json",
    "404": "ollama/error_404.json",
    "malformed": "chat/malformed_cut.txt",
    "odd": "chat/malformed_no_choices.json",
}
FILES: dict[str, dict[str, str]] = {
    "anthropic": {
        "answer": "anthropic/response_end_turn.json",
        "search": "anthropic/response_tool_use_parallel.json",
        "refusal": "anthropic/response_refusal.json",
        "filtered": "anthropic/response_refusal.json",
        "length": "anthropic/response_max_tokens.json",
        "empty": "anthropic/response_length_empty.json",
        "structured": "anthropic/response_schema.json",
        "401": "anthropic/error_401.json",
        "429": "anthropic/error_429.json",
        "500": "anthropic/error_500.json",
        "404": "anthropic/error_404_model.json",
        "malformed": "chat/malformed_cut.txt",
        "odd": "chat/malformed_no_choices.json",
    },
    "openai": CHAT | {"404": "chat/error_404_model.json"},
    "gemini": {
        "answer": "gemini/response_plain.json",
        "search": "gemini/response_tool_call.json",
        "refusal": "gemini/response_refusal_safety.json",
        "filtered": "gemini/response_prompt_blocked.json",
        "length": "gemini/response_length.json",
        "empty": "gemini/response_length_empty.json",
        "structured": "gemini/response_schema.json",
        "401": "gemini/error_401.json",
        "429": "gemini/error_429_minute.json",
        "500": "gemini/error_500.json",
        "404": "gemini/error_404_model.json",
        "malformed": "gemini/malformed_cut.txt",
        "odd": "gemini/malformed_no_candidates.json",
    },
    "ollama": CHAT
    | {
        "answer": "ollama/response_plain_thinking.json",
        "search": "ollama/response_tool_call.json",
        "length": "ollama/response_length.json",
        "empty": "ollama/response_length_empty.json",
        "structured": "ollama/response_schema.json",
        "401": "ollama/error_401.json",
        "429": "ollama/error_429.json",
        "500": "ollama/error_500.json",
    },
    "vllm": CHAT
    | {
        "answer": "vllm/response_plain_thinking.json",
        "search": "vllm/response_tool_call.json",
        "length": "vllm/response_length.json",
        "structured": "vllm/response_schema.json",
        "401": "vllm/error_401.json",
        "500": "vllm/error_500.json",
        "404": "vllm/error_404_model.json",
    },
    "openrouter": CHAT
    | {
        "answer": "openrouter/response_plain.json",
        "search": "openrouter/response_tool_call.json",
        "length": "openrouter/response_length.json",
        "401": "openrouter/error_401.json",
        "429": "openrouter/error_429.json",
        "500": "openrouter/error_502.json",
    },
    "lmstudio": CHAT,
    "compatible": CHAT,
}
HAPPENINGS = {
    # the status, and what the outcome is called
    "answer": (200, "end"),
    "search": (200, "tool"),
    "refusal": (200, "refused"),
    "filtered": (200, "refused"),
    "length": (200, "cut"),
    "empty": (200, "cut"),
    "structured": (200, "end"),
    "401": (401, "auth"),
    "429": (429, "rate_limited"),
    "500": (500, "server_error"),
    "404": (404, "model_gone"),
    "malformed": (200, "bad_answer"),
    "odd": (200, "bad_answer"),
}
each_vendor = pytest.mark.parametrize("name", sorted(FILES))


def vendor_of(name: str) -> ModelVendor:
    return open_vendor(name, {"compatible": "http://127.0.0.1:9"})


def read(
    name: str, file: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Turn | CallFailure:
    """What a vendor makes of a reply."""
    body = (REPLIES / file).read_bytes()
    reply = Reply("https://x.example/", status, httpx2.Headers(headers or {}), body, NOW)
    try:
        return vendor_of(name).parse_reply(reply, "some-model")
    except CallFailure as failure:
        return failure


def turn_of(name: str, file: str) -> Turn:
    turn = read(name, file)
    assert isinstance(turn, Turn)
    return turn


def failure_of(
    name: str, file: str, status: int, headers: Mapping[str, str] | None = None
) -> CallFailure:
    failure = read(name, file, status, headers)
    assert isinstance(failure, CallFailure)
    return failure


def request(model: str, **more: Any) -> ModelRequest:
    question = "Context: ACME\n\nQuestion: Who leads it?"
    return ModelRequest(model, 1000, question, **more)


def test_all_vendors_are_tested() -> None:
    assert sorted(find_vendors()) == sorted(FILES)


@each_vendor
@pytest.mark.parametrize("happening", HAPPENINGS)
def test_vendors_map_replies_to_the_same_outcomes(name: str, happening: str) -> None:
    status, expected = HAPPENINGS[happening]
    # Anthropic names a time to come back unless the account is used up.
    outcome = read(name, FILES[name][happening], status, {"retry-after": "17"})

    found = outcome.stop if isinstance(outcome, Turn) else outcome.error.code
    assert found == expected
    if isinstance(outcome, CallFailure):
        assert outcome.billed == (expected == "bad_answer")
        assert outcome.is_throttling == (expected == "rate_limited")
        assert outcome.error.retryable == (expected in ("rate_limited", "server_error"))
        assert (outcome.retry_after == 17) == (status in (429, 500) and outcome.error.retryable)


@each_vendor
def test_answer_is_its_text_without_thoughts_and_with_its_counts(name: str) -> None:
    turn = turn_of(name, FILES[name]["answer"])

    assert turn.text in ("Ada Brandt leads ACME (since 2024).", "Lip seals usually wear first.")
    assert turn.tokens is not None
    assert turn.tokens.input > 0
    assert turn.tokens.output > 0
    assert turn.calls == ()


@each_vendor
def test_length_stop_returns_the_partial_text(name: str) -> None:
    assert turn_of(name, FILES[name]["length"]).text
    assert turn_of(name, FILES[name]["empty"]).text == ""


@each_vendor
def test_search_goes_back_as_it_came_with_its_result_and_no_choice(name: str) -> None:
    vendor = vendor_of(name)
    turn = turn_of(name, FILES[name]["search"])
    asked = request("some-model", offers_search=True)
    outcomes = [SearchOutcome(call, "Found.", False) for call in turn.calls]

    body = vendor.build_next_body(vendor.build_body(asked), turn, outcomes, asked)

    assert [call.name for call in turn.calls] == ["web_search"] * len(turn.calls)
    assert all(call.query for call in turn.calls)
    text = json.dumps(body)
    assert all(call.id in text for call in turn.calls)
    assert text.count("Found.") == len(turn.calls)
    is_offered = "tools" in body and not _is_none(body)
    assert not is_offered


def _is_none(body: dict[str, Any]) -> bool:
    """Whether a body says that no tool may be chosen."""
    config = body.get("toolConfig", {}).get("functionCallingConfig", {})
    return body.get("tool_choice") in ("none", {"type": "none"}) or config.get("mode") == "NONE"


@each_vendor
def test_search_is_on_offer_only_where_it_may_be_made(name: str) -> None:
    vendor = vendor_of(name)

    assert "web_search" in json.dumps(vendor.build_body(request("m", offers_search=True)))
    assert "web_search" not in json.dumps(vendor.build_body(request("m")))


@each_vendor
def test_key_is_in_one_header_and_nowhere_else(name: str) -> None:
    vendor = vendor_of(name)
    with_key = vendor.build_request(b"{}", "a/b?c", Secret("sk-some-key-0001"))
    without = vendor.build_request(b"{}", "m", None)

    holders = [name for name, value in with_key.headers.items() if "sk-some-key" in value]
    assert len(holders) == 1
    assert "sk-some-key" not in str(with_key.url)
    assert with_key.url.query == b""
    assert len(without.headers) == len(with_key.headers) - 1


@pytest.mark.parametrize(
    ("name", "model", "file", "more"),
    [
        ("openai", "gpt-6.1-terra", "chat/request_first.json", {"offers_search": True}),
        ("gemini", "gemini-3.8-flash", "gemini/request_first.json", {"offers_search": True}),
        ("ollama", "qwen3.8:27b", "ollama/request_first.json", {"offers_search": True}),
        ("openai", "gpt-6.1-terra", "chat/request_schema.json", {"schema": SCHEMA}),
        ("gemini", "gemini-3.8-flash", "gemini/request_schema.json", {"schema": SCHEMA}),
        ("ollama", "qwen3.8:27b", "ollama/request_schema.json", {"schema": SCHEMA}),
    ],
)
def test_request_matches_the_recorded_one(
    name: str, model: str, file: str, more: dict[str, Any]
) -> None:
    expected = json.loads((REPLIES / file).read_text("utf-8"))
    if "offers_search" in more:
        more = more | {"instructions": "Answer in one sentence."}
    body = vendor_of(name).build_body(request(model, **more))

    # How long and how much it thinks is looked at elsewhere.
    for one in (body, expected):
        one.pop("reasoning_effort", None)
        one.pop("max_tokens", None)
        one.pop("tool_choice", None)
        one.pop("parallel_tool_calls", None)
        # Servers accept both roles, and a form with and without `strict`.
        for message in one.get("messages", []):
            message["role"] = message["role"].replace("developer", "system")
        one.get("response_format", {}).get("json_schema", {}).pop("strict", None)
        one.get("generationConfig", {}).pop("maxOutputTokens", None)
    assert body == expected


@pytest.mark.parametrize(
    ("name", "model", "path", "effort", "limit"),
    [
        ("anthropic", "claude-sonnet-5-5", "output_config.effort", "low", 1000),
        ("anthropic", "claude-fable-5-2", "output_config.effort", "low", 3000),
        ("anthropic", "claude-sonnet-4-5-20250929", "output_config", None, 1000),
        ("openai", "gpt-6-luna", "reasoning_effort", "none", 1000),
        ("openai", "gpt-6-astra", "reasoning_effort", "low", 3000),
        ("openai", "gpt-6.1-sol", "reasoning_effort", "low", 3000),
        ("openai", "gpt-4.1-mini", "reasoning_effort", None, 1000),
        ("gemini", "gemini-4-argon", "generationConfig.thinkingConfig.thinkingLevel", "LOW", 3000),
        ("gemini", "gemini-2.5-flash", "generationConfig.thinkingConfig.thinkingBudget", 0, 1000),
        ("ollama", "qwen3", "reasoning_effort", "none", 3000),
        ("openrouter", "x/y", "reasoning_effort", "low", 3000),
        ("vllm", "x/y", "reasoning_effort", None, 3000),
    ],
)
def test_model_that_thinks_by_default_thinks_little_or_has_room_for_it(
    name: str, model: str, path: str, effort: object, limit: int
) -> None:
    vendor = vendor_of(name)
    body = vendor.build_body(request(model))
    value: Any = body
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None

    assert value == effort
    assert vendor.limit_tokens(request(model)) == limit
    assert f": {limit}" in json.dumps(body)


@pytest.mark.parametrize(
    ("name", "file", "tokens", "usd"),
    [
        ("openai", "chat/response_after_tool.json", Tokens(636, 20, 1024), None),
        ("gemini", "gemini/response_after_tool.json", Tokens(456, 18, 1024), None),
        ("gemini", "gemini/response_length.json", Tokens(96, 1000), None),
        ("vllm", "vllm/response_plain.json", None, None),
        ("openrouter", "openrouter/response_plain.json", Tokens(96, 20), 1.96e-05),
        ("anthropic", "anthropic/response_end_turn.json", Tokens(412, 14, 1890), None),
    ],
)
def test_cached_tokens_and_thoughts_are_counted_once(
    name: str, file: str, tokens: Tokens | None, usd: float | None
) -> None:
    turn = turn_of(name, file)

    assert tokens is None or turn.tokens == tokens
    assert turn.usd == usd


@pytest.mark.parametrize(
    ("name", "file", "status", "headers", "code", "wait"),
    [
        ("openai", "chat/error_429_rate.json", 429, "chat", "rate_limited", 1.4),
        ("openai", "chat/error_429_quota.json", 429, "chat", "quota", None),
        ("openai", "chat/error_400_context.json", 400, {}, "too_large", None),
        ("openai", "ollama/malformed_404_page.txt", 404, {}, "no_api", None),
        ("gemini", "gemini/error_429_minute.json", 429, "gemini", "rate_limited", 34),
        ("gemini", "gemini/error_429_day.json", 429, "gemini", "quota", None),
        ("gemini", "gemini/error_400_key.json", 400, {}, "auth", None),
        ("gemini", "gemini/error_503.json", 503, {}, "overloaded", None),
        ("gemini", "ollama/malformed_404_page.txt", 404, {}, "no_api", None),
        ("ollama", "ollama/error_503.json", 503, {}, "overloaded", None),
        ("ollama", "ollama/malformed_404_page.txt", 404, {}, "no_api", None),
        ("ollama", "ollama/error_400.json", 400, {}, "bad_request", None),
        ("vllm", "vllm/error_400_context.json", 400, {}, "too_large", None),
        ("vllm", "vllm/response_tool_call_as_text.json", 200, {}, "bad_request", None),
        ("openrouter", "openrouter/error_402.json", 402, {}, "billing", None),
        ("openrouter", "openrouter/error_403.json", 403, {}, "refused", None),
        ("openrouter", "openrouter/error_429.json", 429, "openrouter", "rate_limited", 12),
        ("openrouter", "openrouter/response_error_in_200.json", 200, {}, "server_error", None),
        ("anthropic", "anthropic/error_429.json", 429, "anthropic", "rate_limited", 17),
        ("anthropic", "anthropic/error_529.json", 529, {}, "overloaded", None),
        ("anthropic", "anthropic/error_413.json", 413, {}, "too_large", None),
    ],
)
def test_vendor_specific_errors_are_classified(
    name: str,
    file: str,
    status: int,
    headers: str | dict[str, str],
    code: str,
    wait: float | None,
) -> None:
    if isinstance(headers, str):
        kept = json.loads((REPLIES / headers / "headers_429.json").read_text("utf-8"))
        headers = kept.get("headers", kept)
        assert isinstance(headers, dict)
    failure = failure_of(name, file, status, headers)

    assert failure.error.code == code
    assert failure.retry_after == wait
    assert failure.is_throttling == (code in ("rate_limited", "overloaded"))


def test_arguments_that_are_no_json_are_a_search_without_a_query() -> None:
    turn = turn_of("compatible", "chat/malformed_arguments.json")

    assert [call.query for call in turn.calls] == [None]


def test_call_that_was_cut_is_not_made() -> None:
    body = json.loads((REPLIES / "chat/response_tool_call.json").read_text("utf-8"))
    body["choices"][0]["finish_reason"] = "length"
    reply = Reply("https://x.example/", 200, httpx2.Headers(), json.dumps(body).encode(), NOW)

    turn = vendor_of("openai").parse_reply(reply, "m")

    assert (turn.stop, turn.calls) == ("cut", ())


def test_reply_without_usage_has_no_token_counts() -> None:
    body = {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
    reply = Reply("https://x.example/", 200, httpx2.Headers(), json.dumps(body).encode(), NOW)

    assert vendor_of("compatible").parse_reply(reply, "m").tokens is None


@pytest.mark.parametrize(
    ("name", "vendor", "model"),
    [
        ("openai/gpt-6-luna", "openai", "gpt-6-luna"),
        ("OpenRouter/x/y", "openrouter", "x/y"),
        ("ollama/qwen3.8:27b", "ollama", "qwen3.8:27b"),
        ("claude-sonnet-5-5", "anthropic", "claude-sonnet-5-5"),
        ("anthropic/claude-sonnet-5-5", "anthropic", "claude-sonnet-5-5"),
        ("Qwen/Qwen3", "anthropic", "Qwen/Qwen3"),
    ],
)
def test_model_name_is_split_at_the_first_slash(name: str, vendor: str, model: str) -> None:
    assert split_model(name) == (vendor, model)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1"),
        ("https://a.example/some/v2", "https://a.example/some/v2"),
        ("https://a.example/v2/gateway", "https://a.example/v2/gateway/v1"),
    ],
)
def test_version_may_be_in_the_address_or_not(url: str, base: str) -> None:
    assert open_vendor("compatible", {"compatible": url}).base == base
