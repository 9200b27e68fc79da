"""Google's Gemini API.

Its own protocol: the compatible endpoint reports neither thinking nor cached tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from webquarry._search.replies import objects
from webquarry.ask.prices import Tokens
from webquarry.ask.vendors.base import (
    SEARCH_WORDS,
    STRICT_QUERY_SCHEMA,
    THINKING_TOKENS,
    WEB_SEARCH,
    Body,
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

_FUNCTION: Body = {
    "name": WEB_SEARCH,
    "description": SEARCH_WORDS,
    "parametersJsonSchema": STRICT_QUERY_SCHEMA,
}
_TOOL: Body = {"functionDeclarations": [_FUNCTION]}
_LEVELS = re.compile(r"gemini-(?:[3-9]|\d\d).*", re.ASCII)  # accept a thinking level
_BUDGETS = re.compile(r"gemini-2\.5-flash.*", re.ASCII)  # accept a thinking budget of 0
_REFUSALS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE")
_STOPS: dict[str, Stop] = {"STOP": "end", "MAX_TOKENS": "cut"}
_DELAY = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s", re.ASCII)
_MAX_NAME = 200


class Gemini(ModelVendor):
    """Gemini. The model is part of the path."""

    name = "gemini"
    label = "The Gemini API"
    credentials = (
        Credential("GEMINI_API_KEY", "gemini-api-key"),
        Credential("GOOGLE_API_KEY", "google-ai-api-key"),
    )
    default_url = "https://generativelanguage.googleapis.com"
    version = "v1beta"

    def count_thinking_tokens(self, model: str) -> int:
        """Most models always think."""
        return 0 if _BUDGETS.fullmatch(model) else THINKING_TOKENS

    def build_body(self, request: ModelRequest) -> Body:
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
        """The model's content goes back unchanged: its signatures are required. A typed answer is
        requested without the tool.
        """
        parts = []
        for outcome in outcomes:
            response: Body = {"name": outcome.call.name, "response": {"output": outcome.text}}
            if outcome.call.id:
                response["id"] = outcome.call.id
            parts.append({"functionResponse": response})
        contents = [*body["contents"], turn.raw, {"role": "user", "parts": parts}]
        following = body | {"contents": contents}
        if request.schema is None:
            return following | {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}}
        del following["tools"], following["toolConfig"]
        config = body["generationConfig"] | _build_form(request)
        return following | {"generationConfig": config}

    def build_headers(self, key: Secret | None) -> dict[str, str]:
        headers = super().build_headers(None)
        if key is not None:
            headers["x-goog-api-key"] = key.reveal()
        return headers

    def get_path(self, model: str) -> str:
        return f"models/{quote(model, safe='')}:generateContent"

    def parse_turn(self, body: Any) -> Turn:
        if not isinstance(body, dict):
            raise fail_malformed("content")
        tokens = _read_tokens(body.get("usageMetadata"))
        feedback = body.get("promptFeedback")
        candidates = body.get("candidates")
        if not candidates and isinstance(feedback, dict) and feedback.get("blockReason"):
            why = str(feedback["blockReason"])
            return Turn("", "refused", why, (), tokens)
        first = candidates[0] if isinstance(candidates, list) and candidates else None
        if not isinstance(first, dict):
            raise fail_malformed("content")
        content = first.get("content")
        text, calls = _read_parts(content)
        why = str(first.get("finishReason"))
        if why in _REFUSALS:
            return Turn(text, "refused", why, (), tokens, raw=content)
        if calls and why != "MAX_TOKENS":
            return Turn(text, "tool", why, calls, tokens, raw=content)
        return Turn(text, _STOPS.get(why, "unknown"), why, (), tokens, raw=content)

    def classify_error(self, status: int, error: Body) -> str | None:
        state = error.get("status")
        details = objects(error.get("details"))
        if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
            return "auth"
        if status == 429 and any(_is_day_quota(detail) for detail in details):
            return "quota"
        if status == 503 and state == "UNAVAILABLE":
            return "overloaded"
        return "model_gone" if status == 404 and state == "NOT_FOUND" else None

    def read_wait(self, reply: Reply, error: Body) -> float | None:
        wait = super().read_wait(reply, error)
        for detail in objects(error.get("details")):
            if wait is None:
                delay = _DELAY.fullmatch(str(detail.get("retryDelay")))
                wait = float(delay[1]) if delay else None
        return wait


def _build_form(request: ModelRequest) -> Body:
    return {"responseMimeType": "application/json", "responseJsonSchema": request.schema}


def _read_parts(content: Any) -> tuple[str, tuple[SearchCall, ...]]:
    """Return the text and the calls of a content; there are none if all of it is thoughts."""
    parts = objects(content.get("parts")) if isinstance(content, dict) else []
    texts = []
    calls = []
    for part in parts:
        text = part.get("text")
        call = part.get("functionCall")
        if isinstance(text, str) and not part.get("thought"):
            texts.append(text)
        if isinstance(call, dict):
            name = str(call.get("name"))[:_MAX_NAME]
            calls.append(SearchCall(str(call.get("id") or ""), name, read_query(call.get("args"))))
    return "".join(texts), tuple(calls)


def _is_day_quota(detail: Body) -> bool:
    """Waiting some seconds does not help."""
    violations = objects(detail.get("violations"))
    return any("PerDay" in str(violation.get("quotaId")) for violation in violations)


def _read_tokens(usage: Any) -> Tokens | None:
    """Cached tokens are part of the prompt, thoughts are not part of the answer."""
    if not isinstance(usage, dict) or "promptTokenCount" not in usage:
        return None
    cached = read_count(usage, "cachedContentTokenCount")
    prompt = read_count(usage, "promptTokenCount") - cached
    tools = read_count(usage, "toolUsePromptTokenCount")
    answer = read_count(usage, "candidatesTokenCount")
    thoughts = read_count(usage, "thoughtsTokenCount")
    return Tokens(max(0, prompt) + tools, answer + thoughts, cached)
