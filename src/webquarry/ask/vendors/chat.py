"""Chat Completions: OpenAI, OpenRouter, the servers that users run themselves, and any other
compatible server.

A schema is not sent together with a tool (Ollama would never call the tool). When the model may not
search, no tools are sent at all: some servers ignore `tool_choice`. What a server rejects is left
out, and not sent to it again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from webquarry._search.replies import objects
from webquarry.ask.prices import Tokens
from webquarry.ask.vendors.base import (
    QUERY_SCHEMA,
    SEARCH_WORDS,
    STRICT_QUERY_SCHEMA,
    THINKING_TOKENS,
    WEB_SEARCH,
    Body,
    ModelRequest,
    ModelVendor,
    SearchCall,
    SearchOutcome,
    Turn,
    clean_words,
    fail,
    fail_malformed,
    read_count,
    read_error,
    read_query,
)
from webquarry.credentials import Credential

_FUNCTION: Body = {"name": WEB_SEARCH, "description": SEARCH_WORDS, "parameters": QUERY_SCHEMA}
_TOOL: Body = {"type": "function", "function": _FUNCTION}
_STRICT: Body = _FUNCTION | {"parameters": STRICT_QUERY_SCHEMA, "strict": True}
_STRICT_TOOL: Body = {"type": "function", "function": _STRICT}
_TEXT_CALLS = ("<tool_call>", "<|tool_call|>", "[TOOL_CALLS]", "<function_call>")
_GONE_TYPES = ("not_found_error", "NotFoundError")
# OpenAI's models: those that always think, and those that do not accept an effort.
_ALWAYS_THINKING = re.compile(r"(?:gpt-6-astra|gpt-6\.1-sol|o[1-9]|gpt-5(?!\.\d)).*", re.ASCII)
_NOT_THINKING = re.compile(r"(?:gpt-[34]|chatgpt-|ft:gpt-[34]).*", re.ASCII)


class Compatible(ModelVendor):
    """Any server with this API; its address has to be set."""

    name = "compatible"
    label = "The model's server"
    credentials: ClassVar[tuple[Credential, ...]] = (
        Credential("COMPATIBLE_API_KEY", "compatible-api-key"),
    )
    is_own_server: ClassVar[bool] = True
    effort: ClassVar[str | None] = None  # `reasoning_effort`, if the server knows it
    limit_name: ClassVar[str] = "max_tokens"
    extra_fields: ClassVar[Body] = {"stream": False}
    tool: ClassVar[Body] = _TOOL
    optional_fields: ClassVar[tuple[str, ...]] = ("reasoning_effort", "tools")

    def count_thinking_tokens(self, model: str) -> int:
        """Many models think, and most servers cannot turn that off."""
        return THINKING_TOKENS

    def choose_effort(self, model: str) -> str | None:
        """Return the `reasoning_effort` to send."""
        return self.effort

    def build_body(self, request: ModelRequest) -> Body:
        messages: list[Body] = []
        if request.instructions:
            messages.append({"role": "system", "content": request.instructions})
        messages.append({"role": "user", "content": request.question})
        body: Body = {
            "model": request.model,
            "messages": messages,
            self.limit_name: self.limit_tokens(request),
        } | self.extra_fields
        effort = self.choose_effort(request.model)
        if effort is not None:
            body["reasoning_effort"] = effort
        if request.offers_search:
            body["tools"] = [self.tool]
        may_add_form = self.takes_schema_beside_tools or not request.offers_search
        return self.add_form(body, request) if may_add_form else body

    def add_form(self, body: Body, request: ModelRequest) -> Body:
        """Return the body with the fields of a typed answer, if one is requested."""
        if request.schema is None:
            return body
        form = {"name": "answer", "strict": True, "schema": request.schema}
        return body | {"response_format": {"type": "json_schema", "json_schema": form}}

    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        messages = [*body["messages"], turn.raw]
        for outcome in outcomes:
            messages.append(
                {"role": "tool", "tool_call_id": outcome.call.id, "content": outcome.text}
            )
        following = body | {"messages": messages}
        following.pop("tools", None)
        return self.add_form(following, request)

    def get_path(self, model: str) -> str:
        return "chat/completions"

    def simplify(self, body: Body, request: ModelRequest) -> tuple[str, Body] | None:
        """Leave out the optional fields, then replace the form by instructions."""
        for name in self.optional_fields:
            if name in body:
                return name, {field: body[field] for field in body if field != name}
        if "response_format" not in body:
            return None
        words = (
            "Answer with one JSON object and nothing else. It must fit this JSON Schema: "
            + json.dumps(request.schema, ensure_ascii=False)
        )
        plain = {field: body[field] for field in body if field != "response_format"}
        plain["messages"] = [{"role": "system", "content": words}, *body["messages"]]
        return "response_format", plain

    def read_cost(self, usage: Any) -> float | None:
        """Return the cost that the server reports, in US dollars."""
        return None

    def parse_turn(self, body: Any) -> Turn:
        choice, message = _find_message(body)
        usage = body.get("usage")
        content = message.get("content")
        text = content if isinstance(content, str) else ""
        raw: Body = {"role": "assistant", "content": text}
        text = _remove_thoughts(text)
        why = str(choice.get("finish_reason"))
        turn = Turn(text, "unknown", why, (), _read_tokens(usage), self.read_cost(usage), raw=raw)
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal.strip():
            return replace(turn, stop="refused", why="refusal", explanation=refusal)
        if why == "content_filter":
            return replace(turn, stop="refused")
        if why == "length":
            return replace(turn, stop="cut")
        calls = _read_calls(message.get("tool_calls"))
        if calls:
            raw["tool_calls"] = message["tool_calls"]
            return replace(turn, stop="tool", calls=calls)
        if text.lstrip().startswith(_TEXT_CALLS):
            words = (
                "The server returned the model's search as text: it was started without a parser "
                "for the model's tool calls."
            )
            raise fail("bad_request", words, billed=True)
        return replace(turn, stop="end") if why == "stop" else turn

    def classify_error(self, status: int, error: Body) -> str | None:
        code = error.get("code")
        kind = error.get("type")
        if "insufficient_quota" in (code, kind):
            return "quota"
        if code == "model_not_found" or (status == 404 and kind in _GONE_TYPES):
            return "model_gone"
        if code == "context_length_exceeded" or error.get("param") == "input_tokens":
            return "too_large"
        if status == 503 and self.is_own_server:  # its queue is full, or the model is loading
            return "overloaded"
        return None


class OpenAI(Compatible):
    """GPT. Models that always think accept no tools here: they answer without a search."""

    name = "openai"
    label = "The OpenAI API"
    credentials = (Credential("OPENAI_API_KEY", "openai-api-key"),)
    default_url = "https://api.openai.com"
    is_own_server = False
    takes_schema_beside_tools = True
    limit_name = "max_completion_tokens"
    extra_fields: ClassVar[Body] = {"store": False}
    tool = _STRICT_TOOL
    optional_fields = ("tools", "reasoning_effort")

    def count_thinking_tokens(self, model: str) -> int:
        return THINKING_TOKENS if _ALWAYS_THINKING.fullmatch(model) else 0

    def choose_effort(self, model: str) -> str | None:
        if _NOT_THINKING.fullmatch(model):
            return None
        return "low" if _ALWAYS_THINKING.fullmatch(model) else "none"


class OpenRouter(Compatible):
    """`openrouter/anthropic/claude-haiku-5-5`: after the vendor, OpenRouter's name of the model."""

    name = "openrouter"
    label = "The OpenRouter API"
    credentials = (Credential("OPENROUTER_API_KEY", "openrouter-api-key"),)
    default_url = "https://openrouter.ai/api"
    is_own_server = False
    effort = "low"

    def add_form(self, body: Body, request: ModelRequest) -> Body:
        """Only providers that support the form are used; few of them know an effort, too."""
        body = super().add_form(body, request)
        if "response_format" in body:
            body.pop("reasoning_effort", None)
            body["provider"] = {"require_parameters": True}
        return body

    def read_cost(self, usage: Any) -> float | None:
        cost = usage.get("cost") if isinstance(usage, dict) else None
        if isinstance(cost, bool) or not isinstance(cost, int | float):
            return None
        return float(cost) if 0 <= cost < float("inf") else None

    def classify_error(self, status: int, error: Body) -> str | None:
        metadata = error.get("metadata")
        if status == 403 and isinstance(metadata, dict) and "reasons" in metadata:
            return "refused"
        if status == 404 and error:
            return "model_gone"
        return super().classify_error(status, error)


class Ollama(Compatible):
    """Local models. It silently drops fields that it does not know."""

    name = "ollama"
    label = "The Ollama server"
    credentials = (Credential("OLLAMA_API_KEY", "ollama-api-key"),)
    default_url = "http://127.0.0.1:11434"
    effort = "none"
    advice_when_gone = "the server does not have it. Get it with: ollama pull NAME"


class VLLM(Compatible):
    """A search needs its options --enable-auto-tool-choice and --tool-call-parser."""

    name = "vllm"
    label = "The vLLM server"
    credentials = (Credential("VLLM_API_KEY", "vllm-api-key"),)
    default_url = "http://127.0.0.1:8000"


class LMStudio(Compatible):
    """Local models in LM Studio's server."""

    name = "lmstudio"
    label = "The LM Studio server"
    credentials = (Credential("LMSTUDIO_API_KEY", "lmstudio-api-key"),)
    default_url = "http://127.0.0.1:1234"


def _find_message(body: Any) -> tuple[Body, Body]:
    """Return the first choice and its message. Some servers put an error into a 200 response."""
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    for place in (body, choice):
        error = read_error(place)
        if error:
            words = clean_words(error.get("message"))
            message = f"The model's provider failed to answer: {words}"
            raise fail("server_error", message, retryable=True)
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise fail_malformed("completion")
    return choice, choice["message"]


def _read_tokens(usage: Any) -> Tokens | None:
    """Cached tokens are part of the prompt, thoughts are part of the completion."""
    if not isinstance(usage, dict) or not isinstance(usage.get("completion_tokens"), int):
        return None
    details = usage.get("prompt_tokens_details")
    cache_read = read_count(details, "cached_tokens")
    cache_write = read_count(details, "cache_write_tokens")
    fresh = read_count(usage, "prompt_tokens") - cache_read - cache_write
    return Tokens(max(0, fresh), read_count(usage, "completion_tokens"), cache_read, cache_write)


def _read_calls(calls: Any) -> tuple[SearchCall, ...]:
    found = []
    for call in objects(calls):
        function = call.get("function")
        if isinstance(function, dict):
            query = read_query(function.get("arguments"))
            found.append(SearchCall(str(call.get("id")), str(function.get("name")), query))
    return tuple(found)


def _remove_thoughts(text: str) -> str:
    """Remove the thoughts that some servers leave at the start of an answer."""
    if not text.lstrip().startswith("<think>"):
        return text
    _, found, rest = text.partition("</think>")
    return rest.lstrip() if found else ""
