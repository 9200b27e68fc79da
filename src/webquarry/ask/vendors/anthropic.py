"""Anthropic's Messages API."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import httpx2

from webquarry._search.replies.body import objects
from webquarry.ask.billing.prices import Tokens
from webquarry.ask.model_api import failures
from webquarry.ask.model_api.turn import (
    QUERY_SCHEMA,
    SEARCH_WORDS,
    WEB_SEARCH,
    Body,
    ModelRequest,
    SearchCall,
    SearchOutcome,
    Stop,
    Turn,
    read_query,
)
from webquarry.ask.model_api.vendor import THINKING_TOKENS, ModelVendor
from webquarry.ask.models import ReplyError
from webquarry.credentials import Credential
from webquarry.net.models import Reply
from webquarry.secret import Secret

TOOL: Body = {"name": WEB_SEARCH, "description": SEARCH_WORDS, "input_schema": QUERY_SCHEMA}
_API_VERSION = "2023-06-01"
_OVERLOADED = 529
# Models of this generation think unless they are told to think little.
_THINKING = re.compile(r"claude-[a-z]{1,20}-5(?:-\d{1,8}){0,2}", re.ASCII)
_ALWAYS_THINKING = ("claude-fable-5", "claude-mythos-5", "claude-opus-5-5")
_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tool",
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "refused",
    "pause_turn": "paused",
}


class Anthropic(ModelVendor):
    """Claude."""

    name = "anthropic"
    label = "The Anthropic API"
    credentials = (Credential("ANTHROPIC_API_KEY", "anthropic-api-key"),)
    default_url = "https://api.anthropic.com"
    url_variable = "ANTHROPIC_BASE_URL"
    takes_schema_beside_tools = True
    advice_when_gone: ClassVar[str] = (
        "it was retired, or never existed. Choose another one: "
        "stps_set_model('claude-sonnet-5-5') in SQL, --model or WEBQUARRY_ASK_MODEL elsewhere."
    )

    def count_thinking_tokens(self, model: str) -> int:
        """Some models cannot be kept from thinking."""
        return THINKING_TOKENS if model.startswith(_ALWAYS_THINKING) else 0

    def build_body(self, request: ModelRequest) -> Body:
        """The first question."""
        body: Body = {
            "model": request.model,
            "max_tokens": self.limit_tokens(request),
            "messages": [{"role": "user", "content": request.question}],
        }
        if request.instructions:
            body["system"] = request.instructions
        config: Body = {}
        if _THINKING.fullmatch(request.model):
            config["effort"] = "low"
        if request.schema is not None:
            config["format"] = {"type": "json_schema", "schema": request.schema}
        if config:
            body["output_config"] = config
        if request.offers_search:
            body["tools"] = [TOOL]
            body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
        return body

    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        """The turn goes back; a blank text, which a model may write, is refused when it does, and
        so is a turn without a word.
        """
        blocks = []
        for block in turn.raw["content"]:
            if block.get("type") == "text" and not str(block.get("text") or "").strip():
                continue
            blocks.append(block)
        messages = list(body["messages"])
        if blocks:
            messages.append({"role": "assistant", "content": blocks})
        if not outcomes:
            return body | {"messages": messages}
        results = []
        for outcome in outcomes:
            result: Body = {
                "type": "tool_result",
                "tool_use_id": outcome.call.id,
                "content": outcome.text,
            }
            if outcome.failed:
                result["is_error"] = True
            results.append(result)
        messages.append({"role": "user", "content": results})
        return body | {"messages": messages, "tool_choice": {"type": "none"}}

    def build_headers(self, key: Secret | None) -> dict[str, str]:
        """The key has a header of its own."""
        headers = super().build_headers(None) | {"anthropic-version": _API_VERSION}
        if key is not None:
            headers["x-api-key"] = key.reveal()
        return headers

    def build_request(self, content: bytes, model: str, key: Secret | None) -> httpx2.Request:
        """One message."""
        return httpx2.Request(
            "POST", f"{self.base}/messages", headers=self.build_headers(key), content=content
        )

    def parse_reply(self, reply: Reply, model: str) -> Turn:
        """The message; blocks that are none are passed over."""
        message = failures.parse_json(reply)
        if reply.status != 200:
            raise self._build_failure(reply, message, model)
        if not isinstance(message, dict) or not isinstance(message.get("content"), list):
            raise failures.build_malformed_failure("message")
        blocks = objects(message["content"])
        message["content"] = blocks
        texts = []
        calls = []
        why = str(message.get("stop_reason"))
        for block in blocks:
            text = block.get("text")
            if block.get("type") == "text" and isinstance(text, str):
                texts.append(text)
            if block.get("type") == "tool_use" and why == "tool_use":
                query = read_query(block.get("input"))
                calls.append(SearchCall(str(block.get("id")), str(block.get("name")), query))
        details = message.get("stop_details")
        category = explanation = None
        if isinstance(details, dict):
            category = details.get("category")
            explanation = details.get("explanation")
        return Turn(
            "".join(texts),
            _STOPS.get(why, "unknown"),
            why,
            tuple(calls),
            _read_tokens(message.get("usage")),
            category=category if isinstance(category, str) else None,
            explanation=explanation if isinstance(explanation, str) else None,
            raw=message,
        )

    def _build_failure(self, reply: Reply, body: Any, model: str) -> failures.CallFailure:
        """The failure that a status stands for."""
        error = failures.read_error(body)
        kind = error.get("type")
        words = failures.clean_words(error.get("message"), kind)
        wait = failures.read_wait(reply)
        should_retry = reply.headers.get("x-should-retry")
        status = reply.status
        if status == 429:
            return failures.build_limit_failure(words, wait, should_retry)
        if status == 404 and kind == "not_found_error":
            return failures.build_gone_failure(model, self.advice_when_gone)
        if status == 404:
            return failures.build_missing_api_failure(self.url, "Messages API", self.url_variables)
        if status == 401:
            return failures.build_key_failure(self.label, words, status)
        failure = failures.build_status_failure(words, status, wait, should_retry)
        if status == _OVERLOADED:
            failure.error = ReplyError("overloaded", failure.error.message, failure.error.retryable)
            failure.is_throttling = True
        return failure


def _read_tokens(usage: Any) -> Tokens | None:
    """The counts; cached ones are beside `input_tokens`."""
    if not isinstance(usage, dict) or not usage:
        return None
    return Tokens.from_usage(usage)
