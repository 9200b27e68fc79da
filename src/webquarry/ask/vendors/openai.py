"""OpenAI's Responses API. Chat Completions would refuse a tool with most of its models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import httpx2

from webquarry._search.replies.body import objects
from webquarry.ask.model_api import failures
from webquarry.ask.model_api.openai_errors import build_openai_failure, read_openai_tokens
from webquarry.ask.model_api.turn import (
    SEARCH_WORDS,
    STRICT_QUERY_SCHEMA,
    WEB_SEARCH,
    Body,
    ModelRequest,
    SearchCall,
    SearchOutcome,
    Turn,
    parse_arguments,
    read_query,
)
from webquarry.ask.model_api.vendor import THINKING_TOKENS, ModelVendor
from webquarry.ask.models import ReplyError
from webquarry.credentials import Credential
from webquarry.net.models import Reply
from webquarry.secret import Secret

_TOOL: Body = {
    "type": "function",
    "name": WEB_SEARCH,
    "description": SEARCH_WORDS,
    "parameters": STRICT_QUERY_SCHEMA,
    "strict": True,
}
# Models that think can be told how much; those of these names cannot be told to think not at all.
_ALWAYS_THINKING = re.compile(r"(?:gpt-6-astra|gpt-6\.1-sol|o[1-9]|gpt-5(?!\.\d)).*", re.ASCII)
_SILENT = re.compile(r"(?:gpt-[34]|chatgpt-|ft:gpt-[34]).*", re.ASCII)  # that do not think
_POLICY_CODES = ("bio_policy", "misalignment_policy_violation", "invalid_prompt")
_API = "Responses API"


class OpenAI(ModelVendor):
    """GPT."""

    name = "openai"
    label = "The OpenAI API"
    credentials = (Credential("OPENAI_API_KEY", "openai-api-key"),)
    default_url = "https://api.openai.com"
    url_variable = "OPENAI_BASE_URL"
    takes_schema_beside_tools = True
    least_tokens = 16

    def count_thinking_tokens(self, model: str) -> int:
        """Some models cannot be kept from thinking."""
        return THINKING_TOKENS if _ALWAYS_THINKING.fullmatch(model) else 0

    def build_body(self, request: ModelRequest) -> Body:
        """The first question. Nothing is stored there, so that thoughts travel with the turn."""
        body: Body = {
            "model": request.model,
            "input": [{"role": "user", "content": request.question}],
            "max_output_tokens": self.limit_tokens(request),
            "store": False,
        }
        if request.instructions:
            body["instructions"] = request.instructions
        if not _SILENT.fullmatch(request.model):
            effort = "low" if _ALWAYS_THINKING.fullmatch(request.model) else "none"
            body["reasoning"] = {"effort": effort}
            body["include"] = ["reasoning.encrypted_content"]
        if request.schema is not None:
            form = {
                "type": "json_schema",
                "name": "answer",
                "schema": request.schema,
                "strict": True,
            }
            body["text"] = {"format": form}
        if request.offers_search:
            body |= {"tools": [_TOOL], "tool_choice": "auto", "parallel_tool_calls": False}
        return body

    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        """All items of the turn go back, thoughts too, then the outputs."""
        items = [*body["input"], *turn.raw]
        for outcome in outcomes:
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": outcome.call.id,
                    "output": outcome.text,
                }
            )
        return body | {"input": items, "tool_choice": "none"}

    def build_request(self, content: bytes, model: str, key: Secret | None) -> httpx2.Request:
        """One response."""
        return httpx2.Request(
            "POST", f"{self.base}/responses", headers=self.build_headers(key), content=content
        )

    def parse_reply(self, reply: Reply, model: str) -> Turn:
        """The texts and the calls among the output items."""
        body = failures.parse_json(reply)
        if reply.status != 200:
            raise build_openai_failure(self, reply, body, model, api=_API)
        if not isinstance(body, dict) or not isinstance(body.get("output"), list):
            raise failures.build_malformed_failure("response")
        items = objects(body["output"])
        status = str(body.get("status"))
        tokens = read_openai_tokens(body.get("usage"), "input_tokens", "output_tokens")
        if status == "failed":
            return _read_failed(body.get("error"), items)
        texts, refusals = _read_texts(items)
        calls = _read_calls(items)
        why = status
        details = body.get("incomplete_details")
        if status == "incomplete" and isinstance(details, dict):
            why = str(details.get("reason"))
        text = "".join(texts)
        if refusals:
            words = " ".join(refusals)
            return Turn(text, "refused", why, (), tokens, explanation=words, raw=items)
        if why == "content_filter":
            return Turn(text, "refused", why, (), tokens, category=why, raw=items)
        if why == "max_output_tokens":
            return Turn(text, "cut", why, (), tokens, raw=items)
        if calls:
            return Turn(text, "tool", why, calls, tokens, raw=items)
        return Turn(text, "end" if why == "completed" else "unknown", why, (), tokens, raw=items)


def _read_texts(items: Sequence[Body]) -> tuple[list[str], list[str]]:
    """What the messages say, and what they say by way of refusal."""
    texts: list[str] = []
    refusals: list[str] = []
    for item in items:
        if item.get("type") != "message":
            continue
        for part in objects(item.get("content")):
            text = part.get("text")
            refusal = part.get("refusal")
            if part.get("type") == "output_text" and isinstance(text, str):
                texts.append(text)
            if part.get("type") == "refusal" and isinstance(refusal, str):
                refusals.append(refusal)
    return texts, refusals


def _read_calls(items: Sequence[Body]) -> tuple[SearchCall, ...]:
    """The tools that the model wants to use."""
    calls = []
    for item in items:
        if item.get("type") == "function_call":
            query = read_query(parse_arguments(item.get("arguments")))
            calls.append(SearchCall(str(item.get("call_id")), str(item.get("name")), query))
    return tuple(calls)


def _read_failed(error: Any, items: list[Body]) -> Turn:
    """A response that failed after it was begun: declined, or a fault of the server's."""
    if not isinstance(error, dict):
        error = {}
    code = str(error.get("code"))
    words = failures.clean_words(error.get("message"), code)
    if code in _POLICY_CODES:
        return Turn("", "refused", code, (), None, category=code, explanation=words, raw=items)
    message = f"The model's provider failed to answer: {words}"
    raise failures.CallFailure(ReplyError("server_error", message, True), 200)
