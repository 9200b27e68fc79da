"""The fake model in the languages of other vendors: a request's body in, a reply's body out, on the
same markers, refusing what the real ones refuse.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any, ClassVar
from urllib.parse import unquote

Body = dict[str, Any]
_LETTERS_PER_TOKEN = 4
_REFUSAL = "I'm sorry, but I can't help with that."


class Dialect(ABC):
    """How one API words requests, answers and errors."""

    path: ClassVar[str]  # what the path of a request holds
    key_header: ClassVar[str] = "authorization: bearer {key}"
    needs_key: ClassVar[bool] = True

    def matches(self, target: str, body: Body) -> bool:
        """Whether a request is for this API."""
        return self.path in target

    def find_model(self, target: str, body: Body) -> str:
        """The model that is asked."""
        return str(body.get("model"))

    @abstractmethod
    def read_question(self, body: Body) -> str:
        """The text of the first message."""

    @abstractmethod
    def find_fault(self, body: Body) -> str | None:
        """What the real one would not take, in a sentence."""

    @abstractmethod
    def build_error(self, status: int, message: str) -> Body:
        """An error in its words."""

    @abstractmethod
    def build_turn(self, question: str, body: Body, answer: str) -> Body:
        """The model's turn, as the question's markers and the request decide."""


def _wants_search(question: str) -> list[Any]:
    """The queries that a question's marker requests; None for one without a query."""
    context = question.partition("Context: ")[2].partition("\n")[0] or "anything"
    if "[search]" in question:
        return [context]
    if "[two searches]" in question:
        return [context, context]
    if "[no query]" in question:
        return [None]
    return []


def _count(body: Any) -> int:
    return max(1, len(json.dumps(body)) // _LETTERS_PER_TOKEN)


class ChatDialect(Dialect):
    """Chat Completions as Ollama has it: unknown fields are dropped, a schema beats the tool."""

    path = "/v1/chat/completions"
    needs_key = False

    def read_question(self, body: Body) -> str:
        """The first message of the user."""
        for message in body["messages"]:
            if message["role"] == "user":
                return str(message["content"])
        return ""

    def find_fault(self, body: Body) -> str | None:
        """A limit that the server does not know, or a result without its call."""
        if "max_tokens" not in body:
            return "the answer would have no end"
        called = []
        answered = []
        for message in body["messages"]:
            called += [call["id"] for call in message.get("tool_calls") or []]
            if message["role"] == "tool":
                answered.append(message["tool_call_id"])
        if called != answered:
            return "a tool call has no result"
        return None

    def build_error(self, status: int, message: str) -> Body:
        """Without a code, as Ollama has it."""
        kinds = {400: "invalid_request_error", 404: "not_found_error"}
        error = {"message": message, "type": kinds.get(status, "api_error")}
        return {"error": error | {"param": None, "code": None}}

    def may_search(self, body: Body) -> bool:
        """Whether the model calls a tool."""
        return "tools" in body and "response_format" not in body

    def build_turn(self, question: str, body: Body, answer: str) -> Body:
        """A search is wanted where it is on offer and no schema is."""
        message: Body = {"role": "assistant", "content": answer, "reasoning": "Let me see."}
        reason = "length" if "[cut]" in question else "stop"
        queries = _wants_search(question)
        is_first = len([one for one in body["messages"] if one["role"] == "tool"]) == 0
        if queries and is_first and self.may_search(body):
            calls = []
            for number, query in enumerate(queries):
                arguments = json.dumps({} if query is None else {"query": query})
                function = {"name": "web_search", "arguments": arguments}
                calls.append({"id": f"call_{number}", "type": "function", "function": function})
            message |= {"content": "", "tool_calls": calls}
            reason = "tool_calls"
        if "[refuse]" in question:
            message |= {"content": None, "refusal": _REFUSAL}
        counts = {"prompt_tokens": _count(body), "completion_tokens": _count(answer)}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {"object": "chat.completion", "choices": [choice], "usage": counts}


class OpenAIDialect(ChatDialect):
    """Chat Completions as OpenAI has it: a key, another limit, and a strict tool."""

    needs_key = True

    def matches(self, target: str, body: Body) -> bool:
        """Other servers are sent `max_tokens`."""
        return super().matches(target, body) and "max_completion_tokens" in body

    def find_fault(self, body: Body) -> str | None:
        """A removed parameter, too short a limit, or a tool that is not strict."""
        if "max_tokens" in body or "temperature" in body:
            return "Unsupported parameter."
        for tool in body.get("tools", []):
            if tool["function"]["parameters"].get("additionalProperties") is not False:
                return "Invalid schema: 'additionalProperties' is required to be false."
            if body.get("reasoning_effort") not in (None, "none"):
                return "Function tools with reasoning_effort are not supported."
        return super().find_fault(body | {"max_tokens": body["max_completion_tokens"]})

    def build_error(self, status: int, message: str) -> Body:
        """With a code for permanent errors."""
        codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
        error = {"message": message, "type": "invalid_request_error", "param": None}
        return {"error": error | {"code": codes.get(status)}}

    def may_search(self, body: Body) -> bool:
        """A schema and a tool go together."""
        return "tools" in body


class GeminiDialect(Dialect):
    """Google's Gemini API."""

    path = ":generateContent"
    key_header = "x-goog-api-key: {key}"

    def find_model(self, target: str, body: Body) -> str:
        """It is part of the path."""
        return unquote(target.rpartition("/models/")[2].removesuffix(self.path))

    def read_question(self, body: Body) -> str:
        """The first part of the first content."""
        return str(body["contents"][0]["parts"][0]["text"])

    def find_fault(self, body: Body) -> str | None:
        """A call without its signature, or a form together with a tool."""
        for content in body["contents"]:
            for part in content["parts"]:
                if "functionCall" in part and "thoughtSignature" not in part:
                    return "Function call is missing a thought_signature in functionCall parts."
        if "tools" in body and "responseJsonSchema" in body["generationConfig"]:
            return "Function calling with a response mime type is unsupported."
        return None

    def build_error(self, status: int, message: str) -> Body:
        """With a status in words."""
        states = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND"}
        error = {"code": status, "message": message, "status": states.get(status, "INTERNAL")}
        if status == 429:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            error |= {"details": [{"@type": kind, "retryDelay": "1s"}]}
        return {"error": error}

    def build_turn(self, question: str, body: Body, answer: str) -> Body:
        """A call has a signature, which must come back."""
        parts: list[Body] = [{"text": "Hm.", "thought": True}, {"text": answer}]
        reason = "STOP"
        mode = body.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode")
        queries = _wants_search(question) if mode == "AUTO" else []
        if queries:
            parts = []
        for number, query in enumerate(queries):
            arguments = {} if query is None else {"query": query}
            call = {"name": "web_search", "args": arguments, "id": f"fc-{number}"}
            parts.append({"functionCall": call, "thoughtSignature": "U0lH"})
        if "[cut]" in question:
            reason = "MAX_TOKENS"
        candidate: Body = {"content": {"role": "model", "parts": parts}, "finishReason": reason}
        if "[refuse]" in question:
            candidate = {"finishReason": "SAFETY"}
        counts = {"promptTokenCount": _count(body), "candidatesTokenCount": _count(answer)}
        return {"candidates": [candidate], "usageMetadata": counts | {"thoughtsTokenCount": 5}}


DIALECTS: tuple[Dialect, ...] = (OpenAIDialect(), ChatDialect(), GeminiDialect())
