"""Google's Gemini API."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._search.replies.body import objects
from webquarry.ask.billing.prices import Tokens
from webquarry.ask.model_api import failures
from webquarry.ask.model_api.failures import CallFailure
from webquarry.ask.model_api.turn import (
    SEARCH_WORDS,
    STRICT_QUERY_SCHEMA,
    WEB_SEARCH,
    Body,
    ModelRequest,
    SearchCall,
    SearchOutcome,
    Turn,
    read_count,
    read_query,
)
from webquarry.ask.model_api.vendor import THINKING_TOKENS, ModelVendor
from webquarry.credentials import Credential
from webquarry.net.models import Reply
from webquarry.secret import Secret

_TOOL: Body = {
    "functionDeclarations": [
        {
            "name": WEB_SEARCH,
            "description": SEARCH_WORDS,
            "parametersJsonSchema": STRICT_QUERY_SCHEMA,
        }
    ]
}
_LEVELS = re.compile(r"gemini-(?:[3-9]|\d\d).*", re.ASCII)  # that take a level of thinking
_BUDGETS = re.compile(r"gemini-2\.5-flash.*", re.ASCII)  # that can be kept from thinking
_REFUSALS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE")
_MOST_NAME = 200


class Gemini(ModelVendor):
    """Gemini. The model is part of the address."""

    name = "gemini"
    label = "The Gemini API"
    credentials = (
        Credential("GEMINI_API_KEY", "gemini-api-key"),
        Credential("GOOGLE_API_KEY", "google-ai-api-key"),
    )
    default_url = "https://generativelanguage.googleapis.com"
    version = "v1beta"

    def count_thinking_tokens(self, model: str) -> int:
        """Most models cannot be kept from thinking."""
        return 0 if _BUDGETS.fullmatch(model) else THINKING_TOKENS

    def build_body(self, request: ModelRequest) -> Body:
        """The first question."""
        config: Body = {"maxOutputTokens": self.limit_tokens(request)}
        if _LEVELS.fullmatch(request.model):
            config["thinkingConfig"] = {"thinkingLevel": "LOW"}
        elif _BUDGETS.fullmatch(request.model):
            config["thinkingConfig"] = {"thinkingBudget": 0}
        body: Body = {"contents": [{"role": "user", "parts": [{"text": request.question}]}]}
        if request.instructions:
            body["systemInstruction"] = {"parts": [{"text": request.instructions}]}
        if request.offers_search:
            body["tools"] = [_TOOL]
            body["toolConfig"] = {"functionCallingConfig": {"mode": "AUTO"}}
        elif request.schema is not None:
            config |= _build_form(request)
        return body | {"generationConfig": config}

    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        """The model's content goes back unchanged: a signature that is lost is an error. A typed
        answer is asked for without the tool.
        """
        parts = []
        for outcome in outcomes:
            response: Body = {"name": outcome.call.name, "response": {"output": outcome.text}}
            if outcome.call.id:
                response["id"] = outcome.call.id
            parts.append({"functionResponse": response})
        contents = [*body["contents"], turn.raw, {"role": "user", "parts": parts}]
        further = body | {"contents": contents}
        if request.schema is None:
            return further | {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}
        del further["tools"], further["toolConfig"]
        config = body["generationConfig"] | _build_form(request)
        return further | {"generationConfig": config}

    def build_headers(self, key: Secret | None) -> dict[str, str]:
        """The key has a header of its own, and is never part of the address."""
        headers = super().build_headers(None)
        if key is not None:
            headers["x-goog-api-key"] = key.reveal()
        return headers

    def build_request(self, content: bytes, model: str, key: Secret | None) -> httpx2.Request:
        """One content."""
        url = f"{self.base}/models/{quote(model, safe='')}:generateContent"
        return httpx2.Request("POST", url, headers=self.build_headers(key), content=content)

    def parse_reply(self, reply: Reply, model: str) -> Turn:
        """The parts of the first candidate; thoughts are no answer."""
        body = failures.parse_json(reply)
        if reply.status != 200:
            raise self._build_failure(reply, body, model)
        if not isinstance(body, dict):
            raise failures.build_malformed_failure("content")
        tokens = _read_tokens(body.get("usageMetadata"))
        feedback = body.get("promptFeedback")
        candidates = body.get("candidates")
        if not candidates and isinstance(feedback, dict) and feedback.get("blockReason"):
            why = str(feedback["blockReason"])
            return Turn("", "refused", why, (), tokens, category=why)
        first = candidates[0] if isinstance(candidates, list) and candidates else None
        if not isinstance(first, dict):
            raise failures.build_malformed_failure("content")
        content = first.get("content")
        text, calls = _read_parts(content)
        why = str(first.get("finishReason"))
        if why in _REFUSALS:
            return Turn(text, "refused", why, (), tokens, category=why, raw=content)
        if why == "MAX_TOKENS":
            return Turn(text, "cut", why, (), tokens, raw=content)
        if calls:
            return Turn(text, "tool", why, calls, tokens, raw=content)
        return Turn(text, "end" if why == "STOP" else "unknown", why, (), tokens, raw=content)

    def _build_failure(self, reply: Reply, body: Any, model: str) -> CallFailure:
        """The failure that a status and its details stand for."""
        error = failures.read_error(body)
        state = error.get("status")
        words = failures.clean_words(error.get("message"), state)
        details = objects(error.get("details"))
        status = reply.status
        if status == 401 or any(one.get("reason") == "API_KEY_INVALID" for one in details):
            return failures.build_key_failure(self.label, words, status)
        wait = failures.read_wait(reply)
        for detail in details:
            if wait is None:
                wait = failures.parse_duration(detail.get("retryDelay"))
        if status == 429 and any(_is_day_quota(detail) for detail in details):
            return failures.build_quota_failure(words, status)
        if status == 429 or (status == 503 and state == "UNAVAILABLE"):
            return failures.build_throttle_failure(words, status, wait, None)
        if status == 404 and state == "NOT_FOUND":
            return failures.build_gone_failure(model, self.advice_when_gone)
        if status == 404:
            return failures.build_missing_api_failure(self.url, "Gemini API", self.url_variables)
        return failures.build_status_failure(words, status, wait, None)


def _build_form(request: ModelRequest) -> Body:
    """The fields that ask for a typed answer."""
    return {"responseMimeType": "application/json", "responseJsonSchema": request.schema}


def _read_parts(content: Any) -> tuple[str, tuple[SearchCall, ...]]:
    """The text and the calls of a content; all of it may have gone into thoughts."""
    parts = []
    if isinstance(content, dict):
        parts = objects(content.get("parts"))
    texts = []
    calls = []
    for part in parts:
        text = part.get("text")
        call = part.get("functionCall")
        if isinstance(text, str) and not part.get("thought"):
            texts.append(text)
        if isinstance(call, dict):
            id_ = call.get("id")
            name = str(call.get("name"))[:_MOST_NAME]
            calls.append(SearchCall(str(id_ or ""), name, read_query(call.get("args"))))
    return "".join(texts), tuple(calls)


def _is_day_quota(detail: Body) -> bool:
    """Whether a quota of the day is used up, so that waiting for seconds does not help."""
    violations = objects(detail.get("violations"))
    return any("PerDay" in str(violation.get("quotaId")) for violation in violations)


def _read_tokens(usage: Any) -> Tokens | None:
    """The counts: cached tokens are among those of the prompt, thoughts beside the answer."""
    if not isinstance(usage, dict) or "promptTokenCount" not in usage:
        return None
    cached = read_count(usage, "cachedContentTokenCount")
    prompt = read_count(usage, "promptTokenCount") - cached
    tools = read_count(usage, "toolUsePromptTokenCount")
    answer = read_count(usage, "candidatesTokenCount")
    thoughts = read_count(usage, "thoughtsTokenCount")
    return Tokens(max(0, prompt) + tools, answer + thoughts, cached)
