"""Anthropic's Messages API."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from webquarry._search.replies import objects
from webquarry.ask.models import ReplyError
from webquarry.ask.prices import Tokens
from webquarry.ask.vendors.base import (
    QUERY_SCHEMA,
    SEARCH_WORDS,
    THINKING_TOKENS,
    WEB_SEARCH,
    Body,
    CallFailure,
    ModelRequest,
    ModelVendor,
    SearchCall,
    SearchOutcome,
    Stop,
    Turn,
    fail_malformed,
    read_count,
    read_query,
)
from webquarry.credentials import Credential
from webquarry.net.models import Reply
from webquarry.secret import Secret

TOOL: Body = {"name": WEB_SEARCH, "description": SEARCH_WORDS, "input_schema": QUERY_SCHEMA}
_API_VERSION = "2023-06-01"
# Models of this generation think at length unless the effort is low.
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
    takes_schema_beside_tools = True
    advice_when_gone: ClassVar[str] = (
        "it was retired, or never existed. Choose another one: "
        "stps_set_model('claude-sonnet-5-5') in SQL, --model or WEBQUARRY_ASK_MODEL elsewhere."
    )

    def count_thinking_tokens(self, model: str) -> int:
        """Some models always think."""
        return THINKING_TOKENS if model.startswith(_ALWAYS_THINKING) else 0

    def build_body(self, request: ModelRequest) -> Body:
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
        """Blank text blocks and empty turns are left out: the API rejects them."""
        blocks = []
        for block in turn.raw["content"]:
            if block.get("type") != "text" or str(block.get("text") or "").strip():
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
        headers = super().build_headers(None) | {"anthropic-version": _API_VERSION}
        if key is not None:
            headers["x-api-key"] = key.reveal()
        return headers

    def get_path(self, model: str) -> str:
        return "messages"

    def parse_turn(self, body: Any) -> Turn:
        if not isinstance(body, dict) or not isinstance(body.get("content"), list):
            raise fail_malformed("message")
        blocks = objects(body["content"])
        body["content"] = blocks
        texts = []
        calls = []
        why = str(body.get("stop_reason"))
        for block in blocks:
            text = block.get("text")
            if block.get("type") == "text" and isinstance(text, str):
                texts.append(text)
            if block.get("type") == "tool_use" and why == "tool_use":
                query = read_query(block.get("input"))
                calls.append(SearchCall(str(block.get("id")), str(block.get("name")), query))
        stop = _STOPS.get(why, "unknown")
        details = body.get("stop_details")
        explanation = ""
        if stop == "refused" and isinstance(details, dict):
            why = str(details.get("category") or why)
            explanation = str(details.get("explanation") or "")
        usage = body.get("usage")
        tokens = _read_tokens(usage) if isinstance(usage, dict) and usage else None
        return Turn(
            "".join(texts), stop, why, tuple(calls), tokens, explanation=explanation, raw=body
        )

    def classify_error(self, status: int, error: Body) -> str | None:
        is_gone = status == 404 and error.get("type") == "not_found_error"
        return "model_gone" if is_gone else None

    def _build_failure(self, reply: Reply, error: Body, model: str) -> CallFailure:
        """A 429 without a time to wait is a limit of the account itself: it is not retried."""
        failure = super()._build_failure(reply, error, model)
        should_retry = reply.headers.get("x-should-retry") == "true"
        if reply.status == 429 and failure.retry_after is None and not should_retry:
            message = (
                f"{failure.error.message} It named no time to come back, as it does when a limit "
                "of the account is used up."
            )
            failure.error = ReplyError(failure.error.code, message)
        return failure


def _read_tokens(usage: Body) -> Tokens:
    names = (
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    )
    return Tokens(*(read_count(usage, name) for name in names))
