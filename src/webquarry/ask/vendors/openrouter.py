"""OpenRouter, which sells the models of many and says what each call cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from webquarry.ask.model_api import failures
from webquarry.ask.model_api.chat import ChatVendor
from webquarry.ask.model_api.turn import Body, ModelRequest, SearchOutcome, Turn
from webquarry.ask.models import ReplyError
from webquarry.credentials import Credential
from webquarry.errors import LONGEST_WAIT_SECONDS
from webquarry.net.models import Reply

_RESET = "x-ratelimit-reset"


class OpenRouter(ChatVendor):
    """`openrouter/anthropic/claude-haiku-5-5`: after the vendor, the name as OpenRouter has it."""

    name = "openrouter"
    label = "The OpenRouter API"
    credentials = (Credential("OPENROUTER_API_KEY", "openrouter-api-key"),)
    default_url = "https://openrouter.ai/api"
    effort: ClassVar[str | None] = "low"

    def build_form(self, request: ModelRequest) -> Body:
        """Only providers that keep to a form are asked."""
        return super().build_form(request) | {"provider": {"require_parameters": True}}

    def build_body(self, request: ModelRequest) -> Body:
        """Without an effort where a form is asked for: few providers would know both."""
        return _drop_effort(super().build_body(request))

    def build_next_body(
        self, body: Body, turn: Turn, outcomes: Sequence[SearchOutcome], request: ModelRequest
    ) -> Body:
        """The same for the call after a search."""
        return _drop_effort(super().build_next_body(body, turn, outcomes, request))

    def read_cost(self, usage: Any) -> float | None:
        """The bill in US dollars, which is always there."""
        cost = usage.get("cost") if isinstance(usage, dict) else None
        if isinstance(cost, bool) or not isinstance(cost, int | float):
            return None
        return float(cost) if 0 <= cost < float("inf") else None

    def build_failure(self, reply: Reply, body: Any, model: str) -> failures.CallFailure:
        """A flagged question is declined, and a 429 may say in its body when to come back."""
        error = failures.read_error(body)
        metadata = error.get("metadata")
        words = failures.clean_words(error.get("message"))
        if reply.status == 403 and isinstance(metadata, dict) and "reasons" in metadata:
            message = f"The model declined to answer: {words}"
            return failures.CallFailure(ReplyError("refused", message), 403)
        if reply.status == 404 and error:
            return failures.build_gone_failure(model, self.advice_when_gone)
        failure = super().build_failure(reply, body, model)
        if failure.is_throttling and failure.retry_after is None:
            failure.retry_after = _read_reset(reply, metadata)
        return failure


def _drop_effort(body: Body) -> Body:
    """A body that asks for a form says nothing of effort."""
    if "response_format" in body:
        body.pop("reasoning_effort", None)
    return body


def _read_reset(reply: Reply, metadata: Any) -> float | None:
    """Seconds until the moment, in milliseconds since 1970, that a header names; it may be in the
    body.
    """
    value = reply.headers.get(_RESET, "")
    headers = metadata.get("headers") if isinstance(metadata, dict) else None
    if not value and isinstance(headers, dict):
        lowered = {str(name).lower(): str(text) for name, text in headers.items()}
        value = lowered.get(_RESET, "")
    if not value.isascii() or not value.isdigit() or len(value) > 15:
        return None
    seconds = int(value) / 1000 - reply.fetched_at.timestamp()
    return min(max(0.0, seconds), LONGEST_WAIT_SECONDS)
