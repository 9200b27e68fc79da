"""What OpenAI's APIs and those that follow them say instead of an answer."""

from __future__ import annotations

from typing import Any

from webquarry.ask.billing.prices import Tokens
from webquarry.ask.model_api import failures
from webquarry.ask.model_api.failures import CallFailure
from webquarry.ask.model_api.turn import read_count
from webquarry.ask.model_api.vendor import ModelVendor
from webquarry.ask.models import ReplyError
from webquarry.net.models import Reply

_GONE_CODES = ("model_not_found",)
_GONE_TYPES = ("not_found_error", "NotFoundError")
_TOO_LONG = "context_length_exceeded"
_NO_QUOTA = "insufficient_quota"


def build_openai_failure(
    vendor: ModelVendor, reply: Reply, body: Any, model: str, *, api: str
) -> CallFailure:
    """The failure that a reply stands for. `api` is the name of what should have answered."""
    error = failures.read_error(body)
    code = error.get("code")
    kind = error.get("type")
    words = failures.clean_words(error.get("message"), code, kind)
    wait = failures.read_wait(reply)
    should_retry = reply.headers.get("x-should-retry")
    status = reply.status
    if status == 401:
        return failures.build_key_failure(vendor.label, words, status)
    if _NO_QUOTA in (code, kind):
        return failures.build_quota_failure(words, status)
    if status == 429:
        if wait is None:
            wait = failures.read_reset_wait(reply.headers)
        return failures.build_throttle_failure(words, status, wait, should_retry)
    if code in _GONE_CODES or (status == 404 and kind in _GONE_TYPES):
        return failures.build_gone_failure(model, vendor.advice_when_gone)
    if status == 404:
        return failures.build_missing_api_failure(vendor.url, api, vendor.url_variables)
    if code == _TOO_LONG or error.get("param") == "input_tokens":
        message = f"The question is too long for the model: {words}"
        return CallFailure(ReplyError("too_large", message), status)
    if status == 503 and vendor.is_own_server:  # its queue is full, or the model is being loaded
        return failures.build_throttle_failure(words, status, wait, should_retry)
    return failures.build_status_failure(words, status, wait, should_retry)


def read_openai_tokens(usage: Any, sent: str, written: str) -> Tokens | None:
    """The counts: `sent` names those of the prompt, in which cached ones are included, `written`
    those of the answer, in which thoughts are. None where there are none.
    """
    if not isinstance(usage, dict) or not isinstance(usage.get(written), int):
        return None
    details = usage.get(f"{sent}_details")
    cache_read = read_count(details, "cached_tokens")
    cache_write = read_count(details, "cache_write_tokens")
    fresh = read_count(usage, sent) - cache_read - cache_write
    return Tokens(max(0, fresh), read_count(usage, written), cache_read, cache_write)
