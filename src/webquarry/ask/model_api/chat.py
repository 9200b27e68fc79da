"""Chat Completions, as the servers speak it that follow OpenAI: each vendor says what it differs
in.

Rules that hold for all of them: the limit is `max_tokens`; a schema goes without a tool (Ollama
would never call it); no search on offer means no tools at all (`tool_choice` may be ignored); what
a server refuses is left out once, and then for good.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

import httpx2

from webquarry._search.replies.body import objects
from webquarry.ask.model_api import failures
from webquarry.ask.model_api.openai_errors import build_openai_failure, read_openai_tokens
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
    parse_arguments,
    read_query,
)
from webquarry.ask.model_api.vendor import THINKING_TOKENS, ModelVendor
from webquarry.ask.models import ReplyError
from webquarry.net.models import Reply
from webquarry.secret import Secret

_FUNCTION: Body = {"name": WEB_SEARCH, "description": SEARCH_WORDS, "parameters": QUERY_SCHEMA}
_TOOL: Body = {"type": "function", "function": _FUNCTION}
_STOPS: dict[str, Stop] = {"stop": "end", "length": "cut", "content_filter": "refused"}
_THOUGHTS = ("<think>", "</think>")
_TEXT_CALLS = ("<tool_call>", "<|tool_call|>", "[TOOL_CALLS]", "<function_call>")
_API = "Chat Completions API"


class ChatVendor(ModelVendor):
    """A server that speaks Chat Completions."""

    effort: ClassVar[str | None] = None  # of thinking, where the server knows the field

    def count_thinking_tokens(self, model: str) -> int:
        """Many models think before they answer, and not every server can be told to stop that."""
        return THINKING_TOKENS

    def build_body(self, request: ModelRequest) -> Body:
        """The first question."""
        messages: list[Body] = []
        if request.instructions:
            messages.append({"role": "system", "content": request.instructions})
        messages.append({"role": "user", "content": request.question})
        body: Body = {
            "model": request.model,
            "messages": messages,
            "max_tokens": self.limit_tokens(request),
            "stream": False,
        }
        if self.effort is not None:
            body["reasoning_effort"] = self.effort
        if request.offers_search:
            body["tools"] = [_TOOL]
        elif request.schema is not None:
            body |= self.build_form(request)
        return body

    def build_form(self, request: ModelRequest) -> Body:
        """The fields that ask for a typed answer."""
        form = {"name": "answer", "strict": True, "schema": request.schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}

    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        """The turn goes back with its calls; the tools are not on offer any more."""
        messages = [*body["messages"], turn.raw]
        for outcome in outcomes:
            messages.append(
                {"role": "tool", "tool_call_id": outcome.call.id, "content": outcome.text}
            )
        further = body | {"messages": messages}
        further.pop("tools", None)
        if request.schema is not None:
            further |= self.build_form(request)
        return further

    def build_request(self, content: bytes, model: str, key: Secret | None) -> httpx2.Request:
        """One completion."""
        url = f"{self.base}/chat/completions"
        return httpx2.Request("POST", url, headers=self.build_headers(key), content=content)

    def simplify(self, body: Body, request: ModelRequest) -> tuple[str, Body] | None:
        """Without the effort, then without the tool, then with the form in words."""
        for name in ("reasoning_effort", "tools"):
            if name in body:
                return name, {field: body[field] for field in body if field != name}
        if "response_format" not in body:
            return None
        words = (
            "Answer with one JSON object and nothing else. It must fit this JSON Schema: "
            + json.dumps(request.schema, ensure_ascii=False)
        )
        plain = {field: body[field] for field in body if field != "response_format"}
        return "response_format", plain | {
            "messages": [{"role": "system", "content": words}, *body["messages"]]
        }

    def read_cost(self, usage: Any) -> float | None:
        """What the server says that the call cost."""
        return None

    def build_failure(self, reply: Reply, body: Any, model: str) -> failures.CallFailure:
        """The failure that a reply stands for."""
        return build_openai_failure(self, reply, body, model, api=_API)

    def parse_reply(self, reply: Reply, model: str) -> Turn:
        """The message of the first choice; its thoughts are no answer."""
        body = failures.parse_json(reply)
        if reply.status != 200:
            raise self.build_failure(reply, body, model)
        choice, message = _find_message(body)
        usage = body.get("usage")
        tokens = read_openai_tokens(usage, "prompt_tokens", "completion_tokens")
        usd = self.read_cost(usage)
        content = message.get("content")
        text = cut_thoughts(content) if isinstance(content, str) else ""
        why = str(choice.get("finish_reason"))
        raw: Body = {"role": "assistant", "content": content if isinstance(content, str) else ""}
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal.strip():
            return Turn(text, "refused", why, (), tokens, usd, explanation=refusal, raw=raw)
        if why == "content_filter":
            return Turn(text, "refused", why, (), tokens, usd, category=why, raw=raw)
        if why == "length":
            return Turn(text, "cut", why, (), tokens, usd, raw=raw)
        calls = _read_calls(message.get("tool_calls"))
        if calls:
            raw["tool_calls"] = message["tool_calls"]
            return Turn(text, "tool", why, calls, tokens, usd, raw=raw)
        if text.lstrip().startswith(_TEXT_CALLS):
            words = (
                "The server gave the model's search as a text: it was started without a parser "
                "for the model's tool calls."
            )
            raise failures.CallFailure(ReplyError("bad_request", words), 200, billed=True)
        return Turn(text, _STOPS.get(why, "unknown"), why, (), tokens, usd, raw=raw)


def _find_message(body: Any) -> tuple[Body, Body]:
    """The first choice and its message. Raises the error that some servers put into a 200."""
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    for place in (body, choice):
        error = failures.read_error(place)
        if error:
            words = failures.clean_words(error.get("message"))
            message = f"The model's provider failed to answer: {words}"
            raise failures.CallFailure(ReplyError("server_error", message, True), 200)
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise failures.build_malformed_failure("completion")
    return choice, choice["message"]


def _read_calls(calls: Any) -> tuple[SearchCall, ...]:
    """The tools that the model wants to use."""
    found = []
    for call in objects(calls):
        function = call.get("function")
        if not isinstance(function, dict):
            continue
        query = read_query(parse_arguments(function.get("arguments")))
        found.append(SearchCall(str(call.get("id")), str(function.get("name")), query))
    return tuple(found)


def cut_thoughts(text: str) -> str:
    """An answer without the thoughts that some servers leave before it."""
    begin, end = _THOUGHTS
    if not text.lstrip().startswith(begin):
        return text
    _, found, rest = text.partition(end)
    return rest.lstrip() if found else ""
